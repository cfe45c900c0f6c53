"""Värvitikud: connect matches of one colour, collect sticks, make sets of many colours. RULES.md
has the rules in our words."""

from samovar.engine.contract import Game, Option

GAME = Game.from_package(
    __name__,
    id="varvitikud",
    name="Värvitikud",
    contract=2,
    version=1,
    minutes=20,
    age=6,
    own_options=(
        Option("half_turn", False, (False, True), "whether a card may be given a half turn when it is placed (V2)"),
    ),
)
