"""Random matches by the thousand: the same everywhere, and the same deals for all variants."""

import os
import subprocess
import sys

import numpy as np
import pytest

import samovar
from samovar.engine.ways.backend import backend
from samovar.engine.ways.stand_ins import POINTS
from samovar.lab import counted
from samovar.lab.compare import differences
from samovar.lab.counted import Counting
from samovar.lab.measures import measures
from samovar.lab.order import make_order
from samovar.lab.run import DONE, Findings, Study
from support.known_games import STONES_GAME, TOSSES
from support.processes import TESTS

LONGER = ("babuschka", "matryoshka", "varvitikud")  # to compile
GAMES = ("connect_four", "memoarrrr", *(pytest.param(name, marks=pytest.mark.slow) for name in LONGER))


def everything(counting: Counting) -> list[object]:
    return [
        (found.matches, found.lengths, found.points, *(part.tolist() for part in vars(found.sums).values()))
        for found in counting.found
    ] + [[part.tolist() for part in vars(sums).values()] for sums in counting.differences]


def count(*variants: dict, matches: int = 1000, seed: int = 1, **how: object) -> Counting:
    counting = Counting(STONES_GAME, 2, [*variants], seed, plain=True, **how)  # type: ignore[arg-type]
    list(counting.run(matches))
    return counting


ONE, OTHER = {"bonus": 0, "first": 0}, {"bonus": 2, "first": 0}


def test_threads_and_portions_change_nothing_and_the_seed_does(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {}
    for threads, portion in ((1, 1000), (1, 64), (2, 64)):
        monkeypatch.setenv("SAMOVAR_THREADS", str(threads))
        monkeypatch.setitem(counted.PORTION, "cpu", portion)
        found[threads, portion] = everything(count(ONE, OTHER))
    assert found[1, 64] == found[2, 64]
    for one, other in zip(found[1, 1000], found[1, 64], strict=True):
        assert one[:3] == other[:3]  # type: ignore[index]
        assert np.allclose([*one[3:]], [*other[3:]])  # type: ignore[index]
    assert everything(count(ONE, OTHER, seed=2)) != everything(count(ONE, OTHER))


def test_it_is_told_after_each_portion_how_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMOVAR_THREADS", "2")
    monkeypatch.setitem(counted.PORTION, "cpu", 30)
    counting = Counting(STONES_GAME, 2, [ONE], 1, plain=True)
    assert [*counting.run(100)] == [60, 100]


@pytest.mark.parametrize("game_id", GAMES)
def test_plain_and_compiled_write_the_same_rows(game_id: str) -> None:
    game = samovar.find_game(game_id)
    order = make_order(game)
    setup, size = game.setup(order.seats, order.variants[0]), 6
    found = []
    for plain in (True, False):
        rows = np.zeros((size, POINTS + 2 * order.seats), np.int32)
        rows[:, 0] = [*[1000] * (size - 1), 7]  # the last is broken off
        seeds = np.arange(50, 50 + size)
        backend(game, plain).tally(np.zeros(size, game.state), setup, seeds, rows)
        found.append(rows.tolist())
    assert found[0] == found[1]
    assert len({tuple(row) for row in found[0]}) == size, "they are not all alike"
    assert found[0][-1][0] == 7


def test_match_k_of_all_variants_has_the_same_deal() -> None:
    """Who begins is dealt, and the same in both: so what only depends on it does not differ."""
    variants = [dict(make_order(TOSSES, options={"first": None}).variants[0]) for _ in range(2)]
    counting = Counting(TOSSES, 2, variants, 1, plain=True)
    list(counting.run(200))
    assert counting.found[0].points == counting.found[1].points
    assert not counting.differences[1].sums.any()
    assert not counting.differences[1].squares.any()


def test_a_variant_does_not_differ_from_itself() -> None:
    assert findings(ONE, ONE) == []


def findings(*variants: dict) -> list:
    counting = count(*variants)
    studies = [
        Study(options, found, sums)
        for options, found, sums in zip(variants, counting.found, counting.differences, strict=True)
    ]
    return differences(Findings(make_order(STONES_GAME), studies, DONE, 1.0))


def test_a_rule_that_does_something_is_marked() -> None:
    """Two stones more, and they belong to who begins."""
    found = {difference.measure.key: difference for difference in findings(ONE, OTHER)}
    assert found["win_1"].is_sure
    assert found["win_1"].interval.low > 0.1
    assert found["win_1"].interval.value == pytest.approx(found["win_1"].here - found["win_1"].first)
    assert found["points"].interval.value == 1
    assert found["points"].is_sure
    assert "moves" not in found, "as many stones are taken, by the same chance"


def test_pairs_make_differences_sure() -> None:
    """The same matches of the same chance, but for the bonus: narrower than two studies that have nothing in common."""
    counting = count(ONE, OTHER)
    column = [measure.key for measure in measures(2)].index("ahead")
    paired = counting.differences[1].mean(column)
    apart = [found.sums.mean(column) for found in counting.found]
    assert paired
    assert all(apart)
    assert paired.margin < 0.8 * sum(each.margin**2 for each in apart if each) ** 0.5


SIMULATED = """
from support.known_games import STONES_GAME
from samovar.lab.counted import Counting
found = []
for device in ("cpu", "cuda"):
    variants = [{"bonus": bonus, "first": None} for bonus in (0, 2)]
    counting = Counting(STONES_GAME, 2, variants, 1, device, plain=True)
    list(counting.run(20))
    found.append([[each.lengths, each.points, each.sums.sums.tolist()] for each in counting.found])
print("alike" if found[0] == found[1] else found)
"""


@pytest.mark.slow
def test_a_simulated_gpu_counts_alike() -> None:
    path = os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": path, "NUMBA_ENABLE_CUDASIM": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", SIMULATED], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert ran.stdout == "alike\n", ran.stderr
