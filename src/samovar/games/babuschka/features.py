"""What networks are shown besides: the dolls on top, and a move as parts; and moves on the board as
the seat sees it. The board is turned as in the observation, chairs are counted as there."""

from __future__ import annotations

from samovar.engine.arrays import Ints
from samovar.engine.contract import Part
from samovar.engine.kinds import FLAG, count, one_of, place_on, seat_of
from samovar.engine.rule import rule

from .board import (
    FACING,
    FACINGS,
    ROWS_TO_GO,
    SQUARES,
    TURNED,
)
from .moves import end_of, move_number, start_of
from .observation import DOLLS
from .sizes import WIDTH
from .state import NOBODY, NOWHERE, SIZES, State, goal_of, top_size

BOARD_SHAPE = (WIDTH, WIDTH)

RELATIONS = (
    Part("top", SQUARES, "by field: the chair of the top doll, -1 where none stands", seat_of(FACINGS), BOARD_SHAPE),
    Part("top_size", SQUARES, "by field: its size, 0 small to 2 large, -1 none", one_of(SIZES), BOARD_SHAPE),
)


@rule
def relate(seen: Ints, at: int) -> None:
    """B3: the largest doll of a field is the top one."""
    for square in range(SQUARES):
        seen[at + square] = NOBODY
        seen[at + SQUARES + square] = NOWHERE
        for size in range(SIZES):
            for chair in range(FACINGS):
                if seen[DOLLS + (chair * SIZES + size) * SQUARES + square]:
                    seen[at + square] = chair
                    seen[at + SQUARES + square] = size


FACTORS = (
    Part("from", 1, "the field where it begins", place_on(BOARD_SHAPE)),
    Part("to", 1, "the field where it ends", place_on(BOARD_SHAPE)),
    Part("size", 1, "the size of the doll, 0 small to 2 large", one_of(SIZES)),
    Part("rows", 1, "how many rows nearer to the goal row it comes", count(0, WIDTH - 1)),
    Part("home", 1, "1 if it comes home", FLAG),
    Part("covers", 1, "the chair of the doll that it covers, -1 none", seat_of(FACINGS)),
)


@rule
def factor(state: State, seat: int, move: int, out: Ints) -> None:
    facing = FACING[state.seats, seat]
    start = start_of(move)
    end = end_of(move)
    out[0] = TURNED[facing, start]
    out[1] = TURNED[facing, end]
    out[2] = top_size(state, start)
    out[3] = ROWS_TO_GO[facing, start] - ROWS_TO_GO[facing, end]
    out[4] = (goal_of(state, seat) >> end) & 1
    out[5] = NOBODY
    covered = top_size(state, end)
    if covered != NOWHERE:
        for other in range(state.seats):
            if (state.dolls[other, covered] >> end) & 1:
                out[5] = (FACING[state.seats, other] - facing) & (FACINGS - 1)


@rule
def rotate_move(state: State, seat: int, move: int) -> int:
    return turned_by(FACING[state.seats, seat], move)


@rule
def rotate_back(state: State, seat: int, move: int) -> int:
    return turned_by((FACINGS - FACING[state.seats, seat]) & (FACINGS - 1), move)


@rule
def turned_by(facing: int, move: int) -> int:
    return move_number(TURNED[facing, start_of(move)], TURNED[facing, end_of(move)])
