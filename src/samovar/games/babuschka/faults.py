"""What must always be so in a state of Babuschka."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from .board import BOARD, FACING, FREE, SQUARES
from .sizes import FIGURE
from .state import (
    DECIDED,
    MAX_SEATS,
    NOBODY,
    NOWHERE,
    PATIENCE,
    RUNNING,
    SIZES,
    State,
    all_dolls,
    goal_of,
    is_home,
    quiet_limit,
)


def faults(state: State) -> Iterator[str]:
    for seat in range(MAX_SEATS):
        yield from doll_faults(state, seat)
    for size in range(SIZES):
        if any(one & other for one, other in combinations([state.dolls[seat, size] for seat in range(MAX_SEATS)], 2)):
            yield "two dolls of one size on a field"
    yield from place_faults(state)
    yield from turn_faults(state)


def doll_faults(state: State, seat: int) -> Iterator[str]:
    is_there = seat < state.seats
    goal = beneath = goal_of(state, seat)
    for size in range(SIZES):
        dolls = state.dolls[seat, size]
        if dolls & ~BOARD:
            yield "a doll outside the board"
        elif dolls.bit_count() != (goal.bit_count() if is_there and size < FIGURE else 0):
            yield "a seat does not have its full set of dolls"
        if dolls & goal & ~beneath:  # B5: every size stands where the next smaller one stands too
            yield "dolls on their goal fields out of order"
        beneath = dolls & goal
    if is_there and all_dolls(state, seat) & ~(FREE[state.seats, FACING[state.seats, seat]] | goal) & BOARD:
        yield "a doll on a goal field of the seats to its left or right"


def place_faults(state: State) -> Iterator[str]:
    for seat in range(MAX_SEATS):
        if (state.place[seat] != 0) != (seat < state.seats and is_home(state, seat)):
            yield "a seat is home without a place, or has a place without being home"
    taken = sorted(place for place in state.place if place)
    if taken != list(range(1, len(taken) + 1)) or len(taken) != state.finished:
        yield "the places taken are not 1, 2, 3 in order"


def turn_faults(state: State) -> Iterator[str]:
    plays_on = 0 <= state.turn < state.seats and state.place[state.turn] == 0
    if not plays_on if state.ended == RUNNING else state.turn != NOBODY:
        yield "the seat to move is not one that plays on, or does not fit the end"
    spent = state.quiet >= quiet_limit(state)
    if state.quiet < 0 or state.patience < 1 or (state.ended == PATIENCE) != (spent and state.ended != DECIDED):
        yield "the quiet moves do not fit the patience"
    if (
        not NOBODY <= state.last_seat < state.seats
        or not 0 <= state.passed < 1 << state.seats
        or not all(NOWHERE <= square < SQUARES for square in (state.last_start, state.last_end))
    ):
        yield "the last move or the passes are not of this table"
    if not RUNNING <= state.ended <= PATIENCE or (state.seats - state.finished <= 1) != (state.ended == DECIDED):
        yield "the match should be over, or should not"
