"""What must hold in every state."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise

from samovar.engine.arrays import rows_of

from .deck import CARDS, EDGES
from .field import can_place, cell_at, edge_of, fitting_cards, spot_key
from .knowledge import hand_mask, holds_what_fitted
from .rules import can_swap, full_hand
from .sizes import COLOURS, STICKS_OF_A_COLOUR
from .state import (
    ALL_CARDS,
    ANY,
    COLOUR,
    GOES_ON,
    MAX_PLACEMENTS,
    MAX_SEATS,
    MISSING_STICK,
    NO_CARD,
    NO_SEAT,
    OVER,
    PLACE,
    STEP,
    STUCK,
    SWAP,
    State,
)

Field = dict[int, int]  # the card by cell


def faults(state: State) -> Iterator[str]:
    for sentence, is_so in CHECKS.items():
        if is_so(state):
            yield sentence


def lying_cards(state: State) -> list[int]:
    return [card for card in range(CARDS) if (state.lying >> card) & 1]


def field_of(state: State) -> Field:
    """Where two cards lie on one cell, the lower one is seen."""
    return {state.place[card]: card for card in reversed(lying_cards(state))}


def hands_of(state: State) -> list[list[int]]:
    return [hand[:size] for hand, size in zip(rows_of(state.hand), state.hand_size, strict=True)][: state.seats]


def colour_of(state: State, card: int, side: int) -> int:
    return COLOUR[(state.turned >> card) & 1, card, side]


def has_lost_cards(state: State) -> bool:
    """Every card lies, is in a hand or in the pile, once."""
    cards = [*lying_cards(state), *chain(*hands_of(state)), *list(state.pile)[: state.pile_size]]
    return state.lying & ~ALL_CARDS != 0 or sorted(cards) != list(range(CARDS))


def has_bad_hand(state: State) -> bool:
    full = full_hand(state.seats)
    for seat, hand in enumerate(hands_of(state)):
        wanted = full - 1 if state.turn == seat and state.phase == SWAP else full
        if state.phase == OVER and state.ending == MISSING_STICK and state.last_seat == seat:
            wanted = full - 1  # the match ended before the draw
        if len(hand) > full or (state.pile_size > 0 and len(hand) < wanted):
            return True
        if any(low >= high for low, high in pairwise(hand)):
            return True
    return False


def has_bad_sticks(state: State) -> bool:
    for sticks in zip(state.reserve, *rows_of(state.sticks), strict=True):
        if min(sticks) < 0 or sum(sticks) != STICKS_OF_A_COLOUR:
            return True
    return False


def is_in_pieces(state: State) -> bool:
    """Walks over the field from (0, 0) on; what it does not reach is not connected, or lies under
    another card."""
    field = field_of(state)
    reached, waiting = set(), [0]
    while waiting:
        cell = waiting.pop()
        if cell in field and cell not in reached:
            reached.add(cell)
            waiting += [cell + step for step in STEP]
    return not reached or sum(1 << field[cell] for cell in reached) != state.lying


def has_bad_edges(state: State) -> bool:
    field = field_of(state)
    for card in lying_cards(state):
        for side in range(2):
            other = field.get(state.place[card] + STEP[side])
            if other is not None and colour_of(state, card, side) != colour_of(state, other, side ^ 2):
                return True
    return False


def is_bad_spot(state: State, field: Field, spot: int) -> bool:
    """An open spot is empty, names its lowest neighbour and asks for the colours of all of them."""
    key = spot_key(spot)
    if not (state.lying >> (key >> 2)) & 1 or cell_at(state, key) in field:
        return True
    beside = [field.get(cell_at(state, key) + step) for step in STEP]
    for side, card in enumerate(beside):
        if edge_of(spot, side) != (ANY if card is None else 1 << colour_of(state, card, side ^ 2)):
            return True
    return min(card for card in beside if card is not None) != key >> 2


def has_bad_spots(state: State) -> bool:
    field = field_of(state)
    spots, cells = list(state.spot)[: state.spots], list(state.spot_cell)[: state.spots]
    if any(is_bad_spot(state, field, spot) for spot in spots) or any(low >= high for low, high in pairwise(spots)):
        return True
    if cells != [cell_at(state, spot_key(spot)) for spot in spots]:
        return True
    # Spots are different and right; are they all? Each empty side of a card is a side of one spot.
    sides = sum(edge_of(spot, side) != ANY for spot in spots for side in range(EDGES))
    return sides != sum(state.place[card] + step not in field for card in lying_cards(state) for step in STEP)


def has_bad_phase(state: State) -> bool:
    if not (2 <= state.seats <= MAX_SEATS and 0 <= state.turn < state.seats and PLACE <= state.phase <= OVER):
        return True
    ending, swaps_left = state.ending, state.swaps_left
    if state.phase == PLACE:
        return ending != GOES_ON or swaps_left != 0 or not can_place(state, state.turn)
    if state.phase == SWAP:
        return ending == STUCK or not 1 <= swaps_left <= EDGES - 1 or not can_swap(state, state.turn)
    if ending == STUCK and any(can_place(state, seat) for seat in range(state.seats)):
        return True
    return ending == GOES_ON or swaps_left != 0


def has_bad_history(state: State) -> bool:
    """V6: every placement, but for one that ends the match, took a stick from the reserve."""
    taken = COLOURS * STICKS_OF_A_COLOUR - sum(state.reserve) + (state.ending == MISSING_STICK)
    if not 0 <= state.draws <= state.placements <= min(taken, MAX_PLACEMENTS):
        return True
    placed, placers = list(state.placed)[: state.placements], list(state.placer)[: state.placements]
    return (
        not all(0 <= seat < state.seats for seat in placers)
        or len({*placed}) != len(placed)
        or not {*placed} <= {*lying_cards(state)}
    )


def knows_what_is_not(state: State) -> bool:
    """What everybody knows from skips must be true of the hands; when all are stuck, nobody holds
    what fits now."""
    for seat in range(state.seats):
        if holds_what_fitted(state, seat):
            return True
        if state.ending == STUCK and hand_mask(state, seat) & fitting_cards(state) != 0:
            return True
    return False


def has_stale_entries(state: State) -> bool:
    hands = [hand[size:] for hand, size in zip(rows_of(state.hand), state.hand_size, strict=True)]
    cards = [*list(state.pile)[state.pile_size :], *list(state.placed)[state.placements :], *chain(*hands)]
    return (
        min(state.spots, state.pile_size, state.placements, *state.hand_size) < 0
        or any([*list(state.spot)[state.spots :], *list(state.spot_cell)[state.spots :]])
        or any(state.place[card] for card in range(CARDS) if not (state.lying >> card) & 1)
        or any(card != NO_CARD for card in cards)
        or any(seat != NO_SEAT for seat in list(state.placer)[state.placements :])
        or any(list(state.skipped)[state.placements : MAX_PLACEMENTS])
        or state.turned & ~state.lying != 0
    )


CHECKS = {
    "a card is missing or in two places": has_lost_cards,
    "a hand is out of order or not filled up": has_bad_hand,
    "the sticks of a colour are not eight": has_bad_sticks,
    "the field is not in one piece around (0, 0), or two cards lie on one place": is_in_pieces,
    "touching edges differ": has_bad_edges,
    "the open spots are not those of the field": has_bad_spots,
    "phase, turn or end do not fit the table": has_bad_phase,
    "the history of placements does not fit the table": has_bad_history,
    "a seat holds a card that fitted when it had to skip": knows_what_is_not,
    "an unused entry is not empty": has_stale_entries,
}
