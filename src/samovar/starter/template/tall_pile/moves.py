"""A move is the number of the card that is played. Its text is for records and for typing; the words
tell it to people, each in their language."""

from samovar.engine.contract import event

from .cards import DECK
from .rules import takes
from .state import PILE


def move_text(state, seat, move):
    return DECK[move].name


def tell_move(state, seat, move):
    if takes(state, move):
        return event("play_low", card=DECK[move].name, count=state.count[PILE])
    return event("play", card=DECK[move].name)
