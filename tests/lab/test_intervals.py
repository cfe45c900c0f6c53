"""Intervals hold the truth as often as they say, where the truth is known."""

from collections.abc import Callable
from math import comb
from types import SimpleNamespace

import numpy as np
import pytest

from samovar.lab.intervals import FEWEST, Interval, Sums, beyond_noise, doubt, jackknife, mean_of, rate_of, student
from samovar.lab.portrait import _careful, _odds, _ratio, hidden, luck
from samovar.lab.run import Meeting

TIMES = 2000
DEALS = 100
Draw = Callable[[np.random.Generator], Interval | None]


def held(truth: float, draw: Draw, times: int = TIMES) -> float:
    """How often."""
    chance = np.random.default_rng(7)
    found = [draw(chance) for _ in range(times)]
    assert all(found)
    return sum(each.holds(truth) for each in found if each) / times


@pytest.mark.parametrize(
    ("freedom", "known"), [(4, 2.776), (5, 2.571), (10, 2.228), (30, 2.042), (100, 1.984), (10**6, 1.960)]
)
def test_students_quantiles_are_those_of_the_tables(freedom: int, known: float) -> None:
    assert student(freedom) == pytest.approx(known, abs=0.01 if freedom == 4 else 0.004)


@pytest.mark.parametrize(("freedom", "at"), [(30, 2.750), (10, 3.169), (5, 4.032)])
def test_the_doubt_is_that_of_students_tables(freedom: int, at: float) -> None:
    """Where it is 1 %."""
    margin = student(freedom)  # of a standard error of 1
    assert doubt(Interval(at, at - margin, at + margin, freedom + 1)) == pytest.approx(0.01, rel=0.1)


@pytest.mark.parametrize("size", [FEWEST, 20])
def test_means_of_normal_figures(size: int) -> None:
    assert 0.93 <= held(3.0, lambda chance: mean_of(chance.normal(3, 2, size))) <= 0.97


def test_means_of_lopsided_figures() -> None:
    """Lengths of matches that end by chance."""
    assert 0.93 <= held(10.0, lambda chance: mean_of(chance.geometric(0.1, 200))) <= 0.97


def test_a_mean_of_too_few_is_not_told() -> None:
    assert mean_of([1.0] * (FEWEST - 1)) is None
    assert rate_of(0.5, FEWEST - 1) is None
    assert jackknife([np.ones(1)] * (FEWEST - 1), lambda sums: 0.0) is None
    assert mean_of([1.0] * FEWEST) == Interval(1, 1, 1, FEWEST)


def rate_held(truth: float, size: int) -> float:
    """Of all that can come out, by how likely it is."""
    return sum(
        comb(size, k) * truth**k * (1 - truth) ** (size - k)
        for k in range(size + 1)
        if (found := rate_of(k / size, size)) and found.holds(truth)
    )


@pytest.mark.parametrize("size", [20, 100, 900])
@pytest.mark.parametrize("truth", [0.0, 0.5, 1.0])
def test_rates(truth: float, size: int) -> None:
    assert rate_held(truth, size) >= 0.93
    assert 0.93 <= rate_held(0.5, size) <= 0.97


@pytest.mark.parametrize("often", [2, 5, 10])
@pytest.mark.parametrize("size", [100, 900])
def test_rates_near_0_and_1(often: int, size: int) -> None:
    """What is so a few times among them all. A rate jumps from one number to the next, and the bound with it, so
    what counts is the neighbourhood."""
    near = [rate_held(often * factor / size, size) for factor in np.linspace(0.8, 1.25, 12)]
    assert np.mean(near) >= 0.94
    assert rate_held(1 - often / size, size) == pytest.approx(rate_held(often / size, size))


def test_rates_with_halves_are_rather_too_wide() -> None:
    """A shared win counts by half, and a share of matches lies between 0 and 1."""
    shares = (0.0, 0.5, 1.0)

    def draw(chance: np.random.Generator) -> Interval | None:
        return rate_of(float(chance.choice(shares, size=100, p=[0.3, 0.2, 0.5]).mean()), 100)

    assert held(0.6, draw) >= 0.95


def test_paired_differences_hold_the_truth_and_are_narrow() -> None:
    """Two variants with the same deals: what the deals have in common is gone."""

    def paired(chance: np.random.Generator) -> Interval | None:
        deals = chance.normal(0, 10, 30)
        one, other = (np.array([deals + chance.normal(shift, 1, 30)]).T for shift in (0, 0.5))
        sums = Sums(1)
        sums.add(other - one)
        return sums.mean(0)

    assert 0.93 <= held(0.5, paired) <= 0.97
    found = paired(np.random.default_rng(1))
    assert found is not None
    assert found.margin < 1  # unpaired it would be about 5


def test_what_is_not_a_number_is_left_out() -> None:
    sums = Sums(2)
    sums.add(np.array([[1.0, np.nan]] * 4 + [[3.0, 2.0]] * 6))
    found = sums.mean(0), sums.mean(1)
    assert [(each.value, each.size) for each in found if each] == [(2.2, 10), (2.0, 6)]


def groups_of(wins: np.ndarray) -> list[np.ndarray]:
    """The sums of each deal in which the first seat won so, by match."""
    shares = np.stack([wins, 1 - wins], axis=2).astype(float)
    means = shares.mean(axis=1)
    return list(np.stack([means.sum(1), (means**2).sum(1), (shares**2).mean(1).sum(1), np.full(len(wins), 2)], axis=1))


@pytest.mark.parametrize(("part", "deals"), [(0.0, 60), (0.5, 60), (0.8, 60), (0.9, 100), (0.97, 10)])
def test_what_the_deal_decides(part: float, deals: int) -> None:
    """With this chance a match goes as its deal says, else as a coin does: results of two matches of a deal then
    have so much in common, squared. Where that is nearly all, the interval is rather too wide."""

    def draw(chance: np.random.Generator) -> Interval | None:
        as_dealt = chance.random((deals, 2)) < part
        wins = np.where(as_dealt, chance.random((deals, 1)) < 0.5, chance.random((deals, 2)) < 0.5)
        return _careful(groups_of(wins), 2)

    assert 0.93 <= held(part**2, draw, 1000) <= (0.975 if part < 0.9 else 1)


def test_what_the_deal_decides_is_told_from_matches() -> None:
    wins = np.random.default_rng(4).random((DEALS, 2)) < 0.5
    traces = [
        SimpleNamespace(deal=deal, shares=(float(won), float(not won))) for deal in range(DEALS) for won in wins[deal]
    ]
    (figure,) = luck(SimpleNamespace(traces=traces), "easy")  # type: ignore[arg-type]
    assert figure.interval == _careful(groups_of(wins), 2)


def test_what_is_hidden_decides() -> None:
    """A ratio of means, both of which differ from deal to deal."""

    def draw(chance: np.random.Generator) -> Interval | None:
        between = chance.gamma(2, 0.03, 40)
        within = chance.gamma(2, 0.07, 40)
        return jackknife(list(np.stack([between, within], axis=1)), lambda sums: _ratio(sums[0], sums[0] + sums[1]))

    assert 0.93 <= held(0.3, draw) <= 0.97


def test_what_is_hidden_is_told_by_deal() -> None:
    """The matches of a deal count as one: twice the same is not twice as sure."""
    chance = np.random.default_rng(3)
    rows = [tuple((chance.gamma(2, 0.03), chance.gamma(2, 0.07)) for _ in range(4)) for _ in range(10)]
    once, twice = (
        hidden(SimpleNamespace(traces=[SimpleNamespace(deal=d, hidden=row) for d, row in enumerate(rows)] * n), "")  # type: ignore[arg-type]
        for n in (1, 2)
    )
    assert [each.key for each in once] == ["hidden_0", *(f"{k}_{n}" for n in (1, 2, 3) for k in ("hidden", "open"))]
    for one, two in zip(once, twice, strict=True):
        assert one.interval
        assert two.interval
        assert two.interval.margin == pytest.approx(one.interval.margin)


def test_steps_of_skill() -> None:
    """One step wins 65 %."""

    def draw(chance: np.random.Generator) -> Interval:
        met = [won if wins else lost for wins in chance.random(DEALS) < 0.65]
        value, error = _odds(met)
        return Interval(value, value - 1.96 * error, value + 1.96 * error, DEALS)

    won, lost = (Meeting(0, 0, share, 1) for share in (1.0, 0.0))
    assert 0.93 <= held(1.0, draw) <= 0.97


# What is beyond noise


def differences(chance: np.random.Generator, truth: list[float], size: int) -> list[Interval]:
    sums = Sums(len(truth))
    sums.add(chance.normal(truth, 1, (size, len(truth))))
    return [found for column in range(len(truth)) if (found := sums.mean(column))]


@pytest.mark.parametrize("size", [8, 100])
def test_noise_is_hardly_ever_marked(size: int) -> None:
    """Thirty figures that do not differ, few deals or many: one study in twenty has a mark."""
    chance = np.random.default_rng(5)
    studies = 1000
    marked = sum(any(beyond_noise(differences(chance, [0.0] * 30, size))) for _ in range(studies))
    assert 0.02 <= marked / studies <= 0.075


def test_a_clear_difference_is_marked_and_only_that() -> None:
    chance = np.random.default_rng(6)
    for _ in range(20):
        marks = beyond_noise(differences(chance, [*[0.0] * 10, 1.5, *[0.0] * 19], 100))
        assert marks[10]
    assert sum(marks) == 1


def test_the_surest_is_tested_against_all_and_the_next_against_one_less() -> None:
    """Holm's way: with two, 5 % is enough for the second if the first has passed at 2.5 %."""

    def at(z: float) -> Interval:
        return Interval(z, z - 1.96, z + 1.96, 10**6)

    assert beyond_noise([at(2.1), at(2.5)]) == [True, True]
    assert beyond_noise([at(2.1), at(2.2)]) == [False, False]
    assert beyond_noise([at(2.1)]) == [True]
    assert beyond_noise([]) == []


def test_what_is_always_the_same_is_marked_once_there_is_enough_of_it() -> None:
    """Five deals in which something differed alike are no proof beside thirty other figures."""
    noise = [Interval(0, -1, 1, 100)] * 29
    assert beyond_noise([Interval(1, 1, 1, 5), *noise])[0] is False
    assert beyond_noise([Interval(1, 1, 1, 12), *noise])[0] is True
    assert beyond_noise([Interval(0, 0, 0, 100), *noise])[0] is False
