"""What an author wants of a game, `first=50±1, length=40..60, skill>=3`: figures of the lab, and their bounds."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from samovar.errors import BadLab, did_you_mean
from samovar.lab.intervals import Interval

SKILL = "skill"
# By the word in an aim: the measure of a match. Shares are in percent.
FIGURES = {
    "first": "begins",
    "length": "moves",
    "ties": "ties",
    "points": "points",
    "best": "best",
    "ahead": "ahead",
    "choices": "choices",
    "turns": "turns",
}
BY_CHANCE_ALONE = ("choices", "turns")  # of bots' matches only what came of them is asked
NUMBER = r"-?\d+(?:\.\d+)?"
FORM = re.compile(
    rf"(?P<figure>\w+)\s*(?:=\s*(?P<middle>{NUMBER})\s*(?:±|\+-)\s*(?P<margin>{NUMBER})"
    rf"|=\s*(?P<low>{NUMBER})\s*\.\.\s*(?P<high>{NUMBER})|(?P<sign>>=|<=)\s*(?P<bound>{NUMBER}))"
)
OPEN_MARGIN = 0.1  # of a bound alone: so far off it counts as much as a whole margin of the others


@dataclass(frozen=True)
class Aim:
    figure: str
    low: float
    high: float

    @property
    def scale(self) -> float:
        """How far off counts as one."""
        if math.isfinite(self.low) and math.isfinite(self.high):
            return max((self.high - self.low) / 2, 1e-9)
        return max(OPEN_MARGIN * abs(self.low if math.isfinite(self.low) else self.high), 1e-9)

    def missed_by(self, value: float) -> float:
        return max(self.low - value, value - self.high, 0.0) / self.scale

    def may_hold(self, found: Interval) -> bool:
        """Whether chance alone may have kept the figure out of its bounds."""
        return found.low <= self.high and found.high >= self.low

    def surely_holds(self, found: Interval) -> bool:
        return self.low <= found.low and found.high <= self.high

    def __str__(self) -> str:
        if not math.isfinite(self.high):
            return f"{self.figure}>={self.low:g}"
        if not math.isfinite(self.low):
            return f"{self.figure}<={self.high:g}"
        return f"{self.figure}={self.low:g}..{self.high:g}"


def read_aims(text: str) -> tuple[Aim, ...]:
    aims = tuple(_read(part.strip()) for part in text.split(",") if part.strip())
    if not aims:
        raise BadLab("No aim is named. Name some: --aim 'first=50±1, length=40..60'.")
    if len({aim.figure for aim in aims}) < len(aims):
        raise BadLab("A figure has two aims. Name its bounds once: length=40..60.")
    return aims


def _read(part: str) -> Aim:
    found = FORM.fullmatch(part)
    if not found:
        raise BadLab(f"{part!r} is no aim. Write one such as first=50±1, length=40..60, ties<=5 or skill>=3.")
    figure = found["figure"]
    known = [*FIGURES, SKILL]
    if figure not in known:
        raise BadLab(f"There is no figure {figure!r} to aim at.{did_you_mean(figure, known)}")
    if found["bound"]:
        bound = float(found["bound"])
        return Aim(figure, *((bound, math.inf) if found["sign"] == ">=" else (-math.inf, bound)))
    if found["middle"]:
        middle, margin = float(found["middle"]), float(found["margin"])
        low, high = middle - margin, middle + margin
    else:
        low, high = float(found["low"]), float(found["high"])
    if low >= high:
        raise BadLab(f"The bounds of {part!r} leave nothing between them. Write the smaller one first.")
    return Aim(figure, low, high)


def missed_by(aims: Sequence[Aim], found: Sequence[Interval]) -> tuple[float, float]:
    """How far all figures together are off; then how far from the middle those are that have one."""
    off = sum(aim.missed_by(each.value) for aim, each in zip(aims, found, strict=True))
    middles = [(aim, each) for aim, each in zip(aims, found, strict=True) if math.isfinite(aim.low + aim.high)]
    return off, sum(abs(each.value - (aim.low + aim.high) / 2) / aim.scale for aim, each in middles)
