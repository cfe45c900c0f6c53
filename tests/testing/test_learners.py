"""A change of what learners meet asks for another version of the environment; nothing else does."""

from dataclasses import replace
from pathlib import Path

import pytest

from samovar.engine.contract import Game, Part
from samovar.engine.rule import rule
from samovar.errors import BrokenGame
from samovar.testing import golden, learners
from support.tiny_game import GAME, observe, scores


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")


@pytest.fixture
def game(tmp_path: Path) -> Game:
    """With all that belongs into its folder."""
    game = replace(GAME, folder=str(tmp_path))
    learners.store(game, {"2": golden.digest(game, 2, {})})
    golden.golden_path(game, 2, {}).write_text(golden.playthrough(game, 2, {}), encoding="utf-8")
    golden.check_golden(game, 2, {})
    return game


@rule
def observe_more(state, seat, out):
    observe(state, seat, out)
    out[5] = state.round + 1


@rule
def score_more(state, out):
    scores(state, out)
    out[0] += 1


CHANGES = {
    "observation": {"observe": observe_more},
    "layout": {"observation": (Part("own_card", 1, "own card"), *GAME.observation[1:])},
    "reward": {"scores": score_more},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_a_learner_meets_has_changed_so_the_version_must(game: Game, change: dict) -> None:
    changed = replace(game, **change)
    found = {"2": golden.digest(changed, 2, {})}
    with pytest.raises(AssertionError, match="environment_version=1"):
        learners.check_stored(changed, "2", found["2"])
    with pytest.raises(BrokenGame, match="environment_version=1"):
        learners.store(changed, found)
    raised = replace(changed, environment_version=1)
    with pytest.raises(AssertionError, match="the digests are of 0"):
        learners.check_stored(raised, "2", found["2"])
    learners.store(raised, found)
    learners.check_stored(raised, "2", found["2"])


def test_words_for_people_change_nothing(game: Game) -> None:
    told = replace(game, observation=tuple(replace(part, help="other words") for part in game.observation))
    assert golden.digest(told, 2, {}) == golden.digest(game, 2, {})


def test_the_kit_compares_and_wants_a_digest_of_every_variant(game: Game) -> None:
    learners.digests_path(game).write_text("environment version 0\n2 0123456789abcdef\n")
    with pytest.raises(AssertionError, match="environment_version=1"):
        golden.check_golden(game, 2, {})
    learners.digests_path(game).unlink()
    with pytest.raises(AssertionError, match="--write blind"):
        golden.check_golden(game, 2, {})
