"""The state of a match of Babuschka: what its fields mean. How it changes is in `rules`.

A doll only ever covers strictly smaller ones (B3), so a field holds at most one doll of each size,
and which sizes lie there says how they are stacked: twelve sets of fields are the whole board.
"""

from __future__ import annotations

from typing import Annotated, Protocol

import numpy as np

from samovar.engine.arrays import IntGrid, Ints
from samovar.engine.bits import count_bits
from samovar.engine.rule import rule
from samovar.engine.state import GameState, Int8, Int16

from .board import FACING, GOAL

MAX_SEATS = 4
SMALL, MEDIUM, LARGE = range(3)
SIZES = 3
SIZE_NAMES = ("small", "medium", "large")

NOBODY = -1
NOWHERE = -1

# Why a match ended, in `ended`.
RUNNING, DECIDED, BLOCKED, PATIENCE = range(4)
END_NAMES = ("running", "decided", "blocked", "patience")


class State(GameState):
    # Where each seat's dolls of each size stand, covered ones too: a bit per field. Zero for
    # seats that are not there. Everybody has seen all of it (B11); a view shows only the top
    # doll of a field.
    dolls: Annotated[IntGrid, np.int64, MAX_SEATS, SIZES]
    # Option `patience`, 1 to 1000. Public.
    patience: Int16
    # Moves in a row in which no doll came nearer to its goal row and none came home (B10), 0 to
    # 4000. Public.
    quiet: Int16
    # The place a seat has taken by finishing, 1 to 4; 0 while it has not. Public.
    place: Annotated[Ints, np.int8, MAX_SEATS]
    # 2 or 4. Public.
    seats: Int8
    # The seat to move; NOBODY when the match is over. Public.
    turn: Int8
    # How many seats have finished, 0 to 3. Public.
    finished: Int8
    # RUNNING or why the match ended. Public.
    ended: Int8
    # The last move, for the news: who moved, from where, to where; NOBODY and NOWHERE before
    # the first. Public.
    last_seat: Int8
    last_start: Int8
    last_end: Int8
    # The seats that had to pass after the last move, a bit each. Public.
    passed: Int8


class Options(Protocol):
    """The options as `deal` gets them: numbers (see `Option.code`)."""

    patience: int
    first: int


@rule
def of_size(state: State, size: int) -> int:
    """The fields on which a doll of this size stands, covered or not."""
    return state.dolls[0, size] | state.dolls[1, size] | state.dolls[2, size] | state.dolls[3, size]


@rule
def at_least(state: State, size: int) -> int:
    """The fields whose top doll has this size or a larger one."""
    fields = 0
    for larger in range(size, SIZES):
        fields |= of_size(state, larger)
    return fields


@rule
def top_size(state: State, square: int) -> int:
    """The size of the top doll of a field, NOWHERE (-1) of an empty one."""
    for size in range(SIZES - 1, -1, -1):
        if (of_size(state, size) >> square) & 1:
            return size
    return NOWHERE


@rule
def all_dolls(state: State, seat: int) -> int:
    """The fields on which a seat has a doll, covered or not."""
    return state.dolls[seat, SMALL] | state.dolls[seat, MEDIUM] | state.dolls[seat, LARGE]


@rule
def goal_of(state: State, seat: int) -> int:
    return GOAL[state.seats, FACING[state.seats, seat]]


@rule
def is_home(state: State, seat: int) -> bool:
    """B9: all dolls of the seat stand on its goal fields. They can only have come there in order
    (B5)."""
    return all_dolls(state, seat) & ~goal_of(state, seat) == 0


@rule
def count_home(state: State, seat: int) -> int:
    """How many dolls of the seat are home, covered ones too."""
    goal = goal_of(state, seat)
    count = 0
    for size in range(SIZES):
        count += count_bits(state.dolls[seat, size] & goal)
    return count


@rule
def quiet_limit(state: State) -> int:
    """B10: so many quiet moves in a row end the match."""
    return state.patience * (state.seats - state.finished)
