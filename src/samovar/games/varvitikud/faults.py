"""What must hold in every state; one bit for each thing that does not."""

from __future__ import annotations

from samovar.engine.bits import count_bits
from samovar.engine.rule import rule

from .deck import CARDS, EDGES
from .field import can_place, cell_at, edge_of, fitting_cards, spot_allows, spot_key
from .knowledge import hand_mask, holds_what_fitted
from .rules import can_swap, full_hand
from .sizes import COLOURS, STICKS_OF_A_COLOUR
from .state import (
    ALL_CARDS,
    ANY,
    COLOUR,
    GOES_ON,
    MAX_HAND,
    MAX_PLACEMENTS,
    MAX_SEATS,
    MAX_SPOTS,
    MISSING_STICK,
    NO_CARD,
    NO_SEAT,
    OVER,
    PILE_ROOM,
    PLACE,
    STEP,
    STUCK,
    SWAP,
    State,
)

FAULT_NAMES = (
    "a card is missing or in two places",
    "a hand is out of order or not filled up",
    "the sticks of a colour are not eight",
    "the field is not in one piece around (0, 0), or two cards lie on one place",
    "touching edges differ",
    "the open spots are not those of the field",
    "phase, turn or end do not fit the table",
    "the history of placements does not fit the table",
    "a seat holds a card that fitted when it had to skip",
    "an unused entry is not empty",
)


@rule
def has_lost_cards(state: State) -> bool:
    """Every card lies, is in a hand or in the pile, once."""
    seen = state.lying
    count = count_bits(state.lying)
    for seat in range(state.seats):
        for k in range(state.hand_size[seat]):
            seen |= 1 << state.hand[seat, k]
            count += 1
    for i in range(state.pile_size):
        seen |= 1 << state.pile[i]
        count += 1
    return seen != ALL_CARDS or count != CARDS


@rule
def has_bad_hand(state: State) -> bool:
    full = full_hand(state.seats)
    for seat in range(state.seats):
        size = state.hand_size[seat]
        wanted = full - 1 if state.turn == seat and state.phase == SWAP else full
        before_draw = state.phase == OVER and state.ending == MISSING_STICK and state.last_seat == seat
        if size > full or (state.pile_size > 0 and size < wanted and not (before_draw and size == full - 1)):
            return True
        for k in range(1, size):
            if state.hand[seat, k - 1] >= state.hand[seat, k]:
                return True
    return False


@rule
def has_bad_sticks(state: State) -> bool:
    for colour in range(COLOURS):
        total = state.reserve[colour]
        if total < 0:
            return True
        for seat in range(MAX_SEATS):
            if state.sticks[seat, colour] < 0:
                return True
            total += state.sticks[seat, colour]
        if total != STICKS_OF_A_COLOUR:
            return True
    return False


@rule
def card_on(state: State, cell: int) -> int:
    """The card that lies on a cell, or NO_CARD."""
    for card in range(CARDS):
        if (state.lying >> card) & 1 and state.place[card] == cell:
            return card
    return NO_CARD


@rule
def is_in_pieces(state: State) -> bool:
    """Walks over the field from (0, 0) on; what it does not reach is not connected, or lies under
    another card."""
    start = card_on(state, 0)
    if start == NO_CARD:
        return True
    reached = 1 << start
    waiting = reached
    while waiting != 0:
        card = 0
        while not (waiting >> card) & 1:
            card += 1
        waiting &= waiting - 1
        for side in range(EDGES):
            other = card_on(state, state.place[card] + STEP[side])
            if other != NO_CARD and not (reached >> other) & 1:
                reached |= 1 << other
                waiting |= 1 << other
    lying = state.lying
    return reached != lying


@rule
def has_bad_edges(state: State) -> bool:
    for card in range(CARDS):
        if (state.lying >> card) & 1:
            for side in range(2):
                other = card_on(state, state.place[card] + STEP[side])
                if other != NO_CARD:
                    own = COLOUR[(state.turned >> card) & 1, card, side]
                    if own != COLOUR[(state.turned >> other) & 1, other, side ^ 2]:
                        return True
    return False


@rule
def is_bad_spot(state: State, spot: int) -> bool:
    """An open spot is empty, names its lowest neighbour and asks for the colours of all of them."""
    key = spot_key(spot)
    if not (state.lying >> (key >> 2)) & 1:
        return True
    cell = cell_at(state, key)
    if card_on(state, cell) != NO_CARD:
        return True
    lowest = CARDS
    for side in range(EDGES):
        other = card_on(state, cell + STEP[side])
        wanted = ANY
        if other != NO_CARD:
            lowest = min(lowest, other)
            wanted = 1 << COLOUR[(state.turned >> other) & 1, other, side ^ 2]
        if edge_of(spot_allows(spot), side) != wanted:
            return True
    return lowest != key >> 2


@rule
def has_bad_spots(state: State) -> bool:
    for i in range(state.spots):
        if (
            is_bad_spot(state, state.spot[i])
            or state.spot_cell[i] != cell_at(state, spot_key(state.spot[i]))
            or (i > 0 and state.spot[i - 1] >= state.spot[i])
        ):
            return True
    # Spots are different and right; are they all? Each empty side of a card is a side of one spot.
    sides = 0
    for i in range(state.spots):
        for side in range(EDGES):
            if edge_of(state.spot[i], side) != ANY:
                sides += 1
    for card in range(CARDS):
        if (state.lying >> card) & 1:
            for side in range(EDGES):
                if card_on(state, state.place[card] + STEP[side]) == NO_CARD:
                    sides -= 1
    return sides != 0


@rule
def nobody_can_place(state: State) -> bool:
    for seat in range(state.seats):
        if can_place(state, seat):
            return False
    return True


@rule
def has_bad_phase(state: State) -> bool:
    if not (2 <= state.seats <= MAX_SEATS and 0 <= state.turn < state.seats and PLACE <= state.phase <= OVER):
        return True
    ending = state.ending
    swaps_left = state.swaps_left
    if state.phase == PLACE:
        return ending != GOES_ON or swaps_left != 0 or not can_place(state, state.turn)
    if state.phase == SWAP:
        return ending == STUCK or not 1 <= swaps_left <= EDGES - 1 or not can_swap(state, state.turn)
    if ending == STUCK and not nobody_can_place(state):
        return True
    return ending == GOES_ON or swaps_left != 0


@rule
def has_bad_history(state: State) -> bool:
    """V6: every placement, but for one that ends the match, took a stick from the reserve."""
    taken = COLOURS * STICKS_OF_A_COLOUR
    for colour in range(COLOURS):
        taken -= state.reserve[colour]
    if state.ending == MISSING_STICK:
        taken += 1
    if not 0 <= state.draws <= state.placements <= min(taken, MAX_PLACEMENTS):
        return True
    seen = 0
    for number in range(state.placements):
        if not 0 <= state.placer[number] < state.seats or state.placed[number] < 0:
            return True
        seen |= 1 << state.placed[number]
    placements = state.placements
    lying = state.lying
    return count_bits(seen) != placements or seen & ~lying != 0


@rule
def knows_what_is_not(state: State) -> bool:
    """What everybody knows from skips must be true of the hands; when all are stuck, nobody holds
    what fits now."""
    for seat in range(state.seats):
        if holds_what_fitted(state, seat):
            return True
        if state.ending == STUCK and hand_mask(state, seat) & fitting_cards(state) != 0:
            return True
    return False


@rule
def has_stale_entries(state: State) -> bool:
    for i in range(state.spots, MAX_SPOTS):
        if state.spot[i] != 0 or state.spot_cell[i] != 0:
            return True
    for card in range(CARDS):
        if not (state.lying >> card) & 1 and state.place[card] != 0:
            return True
    for i in range(state.pile_size, PILE_ROOM):
        if state.pile[i] != NO_CARD:
            return True
    for i in range(state.placements, MAX_PLACEMENTS):
        if state.placed[i] != NO_CARD or state.placer[i] != NO_SEAT or state.skipped[i] != 0:
            return True
    for seat in range(MAX_SEATS):
        for k in range(state.hand_size[seat], MAX_HAND):
            if state.hand[seat, k] != NO_CARD:
                return True
    turned = state.turned
    lying = state.lying
    return turned & ~lying != 0


@rule
def faults(state: State) -> int:
    broken = 0
    if has_lost_cards(state):
        broken |= 1
    if has_bad_hand(state):
        broken |= 2
    if has_bad_sticks(state):
        broken |= 4
    if is_in_pieces(state):
        broken |= 8
    if has_bad_edges(state):
        broken |= 16
    if has_bad_spots(state):
        broken |= 32
    if has_bad_phase(state):
        broken |= 64
    if has_bad_history(state):
        broken |= 128
    if knows_what_is_not(state):
        broken |= 256
    if has_stale_entries(state):
        broken |= 512
    return broken
