"""A small game with secrets as a table of what each seat can do, and its best answers.

What a seat does is a *plan*: with which weight it makes each row of moves of its own. A row of
moves is told by its last question and choice, a *step*; step 0 is to have made none. An end counts
with the weight of chance times that of every seat's last step, so the whole tree is a list of ends,
and of each seat the steps, which make a tree of their own: this is the sequence form (Koller,
Megiddo and von Stengel, 1996).

A *policy* is one number for each choice of each question, how likely it is made there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from samovar.engine.arrays import Array, Floats, Int64s, States
from samovar.engine.seat import Seat
from samovar.errors import BrokenGame
from samovar.solver.tree import NOBODY, Edges, TreeLevel, VariantRules, alike, levels, sums

Answering = Callable[[Seat, Int64s], Floats]  # how likely who sits in this chair makes each of these moves
StepsBySeat = list[Floats]  # by seat, a number for every step; that of step 0 is 1


@dataclass(frozen=True)
class Side:
    """The questions of one seat in the order of the moments, and its steps. The choices of a
    question are the steps from `start` on."""

    start: Int64s  # by question
    count: Int64s
    before: Int64s  # the step before the question
    moves: Int64s  # by step
    bounds: list[tuple[int, int]]  # the questions of each moment at which there are some
    states: States  # by question: one state in which it is asked
    moment: Int64s
    knowledge: Int64s

    @property
    def questions(self) -> int:
        return len(self.start)

    @property
    def steps(self) -> int:
        return len(self.moves)

    def plan(self, policy: Floats) -> Floats:
        """The weight of every step."""
        weights = np.ones(self.steps)
        for begin, end in self.bounds:
            self.weigh(policy, weights, begin, end)
        return weights

    def weigh(self, policy: Floats, weights: Floats, begin: int, end: int) -> None:
        """Writes the weights of the steps that some questions of one moment lead to."""
        first, last = self.steps_of(begin, end)
        weights[first:last] = policy[first:last] * np.repeat(weights[self.before[begin:end]], self.count[begin:end])

    def policy(self, plan: Floats) -> Floats:
        """The other way round; any move where the plan does not lead to the question."""
        before = np.repeat(plan[self.before], self.count)
        even = 1 / np.repeat(self.count, self.count)
        after = np.divide(plan[1:], before, out=even, where=before > 0)
        return np.concatenate([[1.0], after])

    def even(self) -> Floats:
        """Any move, all equally likely."""
        return np.concatenate([[1.0], 1 / np.repeat(self.count, self.count)])

    def gather(self, worth: Floats, settle: Callable[[Floats, int, int], Floats]) -> float:
        """Goes through the questions from the last to the first. `worth` of every step, by the ends
        right after it, grows by that of the questions after it; `settle` says what a question is
        worth."""
        for begin, end in reversed(self.bounds):
            worth += sums(self.before[begin:end], settle(worth, begin, end), len(worth))
        return float(worth[0])

    def best(self, worth: Floats) -> tuple[float, Floats]:
        """What the best answer is worth, and a policy that gives it."""
        policy = self.even()

        def settle(worth: Floats, begin: int, end: int) -> Floats:
            first, last = self.steps_of(begin, end)
            starts = self.start[begin:end] - first
            most = np.maximum.reduceat(worth[first:last], starts)
            policy[first:last] = worth[first:last] == np.repeat(most, self.count[begin:end])
            policy[first:last] /= np.repeat(np.add.reduceat(policy[first:last], starts), self.count[begin:end])
            return most

        return self.gather(worth, settle), policy

    def steps_of(self, begin: int, end: int) -> tuple[int, int]:
        return int(self.start[begin]), int(self.start[end - 1] + self.count[end - 1])


@dataclass(frozen=True)
class TreeSize:
    """How large the tree is: histories, each counted by itself, as other libraries do."""

    deals: int
    chance: float
    decisions: float
    ends: float

    @property
    def nodes(self) -> float:
        return self.chance + self.decisions + self.ends

    def and_of(self, level: TreeLevel, edges: Edges | None) -> TreeSize:
        """With another level."""
        over = level.actor == NOBODY
        rolled = 0.0
        if edges is not None:
            outcomes = np.bincount(edges.taken, minlength=len(level.moves))
            rolled = float(np.repeat(level.histories, level.counts)[outcomes > 1].sum())
        return TreeSize(
            self.deals or int(level.histories.sum()),
            self.chance + rolled,
            self.decisions + float(level.histories[~over].sum()),
            self.ends + float(level.histories[over].sum()),
        )


class SequenceForm:
    """The whole game."""

    def __init__(self, rules: VariantRules, progress: Callable[[str], None] | None = None) -> None:
        self.rules = rules
        self.seats = rules.seats
        maker = _Maker(rules)
        for level, edges in levels(rules, recall=True, progress=progress):
            maker.add(level, edges)
        self.sides = maker.sides()
        self.count = maker.count
        self._past = maker.past
        self.steps, self.worth = maker.ends()  # of every end, by seat: its last step, and chance times what it returns

    @property
    def questions(self) -> int:
        return sum(side.questions for side in self.sides)

    def even(self) -> StepsBySeat:
        """Every seat makes any move."""
        return [side.even() for side in self.sides]

    def values(self, policy: StepsBySeat) -> Floats:
        """What each seat can expect when all play by this policy."""
        weights = np.prod([plan[steps] for plan, steps in zip(self.plans(policy), self.steps, strict=True)], axis=0)
        expected: Floats = self.worth @ weights
        return expected

    def plans(self, policy: StepsBySeat) -> list[Floats]:
        return [side.plan(numbers) for side, numbers in zip(self.sides, policy, strict=True)]

    def worth_against(self, seat: int, plans: list[Floats]) -> Floats:
        """What every step of a seat is worth by the ends right after it, the others playing by
        their plans."""
        weights = self.worth[seat]
        for other in range(self.seats):
            if other != seat:
                weights = weights * plans[other][self.steps[other]]
        return sums(self.steps[seat], weights, self.sides[seat].steps)

    def best_values(self, policy: StepsBySeat) -> Floats:
        """What each seat can expect by its best answer, the others playing by this policy."""
        plans = self.plans(policy)
        return np.array([self.sides[seat].best(self.worth_against(seat, plans))[0] for seat in range(self.seats)])

    def ask(self, answer: Answering) -> StepsBySeat:
        """The policy of somebody who is asked every question with a choice, but those to which its own
        answers never lead."""
        policy = self.even()
        for seat, (side, numbers) in enumerate(zip(self.sides, policy, strict=True)):
            weights = np.ones(side.steps)
            for begin, end in side.bounds:
                comes = (side.count[begin:end] > 1) & (weights[side.before[begin:end]] > 0)
                for question in (begin + np.flatnonzero(comes)).tolist():
                    steps = slice(int(side.start[question]), int(side.start[question] + side.count[question]))
                    numbers[steps] = answer(self.chair(seat, question), side.moves[steps])
                side.weigh(numbers, weights, begin, end)
        return policy

    def chair(self, seat: int, question: int) -> Seat:
        """What a bot is handed that is asked this question."""
        side = self.sides[seat]
        known = int(side.knowledge[question])
        sights = []
        for moment in range(int(side.moment[question]), -1, -1):
            before, facts = self._past[moment][seat]
            sights.append(int(facts[known]))
            known = int(before[known])
        return self.rules.seat(side.states[question].tobytes(), seat, tuple(reversed(sights)))


class _Maker:
    """Takes the levels of a tree one after another."""

    def __init__(self, rules: VariantRules) -> None:
        self._rules = rules
        self.count = TreeSize(0, 1, 0, 0)
        # by moment and seat: of each knowledge what it was before, and what the seat saw
        self.past: list[list[tuple[Int64s, Int64s]]] = []
        self._before: list[Int64s] | None = None  # by seat: of each node of this level the knowledge before it
        self._sides = [_Growing() for _ in range(rules.seats)]
        self._at = np.zeros((rules.seats, 1), np.int64)  # by seat and node of this level: the last step
        self._ends: list[tuple[Int64s, Floats]] = []

    def add(self, level: TreeLevel, edges: Edges | None) -> None:
        seats = range(self._rules.seats)
        if not self.past:
            self._at = np.zeros((len(seats), len(level.states)), np.int64)
        self._note_past(level)
        over = level.actor == NOBODY
        self._ends.append((self._at[:, over], (self._rules.returns(level.states[over]) * level.chance[over, None]).T))
        begun = np.zeros(len(level.states), np.int64)  # the first step of the question asked at a node
        for seat in seats:
            asked = np.flatnonzero(level.actor == seat)
            if len(asked):
                begun[asked] = self._ask(level, seat, asked)
        self.count = self.count.and_of(level, edges)
        if edges is None:
            return
        first = np.zeros(int(edges.children.max()) + 1, np.int64)
        first[edges.children[::-1]] = np.arange(len(edges.children))[::-1]  # an edge to every child
        parents, taken = edges.parents[first], edges.taken[first]
        self._before = [level.knowledge[seat][parents] for seat in seats]
        offsets = np.cumsum(level.counts) - level.counts
        self._at = self._at[:, parents]
        steps = begun[parents] + taken - offsets[parents]
        for seat in seats:
            self._at[seat] = np.where(level.actor[parents] == seat, steps, self._at[seat])

    def _note_past(self, level: TreeLevel) -> None:
        row = []
        for seat, knowledge in enumerate(level.knowledge):
            kinds = int(knowledge.max()) + 1
            first = np.zeros(kinds, np.int64)
            first[knowledge[::-1]] = np.arange(len(knowledge))[::-1]
            before = np.zeros(kinds, np.int64) if self._before is None else self._before[seat][first]
            row.append((before, self._rules.sights(level.states[first], seat)))
        self.past.append(row)

    def _ask(self, level: TreeLevel, seat: int, asked: Int64s) -> Int64s:
        """The questions of a seat at this moment; says with which step each node's begins."""
        first, kinds = alike(level.knowledge[seat, asked])
        nodes = asked[first]
        self._check(level, seat, asked, nodes[kinds])
        side = self._sides[seat]
        counts = level.counts[nodes]
        start = side.steps + np.cumsum(counts) - counts
        side.add(
            start=start,
            count=counts,
            before=self._at[seat, nodes],
            moves=level.moves[_choices(level, nodes)].astype(np.int64),
            states=level.states[nodes],
            moment=np.full(len(nodes), len(self.past) - 1),
            knowledge=level.knowledge[seat, nodes],
        )
        return start[kinds]

    def _check(self, level: TreeLevel, seat: int, asked: Int64s, example: Int64s) -> None:
        """Who knows the same has the same moves."""
        same = np.array_equal(level.counts[asked], level.counts[example]) and np.array_equal(
            level.moves[_choices(level, asked)], level.moves[_choices(level, example)]
        )
        if not same:
            raise BrokenGame(
                f"In {self._rules.game.name} seat {seat} has other legal moves in positions that it cannot tell apart. "
                "Let `observe` write what a seat needs to know its moves; samovar.testing finds such positions."
            )

    def sides(self) -> list[Side]:
        return [side.made(self._rules) for side in self._sides]

    def ends(self) -> tuple[Int64s, Floats]:
        """Of every end the last step of each seat, and what it is worth to it; those after the same
        steps of all are one."""
        steps = np.concatenate([steps for steps, _ in self._ends], axis=1)
        worth = np.concatenate([worth for _, worth in self._ends], axis=1)
        first, kinds = alike(*steps)
        return steps[:, first], np.stack([sums(kinds, row) for row in worth])


class _Growing:
    """A side while the tree is walked."""

    def __init__(self) -> None:
        self.steps = 1
        self._parts: list[dict[str, Array]] = []

    def add(self, **part: Array) -> None:
        self._parts.append(part)
        self.steps += len(part["moves"])

    def made(self, rules: VariantRules) -> Side:
        sizes = np.cumsum([0, *(len(part["start"]) for part in self._parts)]).tolist()
        names = ("start", "count", "before", "moment", "knowledge")
        whole = {name: np.concatenate([np.zeros(0, np.int64), *(part[name] for part in self._parts)]) for name in names}
        return Side(
            **whole,
            moves=np.concatenate([[NOBODY], *(part["moves"] for part in self._parts)]),
            states=np.concatenate([np.zeros(0, rules.game.state), *(part["states"] for part in self._parts)]),
            bounds=list(pairwise(sizes)),
        )


def _choices(level: TreeLevel, nodes: Int64s) -> Int64s:
    """Where the moves of some nodes are among all moves of a level."""
    counts = level.counts[nodes]
    offsets = (np.cumsum(level.counts) - level.counts)[nodes]
    inside = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    found: Int64s = np.repeat(offsets, counts) + inside
    return found
