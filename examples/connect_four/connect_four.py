"""Connect Four to samovar's contract: the smallest complete game, and the yardstick for speed. Columns a-g, rows 1-6 from the bottom."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from samovar.engine.chance import starting_seat
from samovar.engine.contract import Event, Game, Part, event
from samovar.engine.rule import rule, table

WIDTH, HEIGHT, CELLS = 7, 6, 42
STATE = np.dtype([("men", np.int64, (2,)), ("won", np.int32), ("height", np.int8, (8,)), ("seats", np.int8), ("turn", np.int8),
                  ("placed", np.int8), ("last", np.int8)], align=True)  # fmt: skip
# A bit per cell, seven bits a column: the top one stays empty, so that shifted lines do not run into the next column.
DIRECTIONS = table([1, 7, 6, 8])


@rule
def deal(state, seats, options, rng):
    state.seats = seats
    state.turn = starting_seat(rng, seats, options.first)
    state.last = -1


@rule
def actors(state):
    return 0 if state.won or state.placed == CELLS else 1 << state.turn


@rule
def legal(state, seat, out):
    count = 0
    for column in range(WIDTH):
        if state.height[column] < HEIGHT:
            out[count] = column
            count += 1
    return count


@rule
def has_four(men):
    for k in range(4):
        pairs = men & (men >> DIRECTIONS[k])
        if pairs & (pairs >> (2 * DIRECTIONS[k])):
            return True
    return False


@rule
def apply(state, seat, move):
    state.men[seat] |= 1 << (7 * move + state.height[move])
    state.height[move] += 1
    state.placed += 1
    state.last = move
    state.won = has_four(state.men[seat])
    state.turn = 1 - seat


@rule
def scores(state, out):
    for seat in range(2):
        out[seat] = 1 if state.won and state.turn != seat else 0


@rule
def places(state, out):
    for seat in range(2):
        out[seat] = 2 if state.won and state.turn == seat else 1


@rule
def determinize(state, seat, rng):
    """Nothing is hidden."""


@rule
def observe(state, seat, out):
    for column in range(WIDTH):
        for row in range(HEIGHT):
            out[column * HEIGHT + row] = (state.men[seat] >> (7 * column + row) & 1) - (state.men[1 - seat] >> (7 * column + row) & 1)


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
    columns = tuple("".join("x" if state.men[0] >> (7 * c + r) & 1 else "o" for r in range(state.height[c])) for c in range(WIDTH))
    news = (event("drops", seat=1 - state.turn, column="abcdefg"[state.last]),) if state.last >= 0 else ()
    return View(
        columns,
        state.turn,
        event("prompt.drop" if actors(state) >> (seat or 0) & 1 else "prompt.wait"),
        news + ((event("wins", seat=1 - state.turn),) if state.won else ()),
    )


def parse_move(state, seat, text):
    if not re.fullmatch("[a-g]", text.lower()):
        raise ValueError("a move is a column, a to g.")
    return "abcdefg".index(text.lower())


def arrange(first=0, moves=""):
    from samovar.engine.match import Match

    match = Match(GAME, 2, 0, first=first)
    for move in moves:
        match.play(match.actors[0], move)
    return match.states


def draw(view, words):
    rows = [" ".join(column[row] if row < len(column) else "." for column in view.columns) for row in reversed(range(HEIGHT))]
    return "\n".join([*rows, "a b c d e f g"])


WORDS = {
    "en": {
        "prompt.drop": "Name a column, a to g.",
        "prompt.wait": "Please wait.",
        "drops": "{seat} drops a man into column {column}.",
        "wins": "{seat} has four in a row.",
    },
    "fr": {
        "prompt.drop": "Nommez une colonne, de a à g.",
        "prompt.wait": "Patience.",
        "drops": "{seat} pose un pion dans la colonne {column}.",
        "wins": "{seat} aligne quatre pions.",
    },
}
GAME = Game(
    id="connect_four", name="Connect Four", version=1, seats=(2,), state=STATE, moves=WIDTH, max_legal=WIDTH, max_length=lambda seats, options: CELLS,
    observation=(Part("cells", CELLS, "column by column from the bottom: 1 own, -1 the other's, 0 empty"),),
    fault_names=("two men in one cell",), deal=deal, actors=actors, legal=legal, apply=apply, scores=scores, places=places, determinize=determinize,
    observe=observe, faults=faults, view=view, move_text=lambda state, seat, move: "abcdefg"[move], parse_move=parse_move, arrange=arrange, draw=draw,
    words=WORDS, folder=str(Path(__file__).parent),
)  # fmt: skip
