"""How often one bot leaves another behind, and how sure that is, in three ways side by side.

*Plain*: as if every match had a deal of its own. *Paired*: every bot has had every seat of the same deal, so a deal is
looked at as a whole. *Luck-free*: from the results of a deal a part of the luck in its matches is taken off, see
`luck.py`. The part is what fits the other deals of the tournament best (regression through all pairs of bots). As
luck is nothing on average, and the part does not depend on the deal from which it is taken off, what is left is
right on average; and where the evaluation of a game says little, the part is small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samovar.arena.resampling import FEWEST_DEALS, RESAMPLES, interval_of, resampled, summed
from samovar.engine.arrays import Array, Floats


@dataclass(frozen=True)
class SureShare:
    """From 0 to 1, with its 95 % interval; None: nothing is known, or too little for an interval."""

    share: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def margin(self) -> float | None:
        """Half the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


@dataclass(frozen=True)
class ShareOfPair:
    """How often one left the other behind; ties are halves."""

    plain: SureShare
    paired: SureShare
    luck_free: SureShare | None  # None where it is not known what luck there was


def side_by_side(deal: Array, beaten: Floats, luck: Floats, chance: np.random.Generator) -> list[list[ShareOfPair]]:
    """By match the number of its deal from 0, and by match and pair of bots how often the first was above the second
    and how much more luck it had. `[a][b]` is how often a left b behind."""
    by_deal = summed(beaten, deal)
    free = without_luck(by_deal, summed(luck, deal)) if np.isfinite(luck).all() else None
    plain = shares_of(beaten, [beaten], chance)[0]
    paired, *rest = shares_of(by_deal, [by_deal] if free is None else [by_deal, free], chance)
    bots = range(beaten.shape[1])
    return [[ShareOfPair(plain[a][b], paired[a][b], rest[0][a][b] if rest else None) for b in bots] for a in bots]


def without_luck(beaten: Floats, luck: Floats) -> Floats:
    """By deal and pair, less a part of the luck that fits all other deals best."""
    met = beaten + beaten.swapaxes(1, 2)
    total = met.sum(0)
    expected = met * np.divide(beaten.sum(0), total, out=np.zeros_like(total), where=total > 0)
    part = part_of_luck((luck * (beaten - expected)).sum((1, 2)), (luck * luck).sum((1, 2)))
    free: Floats = beaten - part[:, None, None] * luck
    return free


def part_of_luck(products: Floats, squares: Floats) -> Floats:
    """What is to be taken off in each deal: the slope through all others, from their sums of luck by surprise and of
    luck by luck. It does not depend on the deal itself, or the result would lean."""
    others = squares.sum() - squares
    part: Floats = np.divide(products.sum() - products, others, out=np.zeros_like(others), where=others > 0)
    return part


def shares_of(beaten: Floats, tables: list[Floats], chance: np.random.Generator) -> list[list[list[SureShare]]]:
    """For each of some tables of the same groups. `beaten`: how often they met is read from it."""
    groups, bots = beaten.shape[:2]
    met = beaten + beaten.swapaxes(1, 2)
    rows = np.stack([met, *tables], 1)
    (times, *sums) = rows.sum(0)
    some = resampled(rows.reshape(groups, (1 + len(tables)) * bots * bots), chance).reshape(RESAMPLES, -1, bots, bots)
    # as for ratings: each has also won one match and lost one
    won, lost = chance.standard_exponential((2, RESAMPLES, bots, bots))

    def sure(k: int, a: int, b: int) -> SureShare:
        if times[a, b] == 0:
            return SureShare()
        share = within(sums[k][a, b] / times[a, b])
        if groups < FEWEST_DEALS:
            return SureShare(share)
        samples = (some[:, k + 1, a, b] + won[:, a, b]) / (some[:, 0, a, b] + won[:, a, b] + lost[:, a, b])
        return SureShare(share, *map(within, interval_of(samples, share)))

    return [[[sure(k, a, b) for b in range(bots)] for a in range(bots)] for k in range(len(tables))]


def within(share: float) -> float:
    """What is left without luck can lie a little below 0 or above 1."""
    return min(max(float(share), 0.0), 1.0)
