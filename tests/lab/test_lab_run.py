"""What was ordered is measured: deal by deal, all variants alike, and the same with any number of workers."""

from collections.abc import Generator, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from samovar.arena import playing
from samovar.arena.plan import PlannedMatch
from samovar.arena.playing import PlayedMatch, play_match
from samovar.errors import SamovarError
from samovar.lab import run, traced
from samovar.lab.compare import differences, name_of, winners
from samovar.lab.intervals import Interval
from samovar.lab.order import LabOrder, make_order
from samovar.lab.portrait import portrait
from samovar.lab.run import Findings, Lab, measuring

pytestmark = pytest.mark.usefixtures("_known_games")


@pytest.fixture
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matches are played in this process, and nobody thinks about them."""

    def play_here(matches: Iterable[PlannedMatch], *_: object) -> Generator[PlayedMatch, None, None]:
        for planned in matches:
            yield play_match(planned, record=True)

    monkeypatch.setattr(run, "play_here", play_here)
    monkeypatch.setattr(Lab, "_check_players", lambda self: None)
    monkeypatch.setattr(traced, "_chances", lambda at, seed: (0.5, 0.5))
    monkeypatch.setattr(traced, "_near", lambda turns, seed: np.nan)
    monkeypatch.setattr(traced, "_hidden", lambda turn, seed: (0.1, 0.1))


def measured(order: LabOrder) -> Findings:
    return [*measuring(order)][-1]


@pytest.mark.usefixtures("_here")
def test_it_gets_better_from_one_to_the_next_until_it_is_done() -> None:
    order = make_order("tosses", players=["random", "greedy"], random=50, matches=12)
    stages, done, made = zip(
        *((each.stage, each.done, len(each.studies[0].traces)) for each in measuring(order)), strict=True
    )
    assert [*dict.fromkeys(stages)] == ["counting", "playing", "meeting", "done"]
    assert [*done] == sorted(done)
    assert (done[0], done[-1]) == (0, 1)
    assert [*made] == sorted(made)
    assert made[-1] == 12


@pytest.mark.usefixtures("_here")
def test_variants_have_the_same_deals_and_as_many_matches() -> None:
    order = make_order("stones", vary={"bonus": [0, 2]}, players=["random", "greedy"], random=50, matches=12)
    found = measured(order)
    one, other = found.studies
    assert [name_of(found, k) for k in range(2)] == ["bonus=0", "bonus=2"]
    assert [trace.deal for trace in one.traces] == [trace.deal for trace in other.traces] == [n // 2 for n in range(12)]
    assert [t.record["seed"] for t in one.traces] == [t.record["seed"] for t in other.traces]
    assert [len(study.meetings["random", "greedy"]) for study in found.studies] == [6, 6]
    keys = {(each.measure.key, each.by) for each in differences(found)}
    assert {("points", "by chance"), ("points", "greedy"), ("steps", "random, greedy")} <= keys
    (told,) = winners(found)
    assert told.other
    assert told.other.size == 6


@pytest.mark.usefixtures("_here")
def test_no_time_is_spent_on_luck_as_the_arena_measures_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def luck_of(match: object, seed: int) -> tuple[float, ...]:
        raise AssertionError("the luck of a match is measured")

    monkeypatch.setattr(playing, "luck_of", luck_of)
    measured(make_order("tosses", players=["random", "greedy"], random=50, matches=2))


@pytest.mark.usefixtures("_here")
def test_the_same_variant_has_the_same_winners() -> None:
    found = measured(make_order("tosses", vary={"first": [0, 1]}, players=["greedy"], random=0, matches=12))
    (told,) = winners(found)
    assert told.other
    assert told.again
    assert told.other.value == told.again.value == 0, "the coins decide, whoever begins"


@pytest.mark.usefixtures("_here")
def test_a_deal_with_a_forfeit_says_nothing_about_skill(monkeypatch: pytest.MonkeyPatch) -> None:
    play_here = run.play_here

    def forfeited(*what: Any) -> Generator[PlayedMatch, None, None]:
        for outcome, record in play_here(*what):
            is_lost = outcome.deal == 2 and outcome.bots == ("random", "greedy")
            yield PlayedMatch(replace(outcome, forfeit=0) if is_lost else outcome, record)

    monkeypatch.setattr(run, "play_here", forfeited)
    (study,) = measured(make_order("tosses", players=["random", "greedy"], random=0, matches=12)).studies
    assert [met.deal for met in study.meetings["random", "greedy"]] == [0, 1, 3, 4, 5]
    assert study.forfeits == 1


@pytest.mark.usefixtures("_here")
def test_only_random_players_are_counted_and_nothing_else() -> None:
    found = measured(make_order("tosses", players=["random"], random=50))
    assert found.player is None
    assert {figure.by for figure in portrait(found)} == {"by chance"}


@pytest.mark.usefixtures("_here")
def test_seconds_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that goes on by a second whenever somebody looks at it."""
    ticks = iter(range(10**6))
    monkeypatch.setattr(Lab, "clock", staticmethod(lambda: next(ticks)))
    found = measured(make_order("tosses", players=["random", "greedy"], random=50, matches=1, seconds=200))
    assert 5 < len(found.studies[0].traces) < 100
    assert next(ticks) < 500


def test_a_player_that_does_not_exist_is_told_before_anything_is_played() -> None:
    with pytest.raises(SamovarError, match="esay"):
        measuring(make_order("tosses", players=["esay"], random=0))


@pytest.mark.slow
def test_figures_depend_on_the_seed_and_not_on_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """With bots in processes of their own, in a game of luck."""
    for name in ("SIMULATIONS", "COMPARING", "TRIES"):  # thoughts take long where nothing is compiled
        monkeypatch.setattr(traced, name, 2)

    def told(workers: int, seed: int) -> list[tuple[str, str, Interval | None]]:
        how: dict[str, int] = {"random": 20, "matches": 10, "workers": workers, "seed": seed}
        order = make_order("tosses", players=["random", "easy"], **how)
        return [(each.key, each.by, each.interval) for each in portrait(measured(order))]

    one = told(1, seed=1)
    assert one == told(2, seed=1)
    assert one != told(2, seed=2)
    known = {key: interval.value for key, _, interval in one if interval}
    assert (known["skill_random_easy"], known["steps"]) == (0.5, 0)
    assert known["deal"] == known["hidden_0"] == pytest.approx(1)
