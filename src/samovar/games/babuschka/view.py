"""What people see: the top doll of each field (B11), how many dolls are home, whose turn it is; and
its drawing for terminals.

A view is built up from that, and is the same for every seat and for spectators but for what the
viewer is asked to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from samovar.engine.contract import Event, Words, event

from .board import (
    BOARD,
    COLUMNS,
    FACING,
    FIELDS,
    GOAL,
    START,
    field_name,
    fields_of,
)
from .rules import places as write_places
from .rules import rows_to_go
from .sizes import FIGURE, STARTING, WIDTH
from .state import (
    BLOCKED,
    DECIDED,
    END_NAMES,
    NOBODY,
    PATIENCE,
    RUNNING,
    SIZE_NAMES,
    SIZES,
    State,
    count_home,
    of_size,
    quiet_limit,
)

FACING_NAMES = ("north", "east", "south", "west")


@dataclass(frozen=True)
class Doll:
    """A doll that can be seen: the top one of a field."""

    field: str
    seat: int
    size: str  # "small", "medium" or "large"


@dataclass(frozen=True)
class Chair:
    """How one seat stands."""

    seat: int
    facing: str  # where it plays to: "north", "east", "south" or "west"
    start: tuple[str, ...]
    goal: tuple[str, ...]
    dolls: int  # how many it has in all
    home: int  # how many of them are home
    place: int | None  # taken by finishing; at the end of the match everybody's
    rows: int | None  # the rows still to go over all its dolls, counted where they decide the places (B10)


@dataclass(frozen=True)
class View:
    seats: int
    seat: int | None  # whose view it is; None: a spectator's
    prompt: Event  # what is asked of the viewer: prompt.move, prompt.wait or prompt.over
    turn: int | None  # the seat to move; None when the match is over
    dolls: tuple[Doll, ...]  # the top doll of each field that has one, from a1 to h8 row by row
    chairs: tuple[Chair, ...]
    patience: int
    quiet: int  # quiet moves in a row so far
    quiet_limit: int  # so many end the match
    end: str | None  # why the match ended: "decided", "blocked" or "patience"
    news: tuple[Event, ...]

    @cached_property
    def tops(self) -> dict[str, tuple[int, str]]:
        """Seat and size of the top doll, by field."""
        return {doll.field: (doll.seat, doll.size) for doll in self.dolls}


def view(state: State, seat: int | None) -> View:
    """What a seat sees, None for a spectator."""
    over = state.ended != RUNNING
    return View(
        seats=state.seats,
        seat=seat,
        prompt=event("prompt.over" if over else "prompt.move" if state.turn == seat else "prompt.wait"),
        turn=None if over else state.turn,
        dolls=_tops(state),
        chairs=_chairs(state, over),
        patience=state.patience,
        quiet=state.quiet,
        quiet_limit=quiet_limit(state),
        end=END_NAMES[state.ended] if over else None,
        news=news(state, seat),
    )


@cache
def _doll(square: int, seat: int, size: int) -> Doll:
    return Doll(field_name(square), seat, SIZE_NAMES[size])


def _tops(state: State) -> tuple[Doll, ...]:
    """From the largest size down: a field that has shown a doll shows no other."""
    tops: dict[int, Doll] = {}
    free = BOARD
    for size in reversed(range(SIZES)):
        for seat in range(state.seats):
            tops |= {square: _doll(square, seat, size) for square in squares_of(state.dolls[seat, size] & free)}
        free &= ~of_size(state, size)
    return tuple(tops[square] for square in sorted(tops))


def squares_of(fields: int) -> Iterator[int]:
    while fields:
        yield (fields & -fields).bit_length() - 1
        fields &= fields - 1


def stack(state: State, square: int) -> Iterator[Doll]:
    """The dolls of a field from the top down. Only the first may be shown, and the second right
    after it was covered."""
    for size in reversed(range(SIZES)):
        for seat in range(state.seats):
            if (state.dolls[seat, size] >> square) & 1:
                yield _doll(square, seat, size)


def _chairs(state: State, over: bool) -> tuple[Chair, ...]:
    ranks = _ranks(state) if over else [place or None for place in state.place]
    counts_rows = state.ended in (BLOCKED, PATIENCE)
    return tuple(
        Chair(
            *_side(state.seats, seat),
            dolls=FIGURE * STARTING[state.seats],
            home=count_home(state, seat),
            place=ranks[seat],
            rows=rows_to_go(state, seat) if counts_rows else None,
        )
        for seat in range(state.seats)
    )


@cache
def _side(seats: int, seat: int) -> tuple[int, str, tuple[str, ...], tuple[str, ...]]:
    """What never changes about a chair: seat, facing, start, goal."""
    facing = FACING[seats, seat]
    return seat, FACING_NAMES[facing], fields_of(START[seats, facing]), fields_of(GOAL[seats, facing])


def _ranks(state: State) -> list[int]:
    ranks = [0] * state.seats
    write_places(state, ranks)
    return ranks


# What happened

# The doll that an event names, and where: facts of its owner, its size, its field.
NAMED = {
    "moves": ("seat", "size", "end"),
    "comes_home": ("seat", "size", "end"),
    "covers": ("other_seat", "other_size", "end"),
    "uncovers": ("other_seat", "other_size", "start"),
}
FADED = {"moves": ("moved", ("seat",)), "comes_home": ("brought_home", ("seat", "home", "dolls"))}


def faded(past: Event, view: View) -> Event | None:
    """B11, C5: where another doll is on top, what may be under it has to be remembered."""
    if past.kind not in NAMED:
        return past
    facts = dict(past.facts)
    seat, size, square = (facts[name] for name in NAMED[past.kind])
    if view.tops.get(str(square), (seat, size)) == (seat, size):
        return past
    kind, kept = FADED.get(past.kind, (None, ()))
    return Event(kind, tuple((name, facts[name]) for name in kept)) if kind else None


def in_sight(view: View) -> frozenset[object]:
    """Nothing but what the events tell: each move that covers a doll says so, and that fades."""
    return frozenset()


def news(state: State, seat: int | None) -> tuple[Event, ...]:
    """The last move, which everybody saw."""
    return tuple(_news(state))


def _news(state: State) -> Iterator[Event]:
    if state.last_seat == NOBODY:
        return
    seat = state.last_seat
    start, end = field_name(state.last_start), field_name(state.last_end)
    # Nobody has moved since: the top doll of the end is the one that moved, the next one what it
    # covered, and what is on top where it began was under it.
    moved, *covered = stack(state, state.last_end)
    yield event("moves", seat=seat, size=moved.size, start=start, end=end)
    if covered:
        yield event(
            "covers", seat=seat, other_seat=covered[0].seat, size=moved.size, other_size=covered[0].size, end=end
        )
    for below in list(stack(state, state.last_start))[:1]:
        yield event("uncovers", other_seat=below.seat, other_size=below.size, start=start)
    if (GOAL[state.seats, FACING[state.seats, seat]] >> state.last_end) & 1:
        yield event(
            "comes_home",
            seat=seat,
            size=moved.size,
            end=end,
            home=count_home(state, seat),
            dolls=FIGURE * STARTING[state.seats],
        )
    if state.place[seat]:
        yield event("finishes", seat=seat, place=f"place.{state.place[seat]}")
    for step in range(1, state.seats + 1):
        other = (seat + step) % state.seats
        if (state.passed >> other) & 1:
            yield event("passes", seat=other)
    yield from _end_news(state)


def _end_news(state: State) -> Iterator[Event]:
    """How the match ended, and the places that were not taken by finishing."""
    if state.ended == RUNNING:
        return
    if state.ended == BLOCKED:
        yield event("ends_blocked")
    if state.ended == PATIENCE:
        yield event("ends_patience", quiet=state.quiet)
    ranks = _ranks(state)
    for seat in sorted(range(state.seats), key=lambda seat: ranks[seat]):
        if not state.place[seat]:
            yield event("is_last" if state.ended == DECIDED else "is_placed", seat=seat, place=f"place.{ranks[seat]}")


# The drawing

_CELL = 4


def draw(view: View, words: Words) -> str:
    """The board with the top doll of each field as size and player (`L1`), the empty goal fields as
    `(1)`, and how each player stands. People count players from 1."""
    shown = {doll.field: words[f"letter.{doll.size}"] + str(doll.seat + 1) for doll in view.dolls}
    for chair in view.chairs:
        for name in chair.goal:
            shown.setdefault(name, f"({chair.seat + 1})")
    head = "    " + "".join(letter.center(_CELL) for letter in COLUMNS)
    lines = [head]
    for row in reversed(range(WIDTH)):
        cells = "".join(_cell(row, column, shown) for column in range(WIDTH))
        lines.append(f"  {row + 1} {cells} {row + 1}")
    lines += [head, "", words["draw.legend"], ""]
    lines += [_chair_line(view, chair, words) for chair in view.chairs]
    lines.append(words["draw.quiet"].format(quiet=view.quiet, limit=view.quiet_limit))
    if view.end is not None:
        lines.append(words[f"end.{view.end}"])
    return "\n".join(line.rstrip() for line in lines)


STYLES = ("#fff6e2 on #c42a20", "#fff6e2 on #1f66a8", "#fff6e2 on #2c7a41", "#fff6e2 on #84449f")


def paint(words: Words) -> dict[str, str]:
    """The dolls and the goals of each player."""
    letters = "".join(words[f"letter.{size}"] for size in SIZE_NAMES)
    return {rf"\b[{letters}]{number}\b|\({number}\)": style for number, style in enumerate(STYLES, 1)}


def _cell(row: int, column: int, shown: dict[str, str]) -> str:
    name = field_name(WIDTH * row + column)
    return shown.get(name, "·" if name in FIELDS else "").center(_CELL)


def _chair_line(view: View, chair: Chair, words: Words) -> str:
    mark = ">" if chair.seat == view.turn else " "
    line = words["draw.chair"].format(
        seat=chair.seat + 1,
        you=words["draw.you"] if chair.seat == view.seat else "",
        facing=words[chair.facing],
        home=chair.home,
        dolls=chair.dolls,
    )
    place = "" if chair.place is None else "  " + words["draw.place"].format(place=words[f"place.{chair.place}"])
    return f"{mark} {line}{place}"
