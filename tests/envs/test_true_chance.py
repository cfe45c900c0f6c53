"""Chance in OpenSpiel as it is: its own algorithms find what ours find, on games small enough to be
looked at whole."""

import pickle
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

from samovar.envs import openspiel
from samovar.errors import IllegalMove, TooLarge
from samovar.solver.chances import Script
from samovar.solver.form import SequenceForm
from samovar.solver.solve import gains
from samovar.solver.tree import VariantRules
from support.kuhn_game import kuhn

pytestmark = pytest.mark.research

# Whoever acts in Kuhn's poker sees all that was done, so an observation is perfect recall.
GAMES = {game.id: game for game in (kuhn(), kuhn(late=True))}


@pytest.fixture(autouse=True)
def plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")


@pytest.fixture(scope="module", autouse=True)
def registered() -> None:
    for game in GAMES.values():
        openspiel.register(game)


def load(name: str) -> Any:
    return pyspiel.load_game(f"samovar_{name}(true_chance=true)")


def walk(state: Any) -> Any:
    yield state
    if not state.is_terminal():
        actions = [action for action, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        for action in actions:
            yield from walk(state.child(action))


@pytest.mark.parametrize("name", GAMES)
def test_the_tree_is_the_same(name: str) -> None:
    states = list(walk(load(name).new_initial_state()))
    count = SequenceForm(VariantRules(GAMES[name], plain=True)).count
    assert sum(state.is_chance_node() for state in states) == count.chance
    assert sum(state.is_terminal() for state in states) == count.ends
    assert len(states) == count.nodes
    for state in states:
        if state.is_chance_node():
            assert sum(odds for _, odds in state.chance_outcomes()) == pytest.approx(1)


def policy_of(form: SequenceForm, other: Any) -> Any:
    """A policy of OpenSpiel as one of ours."""

    def answer(seat: Any, moves: Any) -> Any:
        text = f"{seat.number} {seat.number} {seat.observation.tobytes().hex()}"
        return other.policy_for_key(text)[moves]

    return form.ask(answer)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("rounds", [0, 10])
def test_values_and_best_answers_are_the_same(name: str, rounds: int) -> None:
    """Of any move, and of what OpenSpiel's own CFR has learned."""
    game = load(name)
    learned = cfr.CFRPlusSolver(game)
    for _ in range(rounds):
        learned.evaluate_and_update_policy()
    theirs = learned.average_policy() if rounds else policy.TabularPolicy(game)
    form = SequenceForm(VariantRules(GAMES[name], plain=True))
    ours = policy_of(form, theirs)
    values = expected_game_score.policy_value(game.new_initial_state(), [theirs] * 2)
    assert form.values(ours) == pytest.approx(values, abs=1e-9)
    found = exploitability.nash_conv(game, theirs, return_only_nash_conv=False)
    assert gains(form, ours) == pytest.approx(found.player_improvements, abs=1e-9)
    assert found.nash_conv > 1e-3


def test_a_move_that_rolls_is_followed_by_chance() -> None:
    game = load("kuhn_late")
    state = game.new_initial_state()
    state.apply_action(2)
    state.apply_action(1)
    assert state.is_chance_node()
    assert state.chance_outcomes() == [(0, 0.5), (1, 0.5)]
    assert state.action_to_string(pyspiel.PlayerId.CHANCE, 1) == "outcome 1"
    _, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert again.is_chance_node()
    assert str(again) == str(state)
    assert pickle.loads(pickle.dumps(state._position)).state == state._position.state
    with pytest.raises(IllegalMove, match="numbered 0 to 1"):
        state._position.variant.after(state._position, 2)
    cards = {state.child(outcome).observation_string(1) for outcome in (0, 1)}
    assert len(cards) == 2
    assert game.max_chance_nodes_in_history() == 1 + 3


@pytest.mark.parametrize("name", GAMES)
def test_the_random_simulation_passes(name: str) -> None:
    pyspiel.random_sim_test(load(name), num_sims=3, serialize=True, verbose=False)


def test_a_game_that_is_too_large_for_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """At once: to try a million of its deals takes half an hour."""

    def nobody_enumerates(script: Script) -> bool:
        raise AssertionError("the deals are tried one after another")

    monkeypatch.setattr(Script, "turn_page", nobody_enumerates)
    with pytest.raises(TooLarge, match="Take a small member"):
        load("memoarrrr")


def test_rollouts_begin_at_any_chance_node() -> None:
    evaluator = openspiel.CompiledRollouts(50, seed=1)
    state = load("kuhn_late").new_initial_state()
    assert np.abs(evaluator.evaluate(state)).max() <= 1
    state.apply_action(0)
    state.apply_action(0)
    assert evaluator.evaluate(state).sum() == pytest.approx(0)
