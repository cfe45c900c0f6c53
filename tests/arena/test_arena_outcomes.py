"""Tournaments of games that are played in teams, together or alone."""

import io
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from samovar.arena.outcome import Outcome, Tournament
from samovar.arena.page import page
from samovar.arena.plan import TournamentPlan
from samovar.arena.playing import play_match
from samovar.arena.ratings import standings
from samovar.arena.report import headline, show, to_json
from samovar.bots.registry import make_bot
from support.outcome_games import GAME, installed


@pytest.fixture(autouse=True)
def found(tmp_path, monkeypatch):
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    with installed(tmp_path):
        yield


def tournament(bots, seats, matches=1):
    return Tournament(GAME.id, tuple(bots.split(",")), seats, matches, 7, {})


def outcome(number, bots, deal, *, success=None, places=None, forfeit=None):
    return Outcome(
        number=number,
        deal=deal,
        bots=tuple(bots),
        scores=(2,) * len(bots),
        places=places or (1,) * len(bots),
        length=2 * len(bots),
        forfeit=forfeit,
        reason="" if forfeit is None else "fell asleep",
        success=success,
    )


def shown(found):
    screen = io.StringIO()
    show(found, Console(file=screen, width=80))
    return screen.getvalue()


def test_a_bot_has_all_seats_of_a_team_and_every_team_equally_often():
    plan = TournamentPlan(tournament("a,b,c", 4))
    assert len(plan) == 6
    assert [match.bots for match in plan][:2] == [("a", "b", "a", "b"), ("b", "a", "b", "a")]
    had = Counter((bot, seat) for match in plan for seat, bot in enumerate(match.bots))
    assert set(had.values()) == {2}
    assert len(had) == 12


def test_those_who_play_together_do_so_in_every_mixture():
    line_ups = Counter(tuple(sorted(match.bots)) for match in TournamentPlan(tournament("a,b,b", 2)))
    assert line_ups == {("a", "a"): 2, ("a", "b"): 2, ("b", "b"): 2}
    assert [match.bots for match in TournamentPlan(tournament("a", 1))] == [("a",)]


def test_two_seats_of_a_team_are_not_compared():
    """a and c win every match as one team: which of them is better is not known."""
    held = tournament("a,b,c,d", 4)
    outcomes = [outcome(number, "abcd", number, places=(1, 3, 1, 3)) for number in range(12)]
    pairs = {frozenset((pair.a, pair.b)): pair for pair in standings(held, outcomes).pairs}
    assert [pairs[frozenset(two)].matches for two in ("ac", "bd")] == [0, 0]
    assert pairs[frozenset("ab")].matches == 3, "a quarter of twelve: two teams count as one pair"
    assert {bot.name: bot.win_share for bot in standings(held, outcomes).bots} == {"a": 1, "c": 1, "b": 0, "d": 0}
    ratings = {bot.name: bot.rating for bot in standings(held, outcomes).bots}
    assert ratings["a"] == pytest.approx(ratings["c"])
    assert ratings["a"] > ratings["b"] + 100


def test_a_team_wins_as_often_as_its_seats():
    held = tournament("a,b", 4)
    outcomes = [
        outcome(number, "abab" if number % 2 else "baba", number // 2, places=(1, 3, 1, 3)) for number in range(20)
    ]
    found = standings(held, outcomes)
    (pair,) = found.pairs
    assert (pair.matches, pair.wins, pair.losses) == (20, 10, 10)
    assert [seat.win_share for seat in found.seats] == [1, 0, 1, 0]
    assert "in 2 teams" in headline(found)


class Broken:
    def choose(self, seat):
        raise RuntimeError("no")

    def close(self):
        pass


def test_who_forfeits_takes_the_team_along():
    def make(name, game, seed):
        return Broken() if name == "broken" else make_bot(name, game, seed)

    (match, *_) = TournamentPlan(tournament("random,broken", 4))
    teams = play_match(match, make).outcome
    assert (teams.forfeit in (1, 3), teams.places, teams.success) == (True, (1, 3, 1, 3), None)
    planned = next(
        match for match in TournamentPlan(tournament("random,broken", 2)) if match.bots == ("random", "broken")
    )
    together = play_match(replace(planned, options={"first": 0}), make).outcome
    assert together.length == 1, "one card counts already"
    assert (together.places, together.success) == ((1, 1), 0)
    held = tournament("random,broken", 4)
    (pair,) = standings(held, [teams]).pairs
    assert (pair.a, pair.wins, pair.losses) == ("random", 1, 0)


def test_success_is_measured_by_line_up_with_intervals_that_hold_it():
    chance, held = np.random.default_rng(1), tournament("a,b", 2)
    means = {"aa": 800, "ab": 500, "ba": 500, "bb": 300}
    outcomes, number = [], 0
    for deal in range(100):
        for bots in means:
            success = int(np.clip(chance.normal(means[bots], 80), 0, 1000))
            outcomes.append(outcome(number, bots, deal, success=success))
            number += 1
    found = standings(held, outcomes)
    assert found.pairs == found.seats == ()
    assert [one.bots for one in found.line_ups] == [("a", "a"), ("a", "b"), ("b", "b")]
    for one in found.line_ups:
        true = means["".join(one.bots)] / 1000
        assert one.low < true < one.high
        assert one.high - one.low < 0.1
    best, other = found.bots
    assert (best.name, best.rating) == ("a", None)
    assert best.success == pytest.approx(0.8, abs=0.03)
    assert best.mixed_success == other.mixed_success == pytest.approx(0.5, abs=0.03)
    few = standings(held, outcomes[:8])
    assert few.bots[0].success_low is None


@pytest.mark.parametrize("seats", [1, 3])
def test_the_report_says_what_is_reached_and_rates_nobody(seats):
    held = tournament("random,greedy", seats)
    outcomes = [play_match(match).outcome for match in TournamentPlan(held)]
    assert all(0 <= one.success <= 1000 for one in outcomes)
    found = standings(held, outcomes)
    text = shown(found)
    assert "of what can be reached" in text
    for word in ("Rating", "Place", "Against", "Win share"):
        assert word not in text
    assert ("With others" in text) == (seats > 1)
    report = json.loads(json.dumps(to_json(found), allow_nan=False))
    assert report["bots"][0]["success"] == max(bot["success"] for bot in report["bots"])
    assert report["bots"][0]["rating"] is None
    assert sum(one["matches"] for one in report["line_ups"]) == len(outcomes)
    html = page(found)
    assert "What is reached" in html
    assert "<h2>Ratings</h2>" not in html
    assert ("<h2>Together</h2>" in html) == (seats > 1)
