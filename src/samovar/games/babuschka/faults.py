"""What must always be so in a state of Babuschka."""

from __future__ import annotations

from samovar.engine.bits import count_bits
from samovar.engine.rule import rule

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

FAULT_NAMES = (
    "a seat does not have its full set of dolls",
    "two dolls of one size on a field",
    "a doll outside the board",
    "dolls on their goal fields out of order",
    "a doll on a goal field of the seats to its left or right",
    "a seat is home without a place, or has a place without being home",
    "the places taken are not 1, 2, 3 in order",
    "the seat to move is not one that plays on, or does not fit the end",
    "the quiet moves do not fit the patience",
    "the last move or the passes are not of this table",
    "the match should be over, or should not",
)


@rule
def _doll_faults(state: State, seat: int) -> int:
    """Bits 0, 2, 3 and 4 for one seat."""
    broken = 0
    goal = goal_of(state, seat)
    beneath = goal
    for size in range(SIZES):
        dolls = state.dolls[seat, size]
        if dolls & ~BOARD != 0:
            broken |= 4
        elif count_bits(dolls) != (count_bits(goal) if seat < state.seats and size < FIGURE else 0):
            broken |= 1
        # On goal fields every size stands where the next smaller one stands too (B5).
        if dolls & goal & ~beneath != 0:
            broken |= 8
        beneath = dolls & goal
    if (
        seat < state.seats
        and all_dolls(state, seat) & ~(FREE[state.seats, FACING[state.seats, seat]] | goal) & BOARD != 0
    ):
        broken |= 16
    return broken


@rule
def _two_of_a_size(state: State) -> bool:
    for size in range(SIZES):
        taken = 0
        for seat in range(MAX_SEATS):
            if taken & state.dolls[seat, size] != 0:
                return True
            taken |= state.dolls[seat, size]
    return False


@rule
def _place_faults(state: State) -> int:
    """Bits 5 and 6."""
    broken = 0
    taken = 0
    for seat in range(MAX_SEATS):
        here = seat < state.seats
        if (state.place[seat] != 0) != (here and is_home(state, seat)):
            broken |= 32
        if state.place[seat] != 0:
            if state.place[seat] < 1 or state.place[seat] > state.finished or (taken >> state.place[seat]) & 1:
                broken |= 64
            else:
                taken |= 1 << state.place[seat]
    if count_bits(taken) != state.finished:
        broken |= 64
    return broken


@rule
def _turn_faults(state: State) -> int:
    """Bits 7 to 10."""
    broken = 0
    over = state.ended != RUNNING
    plays_on = state.turn >= 0 and state.turn < state.seats and state.place[max(state.turn, 0) & 3] == 0
    if (not over and not plays_on) or (over and state.turn != NOBODY):
        broken |= 128
    spent = state.quiet >= quiet_limit(state)
    if state.quiet < 0 or state.patience < 1 or (state.ended == PATIENCE) != (spent and state.ended != DECIDED):
        broken |= 256
    if (
        state.last_seat < NOBODY
        or state.last_seat >= state.seats
        or state.passed < 0
        or state.passed >= 1 << state.seats
    ):
        broken |= 512
    if (
        state.last_start < NOWHERE
        or state.last_start >= SQUARES
        or state.last_end < NOWHERE
        or state.last_end >= SQUARES
    ):
        broken |= 512
    if (
        state.ended < RUNNING
        or state.ended > PATIENCE
        or (state.seats - state.finished <= 1) != (state.ended == DECIDED)
    ):
        broken |= 1024
    return broken


@rule
def faults(state: State) -> int:
    """One bit per broken invariant, in the order of FAULT_NAMES."""
    broken = 0
    for seat in range(MAX_SEATS):
        broken |= _doll_faults(state, seat)
    if _two_of_a_size(state):
        broken |= 2
    return broken | _place_faults(state) | _turn_faults(state)
