"""What the numbers of an observation are, and how a network is shown them.

A `Part` says of what kind its numbers are. From that alone an observation can be written as
*planes*, zeros and ones that a network learns from: a flag is one plane, a name one plane for each
name (only one of them is 1), a count as many planes as it has steps, lit from below like a
thermometer. `Layout` has where each plane lies; the rule that writes them is made by `make_encode`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from types import FunctionType

from samovar.engine.arrays import IntGrid, Ints
from samovar.engine.rule import rule, table
from samovar.errors import BrokenGame, did_you_mean

RAW = "raw"
PLANES_OF_KINDS = "planes"
ENCODINGS = (RAW, PLANES_OF_KINDS)
MOST_STEPS = 16  # of a count: more would drown the rest


@dataclass(frozen=True)
class Kind:
    """`values` numbers from `first` on. A name may also be any other number, for none of them."""

    is_count: bool
    first: int
    values: int
    help: str  # what it is called in the table of a game's page
    board: tuple[int, ...] = ()  # of which the names are the places

    @property
    def planes(self) -> int:
        return min(self.values - 1, MOST_STEPS) if self.is_count else self.values

    def has(self, number: int) -> bool:
        """Whether a number can be of this kind."""
        return not self.is_count or self.first <= number < self.first + self.values


def count(low: int, high: int) -> Kind:
    """How many there are, from `low` to `high`: more is more."""
    if low >= high:
        raise BrokenGame(f"A count goes from a lower to a higher number, not from {low} to {high}.")
    return Kind(True, low, high - low + 1, f"count, {low} to {high}")


def one_of(n: int, first: int = 0) -> Kind:
    """The name of one of n things, numbered from `first`; any other number: none of them."""
    return _names(n, first, "one of")


def seat_of(n: int, first: int = 0) -> Kind:
    """One of n seats, counted from the observer and numbered from `first`; any other number: none."""
    return _names(n, first, "seat, one of")


def place_on(board: tuple[int, ...], first: int = 0) -> Kind:
    """A place of a board of this shape, numbered row by row from `first`; any other number: none."""
    return _names(prod(board), first, f"place on {' x '.join(map(str, board))},", board)


def _names(n: int, first: int, called: str, board: tuple[int, ...] = ()) -> Kind:
    if n < 1:
        raise BrokenGame(f"There must be something to name: {n} things cannot be told apart.")
    return Kind(False, first, n, f"{called} {n} from {first}", board)


FLAG = Kind(True, 0, 2, "flag")


@dataclass(frozen=True)
class Part:
    """A stretch of an observation, or of a move told as parts: `size` numbers from -128 to 127."""

    name: str
    size: int
    help: str
    kind: Kind | None = None  # what each of them is; without it there are no planes of the game
    shape: tuple[int, ...] = ()  # how they lie, (5, 5) for a board; by default in a row


def starts(parts: Sequence[Part], *names: str) -> tuple[int, ...]:
    """Where these parts begin among the numbers: `TURN, HOME = starts(OBSERVATION, "turn", "home")`."""
    places = dict(zip([part.name for part in parts], accumulate([0, *(part.size for part in parts)]), strict=False))
    for name in names:
        if name not in places:
            raise BrokenGame(f"There is no part {name!r}.{did_you_mean(name, places)}")
    return tuple(places[name] for name in names)


@dataclass(frozen=True)
class Planes:
    """The planes of one part: `count` of them, one after another, each of `size` numbers which lie
    in `shape`. The first begins at `start`."""

    name: str
    count: int
    size: int
    shape: tuple[int, ...]
    start: int


class Layout:
    """Where the planes of some parts lie."""

    def __init__(self, game: str, parts: Iterable[Part]) -> None:
        self.parts = tuple(parts)
        self.raw_size = sum(part.size for part in self.parts)
        self._unnamed = [part.name for part in self.parts if part.kind is None]
        self._game = game
        counts = [part.kind.planes if part.kind else 0 for part in self.parts]
        sizes = [number * part.size for number, part in zip(counts, self.parts, strict=True)]
        *starts, self.size = accumulate(sizes, initial=0)
        self.planes = tuple(
            Planes(part.name, number, part.size, part.shape or (part.size,), start)
            for part, number, start in zip(self.parts, counts, starts, strict=True)
        )

    @property
    def has_unnamed(self) -> bool:
        return bool(self._unnamed)

    def check(self) -> None:
        """Refuses where a part does not say what it is."""
        if self._unnamed:
            raise BrokenGame(
                f"{self._game} does not say of what kind its numbers {', '.join(self._unnamed)} are, so there are no "
                "planes of them. Give each Part a kind (samovar/engine/kinds.py), or take encoding='raw'."
            )

    def tables(self) -> dict[str, memoryview]:
        """By raw number, what `make_encode` needs."""
        rows = [
            (planes.start + k, part.size, part.kind.first, planes.count, part.kind.values - 1, part.kind.is_count)
            for part, planes in zip(self.parts, self.planes, strict=True)
            if part.kind
            for k in range(part.size)
        ]
        names = ("START", "STRIDE", "FIRST", "PLANES", "SPAN", "IS_COUNT")
        return {name: table(column) for name, column in zip(names, zip(*rows, strict=True), strict=False)}


START = STRIDE = FIRST = PLANES = SPAN = IS_COUNT = table([0])
RAW_SIZE = SIZE = 0


@rule
def encode(seen: Ints, rows: IntGrid, i: int, at: int) -> None:
    """Writes raw numbers as planes, into row i from column `at` on. `make_encode` gives it the tables."""
    for k in range(SIZE):
        rows[i, at + k] = 0
    for k in range(RAW_SIZE):
        above = seen[k] - FIRST[k]
        plane = at + START[k]
        if IS_COUNT[k]:
            if above > 0:  # most are not, and to divide takes long
                lit = min(above * PLANES[k] // SPAN[k], PLANES[k])
                for step in range(lit):
                    rows[i, plane + step * STRIDE[k]] = 1
        elif 0 <= above < PLANES[k]:
            rows[i, plane + above * STRIDE[k]] = 1


@rule
def encode_nothing(seen: Ints, rows: IntGrid, i: int, at: int) -> None:
    """For games that do not say what their numbers are; nobody is given planes of them."""


def make_encode(layout: Layout) -> Callable[..., None]:
    """`encode` with the tables of a game."""
    if not layout.size or layout.has_unnamed:
        return encode_nothing
    names = {**encode.__globals__, **layout.tables(), "RAW_SIZE": layout.raw_size, "SIZE": layout.size}
    assert isinstance(encode, FunctionType)
    return rule(FunctionType(encode.__code__, names, encode.__name__))
