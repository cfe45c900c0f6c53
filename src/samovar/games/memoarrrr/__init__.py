"""Memoarrrr! by Carlo Bortolini: find a location that connects, or take a volcano."""

from samovar.engine.contract import Game, Option

GAME = Game.from_package(
    __name__,
    id="memoarrrr",
    name="Memoarrrr!",
    contract=2,
    version=1,
    minutes=15,
    age=6,
    own_options=(
        Option("expert", False, (False, True), "animals have abilities", is_advanced=True),
        Option("ordered_stack", False, (False, True), "treasures lie from 1 ruby on top to 4 at the bottom"),
        Option(
            "first_reveal_ability",
            False,
            (False, True),
            "expert: the first reveal of a round uses its ability, too",
            only_with="expert",
        ),
    ),
)
