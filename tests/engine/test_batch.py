"""Many matches at once are the same matches."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import samovar
from samovar.engine.ways import stand_ins, turns
from samovar.errors import BadBatch, IllegalMove, NoDevice, WrongSeats


def test_match_i_of_a_batch_is_the_match_of_seed_plus_i() -> None:
    batch = samovar.Batch("memoarrrr", 20, seats=3, seed=100, expert=True)
    for number in (0, 7, 19):
        assert batch.states[number].tobytes() == samovar.Match("memoarrrr", 3, 100 + number, expert=True).state_bytes


def test_threads_and_portions_change_nothing() -> None:
    whole = samovar.Batch("connect_four", 101, seed=3, threads=1)
    whole.play_random()
    parts = samovar.Batch("connect_four", 101, seed=3, threads=2)
    for _ in range(5):
        parts.play_random(5)
    assert (parts.made <= 25).all()
    parts.play_random()
    assert whole.states.tobytes() == parts.states.tobytes()
    assert (whole.made == parts.made).all()


def test_a_move_that_is_not_legal_is_refused_and_no_match_moves() -> None:
    batch = samovar.Batch("connect_four", 3, seed=0, first=0)
    before = batch.states.copy()
    with pytest.raises(
        IllegalMove, match=r"Move 99 is not legal for seat 0 in match 2\. Legal there: 0, 1, 2, 3, 4, 5, 6\."
    ):
        batch.step([0, -1, 99])
    assert batch.states.tobytes() == before.tobytes()
    batch.step([3, -1, 6])
    assert batch.actor.tolist() == [1, 0, 1]
    assert batch.states["last"].tolist() == [3, -1, 6]


def test_legal_observe_and_results_agree_with_match() -> None:
    batch = samovar.Batch("varvitikud", 4, seats=2, seed=9, first=0)
    moves, counts = batch.legal(0)
    rows = batch.observe(0)
    points, places = batch.results()
    for number in range(4):
        match = samovar.Match("varvitikud", 2, 9 + number, first=0)
        assert moves[number, : counts[number]].tolist() == match.legal(0)
        assert rows[number].tobytes() == match.observation(0).tobytes()
        assert tuple(points[number]) == match.scores
        assert tuple(places[number]) == match.places


def test_states_may_be_the_callers_own() -> None:
    game = samovar.find_game("connect_four")
    own = np.zeros(5, game.state)
    samovar.Batch(game, 5, seed=1, states=own).play_random()
    assert own["men"].all()


def test_endless_play_deals_anew_and_counts_its_moves() -> None:
    batch = samovar.Batch("connect_four", 4, seed=1, threads=1)
    made = batch.play_endless(200)
    assert 600 < made < 800  # 200 steps, and some of them spent waiting for a deal
    assert not any(batch.faults())


def test_endless_play_passes_over_deals_that_are_over_at_once() -> None:
    """V8: in some deals nobody can place."""
    dealt = samovar.Batch("varvitikud", 20_000, seats=2, seed=0)
    (dead,) = np.nonzero(dealt.actors() == 0)
    assert len(dead), "there is no such deal among these"
    batch = samovar.Batch("varvitikud", 1, seats=2, seed=int(dead[0]), threads=1)
    assert batch.play_endless(3) == 0
    assert batch.play_endless(stand_ins.DEAL_EVERY + 3) == 3


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"size": 0}, BadBatch),
        ({"size": -1}, BadBatch),
        ({"size": 2.0}, BadBatch),
        ({"size": 2, "device": "tpu"}, BadBatch),
        ({"size": 2, "seats": 9}, WrongSeats),
        ({"size": 2, "states": np.zeros(2, np.int8)}, BadBatch),
    ],
)
def test_wrong_batch_is_refused(arguments: dict, error: type[Exception]) -> None:
    with pytest.raises(error):
        samovar.Batch("connect_four", **arguments)


def test_no_gpu_is_said_with_the_remedy() -> None:
    from numba import cuda

    if cuda.is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(NoDevice, match=r"device='cpu'"):
        samovar.Batch("connect_four", 2, device="cuda")


def test_a_move_is_offered_if_it_is_in_the_list() -> None:
    listed = np.arange(1, 40, 2)
    for count in range(len(listed)):
        turn: Any = SimpleNamespace(counts=[count], moves=np.array([listed]))
        offered = [move for move in range(42) if turns.is_offered(turn, 0, move)]
        assert offered == list(listed[:count])
        assert turns.is_offered(turn, 0, stand_ins.NO_MOVE)
