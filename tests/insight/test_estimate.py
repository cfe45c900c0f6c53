"""What a seat may expect: blind, the same for the same seed, certain where nothing is left to happen."""

import importlib.util
import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import samovar
from samovar.bots.network import read
from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import backend
from samovar.engine.ways.stand_ins import NO_MOVE
from samovar.errors import BadEstimate, BadNetwork, BrokenGame
from samovar.games.memoarrrr.state import ALL_RUBIES
from samovar.insight.calibration import FILE, Calibration, Guess, SeatOutcome, calibration_of, outcomes, usual_shares
from samovar.insight.estimate import Budget, Estimate, QuickSource, SearchSource
from support import outcome_games, tiny_game
from support.networks import random_network

GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
TABLES = [(find_game(name), seats) for name in GAMES for seats in find_game(name).seats]
STEPS = [(outcome_games.GAME, seats) for seats in outcome_games.GAME.seats]


def named(value: object) -> str:
    return value.id if isinstance(value, Game) else str(value)


def few(seat: Seat, **asked: Any) -> Estimate:
    """In plain Python: nothing is compiled for a few simulations."""
    return samovar.estimate(seat, **{"simulations": 12, "plain": True, "by": "search", **asked})


def begun(game: str | Game, seats: int, moves: int) -> Match:
    match = Match(game, seats, 5, plain=True)
    match.play_random(2, limit=moves)
    return match


def connect_four(moves: str) -> Match:
    match = Match("connect_four", seed=1, first=0)
    for column in moves:
        match.play(match.actors[0], column)
    return match


def share_of(match: Match, number: int) -> float:
    """What the seat has reached in a match that is over."""
    if match.success is not None:
        return match.success / 1000
    teams = match.game.teams(match.seats)
    others = [match.places[other] for other in range(match.seats) if teams[other] != teams[number]]
    own = match.places[number]
    return sum(1 if own < other else 0.5 if own == other else 0 for other in others) / len(others)


@pytest.mark.parametrize(("game", "seats"), [*TABLES, *STEPS, (tiny_game.GAME, 2)], ids=named)
def test_every_seat_has_chances_that_add_up(game: Game, seats: int) -> None:
    match = begun(game, seats, 3)
    for number in range(seats):
        found = few(match.seat(number), simulations=3)
        assert len(found.places) == seats
        assert sum(found.places) == pytest.approx(1)
        assert min(found.places) >= 0
        assert 0 <= found.share <= 1
        assert (found.by, found.simulations, found.moves) == ("search", 3, ())


@pytest.mark.parametrize(("game", "seats"), [*TABLES, *STEPS, (tiny_game.GAME, 2)], ids=named)
def test_a_quick_search_has_chances_that_add_up_too(game: Game, seats: int) -> None:
    match = begun(game, seats, 3)
    for number in range(seats):
        found = few(match.seat(number), by="quick", simulations=2)
        assert sum(found.places) == pytest.approx(1)
        assert 0 <= found.share <= 1
        assert (found.by, found.simulations) == ("quick", 2)


def test_a_quick_search_says_what_it_thought() -> None:
    """Where nothing was fitted, the share is what the search thought."""
    seat = connect_four("d").seat(0)
    source = QuickSource(seat, Budget(20), 3, backend(seat.game, True))
    guess = source.guess(NO_MOVE)
    assert guess.chances.sum() == pytest.approx(1)
    assert guess.chances @ guess.shares == pytest.approx(guess.thought)
    assert guess.thought == pytest.approx(
        SearchSource(seat, Budget(20), 3, backend(seat.game, True)).guess(NO_MOVE).thought
    )


@pytest.mark.parametrize("by", ["search", "quick"])
@pytest.mark.parametrize(("game", "seats"), [*TABLES[::3], *STEPS, (tiny_game.GAME, 2)], ids=named)
def test_what_is_over_is_certain(game: Game, seats: int, by: str) -> None:
    match = begun(game, seats, 10_000)
    for number in range(seats):
        found = few(match.seat(number), by_move=True, by=by)
        assert found.places == tuple(float(place == match.places[number]) for place in range(1, seats + 1))
        assert found.share == pytest.approx(share_of(match, number), abs=0.001)
        assert found.calibrated
        assert found.moves == ()


def test_the_same_seed_says_the_same_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    seat = begun("memoarrrr", 3, 12).seat(1)
    monkeypatch.setenv("SAMOVAR_THREADS", "1")
    first = few(seat, seed=7, by_move=3)
    monkeypatch.setenv("SAMOVAR_THREADS", "3")
    assert few(seat, seed=7, by_move=3) == first
    assert any(few(seat, seed=other) != few(seat, seed=7) for other in (8, 9, 10))


def test_plain_and_compiled_say_the_same() -> None:
    seat = connect_four("dde").seat(1)
    asked = {"simulations": 40, "by_move": 2}
    assert samovar.estimate(seat, plain=True, **asked) == samovar.estimate(seat, plain=False, **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["memoarrrr", "matryoshka", "varvitikud"])
def test_it_is_the_same_in_all_worlds_that_the_seat_cannot_tell_apart(name: str) -> None:
    match = begun(name, find_game(name).seats[0], 9)
    for number in {match.actors[0], (match.actors[0] + 1) % match.seats}:
        found = few(match.seat(number), simulations=4, by_move=1)
        for seed in range(3):
            other = match.copy()
            other.states = match.imagine(number, seed).states
            assert few(other.seat(number), simulations=4, by_move=1) == found


def test_what_is_hidden_counts_as_often_as_it_may_be_so() -> None:
    """Blind: who has bet and not won knows the own card alone. Both bet for the last time; the higher of
    two cards of six wins what was bet."""
    for card in range(6):
        match = Match(tiny_game.GAME, 2, 0, plain=True)
        match.states["deck"] = [card, *(other for other in range(6) if other != card)]
        match.states["round"] = 1
        match.states["bet"] = [2, -1]
        found = few(match.seat(0), simulations=300)
        lower = card / 5
        assert found.share == pytest.approx(lower, abs=0.09)
        assert found.places == pytest.approx((lower, 1 - lower), abs=0.09)


def test_matches_are_played_to_their_end() -> None:
    """Memoarrrr! has an odd number of rubies, so two seats cannot share them equally; before the first
    treasure is taken both have none."""
    assert ALL_RUBIES % 2
    match = begun("memoarrrr", 2, 0)
    guess = SearchSource(match.seat(0), Budget(12), 3, backend(match.game, True)).guess(NO_MOVE)
    by_outcome = dict(zip(outcomes(2), guess.chances.tolist(), strict=True))
    assert by_outcome[SeatOutcome(1, 1)] == 0
    assert 0 < by_outcome[SeatOutcome(1, 0)] < 1
    assert 0.2 < guess.thought < 0.8


def test_where_all_are_one_team_it_is_what_they_will_reach() -> None:
    """Steps with three seats: the last card counts if it is higher than the one before."""
    match = Match(outcome_games.GAME, 3, 4, plain=True)
    match.play_random(1, limit=5)
    watching = (match.actors[0] + 1) % 3
    laid = {match.state.cards[i] for i in range(6) if match.state.laid >> i & 1}
    own = {match.state.cards[2 * watching], match.state.cards[2 * watching + 1]}
    left = [card for card in range(12) if card not in laid | own]
    counts = sum(match.state.points[other] for other in range(3))
    expected = np.mean([(counts + (card > match.state.row)) / 6 for card in left])
    found = few(match.seat(watching), simulations=300)
    assert found.share == pytest.approx(expected, abs=0.02)
    assert found.places == (1.0, 0.0, 0.0)


def test_a_move_that_wins_is_the_best_and_certain() -> None:
    found = samovar.estimate(connect_four("aabbcc").seat(0), by_move=True)
    assert [move.text for move in found.moves[:1]] == ["d"]
    assert (found.moves[0].share, found.moves[0].places) == (1.0, (1.0, 0.0))
    assert sorted(move.text for move in found.moves) == list("abcdefg")
    shares = [move.share for move in found.moves]
    assert shares == sorted(shares, reverse=True)
    assert shares[1] < 0.9
    assert found.share > 0.9


def test_who_waits_for_a_loss_expects_it() -> None:
    found = samovar.estimate(connect_four("aabbcc").seat(1), by_move=True)
    assert found.share < 0.1
    assert found.moves == ()


def test_so_many_of_the_best_moves_are_looked_at() -> None:
    seat = connect_four("aabbcc").seat(0)
    found = samovar.estimate(seat, by_move=2)
    assert len(found.moves) == 2
    assert found.moves[0] == samovar.estimate(seat, by_move=True).moves[0]
    assert len(samovar.estimate(seat, by_move=99).moves) == 7


def test_the_budget_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    seat = connect_four("d").seat(1)
    assert samovar.estimate(seat).simulations == 500
    assert samovar.estimate(seat, simulations=33).simulations == 33
    assert samovar.estimate(seat, simulations=33, seconds=60).simulations == 33
    monkeypatch.setattr("samovar.insight.estimate.USUAL", 8)
    assert samovar.estimate(seat).simulations == 8
    assert samovar.estimate(seat, seconds=0.02).simulations >= 64


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"by": "magic"}, "by 'search', by 'network', by 'both' or by 'quick'"),
        ({"by_move": -1}, "how many of the best moves"),
        ({"by_move": "all"}, "how many of the best moves"),
        ({"simulations": 0}, "1 to 100000000 simulations"),
        ({"simulations": 1.5}, "1 to 100000000 simulations"),
        ({"simulations": True}, "1 to 100000000 simulations"),
        ({"seconds": 0}, "more than none"),
        ({"seconds": float("nan")}, "more than none"),
        ({"seed": -1}, "from 0 to"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_remedy(asked: dict[str, Any], says: str) -> None:
    with pytest.raises(BadEstimate, match=says):
        samovar.estimate(connect_four("").seat(0), **asked)


def test_a_match_is_no_seat() -> None:
    with pytest.raises(BadEstimate, match=r"Ask about match\.seat\(0\)"):
        samovar.estimate(connect_four(""))  # type: ignore[arg-type]


# By network


def test_without_a_network_both_is_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samovar.insight.estimate.Network.find", lambda game: None)
    seat = connect_four("d").seat(0)
    assert samovar.estimate(seat) == samovar.estimate(seat, by="search")
    with pytest.raises(BadEstimate, match="Ask by='search'"):
        samovar.estimate(seat, by="network")


@pytest.mark.parametrize(("fitted", "by"), [(("search",), "search"), (("search", "both"), "both"), ((), "both")])
def test_what_was_fitted_is_asked_if_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, fitted: tuple[str, ...], by: str
) -> None:
    numbers = calibration_of(samovar.find_game("memoarrrr"), 2, "search")
    network = random_network(tiny_game.GAME)
    monkeypatch.setattr("samovar.insight.estimate.Network.find", lambda game: network)
    monkeypatch.setattr(
        "samovar.insight.estimate.calibration_of", lambda game, seats, source: numbers if source in fitted else None
    )
    assert samovar.estimate(begun(tiny_game.GAME, 2, 1).seat(0), simulations=8, plain=True).by == by


def test_a_network_that_cannot_be_read_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(game: Game) -> None:
        raise BadNetwork("It is damaged.")

    monkeypatch.setattr("samovar.insight.estimate.Network.find", fails)
    seat = connect_four("d").seat(0)
    assert samovar.estimate(seat).by == "search"
    with pytest.raises(BadNetwork, match="damaged"):
        samovar.estimate(seat, by="network")


@pytest.mark.parametrize("seats", [3, 4])
def test_a_network_says_what_it_thinks_of_the_seat(monkeypatch: pytest.MonkeyPatch, seats: int) -> None:
    """In one team, and in two."""
    network = random_network(outcome_games.GAME)
    monkeypatch.setattr("samovar.insight.estimate.Network.find", lambda game: network)
    match = begun(outcome_games.GAME, seats, 1)
    for number in range(seats):
        thought = read(match.seat(number), network, plain=True)
        found = few(match.seat(number), by="network")
        assert (found.by, found.simulations, found.calibrated) == ("network", 0, False)
        if seats == 3:
            assert (found.share, found.places) == (thought.shares[number], (1.0, 0.0, 0.0))
        else:
            assert found.places == pytest.approx(thought.places[number], abs=0.01)
    number = match.actors[0]
    found = few(match.seat(number), by="network", by_move=True)
    assert sorted(move.move for move in found.moves) == match.legal(number)
    assert few(match.seat(number), by="network", by_move=True) == found
    both = few(match.seat(number), by="both", by_move=1)
    assert (both.by, both.simulations, len(both.moves)) == ("both", 12, 1)
    assert sum(both.places) == pytest.approx(1)


@pytest.mark.parametrize("by", ["network", "both"])
@pytest.mark.parametrize(("game", "seats"), [*STEPS, (tiny_game.GAME, 2)], ids=named)
def test_no_network_doubts_what_is_over(monkeypatch: pytest.MonkeyPatch, game: Game, seats: int, by: str) -> None:
    network = random_network(game)
    monkeypatch.setattr("samovar.insight.estimate.Network.find", lambda game: network)
    match = begun(game, seats, 10_000)
    for number in range(seats):
        found = few(match.seat(number), by=by)
        assert (found.by, found.calibrated) == (by, True)
        assert found.places == few(match.seat(number)).places
        assert found.share == pytest.approx(share_of(match, number), abs=0.001)


# Calibration


@pytest.mark.parametrize(("game", "seats"), TABLES, ids=named)
def test_our_games_are_calibrated_for_every_number_of_seats(game: Game, seats: int) -> None:
    fitted = calibration_of(game, seats, "search")
    assert fitted is not None
    assert len(fitted.shift) == len(outcomes(seats))
    assert len(fitted.counted) == seats
    assert min(fitted.weights) >= 0
    assert max(fitted.weights) > 0
    assert few(begun(game, seats, 2).seat(0), simulations=1).calibrated


def test_a_game_without_numbers_says_so() -> None:
    assert not samovar.estimate(connect_four("d").seat(0)).calibrated


def test_the_more_is_counted_or_thought_the_better_the_chances() -> None:
    shares = usual_shares(3, 2)
    fitted = Calibration((0.7, 0.5, 0.4), 0.2, 0.4, tuple(0.1 * k for k in range(len(shares))))
    even = np.full(len(shares), 1 / len(shares))

    def first(chances: Any, thought: float) -> float:
        found = fitted.apply(Guess(chances, shares, thought, 100), shares)
        assert found.sum() == pytest.approx(1)
        return float(sum(likely for likely, outcome in zip(found, outcomes(3), strict=True) if outcome.place == 1))

    often = np.eye(len(shares))[0]
    rising = [first((1 - k) * even + k * often, 0.5) for k in (0, 0.3, 0.7, 1)]
    assert rising == sorted(rising)
    thinking = [first(even, thought) for thought in (0, 0.2, 0.5, 0.9, 1)]
    assert thinking == sorted(thinking)


def test_an_outcome_is_a_place_and_who_shares_it() -> None:
    """All rankings of three seats, ties among them."""
    points = [*permutations(range(3)), (0, 0, 1), (0, 1, 1), (0, 0, 0), (1, 0, 0), (1, 1, 0)]
    ranks = {tuple(1 + sum(other < own for other in each) for own in each) for each in points}
    found = {(places[0], places.count(places[0]) - 1) for places in ranks}
    assert found == set(outcomes(3))
    by_outcome = dict(zip(outcomes(3), usual_shares(3, 2), strict=True))
    for places in ranks:
        others = places[1:]
        share = sum(1 if places[0] < other else 0.5 if places[0] == other else 0 for other in others) / 2
        assert by_outcome[places[0], places.count(places[0]) - 1] == share  # type: ignore[index]


def written(folder: Path, data: object) -> Game:
    """A game whose folder holds this calibration."""
    (folder / FILE).write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return replace(tiny_game.GAME, folder=str(folder))


def test_another_packages_game_has_its_numbers_in_its_folder(tmp_path: Path) -> None:
    numbers = {"counted": [0.0, 0.0], "often": 0.0, "thought": 0.0, "shift": [9.0, 0.0, 0.0]}
    game = written(tmp_path, {"rules": 1, "seats": {"2": {"search": numbers}}})
    found = few(Match(game, 2, 1, plain=True).seat(0))
    assert found.calibrated
    assert found.places[0] > 0.99


def test_numbers_for_other_rules_are_not_used(tmp_path: Path) -> None:
    numbers = {"counted": [1.0, 1.0], "often": 0.0, "thought": 0.0, "shift": [0.0, 0.0, 0.0]}
    game = written(tmp_path, {"rules": 2, "seats": {"2": {"search": numbers}}})
    assert calibration_of(game, 2, "search") is None


@pytest.mark.parametrize(
    "data",
    ["{", "[]", {}, {"rules": 1, "seats": {"2": {"search": {"shift": [0.0]}}}}, {"rules": 1, "seats": 3}],
    ids=str,
)
def test_damaged_numbers_are_named(tmp_path: Path, data: object) -> None:
    game = written(tmp_path, data)
    with pytest.raises(BrokenGame, match=FILE):
        calibration_of(game, 2, "search")


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setenv("SAMOVAR_THREADS", "1")  # it sets this, which is to be undone
    spec = importlib.util.spec_from_file_location(
        "calibration", Path(__file__).parents[2] / "benchmarks/calibration.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_fitting_finds_the_numbers_that_made_the_outcomes(benchmark: ModuleType) -> None:
    true = Calibration((0.6, 0.4), 0.5, 0.3, (0.5, -1.0, 0.0))
    choose = np.random.default_rng(1)
    rows, asked = [], []
    for seed in range(3000):
        guess = Guess(choose.dirichlet([1.0, 0.2, 1.0]), usual_shares(2, 1), float(choose.random()), benchmark.USUAL)
        chances = true.apply(guess, usual_shares(2, 1))
        place, tied = outcomes(2)[choose.choice(3, p=chances)]
        asked.append(guess)
        row = {"seed": seed, "chances": guess.chances, "thought": guess.thought, "counted": guess.counted}
        rows.append({**row, "place": place, "tied": tied})
    found = benchmark.fit(rows, 2)
    assert found.thought == pytest.approx(true.thought, abs=0.08)
    said, meant = (np.array([each.apply(guess, usual_shares(2, 1)) for guess in asked]) for each in (found, true))
    assert np.abs(said - meant).max() < 0.06
    # What speaks against itself is left out.
    turned = [{**row, "thought": 1 - row["thought"]} for row in rows]
    assert benchmark.fit(turned, 2).thought == 0


def test_fitting_comes_to_an_end_where_most_is_certain(benchmark: ModuleType) -> None:
    """Everything comes as it was counted, so the weights are about 1; whole steps would lead far beyond."""
    choose = np.random.default_rng(2)
    rows = []
    for seed in range(400):
        chances = choose.dirichlet([0.05 if outcome.tied == 0 else 0.0025 for outcome in outcomes(4)])
        place, tied = outcomes(4)[choose.choice(len(chances), p=chances)]
        rows.append({"seed": seed, "chances": chances, "thought": 0.5, "counted": 500, "place": place, "tied": tied})
    assert 0.5 < max(benchmark.fit(rows, 4).weights) < 2
