"""What is measured of every single match, played by chance or by bots: figures whose mean says something about a game.
A match is a row, a measure a column; where a match says nothing about it, it is not a number."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from samovar.engine.arrays import Floats, Int32s
from samovar.engine.ways.stand_ins import BEGINS, CHOICES, ENDED, FORCED, LENGTH, POINTS, TURNS
from samovar.lab.intervals import Interval, Sums

# What a figure is: a number of something, points, how often something is so, or a part of something.
NUMBER, SCORE, RATE, PART = ("number", "points", "rate", "part")


@dataclass(frozen=True)
class Measure:
    key: str
    unit: str

    def interval(self, sums: Sums, column: int) -> Interval | None:
        return sums.rate(column) if self.unit == RATE else sums.mean(column)


@cache
def measures(seats: int) -> tuple[Measure, ...]:
    """Those that need nothing but how a match went."""
    wins = (Measure(f"win_{seat + 1}", RATE) for seat in range(seats))
    return (
        Measure("moves", NUMBER),
        Measure("turns", NUMBER),
        Measure("choices", NUMBER),
        Measure("forced", PART),
        *wins,
        Measure("begins", RATE),
        Measure("ties", RATE),
        Measure("points", SCORE),
        Measure("best", SCORE),
        Measure("ahead", SCORE),
        Measure("endless", RATE),
    )


@cache
def shown_measures() -> tuple[Measure, ...]:
    """Those that need to look at a match on its way."""
    return (
        Measure("leads", NUMBER),
        Measure("behind", SCORE),
        Measure("lowest", PART),
        Measure("comebacks", RATE),
        Measure("decided", PART),
        Measure("near", NUMBER),
    )


def of_rows(rows: Int32s, teams: tuple[int, ...]) -> Floats:
    """By match and measure, from what `tally` wrote. A win that several share is divided."""
    seats = len(teams)
    told = rows.astype(float)
    lengths = np.maximum(told[:, LENGTH], 1)
    points, places = told[:, POINTS : POINTS + seats], rows[:, POINTS + seats : POINTS + 2 * seats]
    wins = won(places, teams)
    over = rows[:, ENDED] == 1
    has_begun = rows[:, LENGTH] > 0
    columns = [
        told[:, LENGTH],
        told[:, TURNS] / seats,
        np.where(has_begun, told[:, CHOICES] / lengths, np.nan),
        np.where(has_begun, told[:, FORCED] / lengths, np.nan),
        *(np.where(over, wins[:, seat], np.nan) for seat in range(seats)),
        np.where(over & has_begun, wins[np.arange(len(rows)), np.maximum(rows[:, BEGINS], 0)], np.nan),
        np.where(over, tied(places, teams), np.nan),
        points.mean(axis=1),
        points.max(axis=1),
        ahead(points, teams),
        1.0 - over,
    ]
    return np.stack(columns, axis=1)


def won(places: Int32s, teams: tuple[int, ...]) -> Floats:
    """By seat. Of a team that has won each seat has, so these add up to the seats of a team, not to 1."""
    first = places == 1
    winners = sum((first[:, [seat for seat, of in enumerate(teams) if of == team]].any(axis=1) for team in set(teams)),
                  np.zeros(len(places)))  # fmt: skip
    share: Floats = first / np.maximum(winners, 1)[:, None]
    return share


def tied(places: Int32s, teams: tuple[int, ...]) -> Floats:
    winners = [
        (places[:, [seat for seat, of in enumerate(teams) if of == team]] == 1).any(axis=1) for team in set(teams)
    ]
    shared: Floats = (np.sum(winners, axis=0) > 1).astype(float)
    return shared


def ahead(points: Floats, teams: tuple[int, ...]) -> Floats:
    """Of the best of all teams over the best of the next."""
    bests = np.sort(
        np.stack(
            [points[:, [s for s, of in enumerate(teams) if of == team]].max(axis=1) for team in set(teams)], axis=1
        )
    )
    difference: Floats = bests[:, -1] - bests[:, -2] if bests.shape[1] > 1 else np.full(len(points), np.nan)
    return difference
