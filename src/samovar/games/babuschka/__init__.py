"""Babuschka: dolls in dolls walk and jump across the board, cover each other on the way, and come
home small in medium in large."""

from samovar.engine.contract import Game, Option

GAME = Game.from_package(
    __name__,
    id="babuschka",
    name="Babuschka",
    contract=2,
    version=1,
    minutes=30,
    age=8,
    own_options=(
        Option(
            "patience", 40, range(1, 1001), "the match ends after so many moves per remaining seat without progress"
        ),
    ),
)
