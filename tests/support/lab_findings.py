"""Findings as the lab makes them, made up in no time: real records, invented figures."""

from collections import Counter

import numpy as np

from samovar.engine.match import Match
from samovar.engine.ways.stand_ins import BEGINS, CHOICES, ENDED, LENGTH, POINTS, TURNS
from samovar.lab.counted import Counted
from samovar.lab.intervals import Sums
from samovar.lab.measures import measures, of_rows, shown_measures
from samovar.lab.order import LabOrder, make_order
from samovar.lab.run import DONE, Findings, Meeting, Study
from samovar.lab.traced import PHASES, Trace

DEALS = 8


def made_up(*, vary: bool = False, matches: int = DEALS, random: int = 500, stage: str = DONE) -> Findings:
    """Memoarrrr!; varied, the expert game has more moves, and nothing else is different."""
    order = make_order("memoarrrr", vary={"expert": [False, True]} if vary else {}, players=["random", "easy"], seed=3)
    rows = [_rows(random, 10 * number) for number in range(len(order.variants))]
    studies = [_study(order, number, rows, matches) for number in range(len(order.variants))]
    return Findings(order, studies, stage, 1.0 if stage == DONE else 0.4)


def _rows(random: int, longer: int) -> np.ndarray:
    draw = np.random.default_rng(1)
    rows = np.zeros((random, POINTS + 4), np.int32)
    rows[:, LENGTH] = draw.integers(20, 40, random) + longer
    rows[:, TURNS] = rows[:, LENGTH]
    rows[:, CHOICES] = 5 * rows[:, LENGTH]
    rows[:, BEGINS] = draw.integers(2, size=random)
    rows[:, ENDED] = 1
    rows[:, POINTS : POINTS + 2] = draw.integers(0, 12, (random, 2))
    rows[:, POINTS + 2 :] = 1 + (rows[:, POINTS : POINTS + 2] < rows[:, [POINTS + 1, POINTS]])
    return rows


def _study(order: LabOrder, number: int, rows: list[np.ndarray], matches: int) -> Study:
    counted, differences = Counted(2), Sums(len(measures(2)))
    if len(rows[0]):
        first, here = (of_rows(rows[variant], (0, 1)) for variant in (0, number))
        counted.add(rows[number], here)
        differences.add(here - first)
    study = Study(order.variants[number], counted, differences)
    study.traces = [_trace(order, number, deal) for deal in range(matches)]
    shares = [0.5, 1.0, 1.0, 0.5, 1.0, 1.0, 0.0, 1.0][:matches]
    if matches:
        study.meetings["random", "easy"] = [Meeting(number, deal, share, 2) for deal, share in enumerate(shares)]
    return study


def _trace(order: LabOrder, variant: int, deal: int) -> Trace:
    match = Match(order.game, 2, deal, plain=True, **order.variants[variant])
    match.play_random(deal)
    draw = np.random.default_rng(deal)
    figures = np.concatenate([draw.random(len(measures(2))), draw.random(len(shown_measures()))])
    figures[0] = len(match.history)
    return Trace(
        number=deal,
        deal=deal,
        variant=variant,
        figures=figures,
        places=match.places,
        shares=(0.5, 0.5),
        chances=tuple((chance, 1 - chance) for chance in draw.random(17)),
        hidden=tuple((0.05, 0.2) for _ in PHASES),
        legal=Counter({"peek": 30, "swap": 30}),
        used=Counter({"swap": 3}),
        events=Counter({"connects": 5, "made_up_kind": 1}),
        ending=frozenset({"takes_treasure"}),
        record=match.record(),
    )
