"""The conformance kit of Samovar on this game. What it finds is wrong with the game, not with the
kit: read the last line of the error first."""

from samovar.testing.conformance import *  # noqa: F403
from tall_pile import GAME

GAMES = [GAME]
