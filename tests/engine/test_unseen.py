"""What a seat cannot see is dealt anew: every way to deal it is equally likely, counted out."""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import factorial, prod

import numpy as np
import pytest

from samovar.engine.arrays import as_memory
from samovar.engine.chance import below, seed_rng
from samovar.engine.rule import Compiler, rule, table
from samovar.engine.unseen import UNSEEN, deal_unseen


class Script:
    """A generator that goes through all that chance can do, one way after the other."""

    def __init__(self, choices: tuple[int, ...]) -> None:
        self.choices, self.chance = list(choices), Fraction(1)
        self.made: list[tuple[int, int]] = []

    def draw(self, n: int) -> int:
        chosen = self.choices[len(self.made)] if len(self.made) < len(self.choices) else 0
        self.made.append((chosen, n))
        self.chance /= n
        return chosen


@rule
def below_by_script(script: Script, n: int) -> int:
    return script.draw(n)


def every_way(deal: Callable[[Script], tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """What is dealt in each way that chance can go, and how likely that way is."""
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        script = Script(waiting.pop())
        yield deal(script), script.chance
        done = [choice for choice, _ in script.made]
        for depth in range(len(script.choices), len(script.made)):
            waiting += [(*done[:depth], other) for other in range(1, script.made[depth][1])]


@pytest.mark.parametrize(
    ("row", "copies"),
    [
        ([UNSEEN, UNSEEN, UNSEEN], [1, 1, 1]),
        ([2, UNSEEN, UNSEEN, 0, UNSEEN, UNSEEN], [2, 1, 2, 1]),  # two of some, one of each in sight
        ([-1, UNSEEN, UNSEEN, -1, UNSEEN], [0, 2, 1]),  # places without a card stay so
        ([0, 1], [1, 1]),  # nothing is hidden
    ],
)
def test_every_way_to_deal_is_equally_likely(row: list[int], copies: list[int]) -> None:
    dealt_by = Compiler(lambda copied: copied, {below: below_by_script}, tables_as_arrays=False).copy(deal_unseen)

    def deal(script: Script) -> tuple[int, ...]:
        array = np.array(row, np.int8)
        dealt_by(script, as_memory(array), table(copies))
        return tuple(array.tolist())

    chances: Counter[tuple[int, ...]] = Counter()
    for dealt, chance in every_way(deal):
        chances[dealt] += chance  # type: ignore[assignment]
    missing = [count - row.count(number) for number, count in enumerate(copies)]
    ways = factorial(sum(missing)) // prod(map(factorial, missing))
    assert set(chances.values()) == {Fraction(1, ways)}
    assert len(chances) == ways
    for dealt in chances:
        assert [dealt.count(number) for number in range(len(copies))] == copies
        assert all(new == old for new, old in zip(dealt, row, strict=True) if old != UNSEEN)


@pytest.mark.slow
def test_compiled_it_deals_the_same() -> None:
    import numba

    copies = table([3, 1, 2, 4])
    compiled = Compiler(numba.njit, {}).compile(deal_unseen)
    for seed in range(20):
        rows = np.full((2, 10), UNSEEN, np.int8)
        rows[:, 4] = 2
        generators = np.zeros((2, 4), np.int64)
        for rng in generators:
            seed_rng(as_memory(rng), seed, 0, 0)
        deal_unseen(as_memory(generators[0]), as_memory(rows[0]), copies)
        compiled(generators[1], rows[1], np.asarray(copies))
        assert rows[0].tolist() == rows[1].tolist()
        assert sorted(rows[0].tolist()) == [0, 0, 0, 1, 2, 2, 3, 3, 3, 3]


def test_too_few_places_are_filled_and_nothing_else_is_written() -> None:
    """A mistake of a game: its `faults` find it."""
    array = np.array([UNSEEN, 1, 5, 5], np.int8)
    rng = np.zeros(4, np.int64)
    seed_rng(as_memory(rng), 1, 0, 0)
    deal_unseen(as_memory(rng), as_memory(array)[:2], table([2, 2]))
    assert array.tolist()[1:] == [1, 5, 5]
    assert array[0] in (0, 1)
