"""A deal laid out by hand, for examples and tests."""

import numpy as np

from samovar.engine.assembly.positions import GamePosition

from .state import CARDS, HAND, NO_CARD, PLACES, STOCK, State


class Position(GamePosition):
    """Cards as they show: 1 to 12."""

    hands: list[list[int]]  # by seat
    stock: tuple[int, ...] = ()  # from its top
    first: int = 0


def arrange(position):
    hands, stock = position.hands, position.stock
    places = {card: seat for seat, hand in enumerate(hands) for card in hand}
    places |= {card: STOCK + place for place, card in enumerate(reversed(stock))}
    if sorted(places) != list(range(1, CARDS + 1)) or any(len(hand) != HAND for hand in hands):
        raise ValueError(f"Deal each card from 1 to {CARDS} once, {HAND} to each hand and the rest to the stock.")
    states = np.zeros(1, State)
    states["where"] = [places[card] for card in range(1, CARDS + 1)]
    states["count"] = np.bincount(states["where"][0], minlength=PLACES)
    states["seats"], states["turn"], states["top"], states["stock"] = len(hands), position.first, NO_CARD, len(stock)
    return states
