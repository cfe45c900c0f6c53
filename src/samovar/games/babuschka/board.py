"""The board: fields, directions and the tables made from them. No dolls and no state here.

A field is a number, 8 * row + column, and a set of fields is an integer with a bit for each (B1):

    8        58 59 60 61             c8 to f8
    7     49 50 51 52 53 54
    6  40 41 42 43 44 45 46 47
    5  32 33 34 35 36 37 38 39
    4  24 25 26 27 28 29 30 31
    3  16 17 18 19 20 21 22 23
    2      9 10 11 12 13 14
    1         2  3  4  5             c1 to f1
       a  b  c  d  e  f  g  h

The highest bit is 61, so every set of fields is a positive 64-bit integer.

A seat has a *facing*, the direction it plays to: 0 north, 1 east, 2 south, 3 west. The tables are
by facing, so that there is one set of rules for all seats. With four seats the facing is the seat's
number; with two they are 0 and 2.
"""

from __future__ import annotations

from samovar.engine.rule import rule, table

from .sizes import MISSING, STARTING, WIDTH

SQUARES = WIDTH * WIDTH
COLUMNS = "abcdefgh"[:WIDTH]
NORTH, EAST, SOUTH, WEST = range(4)
FACINGS = 4
FORWARD = ((0, 1), (1, 0), (0, -1), (-1, 0))  # (column, row) steps by facing
# All eight directions, those that raise the number of a field first: by 1, 7, 8, 9 (on a board of
# this width), then lower it by as much.
WAYS = ((1, 0), (-1, 1), (0, 1), (1, 1), (-1, 0), (1, -1), (0, -1), (-1, -1))


def field_name(square: int) -> str:
    return COLUMNS[square % WIDTH] + str(square // WIDTH + 1)


def square_of(name: str) -> int:
    """The number of a field; the name must be one of FIELDS."""
    return COLUMNS.index(name[0]) + WIDTH * (int(name[1]) - 1)


def fields_of(squares: int) -> tuple[str, ...]:
    """The names of a set of fields, from a1 to h8 row by row."""
    return tuple(field_name(square) for square in range(SQUARES) if (squares >> square) & 1)


def _set_of(names: tuple[str, ...]) -> int:
    return sum(1 << square_of(name) for name in names)


FIELDS = tuple(name for name in map(field_name, range(SQUARES)) if name not in MISSING)
BOARD = _set_of(FIELDS)


def middle_of(seats: int) -> range:
    """The columns of the starting fields in the south, and the rows of those in the west."""
    first = (WIDTH - STARTING.get(seats, 2)) // 2
    return range(first, WIDTH - first)


def _starting_fields(seats: int, facing: int) -> tuple[str, ...]:
    """On the side from which a seat plays."""
    first, last = COLUMNS[0], COLUMNS[-1]
    letters = [COLUMNS[column] for column in middle_of(seats)]
    digits = [row + 1 for row in middle_of(seats)]
    return (
        tuple(f"{letter}1" for letter in letters),
        tuple(f"{first}{digit}" for digit in digits),
        tuple(f"{letter}{WIDTH}" for letter in letters),
        tuple(f"{last}{digit}" for digit in digits),
    )[facing]


# B1: the starting fields by number of seats and facing: c1 to f1, or d1 and e1, in the south.
STARTING_FIELDS: dict[int, dict[int, tuple[str, ...]]] = {
    seats: {facing: _starting_fields(seats, facing) for facing in range(0, FACINGS, FACINGS // seats)}
    for seats in STARTING
}


def _start(seats: int, facing: int) -> int:
    return _set_of(STARTING_FIELDS.get(seats, {}).get(facing, ()))


def _goal(seats: int, facing: int) -> int:
    """B1: the starting fields of the seat opposite."""
    return _start(seats, (facing + 2) % FACINGS)


def _free(seats: int, facing: int) -> int:
    """B7: where a seat's dolls may land in any order: not on its own goal fields, nor on those of
    the seats to its left and right."""
    return BOARD & ~_goal(seats, facing) & ~_goal(seats, (facing + 1) % FACINGS) & ~_goal(seats, (facing + 3) % FACINGS)


def _leads_back(facing: int, way: int) -> bool:
    return WAYS[way][0] * FORWARD[facing][0] + WAYS[way][1] * FORWARD[facing][1] < 0


def _neighbour(square: int, way: int) -> int:
    """The next field in a direction, -1 where the board ends."""
    column, row = square % WIDTH + WAYS[way][0], square // WIDTH + WAYS[way][1]
    inside = 0 <= column < WIDTH and 0 <= row < WIDTH and (BOARD >> (WIDTH * row + column)) & 1
    return WIDTH * row + column if inside else -1


def _room(facing: int, way: int, steps: int) -> int:
    """B2: the fields from which so many steps in a direction stay on the board; none where the
    direction leads back."""
    room = 0
    for square in map(square_of, () if _leads_back(facing, way) else FIELDS):
        end = square
        for _ in range(steps):
            end = _neighbour(end, way) if end >= 0 else -1
        room |= (end >= 0) << square
    return room


def _turned(facing: int, square: int) -> int:
    """The board turned so that the facing points north: the number a field gets."""
    column, row, last = square % WIDTH, square // WIDTH, WIDTH - 1
    column, row = ((column, row), (last - row, column), (last - column, last - row), (row, last - column))[facing]
    return WIDTH * row + column


_LEFT_AHEAD, _AHEAD, _RIGHT_AHEAD = WIDTH - 1, WIDTH, WIDTH + 1
_SEATS = range(5)  # rows 0, 1 and 3 of the tables by number of seats are never used
_FACINGS = range(FACINGS)
_SQUARES = range(SQUARES)
_WAYS = range(len(WAYS))

FACING = table([[seat * 2 % FACINGS if seats == 2 else seat for seat in range(4)] for seats in _SEATS])
START = table([[_start(seats, facing) for facing in _FACINGS] for seats in _SEATS])
GOAL = table([[_goal(seats, facing) for facing in _FACINGS] for seats in _SEATS])
FREE = table([[_free(seats, facing) for facing in _FACINGS] for seats in _SEATS])
ONE = table([[_room(facing, way, 1) for way in _WAYS] for facing in _FACINGS])
TWO = table([[_room(facing, way, 2) for way in _WAYS] for facing in _FACINGS])
TURNED = table([[_turned(facing, square) for square in _SQUARES] for facing in _FACINGS])
ROWS_TO_GO = table([[WIDTH - 1 - _turned(facing, square) // WIDTH for square in _SQUARES] for facing in _FACINGS])


@rule
def pulls(fields: int, facing: int) -> int:
    """B2: the fields one step away from any of the given ones, in the five directions of a
    facing."""
    return (
        ((fields & ONE[facing, 0]) << 1)
        | ((fields & ONE[facing, 1]) << _LEFT_AHEAD)
        | ((fields & ONE[facing, 2]) << _AHEAD)
        | ((fields & ONE[facing, 3]) << _RIGHT_AHEAD)
        | ((fields & ONE[facing, 4]) >> 1)
        | ((fields & ONE[facing, 5]) >> _LEFT_AHEAD)
        | ((fields & ONE[facing, 6]) >> _AHEAD)
        | ((fields & ONE[facing, 7]) >> _RIGHT_AHEAD)
    )


@rule
def jumps(fields: int, facing: int, occupied: int) -> int:
    """B4: the fields two steps away in a straight line, where the field between is occupied. Where
    dolls may land is not asked here."""
    return (
        ((((fields & TWO[facing, 0]) << 1) & occupied) << 1)
        | ((((fields & TWO[facing, 1]) << _LEFT_AHEAD) & occupied) << _LEFT_AHEAD)
        | ((((fields & TWO[facing, 2]) << _AHEAD) & occupied) << _AHEAD)
        | ((((fields & TWO[facing, 3]) << _RIGHT_AHEAD) & occupied) << _RIGHT_AHEAD)
        | ((((fields & TWO[facing, 4]) >> 1) & occupied) >> 1)
        | ((((fields & TWO[facing, 5]) >> _LEFT_AHEAD) & occupied) >> _LEFT_AHEAD)
        | ((((fields & TWO[facing, 6]) >> _AHEAD) & occupied) >> _AHEAD)
        | ((((fields & TWO[facing, 7]) >> _RIGHT_AHEAD) & occupied) >> _RIGHT_AHEAD)
    )
