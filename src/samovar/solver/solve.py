"""Best play of a small game with secrets, by CFR+ (Tammelin, 2014).

The seats learn in turn. Each keeps for every choice by how much it would have done better (never
less than nothing) and makes it in proportion; later rounds count more in the average, which is the
policy that comes out. With two opponents it comes as near to an equilibrium as one likes; with more
there is no such promise, but what each could still gain is as exact as ever.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from samovar.engine.arrays import Floats
from samovar.solver.form import SequenceForm, Side, StepsBySeat

USUAL_ROUNDS = 1000
FIRST_LOOK = 16  # rounds before what can be gained is looked at for the first time, then after twice as many


@dataclass(frozen=True)
class Solved:
    policy: StepsBySeat
    values: Floats  # by seat
    gains: Floats  # by seat: what the best answer to the others gives more
    rounds: int
    seconds: float

    @property
    def exploitability(self) -> float:
        return float(self.gains.mean())


def gains(form: SequenceForm, policy: StepsBySeat) -> Floats:
    """By seat: what it would gain by its best answer to the others."""
    gained: Floats = form.best_values(policy) - form.values(policy)
    return gained


def exploitability(form: SequenceForm, policy: StepsBySeat) -> float:
    """The mean gain of a seat by its best answer: 0 for an equilibrium."""
    return float(gains(form, policy).mean())


def solve(
    form: SequenceForm, rounds: int = USUAL_ROUNDS, target: float = 0.0, progress: Callable[[str], None] | None = None
) -> Solved:
    """So many rounds, or fewer where nobody can gain more than `target` on average."""
    begun = time.perf_counter()
    learners = [_Learner(side) for side in form.sides]
    plans = [learner.plan for learner in learners]
    look = FIRST_LOOK
    for number in range(1, rounds + 1):
        for seat, learner in enumerate(learners):
            learner.learn(form.worth_against(seat, plans), number)
            plans[seat] = learner.plan
        if number in (look, rounds):
            look *= 2
            policy = [side.policy(learner.sum) for side, learner in zip(form.sides, learners, strict=True)]
            solved = Solved(policy, form.values(policy), gains(form, policy), number, time.perf_counter() - begun)
            if progress:
                progress(f"round {number:,}: {solved.exploitability:.2e} to be gained")
            if solved.exploitability <= target:
                break
    return solved


class _Learner:
    """One seat."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._regret = np.zeros(side.steps)
        self._policy = side.even()
        self.plan = side.plan(self._policy)
        self.sum = np.zeros(side.steps)

    def learn(self, worth: Floats, weight: float) -> None:
        side = self._side

        def settle(worth: Floats, begin: int, end: int) -> Floats:
            first, last = side.steps_of(begin, end)
            starts, counts = side.start[begin:end] - first, side.count[begin:end]
            expected = np.add.reduceat(self._policy[first:last] * worth[first:last], starts)
            regret = self._regret[first:last]
            regret += worth[first:last] - np.repeat(expected, counts)
            np.maximum(regret, 0, out=regret)
            total = np.repeat(np.add.reduceat(regret, starts), counts)
            even = 1 / np.repeat(counts, counts)
            self._policy[first:last] = np.divide(regret, total, out=even, where=total > 0)
            return expected

        side.gather(worth, settle)
        self.plan = side.plan(self._policy)
        self.sum += weight * self.plan
