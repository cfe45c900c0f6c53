"""The files of a data set, as bytes: a format for each use. Neither the time nor the machine is in
them, so the same matches give the same bytes."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from samovar.engine.arrays import Array
from samovar.engine.match import Match
from samovar.engine.ways.backend import backend
from samovar.engine.ways.rewards import PLACE, paid
from samovar.errors import BadOption, MissingExtra, did_you_mean
from samovar.json_types import JsonObject

RECORDS, ARRAYS, PARQUET, MINARI = "records", "arrays", "parquet", "minari"
OS_BYTE = 9  # of a gzip header: which system wrote it, as Python and zlib see it
UNKNOWN_SYSTEM = b"\xff"
UNIX = 3


@dataclass(frozen=True)
class Shard:
    """Some matches, played again, and as they were written down."""

    matches: list[Match]
    records: list[JsonObject]

    @property
    def bots(self) -> list[list[str]]:
        """By match and seat."""
        return [record["table"]["bots"] for record in self.records]

    @property
    def numbers(self) -> list[int]:
        """Of the matches in their order."""
        return [record["table"]["match"] for record in self.records]


@dataclass(frozen=True)
class FileFormat:
    """How matches are written: `kind` and `ending` make the names of files."""

    kind: str
    ending: str
    media_type: str
    to_bytes: Callable[[Shard, Sequence[str]], bytes]  # with the names of all bots

    def name(self, number: int) -> str:
        return f"{self.kind}-{number:05}.{self.ending}"


def find_format(name: str) -> FileFormat:
    if name not in FORMATS:
        raise BadOption(
            f"There is no format {name!r} of data sets; there are {', '.join(FORMATS)}.{did_you_mean(name, FORMATS)}"
        )
    if name == PARQUET:
        load_pyarrow()
    return FORMATS[name]


def load_pyarrow() -> Any:
    try:
        import_module("pyarrow.parquet")
        return import_module("pyarrow")
    except ModuleNotFoundError:
        raise MissingExtra(
            "Parquet needs the package 'pyarrow', which is not installed. Get it with: pip install "
            "'samovar-games[data]', or take --format arrays."
        ) from None


# Records


def record_bytes(shard: Shard, names: Sequence[str]) -> bytes:
    """A record a line. Python says in the header which system wrote it, some versions do and some do
    not: here it is always unknown."""
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in shard.records)
    packed = gzip.compress(lines.encode(), mtime=0)
    return packed[:OS_BYTE] + UNKNOWN_SYSTEM + packed[OS_BYTE + 1 :]


# Arrays


def array_bytes(shard: Shard, names: Sequence[str]) -> bytes:
    """As `numpy.savez_compressed` writes it, which also says on which system."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in trajectories(shard, names).items():
            member = zipfile.ZipInfo(f"{name}.npy")  # of 1980, unless told otherwise
            member.create_system, member.compress_type = UNIX, zipfile.ZIP_DEFLATED
            member.external_attr = 0o600 << 16
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            archive.writestr(member, content.getvalue())
    return file.getvalue()


def trajectories(shard: Shard, names: Sequence[str]) -> dict[str, Array]:
    """Matches as arrays: a row for each decision, one after the other, and a row for each match. The
    card explains them."""
    matches = shard.matches
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
        "bots": np.array([[names.index(bot) for bot in seated] for seated in shard.bots], np.int16),
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


# Parquet


def parquet_bytes(shard: Shard, names: Sequence[str]) -> bytes:
    """A table with a row for each decision, and all that belongs to it in that row."""
    pyarrow = load_pyarrow()
    table = pyarrow.table(decision_columns(shard), schema=pyarrow.schema(schema(pyarrow)))
    file = io.BytesIO()
    # Arrow's own copy of the schema would say the same once more, differently in each version of it.
    pyarrow.parquet.write_table(table, file, compression="zstd", store_schema=False, version="2.6")
    return file.getvalue()


def schema(pyarrow: Any) -> list[tuple[str, object]]:
    return [
        ("match", pyarrow.int64()),
        ("step", pyarrow.int32()),
        ("seat", pyarrow.int8()),
        ("bot", pyarrow.string()),
        ("observation", pyarrow.list_(pyarrow.int8())),
        ("legal", pyarrow.list_(pyarrow.int32())),
        ("move", pyarrow.int32()),
        ("reward", pyarrow.float32()),
        ("score", pyarrow.int32()),
        ("place", pyarrow.int8()),
    ]


def decision_columns(shard: Shard) -> dict[str, list[object]]:
    columns: dict[str, list[object]] = {name: [] for name in COLUMNS}
    for number, match, bots in zip(shard.numbers, shard.matches, shard.bots, strict=True):
        rewards, scores, places = rewards_of(match), match.scores, match.places
        for step, (seen, legal, seat, move) in enumerate(decisions(match)):
            row = (number, step, seat, bots[seat], seen, legal, move, rewards[seat], scores[seat], places[seat])
            for name, value in zip(COLUMNS, row, strict=True):
                columns[name].append(value)
    return columns


# What Parquet's columns say, and their types as Croissant names them; lists have a star.
COLUMNS = {
    "match": ("cr:Int64", "the number of the match; each has a deal of its own"),
    "step": ("cr:Int32", "how many moves were made in the match before"),
    "seat": ("cr:Int8", "who acted"),
    "bot": ("sc:Text", "the bot in that seat"),
    "observation": ("cr:Int8*", "what the seat knew"),
    "legal": ("cr:Int32*", "the numbers of the moves that it might make"),
    "move": ("cr:Int32", "the number of the move that it made"),
    "reward": (
        "cr:Float32",
        "what the seat was paid at the end of the match, by place: 1 for the first, -1 for the last",
    ),
    "score": ("cr:Int32", "its points at the end"),
    "place": ("cr:Int8", "its place at the end, from 1"),
}

FORMATS = {
    RECORDS: FileFormat("records", "jsonl.gz", "application/jsonlines", record_bytes),
    ARRAYS: FileFormat("arrays", "npz", "application/zip", array_bytes),
    PARQUET: FileFormat("decisions", "parquet", "application/x-parquet", parquet_bytes),
    MINARI: FileFormat("records", "jsonl.gz", "application/jsonlines", record_bytes),  # and `minari.py` makes its own
}
