"""Connect Four: the smallest complete game, and the yardstick for speed. Rows from the bottom."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from connect_four_words import OTHER_WORDS

from samovar.engine.arrays import Ints
from samovar.engine.chance import starting_seat
from samovar.engine.contract import Event, Game, Option, event, nothing_hidden, usual_prompt
from samovar.engine.kinds import Part, one_of
from samovar.engine.rule import rule, table
from samovar.engine.state import GameState, Int8, Int16

WIDTH, HEIGHT, CELLS, LINE = 7, 6, 42, 4  # the usual board, which is the largest, and the usual line
# By columns and rows that are left out: all cells of the board.
BOARD = table([[sum((63 >> low) << (7 * c) for c in range(WIDTH - narrow)) for low in range(3)] for narrow in range(4)])


class State(GameState):
    men: Annotated[Ints, np.int64, 2]  # by seat, a bit per cell: column * 7 + row; each seventh stays empty
    won: Int8  # 1 as soon as the last man made a line
    narrow: Int8  # columns that are left out
    seats: Int8
    low: Int8  # rows that are left out
    turn: Int8  # the seat to move, also after the end
    longer: Int8  # by how much a line is longer than four
    last: Int16  # the column of the last man, -1 before the first


@rule
def deal(state, seats, options, rng):
    state.seats = seats
    state.turn = starting_seat(rng, seats, options.first)
    state.last = -1
    state.narrow = WIDTH - options.columns
    state.low = HEIGHT - options.rows
    state.longer = options.connect - LINE


@rule
def actors(state):
    return 0 if state.won or free_cells(state) == 0 else 1 << state.turn


@rule
def free_cells(state):
    return BOARD[state.narrow, state.low] & ~(state.men[0] | state.men[1])


@rule
def legal(state, seat, out):
    free = free_cells(state)
    count = 0
    for column in range(WIDTH):
        if free >> (7 * column) & 63:
            out[count] = column
            count += 1
    return count


@rule
def apply(state, seat, move):
    """Adding 1 at the foot of a column carries to its lowest empty cell."""
    state.men[seat] |= ((state.men[0] | state.men[1]) + (1 << (7 * move))) & (63 << (7 * move))
    state.last = move
    men, length = state.men[seat], LINE + state.longer
    state.won = (lines(men, 1, length) | lines(men, 6, length) | lines(men, 7, length) | lines(men, 8, length)) != 0
    state.turn = 1 - seat


@rule
def lines(men, step, length):
    """The lowest men of so many in a row whose bits are `step` apart: 1 up, 7 right, 6 and 8 aslant."""
    for _ in range(length - 1):
        men &= men >> step
    return men


@rule
def scores(state, out):
    out[state.turn], out[1 - state.turn] = 0, state.won


@rule
def observe(state, seat, out):
    for cell in range(CELLS):
        bit = cell + cell // HEIGHT
        out[cell] = (state.men[seat] >> bit & 1) - (state.men[1 - seat] >> bit & 1)
        if not BOARD[state.narrow, state.low] >> bit & 1:
            out[cell] = 2


def faults(state):
    if state.men[0] & state.men[1]:
        yield "two men in one cell"
    if (state.men[0] | state.men[1]) & ~BOARD[state.narrow, state.low]:
        yield "a man beside the board"


@dataclass(frozen=True)
class View:
    columns: tuple[str, ...]  # from the bottom, "x" for seat 0 and "o" for seat 1
    rows: int
    turn: int
    prompt: Event
    news: tuple[Event, ...]


def view(state, seat):
    cells = ["x" if state.men[0] >> cell & 1 else "o" if state.men[1] >> cell & 1 else "" for cell in range(7 * WIDTH)]
    columns = tuple("".join(cells[7 * column : 7 * column + HEIGHT]) for column in range(WIDTH - state.narrow))
    drops = (event("drops", seat=1 - state.turn, column="abcdefg"[state.last]),) if state.last >= 0 else ()
    wins = (event("wins", seat=1 - state.turn, line=LINE + state.longer),) if state.won else ()
    return View(columns, HEIGHT - state.low, state.turn, usual_prompt(actors(state), seat), drops + wins)


def draw(view, words):
    rows = [" ".join(column[row : row + 1] or "." for column in view.columns) for row in reversed(range(view.rows))]
    return "\n".join([*rows, " ".join("abcdefg"[: len(view.columns)])])


GAME = Game.from_module(
    __name__,
    id="connect_four",
    name="Connect Four",
    contract=2,
    seats=(2,),
    moves=WIDTH,
    max_length=lambda seats, options: options["columns"] * options["rows"],
    observation=(
        Part("cells", CELLS, "by column from below: 1 own, -1 other, 0 empty, 2 left out", one_of(3, -1), (7, 6)),
    ),
    own_options=(
        Option("columns", WIDTH, range(4, WIDTH + 1), "columns of the board"),
        Option("rows", HEIGHT, range(4, HEIGHT + 1), "rows of the board"),
        Option("connect", LINE, range(3, 6), "men in a row that win"),
    ),
    determinize=nothing_hidden,
    move_text=lambda state, seat, move: "abcdefg"[move],
    words={
        "en": {
            "drops": "{seat} drops a man into column {column}.",
            "wins": "{seat} has {line} in a row.",
            "option.columns": "Columns",
            "option.rows": "Rows",
            "option.connect": "Men in a row that win",
        },
        **OTHER_WORDS,
    },
)
