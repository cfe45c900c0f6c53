"""Plots of reports that are one page: scales, histograms and curves, as `plots.html` draws them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import NamedTuple

MOST_BARS = 24  # of a histogram
MOST_TICKS = 5


class Scale:
    """Values from left to right, with ticks at round numbers."""

    def __init__(self, values: Sequence[float], least_step: float = 0.01) -> None:
        low, high = min(values), max(values)
        step = max(least_step, round_step((high - low) / MOST_TICKS))
        first, last = floor(low / step), ceil(high / step)
        self.ticks = [number * step for number in range(first, max(last, first + 1) + 1)]

    def at(self, value: float) -> str:
        """Where a value is, in per cent of the width."""
        return f"{5 + 90 * self._share(value):.2f}%"

    def between(self, low: float, high: float) -> str:
        """How far apart two values are."""
        return f"{90 * (self._share(high) - self._share(low)):.2f}%"

    def _share(self, value: float) -> float:
        return (value - self.ticks[0]) / (self.ticks[-1] - self.ticks[0])


def round_step(least: float) -> float:
    """The least of 1, 2, 5, 10, 20 ..., also of their tenths and so on, that is not below."""
    power = 10.0 ** floor(log10(least)) if least > 0 else 1.0
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least)


@dataclass(frozen=True)
class Distribution:
    counts: tuple[tuple[int, int], ...]  # (value, how often), ascending

    @classmethod
    def of(cls, values: Iterable[int]) -> Distribution:
        return cls(tuple(sorted(Counter(values).items())))

    @property
    def size(self) -> int:
        return sum(count for _, count in self.counts)

    @property
    def mean(self) -> float | None:
        return sum(value * count for value, count in self.counts) / self.size if self.size else None

    def quantile(self, share: float) -> int | None:
        """The least value that at least this share of all does not exceed; None when there is no
        value."""
        left = max(1, ceil(share * self.size))
        for value, count in self.counts:
            left -= count
            if left <= 0:
                return value
        return None


class Histogram(NamedTuple):
    """Of whole numbers; positions are texts as in SVG."""

    title: str
    said: str  # in words
    bars: list[tuple[str, str, str, str]]  # x, y, width, height
    median: str
    first: int
    last: int


def histogram(title: str, values: Distribution, all_values: Sequence[int]) -> Histogram:
    """On a scale that has room for `all_values`."""
    step = max(1, int(round_step((max(all_values) - min(all_values) + 1) / MOST_BARS)))
    first, last = min(all_values) // step, max(all_values) // step
    heights = [0] * (last - first + 1)
    for value, times in values.counts:
        heights[value // step - first] += times
    width, unit = 100 / len(heights), 80 / max(heights)
    bars = [
        (f"{(bar + 0.05) * width:.2f}%", f"{88 - unit * height:.1f}", f"{0.9 * width:.2f}%", f"{unit * height:.1f}")
        for bar, height in enumerate(heights)
    ]
    least, quarter, half, three, most = (values.quantile(share) for share in (0, 0.25, 0.5, 0.75, 1))
    said = f"from {least} to {most}, half of them from {quarter} to {three}, median {half}"
    median = f"{((half or 0) / step - first + 0.5 / step) * width:.2f}%"
    return Histogram(title, said, bars, median, first * step, last * step + step - 1)


def curve(shares: Iterable[float], step: float) -> str:
    """As SVG has it, in parts of a hundred: "x,y x,y"."""
    return " ".join(f"{number * step:.2f},{100 - 100 * share:.2f}" for number, share in enumerate(shares))
