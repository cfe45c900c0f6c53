"""What networks are shown besides: how cards lengthen the observer's rows and columns, and a move
as parts. Seats are counted from the observer."""

from __future__ import annotations

from samovar.engine.arrays import Ints
from samovar.engine.contract import Part
from samovar.engine.kinds import FLAG, count, one_of, seat_of, starts
from samovar.engine.rule import rule

from .moves import OFFER_MOVE, PUT_MOVE, TAKE_MOVE
from .observation import CARDS_SHAPE, OFFERS, OWN
from .sizes import VALUES
from .state import (
    CARDS_PER_SEAT,
    COLOURS,
    MAX_CARDS,
    MAX_SEATS,
    NOTHING,
    State,
)

# The observer's cards in their order, then the cards put up or offered by seat.
ASKED = CARDS_PER_SEAT + MAX_SEATS

RELATIONS = (
    Part(
        "run",
        ASKED,
        "for each card of `own`, then of `offers`: how long a run of its colour it makes with the observer's cards, "
        "hand and display; 0 no card",
        count(0, VALUES),
    ),
    Part("column", ASKED, "the same: how many cards of its value, with itself", count(0, COLOURS)),
    Part("value", ASKED, "the same: its value, 1 to 7", one_of(VALUES, first=1)),
)


@rule
def relate(seen: Ints, at: int) -> None:
    for k in range(ASKED):
        card = seen[OWN + k] if k < CARDS_PER_SEAT else seen[OFFERS + k - CARDS_PER_SEAT]
        run = 0
        column = 0
        value = 0
        if card != NOTHING:
            row = 1 << (card % VALUES)  # the observer's cards of this colour, with this card
            column = 1
            value = card % VALUES + 1
            for i in range(CARDS_PER_SEAT):
                other = seen[OWN + i]
                if other != NOTHING and other != card:
                    column += other % VALUES == card % VALUES
                    if other // VALUES == card // VALUES:
                        row |= 1 << (other % VALUES)
            run = length_around(row, card % VALUES)
        seen[at + k] = run
        seen[at + ASKED + k] = column
        seen[at + 2 * ASKED + k] = value


@rule
def length_around(row: int, value: int) -> int:
    """How many bits of a row stand side by side around one of them."""
    low = value
    while low > 0 and (row >> (low - 1)) & 1:
        low -= 1
    high = value
    while (row >> (high + 1)) & 1:
        high += 1
    return high - low + 1


ACTS = 4
SHOWS, PUTS, GIVES, TAKES = range(ACTS)

FACTORS = (
    Part("act", 1, "0 show a display, 1 put up, 2 offer, 3 take", one_of(ACTS)),
    Part("colour", 1, "of the card put up, offered or taken, else -1", one_of(COLOURS)),
    Part("value", 1, "its value, 1 to 7, else 0", one_of(VALUES, first=1)),
    Part("card", 1, "that card as a number, else -1", one_of(MAX_CARDS)),
    Part("seat", 1, "whose offer is taken, seats from the observer on, else -1", seat_of(MAX_SEATS)),
    Part("shown", MAX_CARDS, "by card: 1 if it is in the display", FLAG, CARDS_SHAPE),
)
SEAT, SHOWN = starts(FACTORS, "seat", "shown")


@rule
def factor(state: State, seat: int, move: int, out: Ints) -> None:
    """An offer can be taken by the active seat alone, which sees them all (M3)."""
    card = NOTHING
    out[SEAT] = NOTHING
    for other in range(MAX_CARDS):
        out[SHOWN + other] = 0
    if move < PUT_MOVE:
        out[0] = SHOWS
        for i in range(CARDS_PER_SEAT):
            if (move >> i) & 1:
                out[SHOWN + state.cards[seat, i]] = 1
    elif move < OFFER_MOVE:
        out[0] = PUTS
        card = move - PUT_MOVE
    elif move < TAKE_MOVE:
        out[0] = GIVES
        card = move - OFFER_MOVE
    else:
        out[0] = TAKES
        card = state.offers[state.exchange, move - TAKE_MOVE]
        out[SEAT] = seats_on(state, seat, move - TAKE_MOVE)
    out[1] = NOTHING if card == NOTHING else card // VALUES
    out[2] = 0 if card == NOTHING else card % VALUES + 1
    out[3] = card


@rule
def seats_on(state: State, seat: int, other: int) -> int:
    """How many seats clockwise from a seat another one sits."""
    return other - seat if other >= seat else other - seat + state.seats


@rule
def rotate_move(state: State, seat: int, move: int) -> int:
    """Offers are named by their seat; as the observer counts seats, from itself on."""
    return move if move < TAKE_MOVE else TAKE_MOVE + seats_on(state, seat, move - TAKE_MOVE)


@rule
def rotate_back(state: State, seat: int, move: int) -> int:
    return move if move < TAKE_MOVE else TAKE_MOVE + (move - TAKE_MOVE + seat) % state.seats
