"""What must hold in every state: `faults` plays the log again, card by card."""

from __future__ import annotations

from samovar.engine.rule import rule

from .moves import MASKS, MASKS_FROM, count_masks
from .sizes import ROUNDS
from .state import (
    CARDS_PER_SEAT,
    DISPLAY,
    DISPLAY_SIZE,
    MAX_CARDS,
    MAX_EXCHANGES,
    MAX_GROWTH,
    MAX_SEATS,
    MIN_GROWTH,
    MIN_SEATS,
    NEWS_EXCHANGED,
    NOTHING,
    OFFER,
    OVER,
    PUT,
    TAKE,
    State,
    active_in,
    cards_held,
    displays_laid,
    growth_of,
    seat_drawing,
    shower,
)

HALF = MAX_CARDS // 2  # no mask has room for all cards
FAULT_NAMES = (
    "the deck is not the cards in play, each once",
    "a seat's cards do not follow from the deck and the exchanges",
    "a seat's cards are not in order",
    "a card was put up or offered by a seat that did not have it in hand",
    "a card was shown by a seat that did not have it",
    "a display has the wrong number of cards",
    "a seat's display is not the last one it showed",
    "a chosen display is impossible now",
    "the exchanges made are not what round and phase say",
    "the wrong seats may act",
    "a number is out of its range",
)
(
    BAD_DECK,
    BAD_CARDS,
    BAD_ORDER,
    BAD_OFFER,
    BAD_SHOW,
    BAD_SIZE,
    BAD_DISPLAY,
    BAD_PENDING,
    BAD_LOG,
    BAD_ACTORS,
    BAD_RANGE,
) = (1 << bit for bit in range(len(FAULT_NAMES)))


@rule
def faults(state: State) -> int:
    broken = range_faults(state)
    if broken:
        return broken
    broken |= deck_faults(state)
    if broken:
        return broken
    for place in range(CARDS_PER_SEAT * state.seats):
        broken |= path_faults(state, place)
    for seat in range(MAX_SEATS):
        broken |= seat_faults(state, seat)
    return broken | log_faults(state) | actor_faults(state)


@rule
def range_faults(state: State) -> int:
    if (
        not MIN_SEATS <= state.seats <= MAX_SEATS
        or not 0 <= state.first < state.seats
        or not MIN_GROWTH <= growth_of(state) <= MAX_GROWTH
    ):
        return BAD_RANGE
    if not DISPLAY <= state.phase <= OVER or not 0 <= state.round <= ROUNDS or not 0 <= state.news <= NEWS_EXCHANGED:
        return BAD_RANGE
    if not NOTHING <= state.news_seat < state.seats or not 0 <= state.exchange <= ROUNDS * state.seats:
        return BAD_RANGE
    for exchange in range(MAX_EXCHANGES + 1):
        if not NOTHING <= state.chosen[exchange] < state.seats:
            return BAD_RANGE
        for seat in range(MAX_SEATS):
            if not NOTHING <= state.offers[exchange, seat] < CARDS_PER_SEAT * state.seats:
                return BAD_RANGE
    return 0


@rule
def deck_faults(state: State) -> int:
    """Each card in play once, then nothing."""
    in_play = CARDS_PER_SEAT * state.seats
    low = 0
    high = 0
    for place in range(MAX_CARDS):
        card = state.deck[place]
        if place >= in_play:
            if card != NOTHING or state.shows[place] != 0:
                return BAD_DECK
        elif not 0 <= card < in_play:
            return BAD_DECK
        elif card < HALF:
            low |= 1 << card
        else:
            high |= 1 << (card - HALF)
    if low != (1 << HALF) - 1 or high != (1 << (in_play - HALF)) - 1:
        return BAD_DECK
    if state.drawn != cards_held(state.round) * state.seats:
        return BAD_DECK
    return 0


@rule
def path_faults(state: State, place: int) -> int:
    """Follows the card at a place of the deck through the match: whoever put it up, offered or
    showed it had it then."""
    seats = state.seats
    card = state.deck[place]
    holder = NOTHING
    broken = 0
    if place < cards_held(0) * seats:
        holder = seat_drawing(state, place)
    for time in range(ROUNDS * seats + 1):
        display = time // seats
        if time % seats == 0:
            seat = shower(state, card, display)
            if seat != NOTHING and (seat != holder or display >= displays_laid(state)):
                broken |= BAD_SHOW
            if cards_held(display) * seats <= place < min(cards_held(display + 1) * seats, state.drawn):
                holder = seat_drawing(state, place)
        for seat in range(seats):
            if state.offers[time, seat] == card and (seat != holder or shower(state, card, display) != NOTHING):
                broken |= BAD_OFFER
        chosen = state.chosen[time]
        if chosen != NOTHING:
            active = active_in(state, time)
            if state.offers[time, active] == card:
                holder = chosen
            elif state.offers[time, chosen] == card:
                holder = active
    if holder != NOTHING:
        for i in range(cards_held(state.round)):
            if state.cards[holder, i] == card:
                return broken
        return broken | BAD_CARDS
    return broken


@rule
def seat_faults(state: State, seat: int) -> int:
    """Cards ascending, the display as shown last and of the right size, a chosen one that can
    be."""
    broken = 0
    held = cards_held(state.round) if seat < state.seats else 0
    for i in range(CARDS_PER_SEAT):
        card = state.cards[seat, i]
        if i >= held:
            if card != NOTHING:
                broken |= BAD_ORDER
        elif card < 0 or (i > 0 and state.cards[seat, i - 1] >= card):
            return broken | BAD_ORDER
    laid = displays_laid(state)
    if seat < state.seats:
        for display in range(laid):
            count = 0
            for card in range(CARDS_PER_SEAT * state.seats):
                if shower(state, card, display) == seat:
                    count += 1
            if count != DISPLAY_SIZE[display]:
                broken |= BAD_SIZE
    mask = 0
    for i in range(held):
        if laid > 0 and shower(state, state.cards[seat, i], laid - 1) == seat:
            mask |= 1 << i
    if state.shown[seat] != mask:
        broken |= BAD_DISPLAY
    if state.pending[seat] != 0:
        listed = 0
        for k in range(count_masks(state.round)):
            if MASKS[MASKS_FROM[state.round] + k] == state.pending[seat]:
                listed = 1
        if state.phase != DISPLAY or seat >= state.seats or not listed:
            broken |= BAD_PENDING
    return broken


@rule
def log_faults(state: State) -> int:
    """Exchanges made are complete, the one going on is as far as the phase says, those to come are
    empty."""
    seats = state.seats
    for exchange in range(MAX_EXCHANGES + 1):
        chosen = state.chosen[exchange]
        active = active_in(state, exchange)
        if (chosen != NOTHING) != (exchange < state.exchange) or chosen == active:
            return BAD_LOG
        going_on = exchange == state.exchange
        for seat in range(MAX_SEATS):
            is_there = state.offers[exchange, seat] != NOTHING
            if (
                seat >= seats
                or exchange > state.exchange
                or (going_on and (state.phase == PUT or state.phase == DISPLAY or state.phase == OVER))
            ):
                if is_there:
                    return BAD_LOG
            elif not is_there and (exchange < state.exchange or seat == active or state.phase == TAKE):
                return BAD_LOG
    first_of_round = max(state.round - 1, 0) * seats
    if state.phase == DISPLAY and state.exchange != state.round * seats:
        return BAD_LOG
    if state.phase == OVER and (state.round != ROUNDS or state.exchange != ROUNDS * seats):
        return BAD_LOG
    if PUT <= state.phase <= TAKE and not first_of_round <= state.exchange < state.round * seats:
        return BAD_LOG
    return 0


@rule
def actor_faults(state: State) -> int:
    """Those may act who are asked and have not chosen yet."""
    expected = 0
    active = active_in(state, state.exchange)
    for seat in range(state.seats):
        asked = state.phase == DISPLAY and state.pending[seat] == 0
        if state.phase == OFFER:
            asked = state.offers[state.exchange, seat] == NOTHING
        elif state.phase == PUT or state.phase == TAKE:
            asked = seat == active
        if asked:
            expected |= 1 << seat
    if state.waiting != expected or (expected == 0) != (state.phase == OVER):
        return BAD_ACTORS
    return 0
