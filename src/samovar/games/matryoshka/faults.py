"""What must hold in every state: `faults` plays the log again, card by card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from samovar.engine.arrays import rows_of

from .moves import MASKS, MASKS_FROM, count_masks
from .sizes import ROUNDS
from .state import (
    CARDS_PER_SEAT,
    DISPLAY,
    DISPLAY_SIZE,
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


def faults(state: State) -> Iterable[str]:
    """The log can be played again only where its numbers are right."""
    if not is_in_range(state):
        return ("a number is out of its range",)
    if not has_whole_deck(state):
        return ("the deck is not the cards in play, each once",)
    in_play = range(CARDS_PER_SEAT * state.seats)
    shown = [[shower(state, card, display) for card in in_play] for display in range(ROUNDS + 1)]
    by_seat = (seat_faults(state, shown, seat) for seat in range(MAX_SEATS))
    return chain(path_faults(state, shown), *by_seat, table_faults(state))


def is_in_range(state: State) -> bool:
    return (
        MIN_SEATS <= state.seats <= MAX_SEATS
        and 0 <= state.first < state.seats
        and MIN_GROWTH <= growth_of(state) <= MAX_GROWTH
        and DISPLAY <= state.phase <= OVER
        and 0 <= state.round <= ROUNDS
        and 0 <= state.news <= NEWS_EXCHANGED
        and NOTHING <= state.news_seat < state.seats
        and 0 <= state.exchange <= ROUNDS * state.seats
        and all(NOTHING <= seat < state.seats for seat in state.chosen)
        and all(NOTHING <= card < CARDS_PER_SEAT * state.seats for card in chain(*rows_of(state.offers)))
    )


def has_whole_deck(state: State) -> bool:
    """Each card in play once, then nothing."""
    in_play = CARDS_PER_SEAT * state.seats
    deck = list(state.deck)
    return (
        sorted(deck[:in_play]) == list(range(in_play))
        and all(card == NOTHING for card in deck[in_play:])
        and not any(list(state.shows)[in_play:])
        and state.drawn == cards_held(state.round) * state.seats
    )


def path_faults(state: State, shown: list[list[int]]) -> Iterator[str]:
    """Follows the cards through the match: whoever put one up, offered or showed it had it then."""
    seats, deck, offers, laid = state.seats, list(state.deck), rows_of(state.offers), displays_laid(state)
    holders = {deck[place]: seat_drawing(state, place) for place in range(cards_held(0) * seats)}
    for time in range(ROUNDS * seats + 1):
        display = time // seats
        if time % seats == 0:
            for card, seat in enumerate(shown[display]):
                if seat != NOTHING and (seat != holders.get(card, NOTHING) or display >= laid):
                    yield "a card was shown by a seat that did not have it"
            drawn = range(cards_held(display) * seats, min(cards_held(display + 1) * seats, state.drawn))
            holders |= {deck[place]: seat_drawing(state, place) for place in drawn}
        for seat, card in enumerate(offers[time][:seats]):
            if card != NOTHING and (seat != holders.get(card, NOTHING) or shown[display][card] != NOTHING):
                yield "a card was put up or offered by a seat that did not have it in hand"
        chosen, active = state.chosen[time], active_in(state, time)
        if chosen != NOTHING:
            holders |= {offers[time][chosen]: active, offers[time][active]: chosen}
            holders.pop(NOTHING, None)
    hands = [cards[: cards_held(state.round)] for cards in rows_of(state.cards)]
    if any(card not in hands[seat] for card, seat in holders.items()):
        yield "a seat's cards do not follow from the deck and the exchanges"


def seat_faults(state: State, shown: list[list[int]], seat: int) -> Iterator[str]:
    """Cards ascending, the display as shown last and of the right size, a chosen one that can
    be."""
    is_there, laid = seat < state.seats, displays_laid(state)
    hand_size = cards_held(state.round) if is_there else 0
    cards = rows_of(state.cards)[seat]
    is_ordered = all(low < high for low, high in pairwise([NOTHING, *cards[:hand_size]]))
    if not is_ordered or any(card != NOTHING for card in cards[hand_size:]):
        yield "a seat's cards are not in order"
    if not is_ordered:
        return
    if is_there and any(shown[display].count(seat) != DISPLAY_SIZE[display] for display in range(laid)):
        yield "a display has the wrong number of cards"
    if state.shown[seat] != sum(1 << i for i in range(hand_size) if laid and shown[laid - 1][cards[i]] == seat):
        yield "a seat's display is not the last one it showed"
    start = MASKS_FROM[state.round]
    possible = MASKS[start : start + count_masks(state.round)] if state.phase == DISPLAY and is_there else ()
    if state.pending[seat] != 0 and state.pending[seat] not in possible:
        yield "a chosen display is impossible now"


def table_faults(state: State) -> Iterator[str]:
    if not is_log_whole(state):
        yield "the exchanges made are not what round and phase say"
    expected = sum(1 << seat for seat in range(state.seats) if is_asked(state, seat))
    if state.waiting != expected or (expected == 0) != (state.phase == OVER):
        yield "the wrong seats may act"


def is_log_whole(state: State) -> bool:
    """Exchanges made are complete, the one going on is as far as the phase says, those to come are
    empty."""
    seats, made = state.seats, state.exchange
    offers = rows_of(state.offers)
    for exchange in range(MAX_EXCHANGES + 1):
        chosen, active = state.chosen[exchange], active_in(state, exchange)
        if (chosen != NOTHING) != (exchange < made) or chosen == active:
            return False
        has_begun = exchange < made or (exchange == made and OFFER <= state.phase <= TAKE)
        for seat, card in enumerate(offers[exchange]):
            may_be = has_begun and seat < seats
            must_be = may_be and (exchange < made or seat == active or state.phase == TAKE)
            if not may_be if card != NOTHING else must_be:
                return False
    if state.phase == DISPLAY:
        return made == state.round * seats
    if state.phase == OVER:
        return state.round == ROUNDS and made == ROUNDS * seats
    return max(state.round - 1, 0) * seats <= made < state.round * seats


def is_asked(state: State, seat: int) -> bool:
    """Those may act who are asked and have not chosen yet."""
    if state.phase == DISPLAY:
        return state.pending[seat] == 0
    if state.phase == OFFER:
        return state.offers[state.exchange, seat] == NOTHING
    return state.phase in (PUT, TAKE) and seat == active_in(state, state.exchange)
