"""The rules of Matryoshka, in the order of the rulebook: set-up, then four rounds of draw,
exchange, display. Scoring is in scoring.py."""

from __future__ import annotations

from samovar.engine.arrays import Ints, Rng
from samovar.engine.chance import shuffle, starting_seat
from samovar.engine.rule import rule

from .moves import MASKS, MASKS_FROM, OFFER_MOVE, PUT_MOVE, TAKE_MOVE, count_masks
from .sizes import FIRST_DRAW, LATER_DRAW, ROUNDS, SORTED_DRAWS
from .state import (
    CARDS_PER_SEAT,
    DISPLAY,
    MAX_CARDS,
    MAX_EXCHANGES,
    MAX_SEATS,
    NEWS_ALL_OFFERED,
    NEWS_CHOSEN,
    NEWS_EXCHANGED,
    NEWS_NONE,
    NEWS_OFFERED,
    NEWS_PUT,
    NEWS_REVEALED,
    NOTHING,
    OFFER,
    OVER,
    PUT,
    TAKE,
    Options,
    State,
    active_in,
    cards_held,
    scoring_of,
    starting_seat_of,
)


@rule
def deal(state: State, seats: int, options: Options, rng: Rng) -> None:
    """M1: two sets a seat, the last colours stay out. C1, C2: the starting seat and the whole deck
    are decided here."""
    state.seats = seats
    state.scoring = scoring_of(options.long_columns, options.growth)
    state.first = starting_seat(rng, seats, options.first)
    in_play = CARDS_PER_SEAT * seats
    for place in range(MAX_CARDS):
        state.deck[place] = place if place < in_play else NOTHING
    shuffle(rng, state.deck, in_play)
    if SORTED_DRAWS:
        sort_draws(state)
    begin(state)


@rule
def sort_draws(state: State) -> None:
    """All that is drawn at once ascending, and so what is never drawn."""
    start = 0
    while start < CARDS_PER_SEAT * state.seats:
        size = FIRST_DRAW
        if start >= FIRST_DRAW * state.seats:
            size = LATER_DRAW
        if start >= cards_held(ROUNDS) * state.seats:
            size = CARDS_PER_SEAT * state.seats - start
        sort_places(state, start, size)
        start += size


@rule
def sort_places(state: State, start: int, size: int) -> None:
    """So many places of the deck from one on, ascending."""
    for last in range(start + 1, start + size):
        for place in range(last, start, -1):
            if state.deck[place - 1] > state.deck[place]:
                swap_places(state, place - 1, place)


@rule
def swap_places(state: State, one: int, other: int) -> None:
    card = state.deck[one]
    state.deck[one] = state.deck[other]
    state.deck[other] = card


@rule
def begin(state: State) -> None:
    """Set-up: each seat draws six cards and is to choose two of them. Deck, seats, first and
    options are given."""
    for exchange in range(MAX_EXCHANGES + 1):
        state.chosen[exchange] = NOTHING
        for seat in range(MAX_SEATS):
            state.offers[exchange, seat] = NOTHING
    for seat in range(MAX_SEATS):
        for i in range(CARDS_PER_SEAT):
            state.cards[seat, i] = NOTHING
    state.news = NEWS_NONE
    state.news_seat = NOTHING
    draw_cards(state, FIRST_DRAW)
    ask_all_for_displays(state)


@rule
def actors(state: State) -> int:
    return state.waiting


@rule
def legal(state: State, seat: int, out: Ints) -> int:
    """A display: any of all own cards (M4). Put up and offer: any hand card (M2). Take: any other
    seat's offer."""
    if state.phase == DISPLAY:
        count = count_masks(state.round)
        start = MASKS_FROM[state.round]
        for k in range(count):
            out[k] = MASKS[start + k]
        return count
    count = 0
    if state.phase == TAKE:
        for other in range(state.seats):
            if other != seat:
                out[count] = TAKE_MOVE + other
                count += 1
        return count
    base = PUT_MOVE if state.phase == PUT else OFFER_MOVE
    for i in range(cards_held(state.round)):
        if not (state.shown[seat] >> i) & 1:
            out[count] = base + state.cards[seat, i]
            count += 1
    return count


@rule
def apply(state: State, seat: int, move: int) -> None:
    if move < PUT_MOVE:
        choose_display(state, seat, move)
    elif move < OFFER_MOVE:
        put_up(state, seat, move - PUT_MOVE)
    elif move < TAKE_MOVE:
        offer(state, seat, move - OFFER_MOVE)
    else:
        take(state, seat, move - TAKE_MOVE)


# A. Draw cards


@rule
def draw_cards(state: State, count: int) -> None:
    """M1: seat by seat from the starting seat on, each its six (later two) at once."""
    before = cards_held(state.round) - count
    start = starting_seat_of(state, state.round)
    for turn in range(state.seats):
        seat = (start + turn) % state.seats
        for k in range(count):
            insert_card(state, seat, state.deck[state.drawn], before + k)
            state.drawn += 1


@rule
def start_round(state: State) -> None:
    """A round begins with drawing; then the starting seat is the first active one."""
    state.round += 1
    draw_cards(state, LATER_DRAW)
    ask_active_to_put_up(state)


# B. Exchange cards


@rule
def ask_active_to_put_up(state: State) -> None:
    state.phase = PUT
    state.waiting = 1 << active_in(state, state.exchange)


@rule
def put_up(state: State, seat: int, card: int) -> None:
    """Step 1: a hand card of the active seat, open for all to see."""
    state.offers[state.exchange, seat] = card
    state.phase = OFFER
    state.waiting = ((1 << state.seats) - 1) & ~(1 << seat)
    state.news = NEWS_PUT
    state.news_seat = seat


@rule
def offer(state: State, seat: int, card: int) -> None:
    """Step 2: a hand card of each other seat, face down, all at the same time (C4)."""
    state.offers[state.exchange, seat] = card
    state.waiting &= ~(1 << seat)
    state.news = NEWS_OFFERED
    state.news_seat = seat
    if state.waiting == 0:
        state.phase = TAKE
        state.waiting = 1 << active_in(state, state.exchange)
        state.news = NEWS_ALL_OFFERED
        state.news_seat = NOTHING


@rule
def take(state: State, seat: int, other: int) -> None:
    """Step 3: the active seat must take one offer; its own card goes the other way. All else goes
    back into the hands."""
    state.chosen[state.exchange] = other
    own = state.offers[state.exchange, seat]
    taken = state.offers[state.exchange, other]
    replace_card(state, seat, own, taken)
    replace_card(state, other, taken, own)
    state.exchange += 1
    state.news = NEWS_EXCHANGED
    state.news_seat = seat
    if state.exchange == state.round * state.seats:
        ask_all_for_displays(state)
    else:
        ask_active_to_put_up(state)


# C. Display cards


@rule
def ask_all_for_displays(state: State) -> None:
    state.phase = DISPLAY
    state.waiting = (1 << state.seats) - 1


@rule
def choose_display(state: State, seat: int, mask: int) -> None:
    """Each seat chooses face down, all at the same time (C4); the last choice reveals them all."""
    state.pending[seat] = mask
    state.waiting &= ~(1 << seat)
    state.news = NEWS_CHOSEN
    state.news_seat = seat
    if state.waiting == 0:
        reveal(state)


@rule
def reveal(state: State) -> None:
    """The new displays take the place of the old ones (M4). After that of round 4 the match is
    over."""
    for seat in range(state.seats):
        mask = state.pending[seat]
        state.pending[seat] = 0
        state.shown[seat] = mask
        for i in range(cards_held(state.round)):
            if (mask >> i) & 1:
                state.shows[state.cards[seat, i]] |= (seat + 1) << (3 * state.round)
    state.news = NEWS_REVEALED
    state.news_seat = NOTHING
    if state.round == ROUNDS:
        state.phase = OVER
    else:
        start_round(state)


# Cards are kept in ascending order, and the display's bits move with them.


@rule
def insert_card(state: State, seat: int, card: int, count: int) -> None:
    """A hand card more for a seat that has `count` cards."""
    i = count
    while i > 0 and state.cards[seat, i - 1] > card:
        state.cards[seat, i] = state.cards[seat, i - 1]
        i -= 1
    state.cards[seat, i] = card
    below = (1 << i) - 1
    mask = state.shown[seat]
    state.shown[seat] = (mask & below) | ((mask & ~below) << 1)


@rule
def replace_card(state: State, seat: int, old: int, new: int) -> None:
    """A hand card goes, another comes."""
    last = cards_held(state.round) - 1
    i = 0
    while state.cards[seat, i] != old:
        i += 1
    below = (1 << i) - 1
    mask = state.shown[seat]
    state.shown[seat] = (mask & below) | ((mask >> 1) & ~below)
    while i < last:
        state.cards[seat, i] = state.cards[seat, i + 1]
        i += 1
    insert_card(state, seat, new, last)


def max_length(seats: int, options: object) -> int:
    """Every match has this length: a display each in the set-up; in each round, for each seat, one
    put up, the offers, one taken, and a display."""
    return seats + ROUNDS * seats * (seats + 2)
