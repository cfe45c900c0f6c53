"""What a rule does: variants beside the first one, with the same deals.

Figures are compared match by match (by chance) or deal by deal (between bots), so what the deals have in common does
not count as noise; those that are no means (luck, hidden information, steps of skill) by what their difference would be
without each of the deals. All differences together are tested at once (Holm): one in twenty would seem to be something
by accident else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from samovar.engine.arrays import Floats
from samovar.engine.contract import Value
from samovar.lab.intervals import FEWEST, Interval, Sums, beyond_noise, jackknife, mean_of, rate_of, student
from samovar.lab.measures import Measure, measures, shown_measures
from samovar.lab.portrait import (
    HIDDEN,
    Figure,
    by_deal,
    by_of,
    decided_by_deal,
    hidden,
    hidden_by_deal,
    in_steps,
    is_told,
    luck,
    results_by_deal,
    skill,
    two_more,
)
from samovar.lab.run import Findings, Study
from samovar.lab.traced import Trace


@dataclass(frozen=True)
class Difference:
    variant: int
    measure: Measure
    players: tuple[str, ...]  # who played; nobody: by chance
    first: float  # the mean of the first variant
    here: float  # of this one
    interval: Interval  # of the difference
    is_sure: bool  # more than noise, with all that was compared

    @property
    def by(self) -> str:
        return by_of(self.players)


@dataclass(frozen=True)
class Winners:
    """In how many matches with the same deal and the same players somebody else won: in another variant, and when
    the same is played again."""

    variant: int
    other: Interval | None
    again: Interval | None


def differences(findings: Findings) -> list[Difference]:
    """Of every variant but the first, by measure."""
    first, *others = findings.studies
    seats = findings.order.seats
    found: list[Difference] = []
    for number, study in enumerate(others, 1):
        if study.counted.matches:
            sums = (first.counted.sums, study.counted.sums, study.differences)
            found += _told(number, measures(seats), (), *sums)
        if findings.player and first.traces and study.traces:
            sums = _paired(first, study)
            found += _told(number, (*measures(seats), *shown_measures()), (findings.player,), *sums)
            found += _beside(number, luck(study, findings.player), {"deal": luck_beside(first, study)})
            found += _beside(number, hidden(study, findings.player), hidden_beside(first, study))
        found += _beside(number, skill(study), skill_beside(first, study))
    found = [each for each in found if is_told(each.measure, findings.studies[each.variant])]
    sure = beyond_noise([each.interval for each in found])
    return [replace(each, is_sure=is_sure) for each, is_sure in zip(found, sure, strict=True)]


def _told(
    variant: int, of: tuple[Measure, ...], players: tuple[str, ...], first: Sums, here: Sums, difference: Sums
) -> list[Difference]:
    rows = []
    for column, measure in enumerate(of):
        interval = difference.mean(column)
        if interval is not None and (interval.value or interval.margin):
            before, now = (float(sums.sums[column] / max(sums.sizes[column], 1)) for sums in (first, here))
            rows.append(Difference(variant, measure, players, before, now, interval, is_sure=False))
    return rows


def _paired(first: Study, study: Study) -> tuple[Sums, Sums, Sums]:
    """Of the deals that both have played."""
    deals = {trace.deal for trace in first.traces} & {trace.deal for trace in study.traces}
    rows = [by_deal([trace for trace in each.traces if trace.deal in deals]) for each in (first, study)]
    sums = tuple(Sums(len(measures(len(first.counted.points))) + len(shown_measures())) for _ in range(3))
    for each, values in zip(sums, (*rows, rows[1] - rows[0]), strict=True):
        if len(values):
            each.add(values)
    return sums[0], sums[1], sums[2]


@dataclass(frozen=True)
class Compared:
    """A figure that is no mean of single matches, of the deals that two variants share."""

    first: float
    here: float
    interval: Interval  # of the difference


def _beside(variant: int, figures: list[Figure], found: dict[str, Compared | None]) -> list[Difference]:
    rows = []
    for figure in figures:
        compared = found.get(figure.key)
        if compared is not None and (compared.interval.value or compared.interval.margin):
            measure = Measure(figure.key, figure.unit)
            told = compared.first, compared.here, compared.interval
            rows.append(Difference(variant, measure, figure.players, *told, is_sure=False))
    return rows


def luck_beside(first: Study, here: Study) -> Compared | None:
    """As sure as it is by the deals there are, or as if each of them had two more, whatever is less: see
    `two_more`."""
    (one, times), (other, again) = results_by_deal(first), results_by_deal(here)
    pairs = _pairs(one, other)
    if len(pairs) < FEWEST:
        return None
    means = np.mean(pairs, axis=0)
    more = [np.stack([deal, means[1]]) for deal in two_more([pair[0] for pair in pairs])]
    more += [np.stack([means[0], deal]) for deal in two_more([pair[1] for pair in pairs])]

    def difference(sums: Floats) -> Floats:
        return decided_by_deal(sums[:, 1], again) - decided_by_deal(sums[:, 0], times)

    total = np.sum(pairs, axis=0)
    before, now = float(decided_by_deal(total[0], times)), float(decided_by_deal(total[1], again))
    half = max(found.margin for deals in (pairs, [*pairs, *more]) if (found := jackknife(deals, difference)))
    return Compared(before, now, Interval(now - before, now - before - half, now - before + half, len(pairs)))


def hidden_beside(first: Study, here: Study) -> dict[str, Compared | None]:
    pairs = _pairs(hidden_by_deal(first), hidden_by_deal(here))
    found: dict[str, Compared | None] = {}
    for key, figure in HIDDEN.items():
        interval = jackknife(pairs, lambda sums, figure=figure: figure(sums[:, 1]) - figure(sums[:, 0]))  # type: ignore[misc]
        if interval:
            before, now = figure(np.sum(pairs, axis=0))
            found[key] = Compared(float(before), float(now), interval)
    return found


def _pairs(first: dict[int, Floats], here: dict[int, Floats]) -> list[Floats]:
    """Of the deals that both have: the sums of one, then of the other."""
    return [np.stack([first[deal], here[deal]]) for deal in sorted(first.keys() & here.keys())]


def skill_beside(first: Study, here: Study) -> dict[str, Compared | None]:
    """By each two neighbours, and their steps together; meetings of other players are others' luck, so their errors
    add up."""
    found: dict[str, Compared | None] = {}
    steps: list[tuple[float, float, float]] = []  # of the first, of this one, and the variance of their difference
    sizes = []
    for pair, met in first.meetings.items():
        one, other = ({each.deal: each.share for each in each_met} for each_met in (met, here.meetings.get(pair, [])))
        deals = sorted(one.keys() & other.keys())
        shares = np.array([[one[deal], other[deal]] for deal in deals]).reshape(-1, 2)
        interval = mean_of(shares[:, 1] - shares[:, 0])
        if interval is None:
            continue
        found["_".join(("skill", *pair))] = Compared(float(shares[:, 0].mean()), float(shares[:, 1].mean()), interval)
        steps.append(_steps(shares))
        sizes.append(len(deals))
    if steps and len(steps) == len(first.meetings):
        before, now, variance = np.sum(steps, axis=0).tolist()
        half = student(min(sizes) - 1) * variance**0.5
        value = now - before
        found["steps"] = Compared(before, now, Interval(value, value - half, value + half, min(sizes)))
    return found


def _steps(shares: Floats) -> tuple[float, float, float]:
    """As sure as if each of them had two deals more, one won and one lost: see `in_steps`."""
    (before, slope), (now, slope_now) = (in_steps(column.tolist()) for column in shares.T)
    means = shares.mean(axis=0)
    more = [[0.0, means[1]], [1.0, means[1]], [means[0], 0.0], [means[0], 1.0]]
    moved = np.vstack([shares, more]) @ np.array([-slope, slope_now])
    return before, now, float(np.var(moved, ddof=1)) / len(shares)


def winners(findings: Findings) -> list[Winners]:
    first, *others = findings.studies
    again = _again(first)
    return [Winners(number, _other(first, study, findings), again) for number, study in enumerate(others, 1)]


def _won(trace: Trace) -> frozenset[int]:
    return frozenset(seat for seat, place in enumerate(trace.places) if place == 1)


def _other(first: Study, study: Study, findings: Findings) -> Interval | None:
    """Deal by deal: matches that stand at the same place of it have the same bots with the same seeds."""
    before: dict[tuple[int, int], Trace] = {}
    for trace in first.traces:
        before[trace.deal, _place(trace, findings)] = trace
    pairs = [(before[key], trace) for trace in study.traces if (key := (trace.deal, _place(trace, findings))) in before]
    return _rate([(one.deal, _won(one) != _won(other)) for one, other in pairs])


def _place(trace: Trace, findings: Findings) -> int:
    """Within the matches of its deal and variant."""
    return trace.number % len(set(findings.order.game.teams(findings.order.seats)))


def _again(study: Study) -> Interval | None:
    by_deal: dict[int, list[Trace]] = {}
    for trace in study.traces:
        by_deal.setdefault(trace.deal, []).append(trace)
    return _rate([(deal, _won(a) != _won(b)) for deal, traces in by_deal.items() for a, b in combinations(traces, 2)])


def _rate(found: list[tuple[int, bool]]) -> Interval | None:
    """A deal counts once."""
    deals = {deal for deal, _ in found}
    return rate_of(float(np.mean([differs for _, differs in found])), len(deals)) if found else None


def varied(findings: Findings) -> list[str]:
    """The options that set variants apart."""
    options = [study.options for study in findings.studies]
    return [name for name in options[0] if len({repr(each[name]) for each in options}) > 1]


def name_of(findings: Findings, variant: int) -> str:
    """What sets it apart: `long_columns=cap`."""
    options = findings.studies[variant].options
    return " ".join(f"{name}={text_of(options[name])}" for name in varied(findings)) or "as it is"


def text_of(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
