"""Every figure of the lab in a game where it is known without measuring."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from math import sqrt

import numpy as np
import pytest

from samovar.arena.outcome import Outcome
from samovar.engine.contract import Game, Value
from samovar.lab import traced
from samovar.lab.compare import differences
from samovar.lab.counted import Counting
from samovar.lab.intervals import Interval
from samovar.lab.measures import measures, shown_measures
from samovar.lab.order import make_order
from samovar.lab.portrait import NEVER, endings, extremes, happenings, portrait, skill, unused
from samovar.lab.run import DONE, Findings, Study, meeting
from samovar.lab.traced import Trace, trace
from support import known_games
from support.known_games import ECHO, HEAD_START, STONES_GAME, STUCK, TOSSES, play, play_by_chance, seed_of

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_known_games")]

KEYS = [measure.key for measure in (*measures(2), *shown_measures())]


@pytest.fixture
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests in which nobody needs to think."""
    monkeypatch.setattr(traced, "_chances", lambda at, seed: (0.5, 0.5))
    monkeypatch.setattr(traced, "_near", lambda turns, seed: np.nan)


def study_of(game: Game, matches: int = 0, **options: Value) -> Study:
    """So many random matches."""
    order = make_order(game, options=options)
    counting = Counting(game, 2, [*order.variants], seed=1, plain=True)
    list(counting.run(matches))
    return Study(order.variants[0], counting.found[0], counting.differences[0])


def figures(game: Game, study: Study) -> dict[str, Interval]:
    """Those that there are."""
    found = portrait(Findings(make_order(game, players=["easy"]), [study], DONE, 1.0))
    return {figure.key: figure.interval for figure in found if figure.interval}


def looked_at(game: Game, deals: int, **options: Value) -> dict[str, Interval]:
    return figures(game, traced_study(game, deals, **options))


def traced_study(game: Game, deals: int, **options: Value) -> Study:
    """Two matches of each deal, by chance."""
    begun = game.id, *options.items()
    if begun not in _traced:
        _traced[begun] = traces_by_chance(game, **options), []
    more, known = _traced[begun]
    known += islice(more, max(0, 2 * deals - len(known)))
    study = study_of(game, **options)
    study.traces += known[: 2 * deals]
    return study


# Of matches that several tests look at, as far as they were asked for; nobody thinks in them.
_traced: dict[tuple[object, ...], tuple[Iterator[Trace], list[Trace]]] = {}


def traces_by_chance(game: Game, **options: Value) -> Iterator[Trace]:
    draw = np.random.default_rng(3)
    for number in count():
        yield trace(play_by_chance(game, number // 2, draw, **options).record(), number, number // 2, 0, 0)


def traced_line(game: Game, coins: tuple[int, ...]) -> tuple[dict[str, float], Trace]:
    found = trace(play(game, seed_of(coins)).record(), 0, 0, 0, 1)
    return dict(zip(KEYS, found.figures.tolist(), strict=True)), found


# All is luck


@pytest.mark.usefixtures("_hasty")
def test_coins_that_nobody_sees_decide_all() -> None:
    found = looked_at(TOSSES, 40)
    for key in ("deal", *(f"hidden_{k}" for k in range(4))):
        assert found[key].value == pytest.approx(1), key
    assert 0.8 < found["deal"].low < 1, "forty deals do not prove that there are no others"


@pytest.mark.usefixtures("_hasty")
def test_as_coins_turn_up_less_is_open() -> None:
    """The variance of who wins after 1, 2 and 3 of 5 coins beside that before them all."""
    found = looked_at(TOSSES, 60)
    for key, known in (("open_1", 0.859), ("open_2", 0.719), ("open_3", 0.5625)):
        assert found[key].holds(known), key
        assert found[key].margin < 0.2, key


def test_nobody_is_better_at_tossing_coins() -> None:
    """Who has the right side of the coins in one match has the wrong one in the other."""
    study = study_of(TOSSES)
    for pair in (("random", "easy"), ("easy", "medium")):
        study.meetings[pair] = [
            meeting(
                [outcome(deal, bots, play(TOSSES, deal).places) for bots in (pair, pair[::-1])], pair[1], pair[0], 0
            )
            for deal in range(40)
        ]
    easy, medium, steps = skill(study)
    for figure in (easy, medium):
        assert figure.interval
        assert figure.interval.value == 0.5
    assert steps.interval
    assert steps.interval.value == 0
    assert steps.interval.margin < 0.6


def outcome(deal: int, bots: tuple[str, ...], places: tuple[int, ...]) -> Outcome:
    return Outcome(number=0, deal=deal, bots=bots, scores=(0, 0), places=places, length=5)


def test_who_always_wins_is_many_steps_above() -> None:
    study = study_of(TOSSES)
    study.meetings["random", "easy"] = [
        meeting(
            [outcome(deal, ("random", "easy"), (2, 1)), outcome(deal, ("easy", "random"), (1, 2))], "easy", "random", 0
        )
        for deal in range(20)
    ]
    share, steps = (figure.interval for figure in skill(study))
    assert share
    assert steps
    assert share.value == 1
    assert share.low > 0.8
    assert steps.value > 5


# Who begins


def test_who_begins_wins_a_head_start() -> None:
    found = figures(HEAD_START, study_of(HEAD_START, 1000))
    assert found["begins"].value == 1
    assert found["begins"].low > 0.99
    assert found["win_1"].holds(0.5)
    assert found["win_1"].margin < 0.04


def test_what_the_first_move_decides_is_decided_early() -> None:
    """Also by thought: the winner's chance is never in doubt."""
    study = study_of(HEAD_START)
    study.traces += [trace(play(HEAD_START, deal).record(), deal, deal, 0, 0) for deal in range(5)]
    found = figures(HEAD_START, study)
    assert (found["decided"].value, found["comebacks"].value, found["leads"].value, found["behind"].value) == (0,) * 4
    assert found["lowest"].value > 0.95


# Nothing hidden, nothing dealt


@pytest.mark.usefixtures("_hasty")
def test_where_nothing_is_hidden_or_dealt_all_is_play() -> None:
    found = looked_at(ECHO, 60, first=0)
    assert found["deal"].holds(0)
    assert found["deal"].high < 0.4
    for k in range(4):
        assert found[f"hidden_{k}"].holds(0)
        assert found[f"hidden_{k}"].margin < 0.05


@pytest.mark.usefixtures("_hasty")
def test_a_rule_that_takes_all_luck_away_is_marked() -> None:
    """Coins before, and after that a game of play alone; what differs in length and nothing else is not luck."""
    coins, play_alone = traced_study(TOSSES, 40, first=0), traced_study(ECHO, 40, first=0)
    order = make_order(TOSSES, players=["easy"])
    found = {each.measure.key: each for each in differences(Findings(order, [coins, play_alone], DONE, 1.0))}
    for key in ("deal", *(f"hidden_{k}" for k in range(4))):
        assert found[key].is_sure, key
        assert found[key].interval.holds(-1), key
        assert found[key].interval.margin < 0.6, key
        assert found[key].first == pytest.approx(1), key
    again = differences(Findings(order, [coins, traced_study(TOSSES, 40, first=1)], DONE, 1.0))
    luck = [each for each in again if each.measure.key.startswith(("deal", "hidden", "open"))]
    assert luck
    assert not any(each.is_sure for each in luck)


# All matches of a game


def lines(left: int, points: tuple[int, int], seat: int, counts: tuple[int, ...]) -> Iterator[tuple[float, list]]:
    """How likely each match of Stones is, and its points and how many moves there were at each of its moves."""
    if left == 0:
        yield 1.0, [points, counts]
        return
    choices = min(3, left)
    for taken in range(1, choices + 1):
        own = points[seat] + taken
        then = (own, points[1]) if seat == 0 else (points[0], own)
        for chance, line in lines(left - taken, then, 1 - seat, (*counts, choices)):
            yield chance / choices, line


def known_of_stones() -> dict[str, float]:
    """Player 1 begins."""
    known = dict.fromkeys(KEYS[: len(measures(2))], 0.0)
    total = 0.0
    for chance, ((one, two), counts) in lines(known_games.STONES, (0, 0), 0, ()):
        total += chance
        first = 1.0 if one > two else 0.5 if one == two else 0.0
        for key, value in {
            "moves": len(counts),
            "turns": len(counts) / 2,
            "choices": sum(counts) / len(counts),
            "forced": counts.count(1) / len(counts),
            "win_1": first,
            "win_2": 1 - first,
            "begins": first,
            "ties": one == two,
            "points": 3,
            "best": max(one, two),
            "ahead": abs(one - two),
        }.items():
            known[key] += chance * value
    assert total == pytest.approx(1)
    return known


def test_random_matches_are_what_all_matches_say_they_are() -> None:
    study, known = study_of(STONES_GAME, 10_000, first=0), known_of_stones()
    assert 0.1 < known["ties"] < 0.5, "it is not a trivial game"
    assert known["win_1"] > 0.55
    for column, measure in enumerate(measures(2)):
        found = measure.interval(study.counted.sums, column)
        assert found is not None
        truth = known[measure.key]
        error = found.margin / 1.96
        assert abs(found.value - truth) <= 4 * error + 1e-12, measure.key  # eleven figures, and no luck with the seed
        assert found.margin <= 0.02 * max(truth, 1), measure.key


def test_lengths_and_points_are_counted_as_they_came() -> None:
    study = study_of(STONES_GAME, 2000, first=0)
    assert set(study.counted.lengths) == {2, 3, 4, 5, 6}
    assert study.counted.lengths.total() == study.counted.matches == 2000
    assert [points.total() for points in study.counted.points] == [2000, 2000]
    assert study.counted.points[0][3] == study.counted.points[1][3], "ties"


def test_a_match_that_is_looked_at_says_the_same_as_one_that_is_counted() -> None:
    match = play(STONES_GAME, 0, (1, 2, 0), first=0)  # 2 stones, 3, and the last
    found = dict(zip(KEYS, trace(match.record(), 0, 0, 0, 0).figures.tolist(), strict=True))
    told = {key: found[key] for key in KEYS[: len(measures(2))]}
    assert told == {"moves": 3, "turns": 1.5, "choices": 7 / 3, "forced": 1 / 3, "win_1": 0.5, "win_2": 0.5,
                    "begins": 0.5, "ties": 1, "points": 3, "best": 3, "ahead": 0, "endless": 0}  # fmt: skip
    assert np.isnan([found[key] for key in ("behind", "lowest", "comebacks", "decided")]).all(), "nobody won alone"


# One match


def test_a_comeback() -> None:
    """Player 2 needs the last three coins."""
    found, seen = traced_line(TOSSES, (0, 0, 1, 1, 1))
    assert (found["leads"], found["behind"], found["comebacks"], found["decided"]) == (1, 2, 1, 1)
    assert seen.places == (2, 1)
    assert seen.shares == (0, 1)
    assert_near(seen, [0.5, 5 / 16, 1 / 8, 1 / 4, 1 / 2, 1])
    assert found["lowest"] == min(chances[1] for chances in seen.chances)


def test_a_lead_that_lasts() -> None:
    """After two coins of three that are needed the chance is 7 in 8, and not before."""
    found, seen = traced_line(TOSSES, (1, 1, 1, 0, 0))
    assert (found["leads"], found["behind"], found["comebacks"], found["decided"]) == (0, 0, 0, 0.4)
    assert_near(seen, [0.5, 11 / 16, 7 / 8, 1, 1, 1])


def test_the_lead_changes_when_another_is_alone_ahead() -> None:
    """It goes 1-0, 1-1, 1-2, 2-2, 3-2; a tie is no change."""
    found, _ = traced_line(TOSSES, (0, 1, 1, 0, 0))
    assert (found["leads"], found["behind"]) == (2, 1)


def assert_near(seen: Trace, known: list[float]) -> None:
    """The chances of player 2, as far as a hundred simulations can tell."""
    for chances, truth in zip(seen.chances, known, strict=True):
        assert abs(chances[1] - truth) <= 4 * sqrt(truth * (1 - truth) / traced.SIMULATIONS)


# What is wrong with a game


def test_a_game_that_does_not_end() -> None:
    """Every second match of Stuck; who would win it is not told."""
    study = study_of(STUCK, 2000)
    found = figures(STUCK, study)
    assert found["endless"].holds(0.5)
    assert found["endless"].margin < 0.03
    assert found["moves"].holds(known_games.LONGEST - 0.5)
    over = study.counted.lengths[known_games.LONGEST - 1]
    assert found["ties"].size == found["win_1"].size == over < 2000


@pytest.mark.usefixtures("_hasty")
def test_a_kind_of_move_that_nobody_makes() -> None:
    study = study_of(TOSSES)
    for deal in range(NEVER // known_games.COINS):
        assert unused(study) == [], "too few turns yet"
        study.traces.append(trace(play(TOSSES, deal).record(), deal, deal, 0, 0))
    assert [(found.kind, found.turns) for found in unused(study)] == [("throw", NEVER)]
    study.traces.append(trace(play(TOSSES, 9, (0, 0, 1)).record(), 9, 9, 0, 0))
    assert unused(study) == []


@pytest.mark.usefixtures("_hasty")
def test_what_happens_and_how_it_ends() -> None:
    """A deal counts once, however many matches it had."""
    study = study_of(TOSSES)
    study.traces += [trace(play(TOSSES, n // 2).record(), n, n // 2, 0, 0) for n in range(10)]
    assert [(found.name, found.interval) for found in happenings(study)] == [
        ("moved", Interval(4, 4, 4, 5)),
        ("last", Interval(1, 1, 1, 5)),
    ]
    (end,) = endings(study)
    assert end.interval
    assert (end.name, end.interval.value, end.interval.size) == ("last", 1, 5)


@pytest.mark.usefixtures("_hasty")
def test_what_is_as_often_so_is_told_by_its_name() -> None:
    """Else the same seed would tell it in another order the next time: words have another order in each process."""
    study, names = study_of(TOSSES), [f"kind {n}" for n in range(9)]
    found = trace(play(TOSSES).record(), 0, 0, 0, 0)
    for some in (names[5:], names[:5][::-1]):
        study.traces.append(replace(found, ending=frozenset(some), legal=Counter(dict.fromkeys(some, NEVER))))
    assert [each.name for each in endings(study)] == [each.kind for each in unused(study)] == names


def test_matches_worth_looking_at() -> None:
    study = study_of(TOSSES)
    for number, coins in enumerate([(1, 1, 1, 1, 1), (0, 0, 1, 1, 1), (1, 0, 1, 1, 1)]):
        study.traces.append(trace(play(TOSSES, seed_of(coins)).record(), number, number, 0, 0))
    found = {extreme.title: extreme.trace.number for extreme in extremes(study)}
    assert found == {"The longest match": 0, "The shortest match": 0, "The closest match": 1,
                     "The greatest comeback": 1}  # fmt: skip
