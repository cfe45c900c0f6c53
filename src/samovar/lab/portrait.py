"""The portrait of a game: every figure with its interval and a sentence that says what it means. docs/lab.md has the
formula of each."""

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

BY_CHANCE = "by chance"
STEP = 0.65  # won against the next: a difference in skill that is noticed
SECONDS_A_MINUTE = 60
LOPSIDED = 0.2  # of the margin: from here on a figure is not in the middle of its interval
NEVER = 20  # turns in which a kind of move was possible, before it is noticed that nobody made it


@dataclass(frozen=True)
class Figure:
    key: str
    title: str
    unit: str
    by: str  # who played
    interval: Interval | None  # None: too few matches yet
    meaning: str

    @property
    def text(self) -> str:
        return told(self.interval, self.unit)


def told(interval: Interval | None, unit: str) -> str:
    """`43.2 % ± 0.4`; near an end of what can be, where that would not be true: `0 % (0 to 22)`."""
    if interval is None:
        return "–"
    value, low, high, margin = told_parts(interval, unit)
    if abs(interval.value - (interval.low + interval.high) / 2) > LOPSIDED * interval.margin:
        return f"{value} ({low} to {high})"
    return f"{value} ± {margin}"


def told_parts(interval: Interval, unit: str) -> tuple[str, str, str, str]:
    """The figure, its bounds and its margin, with as many digits as the margin is worth."""
    factor, sign = (100, " %") if unit in (RATE, PART) else (1, "")
    value, margin = factor * interval.value, factor * interval.margin
    digits = max(0, min(3, 1 - math.floor(math.log10(margin)))) if margin > 0 else (1 if value % 1 else 0)
    low, high, half = (f"{factor * each:.{digits}f}" for each in (interval.low, interval.high, interval.margin))
    return f"{value:.{digits}f}{sign}", low, high, half


def portrait(findings: Findings, variant: int = 0) -> list[Figure]:
    """All that can be said of a variant so far."""
    study, order = findings.studies[variant], findings.order
    figures = []
    if study.counted.matches:
        figures += by_chance(order, study)
    if findings.player and study.traces:
        figures += by_players(order, study, findings.player)
        figures += [*luck(study, findings.player), *hidden(study, findings.player)]
    figures += skill(study)
    return figures


def by_chance(order: LabOrder, study: Study) -> list[Figure]:
    own = measures(order.seats)
    sums = study.counted.sums
    found = {measure.key: measure.interval(sums, k) for k, measure in enumerate(own)}
    return [_figure(order, measure, BY_CHANCE, found[measure.key]) for measure in own if is_told(measure, study)]


def by_players(order: LabOrder, study: Study, player: str) -> list[Figure]:
    """The matches of a deal are not independent, so a deal counts once."""
    rows = by_deal(study.traces)
    own = (*measures(order.seats), *shown_measures())
    sums = Sums(len(own))
    sums.add(rows)
    found = {measure.key: measure.interval(sums, k) for k, measure in enumerate(own)}
    return [_figure(order, measure, player, found[measure.key]) for measure in own if is_told(measure, study)]


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


def _figure(order: LabOrder, measure: Measure, by: str, interval: Interval | None) -> Figure:
    meaning = _meaning(order, measure.key.partition("_")[0], interval) if interval else "Too few matches yet."
    return Figure(measure.key, measure.title, measure.unit, by, interval, meaning)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if 0 < 100 * share < 10 else f"{100 * share:.0f} %"


def _about(interval: Interval) -> str:
    return f"{interval.value:.0f}" if interval.value >= 10 else f"{interval.value:.1f}"


# What a figure means, by the first word of its key; another sentence where it is 0.
MEANINGS = {
    "moves": "A match has about {about} moves, those of all players together.",
    "turns": "Everybody has {about} turns; at {pace:g} seconds a turn a match takes about {minutes:.0f} minutes.",
    "choices": "Who is to move chooses between {about} moves on average, moves without a choice counted in.",
    "forced": "{percent} of the moves decide nothing: there is only one.",
    "ties": "One match in {times:.0f} has several winners.",
    "points": "What a player has at the end on average.",
    "best": "What the best has at the end on average.",
    "ahead": "The winner is about {about} points ahead of the next.",
    "endless": "{percent} of the matches did not end within the most moves that the game says it can have.",
    "leads": "Another player takes the lead {about} times a match, by points as if it ended then.",
    "behind": "The winner was at worst {about} points behind the leader.",
    "lowest": "On the way the winner's chance of winning once fell to {percent}, by what the winner knew.",
    "comebacks": "{percent} of the matches are won by somebody whose chance was once below 20 %.",
    "decided": "After {percent} of its moves the winner's chance is above 80 % and stays there.",
    "near": "In the middle of a match {about} moves are within 1 point of the best, of the 8 that a search likes best.",
}
NEVER_SO = {
    "forced": "There is always something to decide.",
    "ties": "Somebody always won alone.",
    "endless": "Every match came to its end.",
}
WINNERS = {"win": "This chair", "begins": "Who begins"}


def _meaning(order: LabOrder, kind: str, found: Interval) -> str:
    if kind in WINNERS:
        return _even(found, 1 / len(set(order.game.teams(order.seats))), WINNERS[kind])
    if found.value == 0 and kind in NEVER_SO:
        return NEVER_SO[kind]
    return MEANINGS[kind].format(
        about=_about(found),
        percent=_percent(found.value),
        times=1 / found.value if found.value else 0,
        pace=order.pace,
        minutes=found.value * order.seats * order.pace / SECONDS_A_MINUTE,
    )


def _even(found: Interval, even: float, who: str) -> str:
    points = 100 * (found.value - even)
    if found.holds(even):
        return f"{who} wins as often as an even share, {_percent(even)}, as far as can be told."
    return (
        f"{who} wins {abs(points):.1f} points {'more' if points > 0 else 'less'} than an even share, {_percent(even)}."
    )


def luck(study: Study, player: str) -> list[Figure]:
    """The same deal played again by the same players: how much of the result it decides. The variance of what a
    seat reached between deals is a part of all variance."""
    deals, times = results_by_deal(study)
    found = _careful([*deals.values()], times)
    meaning = (
        f"{_percent(max(found.value, 0))} of the differences in results come with the deal and the chair: the same "
        "again when the same players play the same cards once more. The rest is how they play."
        if found
        else "Too few deals yet."
    )
    return [Figure("deal", "Decided by the deal", PART, player, found, meaning)]


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
    figures = []
    groups = [*hidden_by_deal(study).values()]
    for key, figure in HIDDEN.items():
        found = jackknife(groups, figure)
        kind, _, number = key.partition("_")
        phase = PHASES[int(number)]
        when = "At the start" if phase == 0 else f"After {_percent(phase)} of the moves"
        if not found:
            meaning = "Too few deals yet."
        elif kind == "hidden":
            meaning = (
                f"{when} {_percent(max(found.value, 0))} of what is uncertain to who is to move lies in what is "
                "hidden: others' cards, the deck; the rest in what all will do."
            )
        else:
            meaning = (
                f"{when} the result is {_percent(max(found.value, 0))} as uncertain to who is to move as at the start."
            )
        title = {"hidden": "Hidden information", "open": "Still open"}[kind]
        figures.append(Figure(key, f"{title}, {when.lower()}", PART, player, found, meaning))
    return figures


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
        meaning = (
            f"{stronger} is better than {weaker} in {_percent(share.value)} of their comparisons, with the same deals "
            "in every chair."
            if share
            else "Too few deals yet."
        )
        figures.append(Figure(f"skill_{weaker}_{stronger}", f"{stronger} against {weaker}", RATE,
                              f"{weaker}, {stronger}", share, meaning))  # fmt: skip
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
    meaning = (
        f"From {names[0]} to {names[-1]} there are {interval.value:.1f} steps, each of which wins "
        f"{_percent(STEP)} against the one below: the more, the deeper the game."
        if interval
        else "Too few deals yet."
    )
    return Figure("steps", "Steps of skill", NUMBER, ", ".join(dict.fromkeys(names)), interval, meaning)


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
        ("The longest match", best(length, 1)),
        ("The shortest match", best(length, -1)),
        ("The closest match", best(ahead, -1)),
        ("The greatest comeback", best(lowest, -1)),
    ]
    return [Extreme(title, trace) for title, trace in found if trace is not None]
