"""Moves as numbers and as texts.

    ((turned * 54 + card) * 54 + d) * 4 + side    place `card` on that side of the lying card d,
                                                  the lowest-numbered card next to the spot
    SWAPS + (offered * 4 + opponent) * 6 + taken  give a stick of colour `offered` to seat
                                                  `opponent` for one of colour `taken`
    STOP                                          swap no more

Texts: `17@3,-2` places card 17 at x 3, y -2, `17'@3,-2` half turned; `red>1:blue` gives red to seat
1 and takes blue, typed also `red>p2:blue`, by the number of the player; `stop`.
"""

from __future__ import annotations

import re
from collections import Counter

from samovar.engine.rule import rule

from .deck import CARDS, COLOUR_NAMES, DECK, EDGES
from .sizes import COLOURS
from .state import MAX_HAND, MAX_SEATS, ROW, STEP, State
from .words import WORDS

KEYS = EDGES * CARDS
SWAPS = 2 * CARDS * KEYS
STOP = SWAPS + COLOURS * MAX_SEATS * COLOURS
MOVES = STOP + 1
# Each colour is on an edge of 9 cards, so a card fits on each side of at most 9 lying cards: 36
# spots each way up; a hand is 4 cards. Swaps are fewer.
_ON_AN_EDGE = max(Counter((edge, card[edge]) for card in DECK for edge in range(EDGES)).values())
MAX_LEGAL = 2 * MAX_HAND * EDGES * _ON_AN_EDGE

WHAT_A_MOVE_LOOKS_LIKE = (
    "a move is card@x,y as in 17@3,-2 (17'@3,-2 for a half turn), a swap as in red>p2:blue "
    "(gives red to player 2, takes blue), or stop."
)
# The names and letters of every language may be typed; no letter means two colours.
_COLOUR_OF = {
    words[key].lower(): colour
    for words in WORDS.values()
    for colour, name in enumerate(COLOUR_NAMES[:COLOURS])
    for key in (name, f"letter.{name}")
}
_PLACEMENT = re.compile(r"(\d{1,2})(['’/]?)@(-?\d{1,3}),(-?\d{1,3})")
_SWAP = re.compile(r"([^\W\d_]+)>(p?)(\d):([^\W\d_]+)")


@rule
def placement(turned: int, card: int, key: int) -> int:
    return (turned * CARDS + card) * KEYS + key


@rule
def swap(offered: int, opponent: int, taken: int) -> int:
    return SWAPS + (offered * MAX_SEATS + opponent) * COLOURS + taken


@rule
def is_placement(move: int) -> bool:
    return 0 <= move < SWAPS


@rule
def placed_turned(move: int) -> int:
    return move // (CARDS * KEYS)


@rule
def placed_card(move: int) -> int:
    return (move // KEYS) % CARDS


@rule
def placed_key(move: int) -> int:
    return move % KEYS


@rule
def swap_offered(move: int) -> int:
    return (move - SWAPS) // (MAX_SEATS * COLOURS)


@rule
def swap_opponent(move: int) -> int:
    return (move - SWAPS) // COLOURS % MAX_SEATS


@rule
def swap_taken(move: int) -> int:
    return (move - SWAPS) % COLOURS


def coordinates(cell: int) -> tuple[int, int]:
    """x and y of a cell."""
    x = (cell + ROW // 2) % ROW - ROW // 2
    return x, (cell - x) // ROW


def is_lying(state: State, card: int) -> bool:
    return bool(state.lying >> card & 1)


def key_of(state: State, cell: int) -> int:
    """The key of an empty cell next to a lying card, or -1."""
    cells = {state.place[card]: card for card in range(CARDS) if is_lying(state, card)}
    beside = [4 * cells[cell - STEP[side]] + side for side in range(EDGES) if cell - STEP[side] in cells]
    return -1 if cell in cells or not beside else min(beside)


def move_text(state: State, seat: int, move: int) -> str:
    """A placement that names a card which does not lie has no text: `ValueError`."""
    if move == STOP:
        return "stop"
    if not is_placement(move):
        return f"{COLOUR_NAMES[swap_offered(move)]}>{swap_opponent(move)}:{COLOUR_NAMES[swap_taken(move)]}"
    beside, side = divmod(placed_key(move), EDGES)
    if not is_lying(state, beside):
        raise ValueError(f"card {beside} does not lie in the field.")
    x, y = coordinates(state.place[beside] + STEP[side])
    mark = "'" if placed_turned(move) else ""
    return f"{placed_card(move)}{mark}@{x},{y}"


def parse_move(state: State, seat: int, text: str) -> int:
    compact = re.sub(r"\s+", "", text).lower()
    if compact == "stop":
        return STOP
    placed = _PLACEMENT.fullmatch(compact)
    if placed and int(placed[1]) < CARDS:
        return placement(int(bool(placed[2])), int(placed[1]), _parse_key(state, int(placed[3]), int(placed[4])))
    swapped = _SWAP.fullmatch(compact)
    if swapped and swapped[1] in _COLOUR_OF and swapped[4] in _COLOUR_OF:
        seat_named = int(swapped[3]) - (swapped[2] == "p")  # people count players from 1
        if 0 <= seat_named < MAX_SEATS:
            return swap(_COLOUR_OF[swapped[1]], seat_named, _COLOUR_OF[swapped[4]])
    raise ValueError(WHAT_A_MOVE_LOOKS_LIKE)


def _parse_key(state: State, x: int, y: int) -> int:
    near = abs(x) < ROW // 2 and abs(y) < ROW // 2
    key = key_of(state, ROW * y + x) if near else -1
    if key < 0:
        raise ValueError(f"{x},{y} is not an empty place next to a card.")
    return key
