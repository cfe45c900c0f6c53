"""What a rule does: variants beside the first one, with the same deals.

Figures are compared match by match (by chance) or deal by deal (between bots), so what the deals have in common does
not count as noise. All differences together are tested at once (Holm): one in twenty would seem to be something by
accident else."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from samovar.engine.contract import Value
from samovar.lab.intervals import Interval, Sums, beyond_noise, rate_of
from samovar.lab.measures import Measure, measures, shown_measures
from samovar.lab.portrait import BY_CHANCE, by_deal, is_told
from samovar.lab.run import Findings, Study
from samovar.lab.traced import Trace


@dataclass(frozen=True)
class Difference:
    variant: int
    measure: Measure
    by: str
    first: float  # the mean of the first variant
    here: float  # of this one
    interval: Interval  # of the difference
    is_sure: bool  # more than noise, with all that was compared


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
            found += _told(number, measures(seats), BY_CHANCE, *sums)
        if findings.player and first.traces and study.traces:
            sums = _paired(first, study)
            found += _told(number, (*measures(seats), *shown_measures()), findings.player, *sums)
    found = [each for each in found if is_told(each.measure, findings.studies[each.variant])]
    sure = beyond_noise([each.interval for each in found])
    return [
        Difference(each.variant, each.measure, each.by, each.first, each.here, each.interval, is_sure)
        for each, is_sure in zip(found, sure, strict=True)
    ]


def _told(
    variant: int, of: tuple[Measure, ...], by: str, first: Sums, here: Sums, difference: Sums
) -> list[Difference]:
    rows = []
    for column, measure in enumerate(of):
        interval = difference.mean(column)
        if interval is not None and (interval.value or interval.margin):
            before, now = (float(sums.sums[column] / max(sums.sizes[column], 1)) for sums in (first, here))
            rows.append(Difference(variant, measure, by, before, now, interval, is_sure=False))
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


def name_of(findings: Findings, variant: int) -> str:
    """What sets it apart: `long_columns=cap`."""
    options = [study.options for study in findings.studies]
    apart = [name for name in options[0] if len({repr(each[name]) for each in options}) > 1]
    return " ".join(f"{name}={text_of(options[variant][name])}" for name in apart) or "as it is"


def text_of(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
