"""Teams, cooperation and solo: what bots, the kit and the terminal make of them."""

from dataclasses import replace

import numpy as np
import pytest

from samovar.bots import Order
from samovar.bots.program import read_answer
from samovar.bots.search import SearchBot
from samovar.bots.simple import GreedyBot
from samovar.cli.terminal import results
from samovar.engine.batch import Batch
from samovar.engine.match import Match
from samovar.engine.places import percent_of, places_behind, team_places
from samovar.engine.records.record import replay
from samovar.engine.rule import rule
from samovar.testing import checks, players, worlds
from support.outcome_games import GAME, HAND, installed


@pytest.fixture
def plain(monkeypatch):
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")


def order(name, argument=""):
    return Order(name, argument, GAME, seed=5, plain=True)


def matches(seats, played, fits):
    """Three matches after so many moves in which what the actor holds, low and high, fits the row; no
    team is ahead."""
    found = []
    seed = 0
    while len(found) < 3:
        seed += 1
        match = Match(GAME, seats, seed, plain=True, first=0)
        match.play_random(seed, limit=played)
        seat = match.actors[0]
        cards = [int(card) for card in match.states["cards"][0][HAND * seat : HAND * seat + HAND]]
        if set(match.places) == {1} and fits(min(cards), max(cards), int(match.states["row"][0])):
            found.append((match, cards.index(min(cards)), cards.index(max(cards))))
    return found


@pytest.mark.parametrize("seats", [2, *(pytest.param(seats, marks=pytest.mark.slow) for seats in (1, 3, 4))])
def test_the_kit_finds_nothing_wrong(seats, plain, tmp_path):
    with installed(tmp_path) as game:
        checks.check_walk(game, seats, {}, 1)
        checks.check_length(game, seats, {}, matches=40)
        checks.check_history(game, seats, {}, 1)
        worlds.check_worlds(game, seats, {}, 1)
        worlds.check_variety(game, seats, {}, deals=300)
        players.check_bots(game, seats, {}, 1)
        players.check_evaluation(game, seats, {}, matches=10)


@rule
def own_points(state, out):
    for seat in range(state.seats):
        out[seat] = state.points[seat]


@rule
def too_much(state):
    return 1001


@rule
def too_little(state):
    return -1


@pytest.mark.parametrize(
    ("seats", "wrong", "said"),
    [
        (4, {"scores": own_points}, "teammates do not share"),
        (2, {"scores": own_points}, "teammates do not share"),
        (2, {"success": too_much}, "success is 1001"),
        (1, {"success": too_little}, "success is -1"),
    ],
)
def test_the_kit_finds_outcomes_that_cannot_be(seats, wrong, said, plain):
    with pytest.raises(AssertionError, match=said):
        checks.check_walk(replace(GAME, **wrong), seats, {}, 1)


def test_search_finds_the_better_move_alone_and_together():
    for match, low, _ in matches(1, 0, lambda low, high, row: low < high):
        answer = SearchBot(order("search", "400")).choose(match.seat(0))
        assert answer.move == low
        best, other = answer.reasons
        assert (best.place, best.success) == (1, 1)
        assert other.success == pytest.approx(0.5)
    for match, low, _ in matches(2, 0, lambda low, high, row: low <= 1 and high == 11):
        answer = SearchBot(order("search", "400")).choose(match.seat(0))
        assert answer.move == low, "the highest card would leave nothing for the others"
        assert answer.reasons[0].success > answer.reasons[1].success + 0.1


def test_search_and_greedy_find_the_better_move_in_a_team():
    for match, _, high in matches(4, 3, lambda low, high, row: low <= 1 <= row < high <= row + 2):
        seat = match.seat(match.actors[0])
        assert seat.opponents == 2
        for bot in (SearchBot(order("search", "400")), GreedyBot(order("greedy"))):
            answer = bot.choose(seat)
            assert answer.move == high
            assert all(reason.success is None and 1 <= reason.place <= 3 for reason in answer.reasons)


def test_greedy_takes_what_counts_for_all():
    for match, _, high in matches(3, 2, lambda low, high, row: low < row < high):
        answer = GreedyBot(order("greedy")).choose(match.seat(2))
        assert answer.move == high
        assert answer.reasons[0].success > answer.reasons[1].success


def test_a_program_may_say_what_it_expects_all_to_reach():
    legal = [{"move": 0, "text": "lay 3"}]
    answer = {"move": 0, "reasons": [{"move": 0, "visits": 3, "success": 0.25}]}
    (reason,) = read_answer(answer, legal, 2).reasons
    assert (reason.place, reason.success) == (1, 0.25)


def test_rewards_of_those_who_play_together_say_how_well_they_did(plain):
    batch = Batch(GAME, 30, 3, seed=1, threads=1)
    seen = set()
    for _ in range(2 * HAND * 3):
        before = batch.states.copy()
        batch.step(batch.legal_moves[:, 0].copy())
        for k in np.flatnonzero(batch.ended):
            match = Match.standing(GAME, 3, before[k].tobytes(), plain=True)
            match.play(match.actors[0], match.legal(match.actors[0])[0])
            assert batch.rewards[k].tolist() == pytest.approx([(2 * match.success - 1000) / 1000] * 3)
            seen.add(match.success)
    assert len(seen) > 2, "good and bad play are told apart"


@pytest.mark.parametrize(
    ("places", "resigned", "teams", "expected"),
    [
        ((1, 3, 1, 3), (0,), (0, 1, 0, 1), (3, 1, 3, 1)),
        ((1, 1, 3, 3, 5, 5), (2, 1), (0, 0, 1, 1, 2, 2), (3, 3, 5, 5, 1, 1)),
        ((1, 1, 3, 3, 5, 5), (2, 3), (0, 0, 1, 1, 2, 2), (1, 1, 5, 5, 3, 3)),
        ((1, 1, 1), (2,), (0, 0, 0), (1, 1, 1)),
        ((1,), (0,), (0,), (1,)),
    ],
)
def test_who_gives_up_takes_the_team_along(places, resigned, teams, expected):
    assert places_behind(places, resigned, teams) == expected


def test_teams_have_places_among_teams():
    assert team_places((1, 3, 1, 3), (0, 1, 0, 1)) == (1, 2, 1, 2)
    assert team_places((5, 1, 1, 5, 3, 3), (9, 4, 4, 9, 2, 2)) == (3, 1, 1, 3, 2, 2)
    assert team_places((1, 1, 3, 4), range(4)) == (1, 1, 3, 4), "each for itself"


def test_only_nothing_and_all_are_rounded_to_the_ends():
    assert [percent_of(success) for success in (0, 1, 9, 500, 734, 995, 999, 1000)] == [0, 1, 1, 50, 73, 99, 99, 100]


@pytest.mark.parametrize(("language", "all_done", "half"), [("en", "Won", "50 of 100"), ("fr", "Gagné", "50 sur 100")])
def test_a_terminal_tells_what_all_reached(language, all_done, half, plain, tmp_path):
    match, low, high = matches(1, 0, lambda low, high, row: low < high)[0]
    other = match.copy()
    for each, first in ((match, low), (other, high)):
        each.play(0, first)
        each.play(0, each.legal(0)[0])
    assert results(match, language, str) == [f"{all_done} {'together' if language == 'en' else 'ensemble'}."]
    assert half in results(other, language, str)[0]
    assert results(match, language, str, resigned=(0,)) != results(match, language, str)
    with installed(tmp_path):
        record = other.record()
        assert record["success"] == 500
        assert replay(record, plain=True).success == 500
    assert "success" not in Match("connect_four", seed=1, plain=True).record()
