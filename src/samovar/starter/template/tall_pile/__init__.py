"""Tall pile: play a card, and take the pile if yours is lower. All that the game consists of is put
together here: functions are found in these modules by their names."""

from samovar.engine.contract import Game

from .state import CARDS, HAND

GAME = Game.from_package(
    __name__,
    id="tall_pile",
    name="Tall pile",
    contract=2,
    seats=(2, 3, 4),
    moves=CARDS,
    max_legal=HAND,
    max_length=lambda seats, options: CARDS,
)
