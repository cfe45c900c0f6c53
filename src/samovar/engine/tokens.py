"""How what a seat knows, and what it may do, is parted for networks that see how things relate.

A network has one *token* for the table as a whole, and one for each *thing* that the game names:
places, cards, dolls, colours. `Tokens`, an entry of the contract in one small file a game, says what
of an observation is about which thing, which things are neighbours, and at which things the factors
of a move point. A game without it has the table alone: all of its observation, each number by its
kind. `Plan` is all of that as tables of numbers, by which networks are built (`learn`), and read
where matches are played (`bots/network_rules.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from math import prod

import numpy as np

from samovar.engine.arrays import Int64s
from samovar.engine.kinds import Kind, Part, one_of
from samovar.errors import BrokenGame, did_you_mean

GUESSED = one_of(18, first=-1)  # of what kind a number is taken to be where the game does not say
TABLE = 0  # the row of the table's token; things follow

# What is done with a number of an observation or of a factor: nothing; a name or a count chooses a
# row that is added; it names the thing to which a row is added, or at which the move points; it says
# how much the move points at its own thing.
SKIP, NAME, COUNT, MARK, POINT, WEIGH = range(6)


@dataclass(frozen=True)
class Group:
    """Things of one kind, `size` of them, numbered from 0."""

    name: str
    size: int
    # parts of the observation (or relations) about these things: each has a number a thing, or
    # several rows of such
    reads: tuple[str, ...]
    marks: tuple[str, ...] = ()  # parts whose numbers name one of these things each
    alike: tuple[str, ...] = ()  # parts among `reads`: things with the same name there are neighbours
    shape: tuple[int, int] | None = None  # they lie in rows and columns
    lines: bool = False  # things of one row are neighbours, and those of one column
    beside: bool = False  # things side by side are neighbours
    told_apart: bool = True  # a network may know each by itself; else they are all the same to it


@dataclass(frozen=True)
class Tokens:
    groups: tuple[Group, ...] = ()
    # by factor: the group of things at one of which it points; a factor that has a number for each
    # thing points at all of them, as much as it says
    points: Mapping[str, str] = field(default_factory=dict)
    ignores: tuple[str, ...] = ()  # parts that no network needs: the rest says it all


@dataclass(frozen=True)
class Key:
    """By what things of a group are neighbours: those with the same number, 0 to values - 1."""

    group: int
    values: int
    numbers: tuple[int, ...] = ()  # by thing, where it never changes
    first_raw: int = 0  # else where the numbers of the things begin in an observation, and
    first: int = 0  # which of them counts as 0


@dataclass(frozen=True)
class Feature:
    """What one row after another of the embedding is for: `rows` of them from `base` on."""

    part: str
    row_of_part: int  # of a part with several numbers a thing, or of a table's part the number
    kind: Kind
    base: int
    rows: int


@dataclass(frozen=True)
class Plan:
    """All that a network must know of a game, as numbers. By number of an observation with its
    relations, and by number of a move's factors: what is done with it (`mode`), the row it is about
    (`target`; of a mark the first of its group), the first row of the embedding (`base`; where a move
    points, the role), `first` and how many numbers from there on count (`values`)."""

    groups: tuple[Group, ...]
    starts: tuple[int, ...]  # the first token of each group
    keys: tuple[Key, ...]
    features: tuple[Feature, ...]
    embedded: int  # rows of the embedding
    seen: Int64s  # (5, numbers): mode, target, base, first, values
    move_features: tuple[Feature, ...]
    move_embedded: int
    roles: tuple[int, ...]  # by role, the group at whose things it points
    factors: Int64s  # (5, numbers of the factors)
    tokens: int  # rows in all
    seats: int  # the most there can be

    def keys_of(self, group: int) -> tuple[Key, ...]:
        return tuple(key for key in self.keys if key.group == group)


def kind_of(part: Part) -> Kind:
    return part.kind or GUESSED


class _Rows:
    """Hands out rows of an embedding."""

    def __init__(self) -> None:
        self.features: list[Feature] = []
        self.used = 0

    def take(self, part: Part, number: int, kind: Kind, rows: int) -> int:
        self.features.append(Feature(part.name, number, kind, self.used, rows))
        self.used += rows
        return self.used - rows


def make_plan(tokens: Tokens, parts: Iterable[Part], factors: tuple[Part, ...], moves: int, seats: int) -> Plan:
    """`parts`: of an observation with its relations."""
    starts = tuple(accumulate((group.size for group in tokens.groups), initial=1))
    group_of = {name: number for number, group in enumerate(tokens.groups) for name in (*group.reads, *group.marks)}
    rows = _Rows()
    seen: list[tuple[int, int, int, int, int]] = []
    firsts: dict[str, int] = {}
    parts = tuple(parts)
    for part in parts:
        kind, firsts[part.name] = kind_of(part), len(seen)
        mode = COUNT if kind.is_count else NAME
        number = group_of.get(part.name)
        if part.name in tokens.ignores:
            seen += [(SKIP, 0, 0, 0, 0)] * part.size
        elif number is None:
            for k in range(part.size):
                base = rows.take(part, k, kind, kind.values)
                seen.append((mode, TABLE, base, kind.first, kind.values))
        elif part.name in tokens.groups[number].marks:
            for k in range(part.size):
                base = rows.take(part, k, kind, 1)
                seen.append((MARK, starts[number], base, kind.first, kind.values))
        else:
            size = tokens.groups[number].size
            for row in range(part.size // size):
                base = rows.take(part, row, kind, kind.values)
                seen += [(mode, starts[number] + k, base, kind.first, kind.values) for k in range(size)]
    keys = [
        Key(number, kind_of(part).values, (), firsts[part.name], kind_of(part).first)
        for number, group in enumerate(tokens.groups)
        for part in parts
        if part.name in group.alike
    ]
    for number, group in enumerate(tokens.groups):
        if group.shape and group.lines:
            high, wide = group.shape
            keys.append(Key(number, high, tuple(k // wide for k in range(group.size))))
            keys.append(Key(number, wide, tuple(k % wide for k in range(group.size))))
    move_rows = _Rows()
    numbers, roles = _plan_moves(tokens, move_parts(factors, moves), starts, move_rows)
    return Plan(
        tokens.groups,
        starts[:-1],
        tuple(sorted(keys, key=lambda key: key.group)),
        tuple(rows.features),
        rows.used,
        np.array(seen, np.int64).reshape(-1, 5).T.copy(),
        tuple(move_rows.features),
        move_rows.used,
        roles,
        np.array(numbers, np.int64).reshape(-1, 5).T.copy(),
        starts[-1],
        seats,
    )


def move_parts(factors: tuple[Part, ...], moves: int) -> tuple[Part, ...]:
    """A move as parts; where the game does not tell them, its number."""
    return factors or (Part("move", 1, "the number of the move", one_of(moves)),)


def _plan_moves(
    tokens: Tokens, parts: tuple[Part, ...], starts: tuple[int, ...], rows: _Rows
) -> tuple[list[tuple[int, int, int, int, int]], tuple[int, ...]]:
    names = [group.name for group in tokens.groups]
    numbers: list[tuple[int, int, int, int, int]] = []
    roles: list[int] = []
    for part in parts:
        kind = kind_of(part)
        if part.name not in tokens.points:
            mode = COUNT if kind.is_count else NAME
            for k in range(part.size):
                base = rows.take(part, k, kind, kind.values)
                numbers.append((mode, 0, base, kind.first, kind.values))
            continue
        number = names.index(tokens.points[part.name])
        size = tokens.groups[number].size
        if kind.is_count:  # one role for each row of numbers, a number for each thing
            for _ in range(part.size // size):
                numbers += [(WEIGH, starts[number] + k, len(roles), kind.first, kind.values) for k in range(size)]
                roles.append(number)
        else:
            for _ in range(part.size):
                numbers.append((POINT, starts[number], len(roles), kind.first, kind.values))
                roles.append(number)
    return numbers, tuple(roles)


def check_tokens(name: str, tokens: Tokens, parts: Iterable[Part], factors: Iterable[Part]) -> None:
    """Refuses what does not fit together."""
    known, of_moves = {part.name: part for part in parts}, {part.name: part for part in factors}
    groups = {group.name: group for group in tokens.groups}
    taken: set[str] = set()

    def refuse(problem: str) -> BrokenGame:
        return BrokenGame(f"The tokens of {name} do not fit it: {problem}")

    def find(part: str, where: Mapping[str, Part]) -> Part:
        if part not in where:
            raise refuse(f"there is no part {part!r}.{did_you_mean(part, where)}")
        return where[part]

    for group in tokens.groups:
        for part in (*group.reads, *group.marks):
            if part in taken:
                raise refuse(f"the part {part!r} is said to be about things twice. Leave one of them out.")
            taken.add(part)
        for part in group.reads:
            if find(part, known).size % group.size:
                raise refuse(
                    f"{part!r} has {known[part].size} numbers, which are no rows of {group.size} for the things "
                    f"{group.name!r}."
                )
        for part in group.marks:
            if kind_of(find(part, known)).is_count or kind_of(known[part]).values > group.size:
                raise refuse(f"{part!r} does not name one of the {group.size} things {group.name!r}.")
        for part in group.alike:
            if part not in group.reads or known[part].size != group.size or kind_of(known[part]).is_count:
                raise refuse(f"things {group.name!r} can be alike by a name that each has and reads, not by {part!r}.")
        if group.shape and prod(group.shape) != group.size:
            raise refuse(f"{group.size} things {group.name!r} do not lie in {group.shape} rows and columns.")
        if (group.lines or group.beside) and not group.shape:
            raise refuse(f"things {group.name!r} are said to lie in lines or side by side: give their shape.")
    for part in tokens.ignores:
        find(part, known)
    for part, pointed in tokens.points.items():
        kind = kind_of(find(part, of_moves))
        if pointed not in groups:
            raise refuse(f"{part!r} points at {pointed!r}, which is no group.{did_you_mean(pointed, groups)}")
        size = groups[pointed].size
        if (kind.is_count and of_moves[part].size % size) or (not kind.is_count and kind.values > size):
            raise refuse(f"the factor {part!r} does not point at one of the {size} things {pointed!r}.")
