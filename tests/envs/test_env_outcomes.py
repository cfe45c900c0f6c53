"""Games that are played together, in teams or alone: every adapter pays what `Batch` pays."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from samovar.engine.batch import Batch
from samovar.engine.match import Match
from samovar.envs.gymnasium import VectorTable
from samovar.envs.pettingzoo import env
from support.outcome_games import GAME, HAND


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")


def paid(match: Match, rewards: str = "place") -> list[float]:
    """What `Batch` pays for a match that is over."""
    last = match.at(len(match.history) - 1)
    batch = Batch(GAME, 1, match.seats, 1, threads=1, rewards=rewards)
    batch.states[:] = last.states
    batch.step(np.array([match.history[-1][1]]))
    return batch.rewards[0].tolist()


@pytest.mark.parametrize("rewards", ["place", "margin", "both"])
@pytest.mark.parametrize("seats", GAME.seats)
def test_pettingzoo_pays_what_a_batch_pays(seats, rewards):
    table = env(GAME, seats, rewards=rewards)
    got = set()
    for seed in range(4):
        table.reset(seed=seed)
        choose = np.random.default_rng(seed)
        while not table.match.over:
            legal = np.flatnonzero(table.observe(table.agent_selection)["action_mask"])
            table.step(int(choose.choice(legal)))
        earned = list(table.rewards.values())
        assert earned == pytest.approx(paid(table.match, rewards))
        assert rewards != "place" or earned == pytest.approx(worth(table.match))
        got.add(tuple(earned))
    assert len(got) > 1, "good and bad play are told apart"


@pytest.mark.parametrize("seats", GAME.seats)
def test_gymnasium_pays_for_what_all_reach_or_for_places(seats):
    tables = VectorTable(GAME, 8, seats, autoreset_mode=AutoresetMode.NEXT_STEP, threads=1)
    look, _ = tables.reset(seed=3)
    for _ in range(HAND):
        look, rewards, ended, _, _ = tables.step(look["action_mask"].argmax(1))
    assert ended.all()
    for k in range(8):
        match = Match.standing(GAME, seats, tables._batch.states[k].tobytes(), plain=True)
        assert match.over
        assert rewards[k] == pytest.approx(worth(match)[0])
    assert len(set(rewards.tolist())) > 1, "good and bad play are told apart"


def worth(match: Match) -> list[float]:
    """By seat, from 1 for the best there can be to -1 for the worst; with four seats there are two teams."""
    if match.success is not None:
        return [(2 * match.success - 1000) / 1000] * match.seats
    return [float(np.sign(match.places[1 - seat % 2] - match.places[seat])) for seat in range(match.seats)]


@pytest.mark.research
@pytest.mark.parametrize("seats", GAME.seats)
def test_openspiel_pays_for_what_all_reach_or_for_places(seats):
    import pyspiel

    from samovar.envs import openspiel

    if f"samovar_{GAME.id}" not in pyspiel.registered_names():
        openspiel.register(GAME)
    game = pyspiel.load_game(f"samovar_{GAME.id}", {"seats": seats})
    kinds = pyspiel.GameType.Utility
    assert game.get_type().utility == (kinds.ZERO_SUM if seats == 4 else kinds.IDENTICAL)
    got = set()
    for seed in range(4):
        choose, state = np.random.default_rng(seed), game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(int(choose.choice(state.legal_actions())))
        match = Match.standing(GAME, seats, state._position.state, plain=True)
        assert state.returns() == pytest.approx(worth(match))
        got.add(tuple(state.returns()))
    assert len(got) > 1, "good and bad play are told apart"
