"""Moves: their numbers and texts. Which of them are legal is in `rules`.

A move is named by the field where it began and the field where it ended (B4): number 64 * start +
end, text `c1-e3`. A pull and a series of jumps with the same ends would be the same move (there is
none: a pull goes one step, a series always an even number of columns and of rows).
"""

from __future__ import annotations

import re
from collections import Counter

from samovar.engine.rule import rule

from .board import BOARD, COLUMNS, FIELDS, SQUARES, field_name, square_of
from .sizes import FIGURE, STARTING, WIDTH
from .state import State

MOVES = SQUARES * SQUARES

# A seat has at most 12 dolls to move. Each has at most 5 pulls, and a series of jumps keeps the
# parity of column and of row: a quarter of the board, 13 fields, of which the doll stands on one.
_QUARTERS = Counter((square_of(name) % WIDTH % 2, square_of(name) // WIDTH % 2) for name in FIELDS)
MAX_LEGAL = FIGURE * max(STARTING.values()) * (5 + max(_QUARTERS.values()) - 1)

_FIELD = f"([{COLUMNS}][1-{WIDTH}])"
_FORM = re.compile(rf"{_FIELD}\s*(?:[-–>:x]|->)?\s*{_FIELD}", re.IGNORECASE)


@rule
def move_number(start: int, end: int) -> int:
    return start * SQUARES + end


@rule
def start_of(move: int) -> int:
    return move // SQUARES


@rule
def end_of(move: int) -> int:
    return move % SQUARES


def move_text(state: State, seat: int, move: int) -> str:
    """`c1-e3`. Numbers that name a missing field are no moves."""
    for square in (start_of(move), end_of(move)):
        if not (BOARD >> square) & 1:
            raise ValueError(f"move {move} names {field_name(square)}, which is not on the board.")
    return f"{field_name(start_of(move))}-{field_name(end_of(move))}"


def parse_move(state: State, seat: int, text: str) -> int:
    """The number of a text such as `c1-e3`, `C1 E3` or `c1e3`."""
    match = _FORM.fullmatch(text.strip())
    if not match:
        raise ValueError("a move is the field where it begins and the one where it ends, like c1-c2.")
    for name in match.groups():
        if not (BOARD >> square_of(name.lower())) & 1:
            raise ValueError(f"there is no field {name.lower()}; the corners of the board are cut off.")
    return move_number(*(square_of(name.lower()) for name in match.groups()))
