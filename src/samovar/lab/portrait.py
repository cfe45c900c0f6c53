"""The portrait of a game: every figure with its interval. docs/lab.md has the formula of each, `telling.py` what it
means."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from samovar.engine.arrays import Floats
from samovar.lab.intervals import FEWEST, Interval, Sums, jackknife, mean_of, rate_of
from samovar.lab.measures import NUMBER, PART, RATE, Measure, measures, shown_measures
from samovar.lab.order import LabOrder
from samovar.lab.run import Findings, Meeting, Study
from samovar.lab.traced import PHASES, Trace
from samovar.language.languages import N_

BY_CHANCE = "by chance"
STEP = 0.65  # won against the next: a difference in skill that is noticed
NEVER = 20  # turns in which a kind of move was possible, before it is noticed that nobody made it


@dataclass(frozen=True)
class Figure:
    key: str
    unit: str
    players: tuple[str, ...]  # who played; nobody: by chance
    interval: Interval | None  # None: too few matches yet

    @property
    def by(self) -> str:
        return by_of(self.players)


def by_of(players: tuple[str, ...]) -> str:
    """For programs."""
    return ", ".join(players) or BY_CHANCE


def portrait(findings: Findings, variant: int = 0) -> list[Figure]:
    """All that can be said of a variant so far."""
    study, order = findings.studies[variant], findings.order
    figures = []
    if study.counted.matches:
        figures += _measured(study, study.counted.sums, measures(order.seats), ())
    if findings.player and study.traces:
        figures += by_players(order, study, findings.player)
        figures += [*luck(study, findings.player), *hidden(study, findings.player)]
    figures += skill(study)
    return figures


def by_players(order: LabOrder, study: Study, player: str) -> list[Figure]:
    """The matches of a deal are not independent, so a deal counts once."""
    own = (*measures(order.seats), *shown_measures())
    sums = Sums(len(own))
    sums.add(by_deal(study.traces))
    return _measured(study, sums, own, (player,))


def _measured(study: Study, sums: Sums, own: Sequence[Measure], players: tuple[str, ...]) -> list[Figure]:
    return [
        Figure(measure.key, measure.unit, players, measure.interval(sums, column))
        for column, measure in enumerate(own)
        if is_told(measure, study)
    ]


def by_deal(traces: Sequence[Trace]) -> Floats:
    """The mean of the matches of each deal, by measure, in the order of the deals."""
    deals: dict[int, list[Floats]] = {}
    for trace in traces:
        deals.setdefault(trace.deal, []).append(trace.figures)
    return np.array([_mean(np.array(deals[deal])) for deal in sorted(deals)])


def _mean(rows: Floats) -> Floats:
    told = np.isfinite(rows)
    sizes = told.sum(axis=0)
    mean: Floats = np.where(sizes > 0, np.where(told, rows, 0.0).sum(axis=0) / np.maximum(sizes, 1), np.nan)
    return mean


def is_told(measure: Measure, study: Study) -> bool:
    """That nothing is endless goes without saying; also who begins, if it is always the first."""
    counted = study.counted
    keys = [m.key for m in measures(len(counted.points))]
    if measure.key == "begins":
        first, begins = keys.index("win_1"), keys.index("begins")
        return counted.matches == 0 or counted.sums.sums[first] != counted.sums.sums[begins]
    return True


def luck(study: Study, player: str) -> list[Figure]:
    """The same deal played again by the same players: how much of the result it decides. The variance of what a
    seat reached between deals is a part of all variance."""
    deals, times = results_by_deal(study)
    return [Figure("deal", PART, (player,), _careful([*deals.values()], times))]


def results_by_deal(study: Study) -> tuple[dict[int, Floats], int]:
    """The sums of each deal that was played as often as any, and how often that is."""
    deals: dict[int, list[tuple[float, ...]]] = {}
    for trace in study.traces:
        deals.setdefault(trace.deal, []).append(trace.shares)
    most = max(map(len, deals.values()), default=0)
    return {deal: _spread(np.array(shares)) for deal, shares in deals.items() if len(shares) == most > 1}, most


def _careful(groups: Sequence[Floats], times: int) -> Interval | None:
    """As sure as it is by the deals there are, or as if there were two more, whatever is less. Else ten deals that
    went alike would say that there are no others."""
    if len(groups) < FEWEST:
        return None
    both = [jackknife(deals, partial(decided_by_deal, times=times)) for deals in (groups, [*groups, *two_more(groups)])]
    low, high = min(found.low for found in both if found), max(found.high for found in both if found)
    value = float(decided_by_deal(np.sum(groups, axis=0), times))
    return Interval(value, min(low, value), max(min(high, 1.0), value), len(groups))


def two_more(groups: Sequence[Floats]) -> list[Floats]:
    """A deal that decides all, and one that decides nothing."""
    results, _, squares, seats = np.mean(groups, axis=0)
    return [np.array([results, of_means, squares, seats]) for of_means in (squares, results**2 / seats)]


def _spread(shares: Floats) -> Floats:
    """Sums of one deal: results, squares of the mean by seat, squares, how many seats."""
    means = shares.mean(axis=0)
    seats = shares.shape[1]
    return np.array([means.sum(), (means**2).sum(), (shares**2).mean(axis=0).sum(), seats])


def decided_by_deal(sums: Floats, times: int) -> Floats:
    """The part of the variance that stays the same, without what chance leaves in a mean of so few."""
    mean, of_means, of_all = (sums[..., k] / sums[..., 3] for k in range(3))
    within = np.maximum(of_all - of_means, 0.0) * times / (times - 1)
    between = of_means - mean * mean - within / times
    return _ratio(between, between + within)


def hidden(study: Study, player: str) -> list[Figure]:
    """By phase: how uncertain the result is to who is to move, beside the beginning, and which part of that hangs on
    what is hidden."""
    groups = [*hidden_by_deal(study).values()]
    return [Figure(key, PART, (player,), jackknife(groups, figure)) for key, figure in HIDDEN.items()]


def hidden_by_deal(study: Study) -> dict[int, Floats]:
    """By phase: the variance between worlds and within one, summed over the matches of a deal."""
    deals: dict[int, Floats] = {}
    for trace in study.traces:
        if len(trace.hidden) == len(PHASES):
            deals[trace.deal] = deals.get(trace.deal, 0.0) + np.array(trace.hidden)
    return deals


def _hidden_part(sums: Floats, phase: int) -> Floats:
    return _ratio(sums[..., phase, 0], sums[..., phase, :].sum(axis=-1))


def _still_open(sums: Floats, phase: int) -> Floats:
    return _ratio(sums[..., phase, :].sum(axis=-1), sums[..., 0, :].sum(axis=-1))


HIDDEN: dict[str, Callable[[Floats], Floats]] = {
    f"{kind}_{phase}": partial(figure, phase=phase)
    for phase in range(len(PHASES))
    for kind, figure in (("hidden", _hidden_part), ("open", _still_open))
    if phase or kind == "hidden"
}


def _ratio(part: Floats, whole: Floats) -> Floats:
    """0 where there is nothing."""
    told: Floats = np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.0)
    return told


def skill(study: Study) -> list[Figure]:
    figures, groups = [], []
    for (weaker, stronger), met in study.meetings.items():
        share = rate_of(float(np.mean([each.share for each in met])), len(met)) if met else None
        figures.append(Figure(f"skill_{weaker}_{stronger}", RATE, (weaker, stronger), share))
        groups.append(met)
    if len(groups) > 1 or figures:
        figures.append(_steps(study, groups))
    return figures


def _steps(study: Study, groups: list[list[Meeting]]) -> Figure:
    """Odds multiply along the ladder: a step is what makes 65 %."""
    names = [name for pair in study.meetings for name in pair]
    found = [_odds(met) for met in groups if len(met) >= FEWEST]
    interval = None
    if found and len(found) == len(groups):
        value, error = sum(step for step, _ in found), math.sqrt(sum(error**2 for _, error in found))
        interval = Interval(value, value - 1.96 * error, value + 1.96 * error, min(map(len, groups)))
    return Figure("steps", NUMBER, tuple(dict.fromkeys(names)), interval)


def _odds(met: Sequence[Meeting]) -> tuple[float, float]:
    """In steps, with the standard error."""
    shares = [each.share for each in met]
    value, slope = in_steps(shares)
    variance = max(float(np.var([*shares, 0.0, 1.0], ddof=1)), 1e-9) / len(shares)
    return value, slope * math.sqrt(variance)


def in_steps(shares: Sequence[float]) -> tuple[float, float]:
    """How many steps above the other this is, and how many more each further share would be. Half a deal is added on
    both sides, or all wins would be endless odds."""
    share = (sum(shares) + 0.5) / (len(shares) + 1)
    step = math.log(STEP / (1 - STEP))
    return math.log(share / (1 - share)) / step, 1 / (share * (1 - share)) / step


@dataclass(frozen=True)
class UnusedKind:
    """A kind of move that was possible and that nobody made."""

    kind: str
    turns: int


def unused(study: Study) -> list[UnusedKind]:
    legal: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for trace in study.traces:
        legal += trace.legal
        used += trace.used
    return sorted(
        (
            UnusedKind(kind, turns)
            for kind, turns in legal.items()
            if turns >= NEVER and not used[kind] and len(legal) > 1
        ),
        key=lambda each: (-each.turns, each.kind),
    )


@dataclass(frozen=True)
class Share:
    name: str
    interval: Interval | None


def endings(study: Study) -> list[Share]:
    """What happens with the last move, and in how many matches."""
    kinds = Counter(kind for trace in study.traces for kind in trace.ending)
    deals = len({trace.deal for trace in study.traces})  # each counts once: its matches are not independent
    often = sorted(kinds.items(), key=lambda each: (-each[1], each[0]))  # a set has no order that stays
    return [Share(kind, rate_of(times / len(study.traces), deals)) for kind, times in often]


def happenings(study: Study) -> list[Share]:
    """How often a match something happens."""
    kinds = sorted({kind for trace in study.traces for kind in trace.events})
    deals: dict[int, list[Counter[str]]] = {}
    for trace in study.traces:
        deals.setdefault(trace.deal, []).append(trace.events)
    found = [
        Share(kind, mean_of([float(np.mean([events[kind] for events in each])) for each in deals.values()]))
        for kind in kinds
    ]
    return sorted(found, key=lambda each: -(each.interval.value if each.interval else 0))


@dataclass(frozen=True)
class Extreme:
    """A match worth looking at."""

    title: str
    trace: Trace


def extremes(study: Study) -> list[Extreme]:
    if not study.traces:
        return []
    seats = len(study.traces[0].places)
    keys = [m.key for m in (*measures(seats), *shown_measures())]
    length, ahead, lowest = (keys.index(key) for key in ("moves", "ahead", "lowest"))

    def best(column: int, sign: int) -> Trace | None:
        there = [trace for trace in study.traces if np.isfinite(trace.figures[column])]
        return max(there, key=lambda trace: (sign * trace.figures[column], -trace.number), default=None)

    found = [
        (N_("The longest match"), best(length, 1)),
        (N_("The shortest match"), best(length, -1)),
        (N_("The closest match"), best(ahead, -1)),
        (N_("The greatest comeback"), best(lowest, -1)),
    ]
    return [Extreme(title, trace) for title, trace in found if trace is not None]
