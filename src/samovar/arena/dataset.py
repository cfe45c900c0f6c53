"""Data sets: matches between bots as files for others to learn from, with a card that says what they
are. The same order gives the same bytes.

Every match has a deal of its own; line-ups and seats take turns as in a tournament. Files have a
thousand matches each, and each is there whole or not at all. A match that a bot forfeited is left
out: it is no example of how to play.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np

from samovar.arena.dataset_card import Written, card_text
from samovar.arena.outcome import Tournament
from samovar.arena.plan import PlannedMatch, TournamentPlan
from samovar.arena.playing import PlayedMatch
from samovar.arena.referee import MOVE_LIMIT, Referee
from samovar.arena.tournament import TellMatches, check, check_limits, play_here
from samovar.engine.arrays import Array
from samovar.engine.chance import derive_seed
from samovar.engine.match import Match
from samovar.engine.records.record import replay
from samovar.engine.ways.backend import backend
from samovar.engine.ways.rewards import PLACE, paid
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
    arrays: bool = False,
    workers: int | None = None,
    move_limit: float = MOVE_LIMIT,
    progress: TellMatches | None = None,
) -> Written:
    """Plays the matches and writes them into a new folder. What is wrong with the order is said
    before anything is played or written. Interrupted, the matches that are done are kept."""
    check(order)
    workers = check_limits(workers, move_limit)
    plan, folder = DataPlan(order), Path(folder)
    check_folder(folder)
    with Referee(move_limit) as referee:
        referee.check_bots(plan)
    matches = play_here(plan, min(workers, len(plan)), move_limit, records=True)
    with closing(matches):
        return write_dataset(plan, matches, folder, arrays=arrays, progress=progress)


def write_dataset(
    plan: DataPlan,
    matches: Iterable[PlayedMatch],
    folder: Path,
    *,
    arrays: bool = False,
    progress: TellMatches | None = None,
) -> Written:
    """Writes matches as they end."""
    check_folder(folder)
    written = Written(plan.tournament, arrays)
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
    matches = [replay(record) for record in records]
    names = list(written.order.names)
    kind, ending = ("arrays", "npz") if written.arrays else ("records", "jsonl.gz")
    path = folder / f"{kind}-{len(written.files):05}.{ending}"
    bots = [record["table"]["bots"] for record in records]
    put(path, array_bytes(matches, bots, names) if written.arrays else record_bytes(records))
    records.clear()
    written.files[path.name] = path.stat().st_size
    written.matches += len(matches)
    for match, seated in zip(matches, bots, strict=True):
        written.decisions += len(match.history)
        written.seats_taken.update(seated)
        for bot, reward in zip(seated, rewards_of(match), strict=True):
            written.rewards[bot] += reward


def put(path: Path, content: bytes) -> None:
    """Whole or not at all."""
    beside = path.with_name(path.name + ".part")
    beside.write_bytes(content)
    beside.replace(path)


def record_bytes(records: list[JsonObject]) -> bytes:
    """A record a line. Neither the time nor the name of the file is in it."""
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    return gzip.compress(lines.encode(), mtime=0)


def array_bytes(matches: list[Match], bots: list[list[str]], names: list[str]) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **trajectories(matches, bots, names))
    return file.getvalue()


def trajectories(matches: list[Match], bots: list[list[str]], names: list[str]) -> dict[str, Array]:
    """Matches as arrays: a row for each decision, one after the other, and a row for each match. The
    card explains them."""
    rows = [row for match in matches for row in decisions(match)]
    lengths = [len(match.history) for match in matches]
    counts = [len(legal) for _, legal, _, _ in rows]
    size = matches[0].game.observation_size
    return {
        "observations": np.array([seen for seen, _, _, _ in rows], np.int8).reshape(-1, size),
        "seats": np.array([seat for _, _, seat, _ in rows], np.int8),
        "moves": np.array([move for _, _, _, move in rows], np.int32),
        "legal": np.array([move for _, legal, _, _ in rows for move in legal], np.int32),
        "legal_starts": np.cumsum([0, *counts], dtype=np.int64),
        "match_starts": np.cumsum([0, *lengths], dtype=np.int64),
        "rewards": np.array([rewards_of(match) for match in matches], np.float32),
        "scores": np.array([match.scores for match in matches], np.int32),
        "places": np.array([match.places for match in matches], np.int8),
        "bots": np.array([[names.index(bot) for bot in seated] for seated in bots], np.int16),
        "names": np.array(names),
    }


def decisions(match: Match) -> Iterator[tuple[Array, list[int], int, int]]:
    """For each move what its seat knew, what it might do, who it was and what it did."""
    again = match.at(0)
    for seat, move in match.history:
        yield again.observation(seat), again.legal(seat), seat, move
        again.play(seat, move)


def rewards_of(match: Match) -> list[float]:
    """By seat, from -1 for the last to 1 for the first, as a batch pays them."""
    shares: list[float] = paid(match.game, match.seats, PLACE, backend(match.game), match.states)[0].tolist()
    return shares
