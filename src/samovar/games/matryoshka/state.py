"""Matryoshka's state: the whole truth as a log of the match, from which follows what each seat
knows. No rules here.

A card is a number, colour * 7 + (value - 1): colours 0-9 are written A-J, values 1-7. NOTHING (-1)
stands for no card and no seat. The numbers in these pages are those of the full game: see `sizes`.

Time is counted in exchanges. Exchange e (from 0) belongs to round e // seats + 1; display d (from
0, the one of the set-up) is laid just before exchange d * seats. Who is active in exchange e and
who drew the card at a place of the deck follow from `first` (M1).
"""

from __future__ import annotations

from typing import Annotated, Protocol

import numpy as np

from samovar.engine.arrays import IntGrid, Ints
from samovar.engine.rule import rule, table
from samovar.engine.state import GameState, Int8

from .sizes import DISPLAY_SIZES, FIRST_DRAW, LATER_DRAW, ROUNDS, SEATS, SETS_PER_SEAT, VALUES

MIN_SEATS = min(SEATS)
MAX_SEATS = max(SEATS)
COLOURS = SETS_PER_SEAT * MAX_SEATS
MAX_CARDS = COLOURS * VALUES
CARDS_PER_SEAT = SETS_PER_SEAT * VALUES  # 14, all drawn in the end
HAND = FIRST_DRAW + LATER_DRAW - DISPLAY_SIZES[0]  # M2: 6 cards in every hand during the exchange phase
MAX_EXCHANGES = ROUNDS * MAX_SEATS
NOTHING = -1

# Phases
DISPLAY, PUT, OFFER, TAKE, OVER = range(5)

# What the last move brought (`news`)
NEWS_NONE, NEWS_CHOSEN, NEWS_REVEALED, NEWS_PUT, NEWS_OFFERED, NEWS_ALL_OFFERED, NEWS_EXCHANGED = range(7)

EXTEND, CAP = range(2)  # option `long_columns` (M5)
# Option `growth`: the points that each card adds to a run or a column from the fourth on; the rulebook's, and others.
GROWTH = 3
MIN_GROWTH, MAX_GROWTH = 1, 5
GROWTHS = range(MIN_GROWTH, MAX_GROWTH + 1)

DISPLAY_SIZE = table(DISPLAY_SIZES)


class State(GameState):
    # Working space of `determinize`, always 0 outside.
    scratch: Annotated[Ints, np.int32, MAX_SEATS]
    # By card: who showed it, 3 bits a display (display d at bit 3 * d): seat + 1, 0 nobody.
    # Public.
    shows: Annotated[Ints, np.int16, MAX_CARDS]
    # By seat: which of its cards lie in its display, a bit for each of `cards` in its order; 0
    # before the first. Public.
    shown: Annotated[Ints, np.int16, MAX_SEATS]
    # By seat: the display it has chosen and not yet revealed, bits as in `shown`; 0 none. Its
    # owner's; that it is not 0 is public.
    pending: Annotated[Ints, np.int16, MAX_SEATS]
    # The deck from the top as it lay at the beginning, drawn cards too; NOTHING behind the
    # cards in play. Each seat knows what it drew.
    deck: Annotated[Ints, np.int8, MAX_CARDS]
    # By seat: all its cards, hand and display, ascending, then NOTHING. The hand is its
    # owner's, the display public.
    cards: Annotated[IntGrid, np.int8, MAX_SEATS, CARDS_PER_SEAT]
    # By exchange and seat: the card put up by the active seat (public) and the cards offered
    # (seen by their owner and, once all are offered, by the active seat: M3); NOTHING when
    # there is none. The last row stays empty.
    offers: Annotated[IntGrid, np.int8, MAX_EXCHANGES + 1, MAX_SEATS]
    # By exchange: the seat whose offer was taken, NOTHING when not made yet. Public. The last
    # one stays NOTHING.
    chosen: Annotated[Ints, np.int8, MAX_EXCHANGES + 1]
    # From here on all is public.
    seats: Int8  # 3-5
    first: Int8  # the starting seat of round 1
    scoring: Int8  # options: `long_columns`, plus twice what `growth` is above the usual
    phase: Int8  # DISPLAY, PUT, OFFER, TAKE, OVER
    round: Int8  # 0 set-up, 1-4
    exchange: Int8  # exchanges made so far, 0-20: the number of the one going on
    drawn: Int8  # cards drawn from the deck so far
    waiting: Int8  # bit mask of the seats that may act
    news: Int8  # what the last move brought: NEWS_...
    news_seat: Int8  # who made it; NOTHING where the order of committing must not show (C4)


class Options(Protocol):
    """The options as `deal` gets them: numbers (see `Option.code`)."""

    long_columns: int
    growth: int
    first: int


# By number of seats and exchange: its round's display (that laid last before it), and how many
# seats after `first` the active one sits. The starting seat moves on by one a round, and the active
# seat by one an exchange (C6).
DISPLAY_BEFORE = table(
    [[exchange // max(seats, 1) for exchange in range(MAX_EXCHANGES + 1)] for seats in range(MAX_SEATS + 1)]
)
TURN = table(
    [
        [(e // max(seats, 1) + e % max(seats, 1)) % max(seats, 1) for e in range(MAX_EXCHANGES + 1)]
        for seats in range(MAX_SEATS + 1)
    ]
)


@rule
def scoring_of(long_columns: int, growth: int) -> int:
    """Both in one byte; 0 is the rulebook."""
    return long_columns + 2 * (growth - GROWTH)


@rule
def long_columns_of(state: State) -> int:
    return state.scoring & 1


@rule
def growth_of(state: State) -> int:
    return GROWTH + (state.scoring >> 1)


@rule
def cards_held(round_number: int) -> int:
    """Cards of each seat, hand and display, once those of the round are drawn."""
    return FIRST_DRAW + LATER_DRAW * round_number


@rule
def starting_seat_of(state: State, round_number: int) -> int:
    """The starting seat moves to the left after each round (C6); the set-up has that of round 1."""
    return (state.first + max(round_number - 1, 0)) % state.seats


@rule
def active_in(state: State, exchange: int) -> int:
    """The active seat of an exchange: from the starting seat of its round on, clockwise."""
    seat = state.first + TURN[state.seats, exchange]
    if seat >= state.seats:
        seat -= state.seats
    return seat


@rule
def display_before(state: State, exchange: int) -> int:
    """The display that lies on the table in an exchange."""
    return DISPLAY_BEFORE[state.seats, exchange]


@rule
def shower(state: State, card: int, display: int) -> int:
    """The seat that showed a card in a display, NOTHING if none did (or it is not laid yet)."""
    return ((state.shows[card] >> (3 * display)) & 7) - 1


@rule
def displays_laid(state: State) -> int:
    """How many displays have been revealed."""
    count = state.round
    if state.phase == OVER:
        count += 1
    return count


@rule
def seat_drawing(state: State, place: int) -> int:
    """M1: who draws the card at this place of the deck."""
    seats = state.seats
    turn = place // FIRST_DRAW
    if place >= FIRST_DRAW * seats:
        later = place - FIRST_DRAW * seats
        lap = later // (LATER_DRAW * seats)
        turn = lap + later % (LATER_DRAW * seats) // LATER_DRAW
    return (state.first + turn) % seats
