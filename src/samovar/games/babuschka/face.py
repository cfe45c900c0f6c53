"""Babuschka in a browser: the board turned towards its viewer, moves in words, what lies under the
dolls, examples for the rules page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from samovar.engine.contract import Words
from samovar.engine.face import BrowserFace, Choice, Choices, Example

from .board import (
    BOARD,
    FACINGS,
    FIELDS,
    FREE,
    SQUARES,
    TURNED,
    field_name,
    fields_of,
    jumps,
    square_of,
)
from .sizes import WIDTH
from .state import SIZE_NAMES, SIZES, State, of_size
from .view import FACING_NAMES, Chair, Doll, View, squares_of, stack

# Where the others sit, seen by the viewer: quarter turns clockwise from its own side.
SIDES = ("own", "left", "far", "right")


# The board


class Field(NamedTuple):
    """A field with all that is drawn on it: a tuple, because pieces of the drawing are looked up by
    it."""

    name: str
    goal: int | None  # the seat whose goal field it is
    doll: Doll | None  # the top one
    under: tuple[Doll, ...]  # what lies under it from the top down, where that is shown
    left: bool  # the last move began here
    reached: bool  # the last move ended here
    source: str | None  # the field its doll came from in the last move
    owner: str  # the name of whose doll stands there or, without one, of whose goal field it is
    choice: Choice | None  # what a click does, None: nothing


@dataclass(frozen=True)
class Row:
    label: str
    fields: tuple[Field | None, ...]  # None where a corner is cut off


@dataclass(frozen=True)
class Board:
    """As the viewer sits before it: rows from the far side to the near one."""

    labels: tuple[str, ...]  # of the columns
    rows: tuple[Row, ...]
    way: tuple[str, ...]  # the fields of the last move, from where it began to where it ended
    trail: tuple[tuple[int, int], ...]  # the same in the drawing, a field being 100 wide


@dataclass(frozen=True)
class Under:
    """What lies under the top doll of a field, from the top down."""

    field: str
    dolls: tuple[Doll, ...]


def board(
    view: View, covered: Iterable[Under] = (), name: Callable[[int], str] = str, choices: Choices | None = None
) -> Board:
    """The board turned so that the viewer's own side is near; spectators sit with seat 0.
    `covered`: what is shown of covered dolls; `name` gives the name of a seat; `choices`: of the
    scene."""
    facing = _facing(view, view.seat or 0)
    fields = {field.name: field for field in _fields(view, covered, name, choices)}
    turned_aside = facing % 2  # then a row of the drawing is a column of the board
    way = last_way(view)
    return Board(
        labels=tuple(name[turned_aside] for name in _ROWS[facing][0]),
        rows=tuple(Row(row[0][1 - turned_aside], tuple(map(fields.get, row))) for row in _ROWS[facing]),
        way=way,
        trail=tuple(_middle(facing, name) for name in way),
    )


def _turned_rows(facing: int) -> list[list[str]]:
    names = {int(TURNED[facing, square]): field_name(square) for square in range(SQUARES)}
    return [[names[WIDTH * row + column] for column in range(WIDTH)] for row in reversed(range(WIDTH))]


_ROWS = [_turned_rows(facing) for facing in range(FACINGS)]


def _middle(facing: int, name: str) -> tuple[int, int]:
    row, column = divmod(int(TURNED[facing, square_of(name)]), WIDTH)
    return 100 * column + 50, 100 * (WIDTH - 1 - row) + 50


def _fields(
    view: View, covered: Iterable[Under], name_of: Callable[[int], str], choices: Choices | None
) -> Iterator[Field]:
    names = [name_of(seat) for seat in range(view.seats)]
    goals = {name: chair.seat for chair in view.chairs for name in chair.goal}
    tops = {doll.field: doll for doll in view.dolls}
    under = {stacked.field: stacked.dolls for stacked in covered}
    start, end = last_move(view)
    for name in FIELDS:
        goal, doll, reached = goals.get(name), tops.get(name), name == end
        owner = names[doll.seat] if doll else "" if goal is None else names[goal]
        choice = None if choices is None else choices[name]
        yield Field(
            name, goal, doll, under.get(name, ()), name == start, reached, start if reached else None, owner, choice
        )


def last_move(view: View) -> tuple[str | None, str | None]:
    """Where the last move began and ended."""
    for event in view.news:
        if event.kind == "moves":
            facts = dict(event.facts)
            return str(facts["start"]), str(facts["end"])
    return None, None


def last_way(view: View) -> tuple[str, ...]:
    """The fields that the last move touched, in order."""
    start, end = last_move(view)
    if start is None or end is None:
        return ()
    return (start, end) if _are_neighbours(start, end) else _series(view, start, end)


def _series(view: View, start: str, end: str) -> tuple[str, ...]:
    """B4: a series of jumps is named by its ends, and its shortest way is shown. What stands there
    now does for it, because no jump goes over the ends; it lands where the doll may, but on no goal
    field before the end (B6)."""
    seat, size = view.tops[end]
    facing = _facing(view, seat)
    free = _free(view.seats, facing) - {
        doll.field for doll in view.dolls if SIZE_NAMES.index(doll.size) >= SIZE_NAMES.index(size)
    }
    ways: list[tuple[str, ...]] = [(start,)]
    for way in ways:  # it grows as it goes
        landings = [landing for over, landing in _leaps(facing)[way[-1]] if over in view.tops]
        if end in landings:
            return (*way, end)
        ways += [(*way, landing) for landing in landings if landing in free]
        free = free.difference(landings)
    raise AssertionError(f"no series leads from {start} to {end}")


@cache
def _free(seats: int, facing: int) -> frozenset[str]:
    return frozenset(fields_of(FREE[seats, facing]))


@cache
def _leaps(facing: int) -> dict[str, list[tuple[str, str]]]:
    """By field what can be jumped over from there, and where that leads."""
    landings = {square: squares_of(jumps(1 << square, facing, BOARD)) for square in squares_of(BOARD)}
    return {
        field_name(square): [(field_name((square + end) // 2), field_name(end)) for end in ends]
        for square, ends in landings.items()
    }


def round_table(view: View) -> list[tuple[str, Chair]]:
    """The seats and where they sit, clockwise from the viewer's left; its own side comes last."""
    own = view.seat or 0
    order = [(own + step) % view.seats for step in range(1, view.seats + 1)]
    return [(SIDES[(_facing(view, seat) - _facing(view, own)) % 4], view.chairs[seat]) for seat in order]


def passed(view: View) -> tuple[int, ...]:
    """The seats that had to pass after the last move."""
    return tuple(int(dict(news.facts)["seat"]) for news in view.news if news.kind == "passes")


def _facing(view: View, seat: int) -> int:
    return FACING_NAMES.index(view.chairs[seat].facing)


# Moves in words


def steps(view: View, text: str) -> tuple[str, ...]:
    """`c1-e3`: the doll on c1, then the field e3."""
    return tuple(text.split("-"))


def say(view: View, text: str, words: Words) -> str:
    """The whole move, with what it covers and whether it comes home."""
    start, end = steps(view, text)
    doll, covered = _top(view, start), _top(view, end)
    assert doll is not None
    sentence = words["table.pull" if _are_neighbours(start, end) else "table.jump"].format(
        doll=words[f"table.bare.{doll.size}"], start=start, end=end
    )
    if end in view.chairs[doll.seat].goal:
        return sentence + words["table.bringing_home"]
    if covered and covered.seat == doll.seat:
        return sentence + words["table.covering_own"].format(doll=words[f"table.bare.{covered.size}"])
    return sentence + words["table.covering"].format(doll=doll_name(covered, words)) if covered else sentence


def say_step(view: View, picked: tuple[str, ...], words: Words) -> str:
    doll = _top(view, picked[0])
    assert doll is not None
    return words["table.take"].format(doll=words[f"table.bare.{doll.size}"], field=picked[0])


def doll_name(doll: Doll, words: Words) -> str:
    """`small blue doll`: by the colour, because the names of people are not known here."""
    return words[f"table.doll.{doll.size}.{doll.seat}"]


def _top(view: View, name: str) -> Doll | None:
    return next((doll for doll in view.dolls if doll.field == name), None)


def _are_neighbours(start: str, end: str) -> bool:
    """2.3: a pull goes one step; a series of jumps never ends so near."""
    one, other = square_of(start), square_of(end)
    return max(abs(one % WIDTH - other % WIDTH), abs(one // WIDTH - other // WIDTH)) == 1


# What lies under the dolls


def truth(state: State) -> tuple[Under, ...]:
    """All covered dolls."""
    small, medium, large = (of_size(state, size) for size in range(SIZES))
    covered = small & medium | (small | medium) & large
    return tuple(Under(field_name(square), tuple(stack(state, square))[1:]) for square in squares_of(covered))


def memory(state: State, seat: int) -> tuple[Under, ...]:
    """B11: each covering was seen by all, so a perfect memory knows the truth."""
    return truth(state)


# The face

EXAMPLES = {
    "start": Example({"seats": 4}),
    "covering": Example(
        {"dolls": {"d3": "0M", "c4": "1S", "d4": "1M", "e4": "0L", "g4": "1L", "f6": "0S"}, "rest": "home", "turn": 0},
        0,
    ),
    "series": Example(
        {"dolls": {"c2": "0S", "d3": "1L", "d4": "0M", "d5": "0L", "f5": "1M", "f6": "0L"}, "turn": 0}, 0
    ),
    "home": Example(
        {
            "dolls": {
                "f8": "0S 0M 0L",
                "e8": "0S 0M",
                "d8": "0S",
                "b7": "0S",
                "c7": "0M",
                "d7": "0L",
                "g5": "0M",
                "f6": "0L",
                "b4": "0L",
                "g3": "1L",
            },
            "turn": 0,
        },
        0,
    ),
    "neighbours": Example(
        {"seats": 4, "dolls": {"b4": "0L", "g4": "0M", "e3": "0S", "c5": "1M 1L", "e6": "2L", "f3": "3L"}, "turn": 0}, 0
    ),
}


@dataclass(frozen=True)
class BabuschkaFace(BrowserFace):
    """With what the template asks for beside the scene."""

    board: Callable[..., Board] = board
    round_table: Callable[[View], list[tuple[str, Chair]]] = round_table
    passed: Callable[[View], tuple[int, ...]] = passed
    doll_name: Callable[[Doll, Words], str] = doll_name


FACE = BabuschkaFace(steps=steps, say=say, say_step=say_step, memory=memory, truth=truth, examples=EXAMPLES)
