"""Matryoshka: collectors trade dolls and show them, in rows of a colour and columns of a size. By
Sergio Halaban (White Goblin Games)."""

from samovar.engine.contract import Game, Option

from .state import GROWTH, GROWTHS

GAME = Game.from_package(
    __name__,
    id="matryoshka",
    name="Matryoshka",
    contract=2,
    version=1,
    minutes=30,
    age=8,
    own_options=(
        Option("long_columns", "extend", ("extend", "cap"), "columns of more than seven cards score on, or as seven"),
        Option("growth", GROWTH, GROWTHS, "points that each doll adds to a run or a column from the fourth on"),
    ),
)
