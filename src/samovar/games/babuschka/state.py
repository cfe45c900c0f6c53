"""The state of a match of Babuschka: what its fields mean and what must always be so. How it
changes is in `rules`.

A doll only ever covers strictly smaller ones (B3), so a field holds at most one doll of each size,
and which sizes lie there says how they are stacked: twelve sets of fields are the whole board.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samovar.engine.bits import count_bits
from samovar.engine.rule import rule

from .board import BOARD, FACING, FREE, GOAL, SQUARES

MAX_SEATS = 4
SMALL, MEDIUM, LARGE = range(3)
SIZES = 3
SIZE_NAMES = ("small", "medium", "large")

NOBODY = -1
NOWHERE = -1

# Why a match ended, in `ended`.
RUNNING, DECIDED, BLOCKED, PATIENCE = range(4)
END_NAMES = ("running", "decided", "blocked", "patience")

STATE = np.dtype(
    [
        # Where each seat's dolls of each size stand, covered ones too: a bit per field. Zero for
        # seats that are not there. Everybody has seen all of it (B11); a view shows only the top
        # doll of a field.
        ("dolls", np.int64, (MAX_SEATS, SIZES)),
        # Option `patience`, 1 to 1000. Public.
        ("patience", np.int16),
        # Moves in a row in which no doll came nearer to its goal row and none came home (B10), 0 to
        # 4000. Public.
        ("quiet", np.int16),
        # The place a seat has taken by finishing, 1 to 4; 0 while it has not. Public.
        ("place", np.int8, (MAX_SEATS,)),
        # 2 or 4. Public.
        ("seats", np.int8),
        # The seat to move; NOBODY when the match is over. Public.
        ("turn", np.int8),
        # How many seats have finished, 0 to 3. Public.
        ("finished", np.int8),
        # RUNNING or why the match ended. Public.
        ("ended", np.int8),
        # The last move, for the news: who moved, from where, to where; NOBODY and NOWHERE before
        # the first. Public.
        ("last_seat", np.int8),
        ("last_start", np.int8),
        ("last_end", np.int8),
        # The seats that had to pass after the last move, a bit each. Public.
        ("passed", np.int8),
    ],
    align=True,
)


@rule
def of_size(state: Any, size: int) -> int:
    """The fields on which a doll of this size stands, covered or not."""
    fields: int = state.dolls[0, size] | state.dolls[1, size] | state.dolls[2, size] | state.dolls[3, size]
    return fields


@rule
def at_least(state: Any, size: int) -> int:
    """The fields whose top doll has this size or a larger one."""
    fields = 0
    for larger in range(size, SIZES):
        fields |= of_size(state, larger)
    return fields


@rule
def top_size(state: Any, square: int) -> int:
    """The size of the top doll of a field, NOWHERE (-1) of an empty one."""
    for size in range(SIZES - 1, -1, -1):
        if (of_size(state, size) >> square) & 1:
            return size
    return NOWHERE


@rule
def all_dolls(state: Any, seat: int) -> int:
    """The fields on which a seat has a doll, covered or not."""
    fields: int = state.dolls[seat, SMALL] | state.dolls[seat, MEDIUM] | state.dolls[seat, LARGE]
    return fields


@rule
def goal_of(state: Any, seat: int) -> int:
    return GOAL[state.seats, FACING[state.seats, seat]]


@rule
def is_home(state: Any, seat: int) -> bool:
    """B9: all dolls of the seat stand on its goal fields. They can only have come there in order
    (B5)."""
    return all_dolls(state, seat) & ~goal_of(state, seat) == 0


@rule
def count_home(state: Any, seat: int) -> int:
    """How many dolls of the seat are home, covered ones too."""
    goal = goal_of(state, seat)
    count = 0
    for size in range(SIZES):
        count += count_bits(state.dolls[seat, size] & goal)
    return count


@rule
def quiet_limit(state: Any) -> int:
    """B10: so many quiet moves in a row end the match."""
    limit: int = state.patience * (state.seats - state.finished)
    return limit


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
def _doll_faults(state: Any, seat: int) -> int:
    """Bits 0, 2, 3 and 4 for one seat."""
    found = 0
    wanted = 0
    if seat < state.seats:
        wanted = 8 // state.seats
    goal = goal_of(state, seat)
    beneath = goal
    for size in range(SIZES):
        dolls = state.dolls[seat, size]
        if dolls & ~BOARD != 0:
            found |= 4
        elif count_bits(dolls) != wanted:
            found |= 1
        # On goal fields every size stands where the next smaller one stands too (B5).
        if dolls & goal & ~beneath != 0:
            found |= 8
        beneath = dolls & goal
    if (
        seat < state.seats
        and all_dolls(state, seat) & ~(FREE[state.seats, FACING[state.seats, seat]] | goal) & BOARD != 0
    ):
        found |= 16
    return found


@rule
def _two_of_a_size(state: Any) -> bool:
    for size in range(SIZES):
        taken = 0
        for seat in range(MAX_SEATS):
            if taken & state.dolls[seat, size] != 0:
                return True
            taken |= state.dolls[seat, size]
    return False


@rule
def _place_faults(state: Any) -> int:
    """Bits 5 and 6."""
    found = 0
    taken = 0
    for seat in range(MAX_SEATS):
        here = seat < state.seats
        if (state.place[seat] != 0) != (here and is_home(state, seat)):
            found |= 32
        if state.place[seat] != 0:
            if state.place[seat] < 1 or state.place[seat] > state.finished or (taken >> state.place[seat]) & 1:
                found |= 64
            else:
                taken |= 1 << state.place[seat]
    if count_bits(taken) != state.finished:
        found |= 64
    return found


@rule
def _turn_faults(state: Any) -> int:
    """Bits 7 to 10."""
    found = 0
    over = state.ended != RUNNING
    plays_on = state.turn >= 0 and state.turn < state.seats and state.place[max(state.turn, 0) & 3] == 0
    if (not over and not plays_on) or (over and state.turn != NOBODY):
        found |= 128
    spent = state.quiet >= quiet_limit(state)
    if state.quiet < 0 or state.patience < 1 or (state.ended == PATIENCE) != (spent and state.ended != DECIDED):
        found |= 256
    if (
        state.last_seat < NOBODY
        or state.last_seat >= state.seats
        or state.passed < 0
        or state.passed >= 1 << state.seats
    ):
        found |= 512
    if (
        state.last_start < NOWHERE
        or state.last_start >= SQUARES
        or state.last_end < NOWHERE
        or state.last_end >= SQUARES
    ):
        found |= 512
    if (
        state.ended < RUNNING
        or state.ended > PATIENCE
        or (state.seats - state.finished <= 1) != (state.ended == DECIDED)
    ):
        found |= 1024
    return found


@rule
def faults(state: Any) -> int:
    """One bit per broken invariant, in the order of FAULT_NAMES."""
    found = 0
    for seat in range(MAX_SEATS):
        found |= _doll_faults(state, seat)
    if _two_of_a_size(state):
        found |= 2
    return found | _place_faults(state) | _turn_faults(state)
