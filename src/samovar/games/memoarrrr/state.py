"""The state of a match of Memoarrrr! and the constants all modules use. No rules of play here.

Places are numbered from the south-west, row by row: place = 5 * (digit - 1) + letter, so a1 is 0,
e1 is 4 and e5 is 24 (R0). Cards are numbered card = 5 * animal + landscape. Place 12, c3, holds no
location: its entry in `card` is the card in the box. A set of places is a mask, bit `place`; bit 12
is never set. The numbers in these pages are those of the full game: see `sizes`.
"""

from __future__ import annotations

from typing import Annotated, Protocol

import numpy as np

from samovar.engine.arrays import IntGrid, Ints
from samovar.engine.rule import rule, table
from samovar.engine.state import GameState, Int8, Int32

from .sizes import ANIMALS, LANDSCAPES, ROUNDS, SEA, SEATS, WIDTH
from .sizes import RUBIES as _RUBIES

MAX_SEATS = max(SEATS)
MAX_VOLCANOES = MAX_SEATS - 1

CARDS = ANIMALS * LANDSCAPES
PENGUIN, OCTOPUS, WALRUS, CRAB, TURTLE = range(5)
ANIMAL_NAMES = ("penguin", "octopus", "walrus", "crab", "turtle")
LANDSCAPE_NAMES = ("lava", "ocean", "jungle", "flowers", "beach")  # R0: the fifth is ours
CARD_NAMES = tuple(
    f"{animal}-{landscape}" for animal in ANIMAL_NAMES[:ANIMALS] for landscape in LANDSCAPE_NAMES[:LANDSCAPES]
)

PLACES = WIDTH * WIDTH
CENTRE = PLACES // 2
COLUMNS = "abcde"[:WIDTH]
PLACE_NAMES = tuple(f"{COLUMNS[place % WIDTH]}{place // WIDTH + 1}" for place in range(PLACES))
_LAND = [place for place in range(PLACES) if place != CENTRE and PLACE_NAMES[place] not in SEA]
LOCATIONS = len(_LAND)
ISLAND = sum(1 << place for place in _LAND)  # all 24 places of locations
# Where cards lie, with the one in the box (more of them lie under the sea); by place which card of
# the shuffled deck comes here, -1 none.
_BOX = [place for place in (CENTRE, *range(PLACES)) if place not in _LAND][: CARDS - LOCATIONS]
LAID = ISLAND | sum(1 << place for place in _BOX)
DECK_PLACE = table([(LAID & ((1 << place) - 1)).bit_count() if LAID >> place & 1 else -1 for place in range(PLACES)])

SIDES = 4
SIDE_NAMES = ("north", "east", "south", "west")
_BETWEEN, _DIGITS, _FAR = COLUMNS[1:-1], range(2, WIDTH), COLUMNS[-1]
MIDDLES = (  # R0: all of a side but its corners
    tuple(f"{letter}{WIDTH}" for letter in _BETWEEN),
    tuple(f"{_FAR}{digit}" for digit in _DIGITS),
    tuple(f"{letter}1" for letter in _BETWEEN),
    tuple(f"a{digit}" for digit in _DIGITS),
)
SIDE_MASK = table([sum(1 << PLACE_NAMES.index(name) for name in middle) for middle in MIDDLES])


def _neighbours(place: int) -> int:
    """The places beside a place, orthogonally and never the centre (R10), as a mask."""
    column, row = place % WIDTH, place // WIDTH
    beside = ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1))
    return sum(1 << (WIDTH * y + x) for x, y in beside if 0 <= x < WIDTH and 0 <= y < WIDTH) & ISLAND


NEIGHBOURS = table([_neighbours(place) for place in range(PLACES)])

BIRDS = table([1, 3, 7][-MAX_VOLCANOES:])  # R1: with n volcanoes in play the last n of these
MOST_BIRDS = 7  # lies in play with every number of seats
RUBIES = table(_RUBIES)
ALL_RUBIES = sum(_RUBIES)

NOTHING = -1

# Phases.
LOOK, REVEAL, PEEK, SWAP, BLOCK, OVER = range(6)
PHASE_NAMES = ("look", "reveal", "peek", "swap", "block", "over")

# What became of the last reveal (`did_result`).
NO_REVEAL, OPENED, CONNECTED, FAILED = range(4)
# Why seats took volcanoes without revealing in the last move (`did_stuck`).
NOT_STUCK, ALL_REVEALED, ONLY_BLOCKED = range(3)


class State(GameState):
    # Sets of places; all of them public (which card lies there is not).
    up: Int32  # face up now
    shown: Int32  # the card that lies here now was face up at some time: every seat knows it
    peeked: Annotated[Ints, np.int32, MAX_SEATS]  # the card that lies here now was looked at by this seat
    # what the seat looked at in its own last move, until it moves again; 0 nothing
    look: Annotated[Ints, np.int32, MAX_SEATS]
    # The deal (hidden, but for what the rules show).
    card: Annotated[Ints, np.int8, PLACES]  # card by place, 0 to 24; entry 12 is the card in the box, which nobody sees
    # birds by round, from the top: 1, 3, 7, 0 where there is none; taken and top ones public
    volcano: Annotated[IntGrid, np.int8, ROUNDS, MAX_VOLCANOES]
    # rubies from the top, one a round: 1 to 4; hidden to the end, unless the stack is ordered
    treasure: Annotated[Ints, np.int8, ROUNDS]
    # What happened; public.
    taker: Annotated[IntGrid, np.int8, ROUNDS, MAX_VOLCANOES]  # the seat that took this volcano, -1 nobody yet
    owner: Annotated[Ints, np.int8, ROUNDS]  # the seat that took this treasure, -1 nobody yet
    looker: Annotated[Ints, np.int8, SIDES]  # the seat that looked at this side before round 1, -1 nobody
    # The table; public.
    seats: Int8  # 2 to 4
    expert: Int8  # option: 0 or 1
    ordered_stack: Int8  # option: 0 or 1
    first_reveal_ability: Int8  # option: 0 or 1
    phase: Int8  # LOOK to OVER: what is asked of the seat whose turn it is
    round: Int8  # 0 to 6; stays 6 at the end
    starter: Int8  # the seat that began this round
    turn: Int8  # the seat whose turn it is; at the end the winner of the last round
    out: Int8  # mask of the seats with a volcano in this round
    taken: Int8  # how many volcanoes were taken in this round
    last: Int8  # the place where the last location revealed in this round lies now, -1 none yet
    blocked: Int8  # the place that the seat in turn may not reveal (walrus), -1 none
    # The last move, for the news; public.
    did_seat: Int8  # who made it, -1 before the first move
    did_move: Int8  # its number, 0 to 103
    did_from: Int8  # where a swapped octopus lay before, -1 no swap
    did_result: Int8  # NO_REVEAL to FAILED
    did_stuck: Int8  # NOT_STUCK to ONLY_BLOCKED
    did_round: Int8  # the round it was made in, 0 to 6
    did_taken: Int8  # how many volcanoes of that round were taken before it, 0 to 2


class Options(Protocol):
    """The options as `deal` gets them: numbers (see `Option.code`)."""

    expert: int
    ordered_stack: int
    first_reveal_ability: int
    first: int


@rule
def animal(card: int) -> int:
    return card // LANDSCAPES


@rule
def landscape(card: int) -> int:
    return card % LANDSCAPES


@rule
def has(mask: int, place: int) -> int:
    """1 if the place is in the set."""
    return (mask >> place) & 1


@rule
def hidden(state: State) -> int:
    """The unrevealed locations, as a mask."""
    return ISLAND & ~state.up


@rule
def known(state: State, seat: int) -> int:
    """C5: the places whose card the seat has seen, here or before it was swapped here."""
    return state.shown | state.peeked[seat]


@rule
def count_volcanoes(state: State) -> int:
    """R1: one volcano fewer than seats is in play."""
    return state.seats - 1


@rule
def are_rubies_public(state: State) -> bool:
    """R7: with the ordered stack everybody can work them out, else they are seen at the end."""
    return state.ordered_stack != 0 or state.phase == OVER


@rule
def birds_of(state: State, seat: int) -> int:
    """The birds on the volcano in front of a seat, 0 if it has none."""
    birds = 0
    for k in range(MAX_VOLCANOES):
        if seat != NOTHING and state.taker[state.round, k] == seat:
            birds = state.volcano[state.round, k]
    return birds
