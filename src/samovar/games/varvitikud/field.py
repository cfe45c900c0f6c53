"""The field: which spots are open, what fits there, what a new card changes (V2, V3)."""

from __future__ import annotations

from samovar.engine.bits import count_bits
from samovar.engine.rule import rule

from .deck import EDGES
from .state import ALL_CARDS, ANY, ANYTHING, CARDS_WITH, EDGE_BITS, ROW, STEP, State

# the square of the step to a neighbour, or to the cell itself, has none of these bits, any other
# square has one
NOT_BESIDE = ~(ROW * ROW | 1)


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
def cell_at(state: State, key: int) -> int:
    """The cell that a key names."""
    return state.place[key >> 2] + STEP[key & 3]


@rule
def edge_of(bits: int, edge: int) -> int:
    """The six bits of one edge."""
    return (bits >> (6 * edge)) & ANY


@rule
def can_place(state: State, seat: int) -> bool:
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
def fitting_cards(state: State) -> int:
    """All cards of the deck, a bit each, that fit somewhere now (V2: half turned too, where that is
    allowed)."""
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
def lay(state: State, card: int, turned: int, cell: int) -> int:
    """V3: puts a card on an open spot (the first one on a free table), brings the open spots up to
    date. Returns what the spot allowed.

    Spots beside the card now ask for its colour there too; those that named a higher card, and new
    ones, name this card from now on. Their keys are 4 * card and the next three, so they go into
    the list as one block.
    """
    state.place[card] = cell
    state.lying |= 1 << card
    if turned:
        state.turned |= 1 << card
    edges = EDGE_BITS[turned, card]
    allowed = ANYTHING
    # What the spots of the block ask for, by side: as if all four were new.
    north = narrow(ANYTHING, 2, edge_of(edges, 0))
    east = narrow(ANYTHING, 3, edge_of(edges, 1))
    south = narrow(ANYTHING, 0, edge_of(edges, 2))
    west = narrow(ANYTHING, 1, edge_of(edges, 3))
    block = 15  # the sides whose spot is in the block, a bit each
    # Once through the list: what stays moves up to where something went.
    old = state.spots
    kept = 0
    before = 0  # how many of those kept come before the block
    for i in range(old):
        spot = state.spot[i]
        there = state.spot_cell[i]
        step = there - cell
        stays = True
        if step * step & NOT_BESIDE == 0:
            if step == 0:
                allowed = spot_allows(spot)
                stays = False
            else:
                side = side_of(step)
                spot = make_spot(spot_key(spot), narrow(spot_allows(spot), side ^ 2, edge_of(edges, side)))
                stays = spot_key(spot) < 4 * card
                if stays:
                    block &= ~(1 << side)
                    state.spot[i] = spot
                elif side == 0:
                    north = spot_allows(spot)
                elif side == 1:
                    east = spot_allows(spot)
                elif side == 2:
                    south = spot_allows(spot)
                else:
                    west = spot_allows(spot)
        if stays:
            if kept < i:
                state.spot[kept] = spot
                state.spot_cell[kept] = there
            kept += 1
            if spot_key(spot) < 4 * card:
                before = kept
    for side in range(EDGES):
        if edge_of(allowed, side) != ANY:  # a card lies there
            block &= ~(1 << side)
    # Make room for the block and write it.
    more = count_bits(block)
    state.spots = kept + more
    for i in range(kept - 1, before - 1, -1):
        state.spot[i + more] = state.spot[i]
        state.spot_cell[i + more] = state.spot_cell[i]
    for side in range(EDGES):
        if (block >> side) & 1:
            asks = north if side == 0 else east if side == 1 else south if side == 2 else west
            state.spot[before] = make_spot(4 * card + side, asks)
            state.spot_cell[before] = cell + STEP[side]
            before += 1
    for i in range(kept + more, old):
        state.spot[i] = 0
        state.spot_cell[i] = 0
    return allowed
