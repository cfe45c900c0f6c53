"""Tall pile: play a card, and take the pile if yours is lower. All that the game consists of is put
together here."""

from samovar.engine.contract import Game

from .arrange import arrange
from .knowledge import determinize
from .moves import move_text, tell_move
from .observation import OBSERVATION, observe
from .rules import actors, apply, deal, faults, legal, scores
from .state import CARDS, HAND, STATE
from .view import view
from .words import WORDS

GAME = Game(
    id="tall_pile",
    name="Tall pile",
    seats=(2, 3, 4),
    state=STATE,
    moves=CARDS,
    max_legal=HAND,
    max_length=lambda seats, options: CARDS,
    observation=OBSERVATION,
    fault_names=("cards are counted wrongly", "a hand is too large"),
    deal=deal,
    actors=actors,
    legal=legal,
    apply=apply,
    scores=scores,
    determinize=determinize,
    observe=observe,
    faults=faults,
    view=view,
    move_text=move_text,
    tell_move=tell_move,
    arrange=arrange,
    words=WORDS,
)
