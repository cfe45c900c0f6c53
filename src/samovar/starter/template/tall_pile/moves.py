"""A move is the number of the card that is played. Its text is for records and for typing; the words
tell it to people, each in their language."""

from samovar.engine.contract import event

from .rules import takes
from .state import PILE


def move_text(state, seat, move):
    return str(move + 1)


def tell_move(state, seat, move):
    if takes(state, move):
        return event("play_low", card=move + 1, count=state.count[PILE])
    return event("play", card=move + 1)
