"""The whole truth about a match, as numbers. Cards are numbered from 0, as they stand in
cards.csv."""

from typing import Annotated

import numpy as np

from samovar.engine.arrays import Ints
from samovar.engine.state import GameState, Int8

from .cards import DECK

CARDS = len(DECK)
HAND = 3  # cards in a hand, as long as there is a stock
MOST_SEATS = 4
NO_CARD = -1

# Where a card can be: 0 to 3 are the hands of the seats, STOCK is the lowest card of the stock,
# STOCK + 1 the one above it, and so on.
PILE = MOST_SEATS
ASIDE = PILE + 1
STOCK = ASIDE + 1
PLACES = STOCK + CARDS - 2 * HAND


class State(GameState):
    where: Annotated[Ints, np.int8, CARDS]  # by card; secret, but for the own hand and for what was played
    count: Annotated[Ints, np.int8, PLACES]  # by place: how many cards are there; public, as is all that follows
    taken: Annotated[Ints, np.int8, MOST_SEATS]  # by seat: how many cards it had to take
    seats: Int8
    turn: Int8  # the seat to move, also after the end
    top: Int8  # the card played last, NO_CARD before the first
    took: Int8  # how many cards the last move took
    stock: Int8  # how many cards are left in the stock
