"""A deal laid out by hand, for examples and tests."""

import numpy as np

from samovar.engine.assembly.positions import GamePosition

from .cards import DECK
from .state import CARDS, HAND, NO_CARD, PLACES, STOCK, State


class Position(GamePosition):
    """Cards by their names."""

    hands: list[list[str]]  # by seat
    stock: tuple[str, ...] = ()  # from its top
    first: int = 0


def arrange(position):
    hands, stock = position.hands, position.stock
    places = {card: seat for seat, hand in enumerate(hands) for card in hand}
    places |= {card: STOCK + place for place, card in enumerate(reversed(stock))}
    names = [card.name for card in DECK]
    if sorted(places) != sorted(names) or any(len(hand) != HAND for hand in hands):
        raise ValueError(f"Deal each of the {CARDS} cards once, {HAND} to each hand and the rest to the stock.")
    states = np.zeros(1, State)
    states["where"] = [places[name] for name in names]
    states["count"] = np.bincount(states["where"][0], minlength=PLACES)
    states["seats"], states["turn"], states["top"], states["stock"] = len(hands), position.first, NO_CARD, len(stock)
    return states
