"""What a seat knows, as numbers for learning. Seats are counted from the observer: 0 is itself, 1
the next to its left."""

from __future__ import annotations

from samovar.engine.arrays import Ints
from samovar.engine.contract import Part
from samovar.engine.kinds import FLAG, count, one_of, seat_of, starts
from samovar.engine.rule import rule

from .sightings import is_hidden, sees_offers
from .sizes import ROUNDS, VALUES
from .state import (
    CARDS_PER_SEAT,
    COLOURS,
    DISPLAY_SIZE,
    MAX_CARDS,
    MAX_SEATS,
    NOTHING,
    OFFER,
    PUT,
    TAKE,
    State,
    active_in,
    long_columns_of,
    starting_seat_of,
)

PHASES = 5
CARDS_SHAPE = (COLOURS, VALUES)

OBSERVATION = (
    Part(
        "place",
        MAX_CARDS,
        "by card: the seat at which the observer last saw it (0 itself); -1 never seen, -2 not in this match",
        seat_of(MAX_SEATS),
        CARDS_SHAPE,
    ),
    Part(
        "sure",
        MAX_CARDS,
        "by card: 3 in a display now, 2 certainly in that seat's hand, 1 was there but may have gone unseen, 0 never "
        "seen",
        one_of(3, first=1),
        CARDS_SHAPE,
    ),
    Part(
        "own",
        CARDS_PER_SEAT,
        "the observer's cards, ascending, as numbers colour * 7 + value - 1; then -1. A display's bits are in this "
        "order",
        one_of(MAX_CARDS),
    ),
    Part("own_shown", CARDS_PER_SEAT, "1 where that card lies in the observer's display", FLAG),
    Part(
        "own_chosen",
        CARDS_PER_SEAT,
        "1 where that card is in the display the observer has chosen and not revealed yet",
        FLAG,
    ),
    Part(
        "offers",
        MAX_SEATS,
        "by seat: the card put up or offered in this exchange as far as the observer sees it, else -1",
        one_of(MAX_CARDS),
    ),
    Part("committed", MAX_SEATS, "by seat: 1 if it has chosen its display, put up or offered in this exchange", FLAG),
    Part("active", MAX_SEATS, "by seat: 1 for the active seat of the exchange going on", FLAG),
    Part("starting", MAX_SEATS, "by seat: 1 for the starting seat of the round", FLAG),
    Part("phase", PHASES, "1 at the phase: display, put up, offer, take, over", FLAG),
    Part("round", ROUNDS + 1, "1 at the round, 0 is the set-up", FLAG),
    Part("to_show", 1, "cards in the display of this round", count(0, CARDS_PER_SEAT)),
    Part("exchanges_left", 1, "exchanges of this round not made yet", count(0, MAX_SEATS)),
    Part("seats", 1, "seats at the table", one_of(MAX_SEATS, first=1)),
    Part("cap_columns", 1, "1 if columns of more than seven cards score as seven", FLAG),
)
SURE, OWN, OWN_SHOWN, OWN_CHOSEN = starts(OBSERVATION, "sure", "own", "own_shown", "own_chosen")
OFFERS, COMMITTED, ACTIVE, STARTING = starts(OBSERVATION, "offers", "committed", "active", "starting")
PHASE, ROUND, REST = starts(OBSERVATION, "phase", "round", "to_show")

NOT_IN_PLAY = -2
UNKNOWN, MAY_HAVE_GONE, IN_HAND, ON_TABLE = range(4)  # IN_HAND - 1 is MAY_HAVE_GONE

_TIME_BITS = 5  # a time, 0 .. 21, fits in these
_TIME = (1 << _TIME_BITS) - 1


@rule
def observe(state: State, seat: int, out: Ints) -> None:
    """M3, C5: all that the seat has seen, as far as it says where cards are now; then what lies
    open and what is asked."""
    remember_displays(state, out)
    remember_exchanges(state, seat, out)
    judge_memories(state, seat, out)
    observe_own(state, seat, out)
    observe_table(state, seat, out)


@rule
def remember_displays(state: State, out: Ints) -> None:
    """The last display in which each card was seen. For now SURE holds the time from which it was a
    hand card again."""
    in_play = CARDS_PER_SEAT * state.seats
    for card in range(in_play):
        shows = state.shows[card]
        # The highest group of three bits that is not 0, without a branch to guess; 0 where the card
        # was never shown, and -1 says so.
        display = (shows >= 1 << 3) + (shows >= 1 << 6) + (shows >= 1 << 9) + (shows >= 1 << 12)
        out[card] = (shows >> (3 * display)) - 1
        out[SURE + card] = (shows > 0) * (display + 1) * state.seats
    for card in range(in_play, MAX_CARDS):
        out[card] = NOT_IN_PLAY
        out[SURE + card] = 0


@rule
def remember_exchanges(state: State, seat: int, out: Ints) -> None:
    """Cards put up, own offers and offers looked at, where they went; a later sighting replaces an
    earlier one."""
    for exchange in range(state.exchange):
        active = active_in(state, exchange)
        chosen = state.chosen[exchange]
        remember(out, state.offers[exchange, active], chosen, exchange + 1)
        if active == seat:
            for other in range(state.seats):
                if other != seat and other != chosen:
                    remember(out, state.offers[exchange, other], other, exchange + 1)
        elif chosen == seat:
            remember(out, state.offers[exchange, seat], active, exchange + 1)
    if state.phase == OFFER or state.phase == TAKE:
        active = active_in(state, state.exchange)
        remember(out, state.offers[state.exchange, active], active, state.exchange + 1)
        if sees_offers(state, seat, state.exchange):
            for other in range(state.seats):
                remember(out, state.offers[state.exchange, other], other, state.exchange + 1)


@rule
def remember(out: Ints, card: int, seat: int, time: int) -> None:
    if time > out[SURE + card]:
        out[card] = seat
        out[SURE + card] = time


@rule
def judge_memories(state: State, seat: int, out: Ints) -> None:
    """A card seen in a hand may be gone since if its seat has given a card unseen."""
    gave = 0  # by seat: the time after its last unseen gift
    for exchange in range(state.exchange):
        if is_hidden(state, seat, exchange):
            shift = _TIME_BITS * state.chosen[exchange]
            gave = (gave & ~(_TIME << shift)) | ((exchange + 1) << shift)
    seats = state.seats
    for card in range(CARDS_PER_SEAT * seats):
        place = out[card]
        seen = place >= 0
        may_have_gone = (gave >> (_TIME_BITS * max(place, 0))) & _TIME > out[SURE + card]
        out[SURE + card] = seen * (IN_HAND - may_have_gone)
        out[card] = place + seen * ((place < seat) * seats - seat)
    if state.round > 0:
        mark_displays(state, seat, out)


@rule
def mark_displays(state: State, seat: int, out: Ints) -> None:
    for other in range(state.seats):
        turn = other - seat if other >= seat else other - seat + state.seats
        mask = state.shown[other]
        i = 0
        while mask:
            if mask & 1:
                card = state.cards[other, i]
                out[card] = turn
                out[SURE + card] = ON_TABLE
            mask >>= 1
            i += 1


@rule
def observe_own(state: State, seat: int, out: Ints) -> None:
    for i in range(CARDS_PER_SEAT):
        card = state.cards[seat, i]
        shown = (state.shown[seat] >> i) & 1
        out[OWN + i] = card
        out[OWN_SHOWN + i] = shown
        out[OWN_CHOSEN + i] = (state.pending[seat] >> i) & 1
        if card != NOTHING:
            out[card] = 0
            out[SURE + card] = ON_TABLE if shown else IN_HAND


@rule
def observe_table(state: State, seat: int, out: Ints) -> None:
    exchanging = PUT <= state.phase <= TAKE
    active = active_in(state, state.exchange) if exchanging else NOTHING
    start = starting_seat_of(state, state.round)
    for turn in range(MAX_SEATS):
        other = (seat + turn) % state.seats
        real = turn < state.seats
        card = state.offers[state.exchange, other]
        visible = other == active or other == seat or sees_offers(state, seat, state.exchange)
        out[OFFERS + turn] = card if real and visible else NOTHING
        out[COMMITTED + turn] = real and (card != NOTHING or state.pending[other] != 0)
        out[ACTIVE + turn] = real and other == active
        out[STARTING + turn] = real and other == start
    for phase in range(PHASES):
        out[PHASE + phase] = state.phase == phase
    for number in range(ROUNDS + 1):
        out[ROUND + number] = state.round == number
    out[REST] = DISPLAY_SIZE[state.round]
    out[REST + 1] = state.round * state.seats - state.exchange
    out[REST + 2] = state.seats
    out[REST + 3] = long_columns_of(state)
