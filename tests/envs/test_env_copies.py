"""Copies of environments: by `copy.deepcopy`, and by `pickle`, as libraries do that start workers. A copy stands where
the environment stood, goes on alike and changes nothing of it."""

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import samovar
import samovar.envs.gymnasium
from samovar.bots.bot import Answer, choices
from samovar.envs.gymnasium import vector
from samovar.envs.pettingzoo import env, parallel_env
from samovar.errors import BadBatch, UnknownGame
from support import tiny_game

Clone = Callable[[Any], Any]


def by_pickle(table: Any) -> Any:
    return pickle.loads(pickle.dumps(table))


every_way = pytest.mark.parametrize("clone", [copy.deepcopy, by_pickle])


class LastMove:
    """A bot of the caller's."""

    def choose(self, seat: Any) -> Answer:
        return Answer(choices(seat)[-1])


class LastAction:
    """A policy as Stable-Baselines3 has it."""

    def predict(self, seen: Any, action_masks: Any) -> Any:
        return action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(1), None


def any_action(look: Any, rng: np.random.Generator) -> Any:
    return (look["action_mask"] * rng.random(look["action_mask"].shape)).argmax(1)


def are_alike(one: Any, other: Any) -> bool:
    """Whether two answers of an environment are the same to the last byte."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(are_alike(one[name], other[name]) for name in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(are_alike, one, other))
    if isinstance(one, np.ndarray) and one.dtype == object:
        return are_alike(one.tolist(), other.tolist())
    return bool(np.array_equal(one, other))


@every_way
@pytest.mark.parametrize(
    "opponent",
    ["random", "quick", "greedy", "search:20", any_action, LastMove(), LastAction()],
    ids=["random", "quick", "bot", "search", "function", "own bot", "policy"],
)
def test_a_vector_goes_on_alike_and_apart(clone: Clone, opponent: Any) -> None:
    tables = vector("memoarrrr", 3, opponent=opponent, seat="rotate")
    look, _ = tables.reset(seed=5)
    for _ in range(4):
        look, *_ = tables.step(look["action_mask"].argmax(1))
    other = clone(tables)
    mask, went = look["action_mask"], []
    for _ in range(20):  # beyond the end of a match
        went.append(other.step(mask.argmax(1)))
        mask = went[-1][0]["action_mask"]
    assert any(ended.any() for _, _, ended, _, _ in went)
    mask = look["action_mask"]
    for expected in went:
        assert are_alike(tables.step(mask.argmax(1)), expected)
        mask = expected[0]["action_mask"]
    assert are_alike(tables.reset(), other.reset())
    tables.close()
    other.close()


@every_way
def test_one_table_goes_on_alike_and_apart(clone: Clone) -> None:
    table = gymnasium.make("samovar/memoarrrr", opponent="greedy", encoding="planes", actions="legal")
    unborn = clone(table)
    _, info = table.reset(seed=5)
    assert are_alike(unborn.reset(seed=5)[1], info)
    table.step(0)
    other, is_over = clone(table), False
    assert other.spec == table.spec
    while not is_over:
        ours = table.step(0)
        assert are_alike(other.step(0), ours)
        is_over = ours[2]
    assert are_alike(table.reset(), other.reset())


@every_way
@pytest.mark.parametrize("seats", [2, 3])
def test_a_parallel_table_goes_on_alike_and_apart(clone: Clone, seats: int) -> None:
    table = parallel_env("memoarrrr", seats=seats, illegal="replace", max_cycles=30)
    table.reset(seed=5)
    table.step(dict.fromkeys(table.agents, 0))
    other = clone(table)
    while table.agents:
        moves = dict.fromkeys(table.agents, 1)
        assert are_alike(other.step(moves), table.step(moves))
    assert other.agents == []


@every_way
def test_a_batch_goes_on_alike_and_apart(clone: Clone) -> None:
    batch = samovar.Batch("memoarrrr", 4, seed=1, threads=2)
    for _ in range(5):
        batch.step(batch.legal_moves[:, 0])
    other, before = clone(batch), batch.states.tobytes()
    for _ in range(30):
        other.step(other.legal_moves[:, 0])
    assert batch.states.tobytes() == before
    for _ in range(30):
        batch.step(batch.legal_moves[:, 0])
    for name in ("states", "seeds", "actor", "observations", "legal_mask", "rewards", "ended"):
        assert np.array_equal(getattr(batch, name), getattr(other, name)), name
    other._cuda = True
    with pytest.raises(BadBatch, match="process that needs it"):
        pickle.dumps(other)


@every_way
def test_a_game_is_found_by_its_id(clone: Clone) -> None:
    game = samovar.find_game("memoarrrr")
    assert clone(game) is game
    assert len(pickle.dumps(game)) < 100


def test_a_game_that_is_not_installed_can_be_copied_but_not_pickled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    table = env(tiny_game.GAME)
    table.reset(seed=4)
    assert copy.deepcopy(table).match.state_bytes == table.match.state_bytes
    with pytest.raises(UnknownGame, match="Install its package"):
        pickle.dumps(table)


def observed(data: bytes) -> bytes:
    """What a worker sees that was sent an environment."""
    look, _ = pickle.loads(data).reset(seed=7)
    seen: bytes = look["observation"].tobytes()
    return seen


@pytest.mark.slow
def test_a_worker_that_knows_nothing_can_be_sent_one() -> None:
    tables = vector("memoarrrr", 2, opponent="greedy")
    look, _ = tables.reset(seed=7)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(observed, (pickle.dumps(tables),)) == look["observation"].tobytes()
