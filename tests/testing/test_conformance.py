"""The shipped kit on every registered game, Connect Four of another package among them."""

import pytest

from samovar.engine.contract import Game, Options
from samovar.engine.rule import is_plain
from samovar.testing.conformance import *  # noqa: F403
from samovar.testing.sweep import check_sweep

FEWER = 3000  # positions; enough to find the leaks of tests/test_kit_secrets.py


def test_nothing_hidden_is_received_in_thousands_of_positions(game: Game, seats: int, options: Options) -> None:
    """As in the kit; in the variant that `make test` plays too, all positions are left to the next test."""
    is_last = (seats, options) == game.variants()[-1]
    assert check_sweep(game, seats, options, FEWER if is_last and not is_plain() else None) > 0


@pytest.mark.slow
def test_nothing_hidden_is_received_in_all_positions_of_the_kit(game: Game) -> None:
    seats, options = game.variants()[-1]
    assert check_sweep(game, seats, options) > 0
