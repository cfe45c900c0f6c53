"""The same matches on a Ray cluster. Where a match is played does not matter: it follows from its
plan, and it counts once, by its number."""

from __future__ import annotations

import os
import socket
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from itertools import islice

from samovar.arena.outcome import Tournament
from samovar.arena.plan import TournamentPlan
from samovar.arena.playing import PlayedMatch
from samovar.arena.referee import Referee
from samovar.arena.store import header
from samovar.errors import BadTournament
from samovar.json_types import JsonObject

PORTION = 4  # matches in a task: enough to outweigh what a task costs, few enough to lose little with a machine
AHEAD = 4  # tasks handed out at a time, for each core
REACH = 5.0  # seconds to reach a cluster; Ray itself would try for minutes

_checked: set[str] = set()  # in a process of Ray's: tournaments that can be played here as expected


@contextmanager
def joined(address: str) -> Iterator[None]:
    """`local` is a cluster made for this, `auto` the one that runs here; else a host and a port,
    with `ray://` before those for clients.

    Who has joined one already plays on that one, and stays there.
    """
    try:
        import ray
    except ImportError:
        raise BadTournament(
            'Ray is not installed, so there is no cluster to play on. Install it: pip install "samovar-games[ray]".'
        ) from None
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        host, colon, port = address.removeprefix("ray://").rpartition(":")
        if colon:
            socket.create_connection((host, int(port)), REACH).close()
        # What bots print must not get onto standard output, which may be a report.
        ray.init(
            address,
            log_to_driver=False,
            logging_level="error",
            **({"include_dashboard": False} if address == "local" else {}),
        )
    except Exception as error:  # Ray has no kind of its own for what can be wrong
        reason = str(error).strip().partition("\n")[0]
        raise BadTournament(
            f"No Ray cluster can be reached at {address!r} ({reason}). Give its host and port as --ray, 'auto' for "
            "the one started here with "
            "'ray start --head', or 'local' to start one for this. If it wants a token, set RAY_AUTH_MODE "
            "and RAY_AUTH_TOKEN here, too."
        ) from error
    try:
        yield
    finally:
        ray.shutdown()


def play_on_cluster(
    plan: TournamentPlan, numbers: Iterable[int], move_limit: float, records: bool
) -> Generator[PlayedMatch, None, None]:
    """The matches of these numbers, as they end."""
    waiting = iter(numbers)
    portions = iter(lambda: list(islice(waiting, PORTION)), [])
    with closing(play_portions(((plan, portion) for portion in portions), move_limit, records)) as played:
        for _, found in played:
            yield found


def play_portions(
    portions: Iterable[tuple[TournamentPlan, list[int]]], move_limit: float, records: bool
) -> Generator[tuple[TournamentPlan, PlayedMatch], None, None]:
    """Numbers of matches of one plan or another, each portion a task. When a process or a machine dies, Ray plays its
    tasks again elsewhere."""
    import ray

    task = ray.remote(max_retries=-1)(play_portion)
    waiting = iter(portions)
    busy: dict[ray.ObjectRef, TournamentPlan] = {}
    try:
        while True:
            room = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1))) - len(busy)
            for plan, numbers in islice(waiting, max(room, 0)):
                tournament = plan.tournament
                busy[task.remote(tournament, header(tournament), numbers, move_limit, records)] = plan
            if not busy:
                return
            (done, *_), _ = ray.wait([*busy])
            plan = busy.pop(done)
            for played in ray.get(done):
                yield plan, played
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    finally:
        for unwanted in busy:
            ray.cancel(unwanted, force=True)


@cache
def _referee(move_limit: float, records: bool) -> Referee:
    return Referee(move_limit, records=records)


def play_portion(
    tournament: Tournament, expected: JsonObject, numbers: list[int], move_limit: float, records: bool
) -> list[PlayedMatch]:
    """Runs in a process of Ray's, which keeps its referee. A machine that would play otherwise, or
    cannot make a bot, must not play at all."""
    plan = TournamentPlan(tournament)
    referee = _referee(move_limit, records)
    if repr(expected) not in _checked:
        here = header(tournament)
        if here != expected:
            raise BadTournament(
                f"The cluster would play {here}, not {expected}. Install the same samovar and games on all its "
                "machines."
            )
        referee.check_bots(plan)
        _checked.add(repr(expected))
    return [referee(plan.match(number)) for number in numbers]
