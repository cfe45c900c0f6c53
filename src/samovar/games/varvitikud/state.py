"""The whole truth of a match, and the tables made from the deck. Nothing here knows how the game
goes.

Sides and edges are numbered 0 north, 1 east, 2 south, 3 west; the opposite one is `side ^ 2`. A
cell (x, y) is one number, ROW * y + x. What may lie on an edge is six bits, one for each colour;
four edges are 24 bits, edge e from bit 6 * e on.

An open spot is an empty cell next to a lying card. It is one number of 32 bits: its key - 128 in
the upper 8, what each edge of a card must be there in the lower 24 (ANY where no card lies on that
side). Its key is `4 * d + side`: it is on that side of card d, the lowest-numbered card next to it.
So spots in ascending order are in the order of their keys.
"""

from __future__ import annotations

from typing import Annotated, Protocol

import numpy as np

from samovar.engine.arrays import IntGrid, Ints
from samovar.engine.rule import table
from samovar.engine.state import GameState, Int8, Int32, Int64

from .deck import CARDS, DECK, EDGES
from .sizes import COLOURS, SEATS, STICKS_OF_A_COLOUR

MAX_SEATS = max(SEATS)
MAX_HAND = 4  # in smaller games, too: the rules look at four cards of a hand one by one
# V11: 49, as every placement takes a stick, of 48, but for the one that finds none and ends the match
MAX_PLACEMENTS = COLOURS * STICKS_OF_A_COLOUR + 1
PILE_ROOM = max(CARDS, 3 * MAX_SEATS * MAX_HAND)  # `determinize` notes numbers in the pile while it works
# n connected cells have at most 2n + 2 empty neighbours; two more leave the state without padding
MAX_SPOTS = 2 * CARDS + 4
DEALT = MAX_PLACEMENTS  # index in `skipped`, plus the seat, of skips before a seat's first placement
NO_CARD = -1
NO_SEAT = -1

# Phases
PLACE = 0
SWAP = 1
OVER = 2

# Why the match ends
GOES_ON = 0
MISSING_STICK = 1
STUCK = 2

# What became of each edge of the last card placed
NOT_JOINED = 0
STICK_TAKEN = 1
STICK_MISSING = 2


class State(GameState):
    # For each seat, between two placements of it: the cards (a bit each) that fitted when it
    # had to skip, so none of them was in its hand. Index: the number of its latest placement,
    # or DEALT + seat before its first; 0 where it never skipped. Public.
    skipped: Annotated[Ints, np.int64, MAX_PLACEMENTS + MAX_SEATS]
    lying: Int64  # a bit for each card that lies in the field. Public.
    turned: Int64  # a bit for each lying card that lies half turned. Public.
    spot: Annotated[Ints, np.int32, MAX_SPOTS]  # the open spots, ascending (see above); 0 from `spots` on. Public.
    last_move: Int32  # the last move, -1 before the first. Public.
    # the cell of each open spot, in the same order; 0 from `spots` on. Public.
    spot_cell: Annotated[Ints, np.int16, MAX_SPOTS]
    place: Annotated[Ints, np.int16, CARDS]  # the cell of each lying card; 0 for the others. Public.
    placed: Annotated[
        Ints, np.int8, MAX_PLACEMENTS
    ]  # the cards placed by seats, in order; -1 from `placements` on. Public.
    placer: Annotated[Ints, np.int8, MAX_PLACEMENTS]  # who placed each; -1 from `placements` on. Public.
    pile: Annotated[
        Ints, np.int8, PILE_ROOM
    ]  # the draw pile, its top at `pile_size` - 1; -1 from there on. Secret from all.
    hand: Annotated[
        IntGrid, np.int8, MAX_SEATS, MAX_HAND
    ]  # cards, ascending; -1 from `hand_size` on. Each seat sees its own.
    hand_size: Annotated[Ints, np.int8, MAX_SEATS]  # 0-4. Public.
    sticks: Annotated[IntGrid, np.int8, MAX_SEATS, COLOURS]  # 0-8 of each colour. Public.
    reserve: Annotated[Ints, np.int8, COLOURS]  # 0-8 of each colour. Public.
    skips: Annotated[Ints, np.int8, MAX_SEATS]  # how often each seat had to skip, 0-50. Public.
    # what became of each edge of the last card placed: NOT_JOINED, STICK_TAKEN, STICK_MISSING.
    # Public.
    joined: Annotated[Ints, np.int8, EDGES]
    pile_size: Int8  # 0-45. Public.
    placements: Int8  # cards placed by seats so far, 0-49. Public.
    draws: Int8  # cards drawn after them; the first `draws` placements were followed by one. Public.
    spots: Int8  # number of open spots. Public.
    seats: Int8  # 2-4. Public.
    half_turn: Int8  # 1 when cards may be placed half turned. Public.
    phase: Int8  # PLACE, SWAP or OVER. Public.
    turn: Int8  # whose turn it is; when it is over, who would have been next. Public.
    swaps_left: Int8  # 1-3 in phase SWAP, otherwise 0. Public.
    ending: Int8  # GOES_ON, MISSING_STICK (set before the last swaps are made) or STUCK. Public.
    last_seat: Int8  # who made the last move, -1 before the first. Public.
    drew: Int8  # 1 when the last move ended with a card drawn. Public.
    passed: Int8  # how many seats had to skip after the last move, 0-4. Public.
    passed_first: Int8  # the first of them, the others follow clockwise; 0 when none had to. Public.


class Options(Protocol):
    """The options as `deal` gets them: numbers (see `Option.code`)."""

    half_turn: int
    first: int


ROW = 128
STEP = table([ROW, 1, -ROW, -1])  # from a cell to its neighbour on each side
ANY = 63  # no card on that side: every colour, of six also where fewer are in play
ANYTHING = (1 << (6 * EDGES)) - 1  # a spot without a neighbour, before its first is known
ALL_CARDS = (1 << CARDS) - 1


def _turn(edges: tuple[int, ...], turned: int) -> tuple[int, ...]:
    return edges[2:] + edges[:2] if turned else edges


def _bits(edges: tuple[int, ...]) -> int:
    return sum(1 << (6 * edge + colour) for edge, colour in enumerate(edges))


def _cards_with(edge: int, colours: int) -> int:
    return sum(1 << card for card, edges in enumerate(DECK) if colours >> edges[edge] & 1)


COLOUR = table([[_turn(edges, turned) for edges in DECK] for turned in (0, 1)])  # [turned, card, edge]
EDGE_BITS = table([[_bits(_turn(edges, turned)) for edges in DECK] for turned in (0, 1)])  # [turned, card]: 24 bits
# [edge, six bits]: a bit for each card
CARDS_WITH = table([[_cards_with(edge, colours) for colours in range(ANY + 1)] for edge in range(EDGES)])
