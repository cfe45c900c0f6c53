"""What networks are shown besides: what one stick more or less is worth, and a move as parts. Seats
are counted from the observer."""

from __future__ import annotations

from samovar.engine.arrays import Ints
from samovar.engine.contract import Part
from samovar.engine.kinds import FLAG, count, one_of, seat_of
from samovar.engine.rule import rule

from .deck import (
    CARDS,
    EDGES,
)
from .field import cell_at, edge_of
from .moves import (
    STOP,
    SWAPS,
    is_placement,
    placed_card,
    placed_key,
    placed_turned,
    swap,
    swap_offered,
    swap_opponent,
    swap_taken,
)
from .observation import STICKS
from .sizes import COLOURS
from .state import ANY, COLOUR, MAX_SEATS, State

RELATIONS = (
    Part(
        "gains",
        MAX_SEATS * COLOURS,
        "seat by seat from the observer on, by colour: the points that one more stick would bring",
        count(0, COLOURS),
        (MAX_SEATS, COLOURS),
    ),
    Part(
        "losses",
        MAX_SEATS * COLOURS,
        "the same: the points that one stick less would cost, 0 where there is none",
        count(0, COLOURS),
        (MAX_SEATS, COLOURS),
    ),
)


@rule
def relate(seen: Ints, at: int) -> None:
    """V9: a stick of a colour is worth one more than there are colours of which the seat has more."""
    for k in range(MAX_SEATS):
        first = STICKS + k * COLOURS
        for colour in range(COLOURS):
            own = seen[first + colour]
            gain = 1
            loss = 0
            for other in range(COLOURS):
                gain += seen[first + other] > own
                loss += seen[first + other] >= own
            seen[at + k * COLOURS + colour] = gain
            seen[at + (MAX_SEATS + k) * COLOURS + colour] = loss if own > 0 else 0


ACTS = 3
PLACES, SWAPPED, STOPS = range(ACTS)

FACTORS = (
    Part("act", 1, "0 place a card, 1 swap sticks, 2 stop", one_of(ACTS)),
    Part("card", 1, "the card placed, else -1", one_of(CARDS)),
    Part("half_turn", 1, "1 if it is placed half turned", FLAG),
    Part("beside", 1, "the lowest-numbered card next to its place, else -1", one_of(CARDS)),
    Part("side", 1, "on which side of that one: north, east, south, west, else -1", one_of(EDGES)),
    Part("joined", COLOURS, "by colour: edges of that colour that it joins", count(0, EDGES)),
    Part("ends", 1, "1 if a stick is missing for it, which ends the match after the swaps", FLAG),
    Part("gives", 1, "the colour of the stick given, else -1", one_of(COLOURS)),
    Part("takes", 1, "the colour of the stick taken, else -1", one_of(COLOURS)),
    Part("with", 1, "the seat with which it is swapped, seats from the observer on, else -1", seat_of(MAX_SEATS)),
)
JOINED = 5
ENDS = JOINED + COLOURS
SIZE = ENDS + 4
NONE = -1


@rule
def factor(state: State, seat: int, move: int, out: Ints) -> None:
    for k in range(SIZE):
        out[k] = 0 if k == 2 or JOINED <= k <= ENDS else NONE
    if is_placement(move):
        out[0] = PLACES
        factor_placement(state, move, out)
    elif move == STOP:
        out[0] = STOPS
    else:
        out[0] = SWAPPED
        out[ENDS + 1] = swap_offered(move)
        out[ENDS + 2] = swap_taken(move)
        out[ENDS + 3] = (swap_opponent(move) - seat) % state.seats


@rule
def factor_placement(state: State, move: int, out: Ints) -> None:
    """V5, V6: what joins is what the spot asks for."""
    card = placed_card(move)
    turned = placed_turned(move)
    key = placed_key(move)
    out[1] = card
    out[2] = turned
    out[3] = key // EDGES
    out[4] = key % EDGES
    cell = cell_at(state, key)
    for i in range(state.spots):
        if state.spot_cell[i] == cell:
            for edge in range(EDGES):
                if edge_of(state.spot[i], edge) != ANY:
                    out[JOINED + COLOUR[turned, card, edge]] += 1
    for colour in range(COLOURS):
        if out[JOINED + colour] > state.reserve[colour]:
            out[ENDS] = 1


@rule
def turn_move(state: State, seat: int, move: int) -> int:
    """A swap names a seat; as the observer counts seats, from itself on."""
    if move < SWAPS or move == STOP:
        return move
    return swap(swap_offered(move), (swap_opponent(move) - seat) % state.seats, swap_taken(move))


@rule
def turn_back(state: State, seat: int, move: int) -> int:
    if move < SWAPS or move == STOP:
        return move
    return swap(swap_offered(move), (swap_opponent(move) + seat) % state.seats, swap_taken(move))
