"""How sure a figure of a tournament is: a Bayesian bootstrap. All is estimated again a thousand times, with random
weights. The matches of a deal are not independent, so a deal has one weight."""

from __future__ import annotations

import numpy as np

from samovar.engine.arrays import Array, Floats

RESAMPLES = 1000
FEWEST_DEALS = 5  # fewer say too little about all the others for an interval
BLOCK = 1000  # deals that are weighed at a time, so that weights fit into memory
LOW, HIGH = 2.5, 97.5  # per cent


def interval_of(samples: Floats, value: float) -> tuple[float, float]:
    """Of what was estimated again and again; it holds the value itself, which at 100 % would be just
    outside."""
    low, high = np.percentile(samples, (LOW, HIGH)).tolist()
    return min(low, value), max(high, value)


def weights_of(chance: np.random.Generator, resamples: int, deals: int, total: int) -> Floats:
    """Random weights of mean 1 for some deals of all.

    With weights of shape 1 intervals come out too short for few deals, as those of a normal law do
    beside Student's. Shape (n - 4) / n adds about the variance that Student's law has on top. With
    fewer than ten deals the intervals are then rather long.
    """
    shape = max(1, total - FEWEST_DEALS + 1) / max(1, total)
    return chance.standard_gamma(shape, (resamples, deals)) / shape


def summed(rows: Floats, groups: Array) -> Floats:
    """The rows of each group added up; groups are numbered from 0."""
    total = np.zeros((groups.max(initial=-1) + 1, *rows.shape[1:]))
    np.add.at(total, groups, rows)
    return total


def resampled(rows: Floats, chance: np.random.Generator) -> Floats:
    """The sum of all rows over and over again, with random weights."""
    total = np.zeros((RESAMPLES, rows.shape[1]))
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        total += weights_of(chance, RESAMPLES, len(block), len(rows)) @ block
    return total
