"""Why a move may be good, in facts that everybody has seen (B11): dolls that come nearer, home, over others or
out from under them."""

from __future__ import annotations

from collections.abc import Iterator

from samovar.engine.contract import Event, event

from .board import FACING, ROWS_TO_GO
from .moves import end_of, start_of
from .sizes import FIGURE, STARTING
from .state import SIZE_NAMES, State, count_home, goal_of, top_size
from .view import stack


def reasons(state: State, seat: int, move: int) -> tuple[Event, ...]:
    return tuple(_reasons(state, seat, start_of(move), end_of(move)))


def _reasons(state: State, seat: int, start: int, end: int) -> Iterator[Event]:
    rows = rows_nearer(state, seat, start, end)
    if (goal_of(state, seat) >> end) & 1:
        home, dolls = count_home(state, seat) + 1, FIGURE * STARTING[state.seats]
        if home == dolls:
            yield event("reason.finishes")
        else:
            yield event("reason.home", size=SIZE_NAMES[top_size(state, start)], home=home, dolls=dolls)
    elif rows > 0:
        yield event("reason.rows", rows=rows)
    for covered in list(stack(state, end))[:1]:
        if covered.seat != seat:
            yield event("reason.covers", other_seat=covered.seat, other_size=covered.size)
        elif not (goal_of(state, seat) >> end) & 1:
            yield event("reason.covers_own", other_size=covered.size)
    for below in list(stack(state, start))[1:2]:
        if below.seat != seat:
            yield event("reason.frees_other", other_seat=below.seat, other_size=below.size)
        else:
            yield event("reason.frees", other_size=below.size)


def rows_nearer(state: State, seat: int, start: int, end: int) -> int:
    """To the goal row (B10)."""
    facing = FACING[state.seats, seat]
    return ROWS_TO_GO[facing, start] - ROWS_TO_GO[facing, end]
