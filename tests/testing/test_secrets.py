"""The games with secrets: the kit must really have found worlds that a seat cannot tell apart, else
its checks of them are empty."""

import pytest

import samovar
from samovar.testing import worlds
from samovar.testing.conformance import DEALS

WITH_SECRETS = [
    (game_id, seats)
    for game_id in ("matryoshka", "memoarrrr", "varvitikud")
    for seats in samovar.find_game(game_id).seats
]


@pytest.mark.parametrize(("game_id", "seats"), WITH_SECRETS)
@pytest.mark.slow
def test_second_worlds_are_proven_for_some_seat(game_id: str, seats: int) -> None:
    assert worlds.check_variety(samovar.find_game(game_id), seats, {}, deals=DEALS, pairs=1) > 0


@pytest.mark.parametrize("seats", [2, 4])
def test_babuschka_has_one_world_for_a_perfect_memory(seats: int) -> None:
    """B11, C5: nothing is hidden, so imagining changes nothing."""
    match = samovar.Match("babuschka", seats, 9)
    match.play_random(9, limit=60)
    assert all(match.imagine(seat, 5).state_bytes == match.state_bytes for seat in range(seats))
