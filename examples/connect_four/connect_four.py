"""Connect Four: the smallest complete game, and the yardstick for speed. Rows from the bottom."""

from dataclasses import dataclass

import numpy as np

from samovar.engine.chance import starting_seat
from samovar.engine.contract import Event, Game, event, nothing_hidden, usual_prompt
from samovar.engine.kinds import Part, one_of
from samovar.engine.rule import rule

WIDTH, HEIGHT, CELLS = 7, 6, 42
FULL = sum(63 << (7 * column) for column in range(WIDTH))  # a man in every cell
STATE = np.dtype(
    [
        ("men", np.int64, (2,)),  # by seat, a bit per cell: column * 7 + row; each seventh stays empty
        ("won", np.int16),  # 1 as soon as the last man made four in a row
        ("seats", np.int16),
        ("turn", np.int16),  # the seat to move, also after the end
        ("last", np.int16),  # the column of the last man, -1 before the first
    ],
    align=True,
)


@rule
def deal(state, seats, options, rng):
    state.seats = seats
    state.turn = starting_seat(rng, seats, options.first)
    state.last = -1


@rule
def actors(state):
    return 0 if state.won or state.men[0] | state.men[1] == FULL else 1 << state.turn


@rule
def legal(state, seat, out):
    men = state.men[0] | state.men[1]
    count = 0
    for column in range(WIDTH):
        if not men >> (7 * column + HEIGHT - 1) & 1:
            out[count] = column
            count += 1
    return count


@rule
def apply(state, seat, move):
    """Adding 1 at the foot of a column carries to its lowest empty cell."""
    state.men[seat] |= ((state.men[0] | state.men[1]) + (1 << (7 * move))) & (63 << (7 * move))
    state.last = move
    men = state.men[seat]
    state.won = (fours(men, 1) | fours(men, 6) | fours(men, 7) | fours(men, 8)) != 0
    state.turn = 1 - seat


@rule
def fours(men, step):
    """The lowest men of four in a row whose bits are `step` apart: 1 up, 7 right, 6 and 8 aslant."""
    pairs = men & (men >> step)
    return pairs & (pairs >> (2 * step))


@rule
def scores(state, out):
    out[state.turn], out[1 - state.turn] = 0, state.won


@rule
def observe(state, seat, out):
    for cell in range(CELLS):
        bit = cell + cell // HEIGHT
        out[cell] = (state.men[seat] >> bit & 1) - (state.men[1 - seat] >> bit & 1)


@rule
def faults(state):
    return 1 if state.men[0] & state.men[1] else 0


@dataclass(frozen=True)
class View:
    columns: tuple[str, ...]  # from the bottom, "x" for seat 0 and "o" for seat 1
    turn: int
    prompt: Event
    news: tuple[Event, ...]


def view(state, seat):
    cells = ["x" if state.men[0] >> cell & 1 else "o" if state.men[1] >> cell & 1 else "" for cell in range(7 * WIDTH)]
    columns = tuple("".join(cells[7 * column : 7 * column + HEIGHT]) for column in range(WIDTH))
    drops = (event("drops", seat=1 - state.turn, column="abcdefg"[state.last]),) if state.last >= 0 else ()
    wins = (event("wins", seat=1 - state.turn),) if state.won else ()
    return View(columns, state.turn, usual_prompt(actors(state), seat), drops + wins)


def draw(view, words):
    rows = [" ".join(column[row : row + 1] or "." for column in view.columns) for row in reversed(range(HEIGHT))]
    return "\n".join([*rows, "a b c d e f g"])


GAME = Game.from_module(
    __name__,
    id="connect_four",
    name="Connect Four",
    seats=(2,),
    state=STATE,
    moves=WIDTH,
    max_length=lambda seats, options: CELLS,
    observation=(Part("cells", CELLS, "by column from below: 1 own, -1 the other's, 0 empty", one_of(3, -1), (7, 6)),),
    fault_names=("two men in one cell",),
    determinize=nothing_hidden,
    move_text=lambda state, seat, move: "abcdefg"[move],
    words={
        "en": {"drops": "{seat} drops a man into column {column}.", "wins": "{seat} has four in a row."},
        "fr": {"drops": "{seat} pose un pion dans la colonne {column}.", "wins": "{seat} aligne quatre pions."},
    },
)
