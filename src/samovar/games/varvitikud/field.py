"""The field: which spots are open, what fits there, what a new card changes (V2, V3)."""

from __future__ import annotations

from typing import Any

from samovar.engine.rule import rule

from .deck import EDGES
from .state import ALL_CARDS, ANY, ANYTHING, CARDS_WITH, EDGE_BITS, ROW, STEP

NOT_BESIDE = ~(ROW * ROW | 1)  # the square of the step to a neighbour, or to the cell itself, has none of these bits, any other square has one


@rule
def spot_key(spot: int) -> int:
    """4 * d + side: the spot is on that side of card d, its lowest-numbered neighbour."""
    return (spot >> 24) + 128


@rule
def spot_allows(spot: int) -> int:
    """What each edge of a card may be there: 24 bits."""
    return spot & ANYTHING


@rule
def make_spot(key: int, allowed: int) -> int:
    return ((key - 128) << 24) | allowed


@rule
def cell_at(state: Any, key: int) -> int:
    """The cell that a key names."""
    cell: int = state.place[key >> 2] + STEP[key & 3]
    return cell


@rule
def edge_of(bits: int, edge: int) -> int:
    """The six bits of one edge."""
    return (bits >> (6 * edge)) & ANY


@rule
def can_place(state: Any, seat: int) -> bool:
    """V4: whether any card in the seat's hand fits anywhere."""
    for k in range(state.hand_size[seat]):
        card = state.hand[seat, k]
        for turned in range(state.half_turn + 1):
            edges = EDGE_BITS[turned, card]
            for i in range(state.spots):
                if edges & ~state.spot[i] == 0:
                    return True
    return False


@rule
def fitting_cards(state: Any) -> int:
    """All cards of the deck, a bit each, that fit somewhere now (V2: half turned too, where that is allowed)."""
    fitting = 0
    for i in range(state.spots):
        straight = ALL_CARDS
        turned = ALL_CARDS
        for edge in range(EDGES):
            colours = edge_of(state.spot[i], edge)
            straight &= CARDS_WITH[edge, colours]
            turned &= CARDS_WITH[edge ^ 2, colours]
        fitting |= straight
        if state.half_turn:
            fitting |= turned
    return fitting


@rule
def side_of(step: int) -> int:
    """On which side a neighbour is, `step` away."""
    if step == ROW:
        return 0
    if step == 1:
        return 1
    if step == -ROW:
        return 2
    return 3


@rule
def narrow(allowed: int, edge: int, colour_bit: int) -> int:
    """What a spot allows once the card on its side `edge` asks for one colour there."""
    return (allowed & ~(ANY << (6 * edge))) | (colour_bit << (6 * edge))


@rule
def remove_spot(state: Any, index: int) -> None:
    state.spots -= 1
    spots = state.spots
    for i in range(index, spots):
        state.spot[i] = state.spot[i + 1]
    state.spot[spots] = 0


@rule
def insert_spot(state: Any, spot: int) -> None:
    i = state.spots
    while i > 0 and state.spot[i - 1] > spot:
        state.spot[i] = state.spot[i - 1]
        i -= 1
    state.spot[i] = spot
    state.spots += 1


@rule
def lay(state: Any, card: int, turned: int, cell: int) -> int:
    """V3: puts a card on an open spot (the first one on a free table), brings the open spots up to date. Returns what the spot allowed."""
    state.place[card] = cell
    state.lying |= 1 << card
    if turned:
        state.turned |= 1 << card
    edges = EDGE_BITS[turned, card]
    allowed = ANYTHING
    touched = 0  # a bit for each side where a spot is open already
    i = 0
    while i < state.spots:
        spot = state.spot[i]
        key = spot_key(spot)
        step = cell_at(state, key) - cell
        if step * step & NOT_BESIDE == 0:
            if step == 0:
                allowed = spot_allows(spot)
                remove_spot(state, i)
                i -= 1
            else:
                side = side_of(step)
                touched |= 1 << side
                narrowed = narrow(spot_allows(spot), side ^ 2, edge_of(edges, side))
                if key < 4 * card:
                    state.spot[i] = make_spot(key, narrowed)
                else:
                    remove_spot(state, i)
                    insert_spot(state, make_spot(4 * card + side, narrowed))
        i += 1
    for side in range(EDGES):
        if edge_of(allowed, side) == ANY and not (touched >> side) & 1:
            insert_spot(state, make_spot(4 * card + side, narrow(ANYTHING, side ^ 2, edge_of(edges, side))))
    return allowed
