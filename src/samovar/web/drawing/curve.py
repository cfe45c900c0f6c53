"""A player's points, match by match, as a picture: where its lines and words stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

WIDTH, HEIGHT = 400, 240
LEFT, RIGHT, TOP, BOTTOM = 44, 78, 12, 26  # room for numbers, names of levels, and days
STEPS = (25, 50, 100, 200, 400, 800)  # between two lines of the scale
MOST_LINES = 6
MARGIN = 30  # points, above and below
CLOSEST = 13  # words that stand nearer to each other cannot be read


class Mark(NamedTuple):
    """A line across the picture, and what stands beside it."""

    y: float
    text: str


class Curve(NamedTuple):
    width: int
    height: int
    left: int
    right: int  # where the lines end
    line: str  # "x,y x,y", as SVG has it
    dots: list[tuple[float, float]]
    low: float | None  # of the interval at the end
    high: float | None
    scale: list[Mark]
    landmarks: list[Mark]


def draw_curve(points: Sequence[int], low: int | None, high: int | None, landmarks: Iterable[tuple[str, int]]) -> Curve:
    """`landmarks`: names and points of what it is compared with; those that are near are shown, one
    of them in any case."""
    known = list(landmarks)
    values = [*points, *(value for value in (low, high) if value is not None)]
    values += sorted((value for _, value in known), key=lambda value: _distance(value, values))[:1]
    bottom, top = min(values) - MARGIN, max(values) + MARGIN

    def y(value: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (top - value) / (top - bottom), 1)

    across = WIDTH - RIGHT - LEFT
    gaps = max(1, len(points) - 1)
    dots = [
        (round(LEFT + across * (number + 0.5 * (len(points) == 1)) / gaps, 1), y(one))
        for number, one in enumerate(points)
    ]
    step = next((step for step in STEPS if (top - bottom) / step <= MOST_LINES), STEPS[-1])
    scale = [Mark(y(value), str(value)) for value in range(-(-bottom // step) * step, top + 1, step)]
    return Curve(
        WIDTH,
        HEIGHT,
        LEFT,
        WIDTH - RIGHT,
        " ".join(f"{x},{height}" for x, height in dots),
        dots,
        None if low is None else y(low),
        None if high is None else y(high),
        scale,
        _apart(Mark(y(value), name) for name, value in known if bottom <= value <= top),
    )


def _distance(value: int, values: Sequence[int]) -> int:
    return max(min(values) - value, value - max(values), 0)


def _apart(marks: Iterable[Mark]) -> list[Mark]:
    """Those whose words do not lie on one another."""
    kept: list[Mark] = []
    for mark in sorted(marks):
        if not kept or mark.y - kept[-1].y >= CLOSEST:
            kept.append(mark)
    return kept
