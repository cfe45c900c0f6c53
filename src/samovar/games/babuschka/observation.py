"""What a seat knows as numbers: all dolls, covered ones too (B11)."""

from __future__ import annotations

from samovar.engine.arrays import Ints
from samovar.engine.bits import lowest_bit
from samovar.engine.contract import Part
from samovar.engine.kinds import FLAG, count, one_of, seat_of, starts
from samovar.engine.rule import rule

from .board import (
    FACING,
    FACINGS,
    SQUARES,
    STARTING_FIELDS,
    TURNED,
)
from .sizes import WIDTH
from .state import MAX_SEATS, NOBODY, SIZES, State, count_home, quiet_limit

# Chairs are counted clockwise from the observer by where they stand at the board: own, left,
# opposite, right. With two seats the other one is opposite, and left and right are empty.
MOST_DOLLS = SIZES * max(len(fields) for chairs in STARTING_FIELDS.values() for fields in chairs.values())

OBSERVATION = (
    Part(
        "dolls",
        FACINGS * SIZES * SQUARES,
        "1 where a doll stands, covered or not, else 0, as [chair, size, row, column]: chairs own, left, opposite, "
        "right; sizes small, medium, large; 8 rows of 8 columns, the board turned so that the observer plays from the "
        "first row to the last; missing fields are 0",
        FLAG,
        (FACINGS, SIZES, WIDTH, WIDTH),
    ),
    Part("turn", 1, "the chair to move, -1 when the match is over", seat_of(FACINGS)),
    Part("home", FACINGS, "dolls home by chair, 0 where nobody sits", count(0, MOST_DOLLS)),
    Part(
        "place",
        FACINGS,
        "the place taken by finishing by chair, 0 for none yet or where nobody sits",
        one_of(MAX_SEATS, first=1),
    ),
    Part("quiet_hundreds", 1, "hundreds of quiet moves left before patience ends the match", count(0, 40)),
    Part("quiet", 1, "and the rest of them", count(0, 99)),
    Part("seats", 1, "2 or 4", one_of(3, first=2)),
    Part(
        "facing",
        1,
        "quarter turns clockwise from north to where the observer plays, 0 to 3: move numbers name fields of the "
        "unturned board, unless they are asked for turned",
        one_of(FACINGS),
    ),
)
DOLLS, TURN, HOME, PLACE, QUIET, SEATS, TURNS = starts(
    OBSERVATION, "dolls", "turn", "home", "place", "quiet_hundreds", "seats", "facing"
)


@rule
def observe_dolls(state: State, other: int, facing: int, chair: int, out: Ints) -> None:
    """The three sets of fields of the seat `other`, which sits on `chair`, on the board turned for
    the observer's facing."""
    for size in range(SIZES):
        plane = DOLLS + (chair * SIZES + size) * SQUARES
        dolls = state.dolls[other, size]
        while dolls != 0:
            out[plane + TURNED[facing, lowest_bit(dolls)]] = 1
            dolls &= dolls - 1


@rule
def observe(state: State, seat: int, out: Ints) -> None:
    """B11: all dolls, covered ones too; the layout is OBSERVATION."""
    for i in range(QUIET):
        out[i] = 0
    facing = FACING[state.seats, seat]
    out[TURN] = -1
    for other in range(state.seats):
        chair = (FACING[state.seats, other] - facing) & 3
        observe_dolls(state, other, facing, chair, out)
        out[HOME + chair] = count_home(state, other)
        out[PLACE + chair] = state.place[other]
        if state.turn != NOBODY and state.turn == other:
            out[TURN] = chair
    left = quiet_limit(state) - state.quiet
    out[QUIET] = left // 100
    out[QUIET + 1] = left % 100
    out[SEATS] = state.seats
    out[TURNS] = facing
