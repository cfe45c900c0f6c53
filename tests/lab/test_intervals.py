"""Intervals hold the truth as often as they say, where the truth is known."""

from collections.abc import Callable
from math import comb
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from samovar.lab.compare import hidden_beside, luck_beside, skill_beside
from samovar.lab.intervals import FEWEST, Interval, Sums, beyond_noise, doubt, jackknife, mean_of, rate_of, student
from samovar.lab.portrait import HIDDEN, _careful, _odds, hidden, luck
from samovar.lab.run import Meeting, Study

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


@pytest.mark.parametrize(
    ("part", "deals"), [(0.0, 10), (0.0, 60), (0.5, 10), (0.5, 60), (0.8, 60), (0.9, 100), (0.97, 10)]
)
def test_what_the_deal_decides(part: float, deals: int) -> None:
    """With this chance a match goes as its deal says, else as a coin does: results of two matches of a deal then
    have so much in common, squared. Where that is nearly all, the interval is rather too wide."""

    def draw(chance: np.random.Generator) -> Interval | None:
        as_dealt = chance.random((deals, 2)) < part
        wins = np.where(as_dealt, chance.random((deals, 1)) < 0.5, chance.random((deals, 2)) < 0.5)
        return _careful(groups_of(wins), 2)

    assert 0.93 <= held(part**2, draw, 1000) <= (0.985 if part < 0.9 else 1)


def study_of(wins: np.ndarray) -> Study:
    """With matches that the first player won so, by deal."""
    found: Any = SimpleNamespace(
        traces=[
            SimpleNamespace(deal=deal, shares=(float(won), float(not won)))
            for deal, of_deal in enumerate(wins)
            for won in of_deal
        ]
    )
    return cast(Study, found)


def test_what_the_deal_decides_is_told_from_matches() -> None:
    wins = np.random.default_rng(4).random((DEALS, 2)) < 0.5
    (figure,) = luck(study_of(wins), "easy")
    assert figure.interval == _careful(groups_of(wins), 2)


def test_what_is_hidden_decides() -> None:
    """A ratio of means, both of which differ from deal to deal."""

    def draw(chance: np.random.Generator) -> Interval | None:
        groups = np.zeros((40, 1, 2))
        groups[:, 0] = chance.gamma(2, (0.03, 0.07), (40, 2))
        return jackknife(list(groups), HIDDEN["hidden_0"])

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


# Differences of what is no mean


@pytest.mark.slow
@pytest.mark.parametrize("deals", [8, 60])
@pytest.mark.parametrize("parts", [(0.0, 0.0), (0.5, 0.5), (0.5, 0.8), (0.0, 1.0)])
def test_what_the_deal_decides_more(parts: tuple[float, float], deals: int) -> None:
    """The same deals are played by two rules, which follow them so often: see `test_what_the_deal_decides`."""

    def draw(chance: np.random.Generator) -> Interval | None:
        as_dealt = chance.random((deals, 1)) < 0.5
        wins = [np.where(chance.random((deals, 2)) < part, as_dealt, chance.random((deals, 2)) < 0.5) for part in parts]
        found = luck_beside(study_of(wins[0]), study_of(wins[1]))
        return found and found.interval

    assert 0.92 <= held(parts[1] ** 2 - parts[0] ** 2, draw, 300) <= 0.985


def test_deals_that_decide_all_in_both_are_no_proof_that_they_always_do() -> None:
    wins = np.repeat(np.random.default_rng(2).random((10, 1)) < 0.5, 2, axis=1)
    found = luck_beside(study_of(wins), study_of(wins))
    assert found
    assert (found.first, found.here, found.interval.value) == (1, 1, 0)
    assert found.interval.margin > 0.2


def hidden_study(rows: np.ndarray) -> Study:
    """By deal and phase: the variance between worlds, and within one."""
    found: Any = SimpleNamespace(
        traces=[SimpleNamespace(deal=deal, hidden=tuple(map(tuple, row))) for deal, row in enumerate(rows)]
    )
    return cast(Study, found)


@pytest.mark.slow
def test_what_is_hidden_decides_more() -> None:
    """Deals with more or less to hide by either rule: what they have in common is no noise."""
    margins = []

    def draw(chance: np.random.Generator, key: str = "hidden_1") -> Interval | None:
        of_deal = chance.gamma(1, 1, (30, 1, 2))
        one, other = (of_deal * chance.gamma(8, np.array(scale) / 8, (30, 4, 2)) for scale in ((3, 7), (5, 5)))
        shuffled = chance.permutation(other)
        paired, apart = (hidden_beside(hidden_study(one), hidden_study(each))[key] for each in (other, shuffled))
        assert paired
        assert apart
        margins.append((paired.interval.margin, apart.interval.margin))
        return paired.interval

    assert 0.93 <= held(0.2, draw, 500) <= 0.97
    assert 0.93 <= held(0.0, lambda chance: draw(chance, "open_2"), 500) <= 0.975
    paired, apart = np.mean(margins, axis=0)
    assert paired < 0.9 * apart


def met_study(shares: np.ndarray) -> Study:
    """By deal and pair of neighbours."""
    found: Any = SimpleNamespace(
        meetings={
            pair: [Meeting(0, deal, float(share), 2) for deal, share in enumerate(column)]
            for pair, column in zip((("random", "easy"), ("easy", "medium")), shares.T, strict=False)
        }
    )
    return cast(Study, found)


@pytest.mark.slow
@pytest.mark.parametrize(("chances", "key"), [((0.5, 0.5), "steps"), ((0.65, 0.65), "steps"), ((0.5, 0.65), "steps"),
                                              ((0.5, 0.65), "skill_random_easy")])  # fmt: skip
@pytest.mark.parametrize("deals", [20, 100])
def test_skill_that_counts_more(deals: int, chances: tuple[float, float], key: str) -> None:
    """Four of five deals are won by both rules alike. There are two pairs, so twice as many steps as one has."""

    def draw(chance: np.random.Generator) -> Interval | None:
        luck, alike = chance.random((2, deals, 2))
        other = np.where(alike < 0.8, luck, chance.random((deals, 2)))
        studies = [met_study(own < wins) for own, wins in zip((luck, other), chances, strict=True)]
        found = skill_beside(*studies)[key]
        return found and found.interval

    odds = [np.log(wins / (1 - wins)) / np.log(0.65 / 0.35) for wins in chances]
    truth = 2 * (odds[1] - odds[0]) if key == "steps" else chances[1] - chances[0]
    most = 0.97 if key != "steps" else 0.985 if deals == 100 else 1  # of few deals steps are rather too wide
    assert 0.93 <= held(truth, draw, 500) <= most


def test_only_deals_and_pairs_that_both_have_are_compared() -> None:
    shares = np.random.default_rng(3).random((12, 2))
    less = met_study(shares[:9, :1])
    found = skill_beside(met_study(shares), less)
    assert [*found] == ["skill_random_easy"], "steps need all of the pairs"
    one = found["skill_random_easy"]
    assert one
    assert (one.first, one.interval.value, one.interval.size) == (pytest.approx(shares[:9, 0].mean()), 0, 9)


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
