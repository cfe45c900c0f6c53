"""Figures and how sure they are: 95 % intervals of means, shares and differences, from sums that can be added
in any order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from samovar.engine.arrays import Floats

SURE = 0.95
NORMAL = NormalDist().inv_cdf((1 + SURE) / 2)  # standard errors that a normal figure stays within, so often
FEWEST = 5  # fewer say too little for an interval


@dataclass(frozen=True)
class Interval:
    """A figure, between which bounds it is with 95 % confidence, and of how many matches (or deals)."""

    value: float
    low: float
    high: float
    size: int

    @property
    def margin(self) -> float:
        return (self.high - self.low) / 2

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def times(self, factor: float) -> Interval:
        return Interval(self.value * factor, self.low * factor, self.high * factor, self.size)


def student(freedom: int) -> float:
    """`NORMAL` where the error itself is known from few: Student's t, by its series in 1/freedom, right to
    a hundredth from 4 on."""
    z = NORMAL
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return math.fsum(term / freedom**power for power, term in enumerate(terms))


def mean_of(values: Sequence[float] | Floats) -> Interval | None:
    """The mean of independent figures; None: too few."""
    sums = Sums(1)
    sums.add(np.asarray(values, float)[:, None])
    return sums.mean(0)


def rate_of(share: float, size: float) -> Interval | None:
    """How often something is so (Wilson's interval, which is right for rare things too); also of figures
    from 0 to 1, for which it is a little wide."""
    if size < FEWEST:
        return None
    z = NORMAL
    middle = (share + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * math.sqrt(max(share * (1 - share) / size + z * z / (4 * size * size), 0.0))
    return Interval(share, max(middle - half, 0.0), min(middle + half, 1.0), int(size))


class Sums:
    """Of columns of figures, a row each; what is not a number is left out."""

    def __init__(self, columns: int) -> None:
        self.sizes = np.zeros(columns, np.int64)
        self.sums = np.zeros(columns)
        self.squares = np.zeros(columns)

    def add(self, rows: Floats) -> None:
        told = np.isfinite(rows)
        filled = np.where(told, rows, 0.0)
        self.sizes += told.sum(axis=0)
        self.sums += filled.sum(axis=0)
        self.squares += (filled * filled).sum(axis=0)

    def mean(self, column: int) -> Interval | None:
        size = int(self.sizes[column])
        if size < FEWEST:
            return None
        mean = float(self.sums[column]) / size
        variance = max(float(self.squares[column]) - size * mean * mean, 0.0) / (size - 1)
        half = student(size - 1) * math.sqrt(variance / size)
        return Interval(mean, mean - half, mean + half, size)

    def rate(self, column: int) -> Interval | None:
        size = int(self.sizes[column])
        return rate_of(float(self.sums[column]) / size, size) if size else None


def jackknife(groups: Sequence[Floats], figure: Callable[[Floats], Floats]) -> Interval | None:
    """A figure that is no mean, of independent groups that are given as sums that can be added: what it would
    be without each of them tells how sure it is. `figure` is asked for many sums at once, in the first axis."""
    if len(groups) < FEWEST:
        return None
    rows = np.array(groups, float)
    total = rows.sum(axis=0)
    size = len(rows)
    value = float(figure(total[None])[0])
    without = figure(total - rows)
    error = math.sqrt((size - 1) / size * float(((without - without.mean()) ** 2).sum()))
    half = student(size - 1) * error
    return Interval(value, value - half, value + half, size)


def doubt(found: Interval) -> float:
    """How often a mean of nothing but noise would be so far from 0. Where all figures are the same, as often as so
    many coins fall alike: that they never differ is not known from a few."""
    if found.margin == 0:
        return 2.0 ** (1 - found.size) if found.value else 1.0
    freedom = found.size - 1
    t = found.value / found.margin * student(freedom)
    # Student's t as a normal figure that is as rare (Wallace): few matches tell little of the error itself
    z = (8 * freedom + 1) / (8 * freedom + 3) * math.sqrt(freedom * math.log1p(t * t / freedom))
    return math.erfc(z / math.sqrt(2))


def beyond_noise(found: Sequence[Interval]) -> list[bool]:
    """Which differences are more than noise, when all are looked at at once: Holm's way, the surest first, each
    against as many as are left."""
    doubts = [doubt(each) for each in found]
    order = sorted(range(len(found)), key=lambda k: doubts[k])
    marked = [False] * len(found)
    for place, k in enumerate(order):
        if doubts[k] > (1 - SURE) / (len(found) - place):
            break
        marked[k] = True
    return marked
