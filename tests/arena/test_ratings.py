"""Ratings: the true strengths are found, the intervals hold what they promise, and a forfeit says
no more than it should."""

import random
from dataclasses import replace

import numpy as np
import pytest

from samovar.arena import resampling
from samovar.arena.outcome import Outcome, Tournament
from samovar.arena.ratings import SCALE, BotPair, Standings, standings, strengths
from samovar.reports.plots import Distribution
from support.made_up import made_up


def outcome(
    number: int, bots: str, places: tuple[int, ...], *, deal: int | None = None, forfeit: int | None = None
) -> Outcome:
    """`outcome(0, "ab", (1, 2))`: bot a in seat 0 was first. The score is ten times the number of
    seats behind."""
    scores = tuple(10 * (len(places) - place) for place in places)
    return Outcome(
        number,
        number if deal is None else deal,
        tuple(bots),
        scores,
        places,
        30 + number,
        forfeit,
        "fell asleep" if forfeit is not None else "",
    )


def tournament(bots: str, seats: int) -> Tournament:
    return Tournament("memoarrrr", tuple(bots), seats, 1, 5, {})


def pair_of(found: Standings, a: str, b: str) -> BotPair:
    return next(pair for pair in found.pairs if {pair.a, pair.b} == {a, b})


@pytest.mark.parametrize(
    ("true", "seats", "deals", "ties", "alike"),
    [
        ({"a": 0.8, "b": 0.0}, 2, 20, 0.3, False),
        ({"a": 1.2, "b": 0.4, "c": 0.0}, 3, 20, 0.3, False),
        # here only the deal is the right unit: its matches are all alike
        ({"a": 1.2, "b": 0.4, "c": 0.0}, 2, 20, 0.0, True),
    ],
    ids=["two seats", "three seats", "deals that repeat themselves"],
)
@pytest.mark.slow
def test_intervals_hold_the_truth_about_19_times_out_of_20(
    true: dict[str, float], seats: int, deals: int, ties: float, alike: bool
) -> None:
    """The bounds are wide enough for the chance in 200 tournaments: intervals are somewhat long for
    few deals, 97 % for 12 of two bots."""
    held = []
    for seed in range(200):
        for pair in standings(*made_up(true, seats, deals, seed, ties=ties, alike=alike)).pairs:
            assert pair.lead_low is not None
            assert pair.lead_high is not None
            held.append(pair.lead_low <= SCALE * (true[pair.a] - true[pair.b]) <= pair.lead_high)
    assert 0.88 < np.mean(held) < 0.99


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_many_matches_find_the_true_strengths(seats: int) -> None:
    true = {"a": 1.5, "b": 0.5, "c": 0.0, "d": -0.5}
    found = standings(*made_up(true, seats, 600, 1, ties=0.2))
    assert [bot.name for bot in found.bots] == list(true)
    for pair in found.pairs:
        assert pair.lead == pytest.approx(SCALE * (true[pair.a] - true[pair.b]), abs=40)
    assert np.mean([bot.rating for bot in found.bots]) == pytest.approx(1500)


def test_order_of_the_outcomes_makes_no_difference() -> None:
    held, outcomes = made_up({"a": 1.0, "b": 0.3, "c": 0.0}, 2, 10, 3, forfeits={"b": "fell asleep"})
    mixed = outcomes.copy()
    random.Random(1).shuffle(mixed)
    assert mixed != outcomes
    assert standings(held, mixed) == standings(held, outcomes)


def test_bots_that_swap_their_names_swap_their_ratings() -> None:
    held, outcomes = made_up({"a": 1.0, "b": 0.3, "c": 0.0}, 2, 20, 3)
    other = {"a": "c", "b": "b", "c": "a"}
    swapped = standings(held, [replace(one, bots=tuple(other[bot] for bot in one.bots)) for one in outcomes])
    found = {bot.name: bot for bot in standings(held, outcomes).bots}
    for bot in swapped.bots:
        as_before = found[other[bot.name]]
        assert bot.rating == pytest.approx(as_before.rating)
        assert bot.low == pytest.approx(as_before.low, abs=20)  # the prior's random weights are others
        assert bot.scores == as_before.scores


def test_a_forfeit_moves_only_the_pairs_of_who_forfeited() -> None:
    held, outcomes = made_up({"a": 1.0, "b": 0.3, "c": 0.0}, 3, 10, 3)
    before = standings(held, outcomes)
    after = standings(held, [*outcomes, outcome(len(outcomes), "bca", (3, 1, 1), deal=0, forfeit=0)])
    told = ("matches", "wins", "losses", "draws", "win_share")
    assert [getattr(pair_of(after, "a", "c"), key) for key in told] == [
        getattr(pair_of(before, "a", "c"), key) for key in told
    ]
    for other in "ac":
        old, new = pair_of(before, "b", other), pair_of(after, "b", other)
        assert (new.a, new.matches) == (old.a, old.matches + 1)
        assert (new.wins - old.wins, new.losses - old.losses) == ((0, 1) if new.a == "b" else (1, 0))
    drop = {bot.name: bot.rating for bot in after.bots}["b"] - {bot.name: bot.rating for bot in before.bots}["b"]
    assert drop < 0
    assert after.lengths == before.lengths
    assert [bot.scores.size for bot in after.bots] == [bot.scores.size for bot in before.bots]
    assert [bot.forfeits for bot in after.bots if bot.name == "b"] == [1]
    assert [(one.bot, one.reason, one.matches) for one in after.forfeits] == [("b", "fell asleep", (30,))]


def test_who_always_wins_is_finite_and_not_certain() -> None:
    outcomes = [
        outcome(number, "ab" if number % 2 else "ba", (1, 2) if number % 2 else (2, 1), deal=number // 2)
        for number in range(40)
    ]
    found = standings(tournament("ab", 2), outcomes)
    (pair,) = found.pairs
    assert (pair.wins, pair.losses, pair.win_share, pair.high) == (40, 0, 1.0, 1.0)
    assert pair.lead == pytest.approx(SCALE * np.log(41))
    assert pair.low is not None
    assert 0.8 < pair.low < 0.97
    assert pair.lead_low is not None
    assert pair.lead_high is not None
    assert 300 < pair.lead_low < pair.lead - 100
    assert pair.lead + 100 < pair.lead_high < 2000


def test_strengths_expect_what_was_seen() -> None:
    """At the best strengths each bot is expected to be above the others as often as it was."""
    beaten = np.random.default_rng(1).gamma(0.4, 20, (200, 5, 5))
    found = strengths(beaten)
    expected = 1 / (1 + np.exp(found[:, None, :] - found[:, :, None]))
    np.testing.assert_allclose(((beaten + beaten.swapaxes(1, 2)) * expected).sum(2), beaten.sum(2), rtol=1e-6)
    np.testing.assert_allclose(found.mean(1), 0, atol=1e-9)


def test_strengths_are_found_however_unequal_the_bots() -> None:
    beaten = np.array(
        [[[0.0, 1e6, 1e6], [1e-4, 0.0, 1e6], [1e-5, 1e-4, 0.0]], [[0.0, 1e-4, 1e6], [1e6, 0.0, 1.0], [1e-3, 1.0, 0.0]]]
    )
    found = strengths(beaten)
    expected = 1 / (1 + np.exp(found[:, None, :] - found[:, :, None]))
    np.testing.assert_allclose(((beaten + beaten.swapaxes(1, 2)) * expected).sum(2), beaten.sum(2), rtol=1e-6)


def test_a_draw_counts_half_each_way() -> None:
    drawn = standings(
        tournament("ab", 2), [outcome(0, "ab", (1, 2)), *(outcome(number, "ab", (1, 1)) for number in range(1, 9))]
    )
    halves = standings(
        tournament("ab", 2), [outcome(number, "ab", (1, 2) if number < 5 else (2, 1)) for number in range(9)]
    )
    assert drawn.bots[0].rating == pytest.approx(halves.bots[0].rating)
    assert (drawn.pairs[0].wins, drawn.pairs[0].losses, drawn.pairs[0].draws, drawn.pairs[0].matches) == (1, 0, 8, 9)
    assert drawn.pairs[0].win_share == 1.0


def test_win_share_of_a_shared_first_place_is_its_part() -> None:
    found = standings(tournament("abc", 3), [outcome(0, "abc", (1, 1, 3)), outcome(1, "bca", (1, 2, 3))])
    by_name = {bot.name: bot for bot in found.bots}
    assert {name: bot.win_share for name, bot in by_name.items()} == {"a": 0.25, "b": 0.75, "c": 0.0}
    assert by_name["b"].seat_win_share == (1.0, 0.5, None)
    assert [seat.win_share for seat in found.seats] == [0.75, 0.25, 0.0]
    assert by_name["a"].mean_place == 2.0
    assert by_name["a"].mean_score == 10.0


def test_a_bot_in_two_seats_counts_in_both_and_not_against_itself() -> None:
    held = Tournament("memoarrrr", ("a", "b", "b"), 3, 1, 5, {})
    found = standings(held, [outcome(0, "abb", (2, 1, 3)), outcome(1, "bab", (2, 1, 2))])
    (pair,) = found.pairs
    assert (pair.a, pair.wins, pair.losses, pair.matches) == ("a", 3, 1, 4)
    by_name = {bot.name: bot for bot in found.bots}
    assert by_name["b"].matches == 4
    assert by_name["b"].win_share == 0.25
    assert pair.lead == pytest.approx(SCALE * np.log((3 + 1) / (1 + 1)))


@pytest.mark.parametrize(("deals", "known"), [(4, False), (5, True)])
def test_few_deals_have_no_interval(deals: int, known: bool) -> None:
    found = standings(*made_up({"a": 1.0, "b": 0.0}, 2, deals, 1))
    assert found.deals == deals
    intervals = [
        found.bots[0].low,
        found.bots[0].high,
        found.pairs[0].low,
        found.pairs[0].lead_high,
        found.seats[0].low,
    ]
    assert [value is not None for value in intervals] == [known] * 5


def test_the_same_tournament_has_the_same_standings() -> None:
    held, outcomes = made_up({"a": 1.0, "b": 0.0}, 2, 10, 1)
    assert standings(held, outcomes) == standings(held, outcomes)
    assert standings(replace(held, seed=2), outcomes).bots[0].low != standings(held, outcomes).bots[0].low


def test_deals_beyond_a_block_are_weighed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    held, outcomes = made_up({"a": 1.0, "b": 0.0}, 2, 50, 1)
    whole = standings(held, outcomes).bots[0]
    monkeypatch.setattr(resampling, "BLOCK", 7)
    parts = standings(held, outcomes).bots[0]
    assert (parts.low, parts.high) == (pytest.approx(whole.low, abs=15), pytest.approx(whole.high, abs=15))


def test_the_seat_that_wins_more_is_seen() -> None:
    outcomes = [
        outcome(number, "ab" if number % 2 else "ba", (1, 2) if number % 4 else (2, 1), deal=number // 2)
        for number in range(80)
    ]
    first, second = standings(tournament("ab", 2), outcomes).seats
    assert (first.win_share, second.win_share) == (0.75, 0.25)
    assert first.low is not None
    assert first.low > 0.6
    assert second.high == pytest.approx(1 - first.low)


def test_thinking_time_is_told_by_move() -> None:
    timed = [
        replace(outcome(0, "ab", (1, 2)), seconds=(6.0, 1.0), slowest=(2.0, 0.5), moves=(10, 10)),
        replace(outcome(1, "ba", (1, 2)), seconds=(1.0, 9.0), slowest=(0.1, 5.0), moves=(20, 5)),
        outcome(2, "ab", (1, 2)),  # without times
    ]
    by_name = {bot.name: bot for bot in standings(tournament("ab", 2), timed).bots}
    assert (by_name["a"].seconds_per_move, by_name["a"].slowest) == (1.0, 5.0)


def test_nothing_played_is_nothing_known() -> None:
    found = standings(tournament("ab", 2), [])
    assert [(bot.rating, bot.low, bot.win_share, bot.mean_score, bot.slowest) for bot in found.bots] == [
        (1500.0, None, None, None, None)
    ] * 2
    assert found.lengths.quantile(0.5) is None


def test_quantiles_of_a_distribution() -> None:
    values = Distribution.of([5, 1, 1, 1, 2, 3, 3, 9])
    assert values.counts == ((1, 3), (2, 1), (3, 2), (5, 1), (9, 1))
    assert [values.quantile(share) for share in (0, 0.25, 0.5, 0.75, 1)] == [1, 1, 2, 3, 9]
    assert values.mean == 25 / 8
