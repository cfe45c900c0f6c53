"""Runs a tournament: checks it, goes on where its file ends, plays the rest here or on a
cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path

from samovar.arena.outcome import Outcome, Tournament
from samovar.arena.plan import PlannedMatch, TournamentPlan
from samovar.arena.playing import PlayedMatch
from samovar.arena.referee import MOVE_LIMIT, Referee
from samovar.arena.store import ArenaFile
from samovar.engine.chance import check_seed
from samovar.engine.records.record import replay, save_record
from samovar.engine.registry import find_game
from samovar.engine.ways.backend import thread_count
from samovar.errors import BadTournament

DAY = 86_400  # seconds
TellMatches = Callable[[int, int], None]  # matches done, of so many


def run(
    tournament: Tournament,
    *,
    file: str | Path | None = None,
    workers: int | None = None,
    move_limit: float = MOVE_LIMIT,
    records: str | Path | None = None,
    progress: TellMatches | None = None,
    cluster: str | None = None,
) -> list[Outcome]:
    """The outcomes of all matches, by number. What is wrong with the order is said before anything
    is played or written.

    `file` keeps the outcomes, so that the same call goes on after an interruption; `records` is a
    folder for the records of the matches played. `cluster` is the address of a Ray cluster; else so
    many `workers` play here, by default one for each core.
    """
    plan = check(tournament)
    workers = check_limits(workers, move_limit)
    with Referee(move_limit) as referee:
        referee.check_bots(plan)
    if records is not None:
        try:
            Path(records).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadTournament(
                f"The folder {str(records)!r} for records cannot be made: {error.strerror}. Give another."
            ) from error
    report = progress or (lambda done, total: None)
    with ExitStack() as stack:
        if cluster is not None:
            from samovar.arena.cluster import joined, play_on_cluster

            stack.enter_context(joined(cluster))
        store = stack.enter_context(ArenaFile(tournament, file))
        missing = [number for number in range(len(plan)) if number not in store]
        if cluster is not None:
            matches = play_on_cluster(plan, missing, move_limit, records is not None)
        else:
            matches = play_here(map(plan.match, missing), min(workers, len(missing)), move_limit, records is not None)
        stack.enter_context(closing(matches))
        report(len(store), len(plan))
        for outcome, record in matches:
            if records is not None and record is not None:
                save_record(replay(record), Path(records) / f"match-{outcome.number:05}.json", record["table"])
            store.add(outcome)
            report(len(store), len(plan))
        return store.outcomes()


def check(tournament: Tournament) -> TournamentPlan:
    """The plan of a tournament that can be played, as far as one can tell without making its bots."""
    game = find_game(tournament.game)
    game.check_options(game.check_seats(tournament.seats), tournament.options)
    check_seed(tournament.seed)
    return TournamentPlan(tournament)


def check_limits(workers: int | None, move_limit: float) -> int:
    """How many workers play; None: one for each core."""
    workers = thread_count() if workers is None else workers
    if workers < 1:
        raise BadTournament(f"At least one worker must play, not {workers}. Leave --workers out for one on each core.")
    if not 0 < move_limit <= DAY:
        raise BadTournament(
            f"A bot cannot have {move_limit:g} seconds for a move. Give a number above 0 as --move-limit, {DAY} at "
            "most."
        )
    return workers


def play_here(
    matches: Iterable[PlannedMatch], workers: int, move_limit: float, records: bool
) -> Generator[PlayedMatch, None, None]:
    """Each worker is a thread with a referee, and so a process; matches come as they end."""
    with ExitStack() as stack:
        referees = [stack.enter_context(Referee(move_limit, records=records)) for _ in range(workers)]
        with ThreadPoolExecutor(max(workers, 1)) as pool:
            try:
                waiting = iter(matches)
                busy = {
                    pool.submit(referee, planned): referee for referee, planned in zip(referees, waiting, strict=False)
                }
                while busy:
                    for done in wait(busy, return_when=FIRST_COMPLETED).done:
                        referee = busy.pop(done)
                        busy |= {pool.submit(referee, planned): referee for planned in islice(waiting, 1)}
                        yield done.result()
            finally:
                for referee in referees:
                    referee.stop()  # else the pool would wait for matches that nobody wants any more
