"""Data sets: matches between bots as files for others to learn from, with a card that says what they
are, and `croissant.json`, which says it to programs. The same order gives the same bytes.

Every match has a deal of its own; line-ups and seats take turns as in a tournament. Files have a
thousand matches each, and each is there whole or not at all. A match that a bot forfeited is left
out: it is no example of how to play.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from samovar.arena.data.card import Written, WrittenFile, card_text
from samovar.arena.data.croissant import CROISSANT, croissant_text
from samovar.arena.data.files import MINARI, RECORDS, Shard, find_format, rewards_of
from samovar.arena.data.minari import load_minari, write_minari
from samovar.arena.outcome import Tournament
from samovar.arena.plan import PlannedMatch, TournamentPlan
from samovar.arena.playing import PlayedMatch
from samovar.arena.referee import MOVE_LIMIT, Referee
from samovar.arena.tournament import TellMatches, check, check_limits, play_here
from samovar.engine.chance import derive_seed
from samovar.engine.records.record import replay
from samovar.errors import NotWritten
from samovar.json_types import JsonObject

SHARD = 1000  # matches in a file
CARD = "CARD.md"


class DataPlan(TournamentPlan):
    """The matches of a data set: as many as were asked for, each with a deal of its own."""

    is_luck_measured = False

    @property
    def planned_matches(self) -> int:
        return self.tournament.matches

    def match(self, number: int) -> PlannedMatch:
        seed = derive_seed(self.tournament.seed, "deal", number)
        return replace(super().match(number), deal=number, seed=seed)


def make_dataset(
    order: Tournament,
    folder: str | Path,
    *,
    format: str = RECORDS,
    workers: int | None = None,
    move_limit: float = MOVE_LIMIT,
    progress: TellMatches | None = None,
) -> Written:
    """Plays the matches and writes them into a new folder. What is wrong with the order is said
    before anything is played or written. Interrupted, the matches that are done are kept."""
    check(order)
    find_format(format)
    if format == MINARI:
        load_minari()
    workers = check_limits(workers, move_limit)
    plan, folder = DataPlan(order), Path(folder)
    check_folder(folder)
    with Referee(move_limit) as referee:
        referee.check_bots(plan)
    matches = play_here(plan, min(workers, len(plan)), move_limit, records=True)
    with closing(matches):
        return write_dataset(plan, matches, folder, format=format, progress=progress)


def write_dataset(
    plan: DataPlan,
    matches: Iterable[PlayedMatch],
    folder: Path,
    *,
    format: str = RECORDS,
    progress: TellMatches | None = None,
) -> Written:
    """Writes matches as they end."""
    check_folder(folder)
    written = Written(plan.tournament, format)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_matches(plan, matches, folder, written, progress or (lambda done, total: None))
    except OSError as error:
        raise NotWritten(
            f"The data set cannot be written to {str(folder)!r}: {error.strerror}. Give another --out."
        ) from error
    return written


def write_matches(
    plan: DataPlan, matches: Iterable[PlayedMatch], folder: Path, written: Written, report: TellMatches
) -> None:
    waiting: list[JsonObject] = []
    try:
        report(0, len(plan))
        for number, played in enumerate(in_order(matches), 1):
            if played.record is None or played.outcome.forfeit is not None:
                written.left_out += 1
            else:
                waiting.append(played.record)
            if len(waiting) == SHARD:
                write_shard(folder, waiting, written)
            report(number, len(plan))
    finally:  # also when somebody at the keyboard has had enough
        write_shard(folder, waiting, written)
        put(folder / CARD, card_text(written).encode())
        put(folder / CROISSANT, croissant_text(written).encode())
        if written.format == MINARI:
            write_minari(folder, written)


def check_folder(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise NotWritten(f"{str(folder)!r} is there already. Give another --out, or delete it.")


def in_order(matches: Iterable[PlayedMatch]) -> Iterator[PlayedMatch]:
    """By their numbers, however they end: files do not depend on who was quicker."""
    early: dict[int, PlayedMatch] = {}
    following = 0
    for played in matches:
        early[played.outcome.number] = played
        while following in early:
            yield early.pop(following)
            following += 1


def write_shard(folder: Path, records: list[JsonObject], written: Written) -> None:
    """Writes the next file and clears the list. Interrupted before that, the same file is written
    again."""
    if not records:
        return
    shard = Shard([replay(record) for record in records], list(records))
    form = find_format(written.format)
    content = form.to_bytes(shard, written.order.names)
    name = form.name(len(written.files))
    put(folder / name, content)
    records.clear()
    written.files[name] = WrittenFile(len(content), sha256(content).hexdigest())
    written.matches += len(shard.matches)
    for match, seated in zip(shard.matches, shard.bots, strict=True):
        written.decisions += len(match.history)
        written.seats_taken.update(seated)
        for bot, reward in zip(seated, rewards_of(match), strict=True):
            written.rewards[bot] += reward


def put(path: Path, content: bytes) -> None:
    """Whole or not at all."""
    beside = path.with_name(path.name + ".part")
    beside.write_bytes(content)
    beside.replace(path)
