"""Searches the options of a game for what its author wants.

All variants begin with a few deals, the same for each. Then the worse half is left out, and the others are played with
twice as many, and so on: so most matches are spent on variants that are hard to tell apart. The one that is left is
measured anew with deals that had no part in the choice, or it would look better than it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from samovar.arena.outcome import Outcome, Tournament
from samovar.arena.plan import PlannedMatch
from samovar.arena.playing import PlayedMatch
from samovar.arena.referee import MOVE_LIMIT
from samovar.arena.tournament import check, check_limits, play_here
from samovar.engine.arrays import Floats
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Value
from samovar.engine.ways.stand_ins import BEGINS, ENDED, LENGTH, POINTS
from samovar.errors import BadLab
from samovar.lab.aims import BY_CHANCE_ALONE, FIGURES, SKILL, Aim, missed_by
from samovar.lab.counted import Counting
from samovar.lab.intervals import FEWEST, NORMAL, Interval, mean_of
from samovar.lab.measures import RATE, measures, of_rows
from samovar.lab.order import LabOrder
from samovar.lab.portrait import in_steps
from samovar.lab.run import meeting

MOST_PROPOSED = 1000  # variants
NOTHING = Interval(math.nan, -math.inf, math.inf, 0)  # too few deals


@dataclass(frozen=True)
class TriedVariant:
    """A variant, as it was known when it was looked at last."""

    options: dict[str, Value]
    found: tuple[Interval, ...]  # by aim
    deals: int

    def off(self, aims: Sequence[Aim]) -> tuple[float, float]:
        return missed_by(aims, self.found)


@dataclass(frozen=True)
class Proposal:
    order: LabOrder
    aims: tuple[Aim, ...]
    tried: tuple[TriedVariant, ...]  # from the best to the worst
    best: TriedVariant  # the first of them, measured anew
    matches: int
    of_grid: int  # matches, if every variant had been played as often as the best

    @property
    def never(self) -> list[tuple[Aim, TriedVariant]]:
        """Aims that no variant reaches, with the one that comes nearest."""
        found = []
        for place, aim in enumerate(self.aims):
            if not any(aim.may_hold(one.found[place]) for one in self.tried):
                found.append((aim, min(self.tried, key=lambda one: aim.missed_by(one.found[place].value))))
        return found

    @property
    def not_together(self) -> list[tuple[Aim, Aim]]:
        """Two aims that are reached, but not by the same variant."""
        may = [{k for k, one in enumerate(self.tried) if aim.may_hold(one.found[p])} for p, aim in enumerate(self.aims)]
        pairs = combinations(range(len(self.aims)), 2)
        return [(self.aims[a], self.aims[b]) for a, b in pairs if may[a] and may[b] and not may[a] & may[b]]


def propose(
    order: LabOrder, aims: tuple[Aim, ...], tell: Callable[[int, int], None] = lambda left, deals: None
) -> Proposal:
    """`tell` hears how many variants are left, and with how many deals."""
    sampler = Sampler(order, aims)
    wanted = max(-(-order.matches // sampler.group), FEWEST)  # deals of the last that are left
    left = list(range(len(order.variants)))
    rows: list[list[Floats]] = [[] for _ in left]
    tried: dict[int, TriedVariant] = {}
    rounds = max(math.ceil(math.log2(len(left))), 1)
    begin = 0
    for number in range(1, rounds + 1):
        end = max(math.ceil(wanted / 2 ** (rounds - number)), min(FEWEST, wanted), begin)
        tell(len(left), end)
        for variant, more in sampler.sample(left, range(begin, end)).items():
            rows[variant].append(more)
            tried[variant] = TriedVariant(order.variants[variant], sampler.figures(np.concatenate(rows[variant])), end)
        left.sort(key=lambda variant: (tried[variant].off(aims), variant))
        left = left[: -(-len(left) // 2)]
        begin = end
    best = left[0]
    tell(1, wanted)
    anew = sampler.sample([best], range(wanted, 2 * wanted))[best]
    ranked = sorted(tried, key=lambda variant: (variant != best, -tried[variant].deals, tried[variant].off(aims)))
    return Proposal(
        order,
        aims,
        tuple(tried[variant] for variant in ranked),
        TriedVariant(order.variants[best], sampler.figures(anew), wanted),
        sampler.matches,
        len(order.variants) * wanted * sampler.group,
    )


class Sampler:
    """Plays deals of some of the variants, and says what is measured of each deal."""

    def __init__(self, order: LabOrder, aims: Sequence[Aim]) -> None:
        self.order, self.aims = order, aims
        self.matches = 0
        self._teams = tuple(order.game.teams(order.seats))
        keys = [measure.key for measure in measures(order.seats)]
        self._columns = [keys.index(FIGURES[aim.figure]) for aim in aims if aim.figure != SKILL]
        self._is_rate = [measures(order.seats)[column].unit == RATE for column in self._columns]
        self._player = order.thinkers[-1] if order.thinkers else ""
        asks_skill = any(aim.figure == SKILL for aim in aims)
        self._pairs = list(zip(order.players, order.players[1:], strict=False)) if asks_skill else []
        if asks_skill and not self._pairs:
            raise BadLab("Skill is measured between players: name two or more, --players random,easy.")
        for aim in aims:
            if self._player and aim.figure in BY_CHANCE_ALONE:
                raise BadLab(f"{aim.figure!r} is measured by chance alone: --players random.")
        parties = len(set(self._teams))
        self.group = (parties if self._columns else 0) + parties * len(self._pairs)
        if not self._player:
            self.group = 1

    def sample(self, variants: Sequence[int], deals: range) -> dict[int, Floats]:
        """By variant: a row for each deal."""
        if not deals:
            return {variant: np.zeros((0, len(self._columns) + len(self._pairs))) for variant in variants}
        self.matches += len(variants) * len(deals) * self.group
        return self._play(variants, deals) if self._player else self._count(variants, deals)

    def figures(self, rows: Floats) -> tuple[Interval, ...]:
        """By aim."""
        means = iter(zip(range(len(self._columns)), self._is_rate, strict=True))
        found = []
        for aim in self.aims:
            if aim.figure == SKILL:
                found.append(self._steps(rows[:, len(self._columns) :]))
            else:
                column, is_rate = next(means)
                interval = mean_of(rows[:, column]) or NOTHING
                found.append(interval.times(100) if is_rate else interval)
        return tuple(found)

    def _steps(self, shares: Floats) -> Interval:
        """Of all pairs of neighbours; a won and a lost deal more say how unsure odds are."""
        total = square = 0.0
        for told in (column[np.isfinite(column)].tolist() for column in shares.T):
            value, slope = in_steps(told)
            total += value
            square += slope**2 * float(np.var([*told, 0.0, 1.0], ddof=1)) / max(len(told), 1)
        half = NORMAL * math.sqrt(square)
        return Interval(total, total - half, total + half, len(shares))

    def _count(self, variants: Sequence[int], deals: range) -> dict[int, Floats]:
        order = self.order
        counting = Counting(order.game, order.seats, [order.variants[one] for one in variants], order.seed)
        return {
            variant: of_rows(rows, self._teams)[:, self._columns]
            for variant, rows in zip(variants, counting.rows(deals.start, len(deals)), strict=True)
        }

    def _play(self, variants: Sequence[int], deals: range) -> dict[int, Floats]:
        """The last of the players against itself, and each two neighbours, in every chair of the same deal."""
        order, parties = self.order, len(set(self._teams))
        line_ups = [(self._player,)] * bool(self._columns) + self._pairs
        planned: list[PlannedMatch] = []
        places: list[tuple[int, int, int]] = []
        for line, names in enumerate(line_ups):
            bots = tuple(names[number % len(names)] for number in range(parties))
            seed = derive_seed(order.seed, "lab", *bots) % 2**62
            for variant in variants:
                plan = check(Tournament(order.game.id, bots, order.seats, 1, seed, order.variants[variant]))
                plan.is_luck_measured = False
                for number in range(deals.start * plan.group, deals.stop * plan.group):
                    planned.append(replace(plan.match(number), number=len(planned)))
                    places.append((line, variant, number // plan.group - deals.start))
        played: dict[tuple[int, int, int], list[PlayedMatch]] = {}
        with closing(play_here(planned, check_limits(order.workers, MOVE_LIMIT), MOVE_LIMIT, True)) as matches:
            for match in matches:
                played.setdefault(places[match.outcome.number], []).append(match)
        rows = {variant: np.full((len(deals), len(self._columns) + len(self._pairs)), np.nan) for variant in variants}
        for (line, variant, deal), told in played.items():
            outcomes = [match.outcome for match in sorted(told, key=lambda match: match.outcome.number)]
            if any(outcome.forfeit is not None for outcome in outcomes):
                continue  # a match lost by forfeit says nothing about the game
            if self._columns and line == 0:
                rows[variant][deal, : len(self._columns)] = self._means(told)
            else:
                pair = line - bool(self._columns)
                weaker, stronger = self._pairs[pair]
                rows[variant][deal, len(self._columns) + pair] = meeting(outcomes, stronger, weaker, variant).share
        return rows

    def _means(self, told: Sequence[PlayedMatch]) -> Floats:
        rows = np.concatenate([_row(match.outcome, match.record) for match in told])
        means: Floats = np.nanmean(of_rows(rows, self._teams)[:, self._columns], axis=0)
        return means


def _row(outcome: Outcome, record: object) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """A match as `tally` tells it, as far as its outcome says it."""
    moves = record["moves"] if isinstance(record, dict) else ()
    row = np.zeros((1, POINTS + 2 * len(outcome.places)), np.int32)
    row[0, LENGTH], row[0, ENDED] = outcome.length, 1
    row[0, BEGINS] = moves[0][0] if moves else -1
    row[0, POINTS:] = (*outcome.scores, *outcome.places)
    return row
