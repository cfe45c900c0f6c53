"""A small game in which nothing is hidden, worked out backwards from its ends.

A question is a position: what led there does not matter. A *policy* is one number for each choice
of each question, how likely it is made there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from samovar.engine.arrays import Flags, Floats, Int64s, States
from samovar.engine.seat import Seat
from samovar.errors import BadOption
from samovar.solver.form import Answering, TreeSize
from samovar.solver.tree import NOBODY, Edges, TreeLevel, VariantRules, levels, sums

ChoicesByMoment = list[Floats]  # by moment, a number for every choice


@dataclass(frozen=True)
class Positions:
    """The positions after so many moves."""

    states: States
    chance: Floats
    actor: Int64s
    counts: Int64s  # choices of every position; none where the match is over
    moves: Int64s
    returns: Floats  # by position and seat, 0 where the match goes on
    edges: Edges | None
    came_from: Int64s  # a position of the moment before
    sights: Int64s  # by seat and position


class Graph:
    """The whole game."""

    def __init__(self, rules: VariantRules, progress: Callable[[str], None] | None = None) -> None:
        if not rules.is_open:
            raise BadOption(f"In {rules.game.name} something is hidden. Use samovar.solver.form.SequenceForm.")
        self.rules = rules
        self.seats = rules.seats
        self.moments: list[Positions] = []
        self.count = TreeSize(0, 1, 0, 0)
        came_from = np.zeros(0, np.int64)
        for level, edges in levels(rules, recall=False, progress=progress):
            self.moments.append(self._moment(level, edges, came_from))
            self.count = self.count.and_of(level, edges)
            if edges is not None:
                came_from = np.zeros(int(edges.children.max()) + 1, np.int64)
                came_from[edges.children[::-1]] = edges.parents[::-1]

    def _moment(self, level: TreeLevel, edges: Edges | None, came_from: Int64s) -> Positions:
        over = level.actor == NOBODY
        returns = np.zeros((len(over), self.seats))
        returns[over] = self.rules.returns(level.states[over])
        sights = np.stack([self.rules.sights(level.states, seat) for seat in range(self.seats)])
        return Positions(
            level.states, level.chance, level.actor, level.counts, level.moves.astype(np.int64), returns, edges,
            came_from, sights,
        )  # fmt: skip

    @property
    def questions(self) -> int:
        return sum(int((moment.actor != NOBODY).sum()) for moment in self.moments)

    @property
    def positions(self) -> int:
        return sum(len(moment.states) for moment in self.moments)

    def even(self) -> ChoicesByMoment:
        """Every seat makes any move."""
        return [1 / np.repeat(moment.counts, moment.counts) for moment in self.moments]

    def values(self, policy: ChoicesByMoment) -> Floats:
        """What each seat can expect when all play by this policy."""
        return self._backwards(lambda number, moment, worth: policy[number])

    def best_values(self, policy: ChoicesByMoment) -> Floats:
        """What each seat can expect by its best answer, the others playing by this policy."""
        return np.array([self._backwards(_answering(policy, seat))[seat] for seat in range(self.seats)])

    def solved(self) -> tuple[ChoicesByMoment, Floats]:
        """Best play of all, and what each seat can expect by it; of equally good moves any."""
        policy = self.even()

        def choose(number: int, moment: Positions, worth: Floats) -> Floats:
            own = worth[np.arange(len(worth)), np.repeat(moment.actor, moment.counts)]
            policy[number] = _best(moment, own, moment.actor != NOBODY, policy[number])
            return policy[number]

        return policy, self._backwards(choose)

    def _backwards(self, choose: Callable[[int, Positions, Floats], Floats]) -> Floats:
        """What each seat can expect. `choose` is told what every choice of a moment is worth to every
        seat, and says how likely each is."""
        after = np.zeros((0, self.seats))
        for number in reversed(range(len(self.moments))):
            moment = self.moments[number]
            now = moment.returns.copy()
            if moment.edges is not None:
                edges = moment.edges
                worth = np.stack(
                    [sums(edges.taken, edges.odds * after[edges.children, seat]) for seat in range(self.seats)],
                    1,
                )
                weighed = worth * choose(number, moment, worth)[:, None]
                owner = np.repeat(np.arange(len(now)), moment.counts)
                for seat in range(self.seats):
                    now[:, seat] += sums(owner, weighed[:, seat], len(now))
            after = now
        expected: Floats = self.moments[0].chance @ after
        return expected

    def ask(self, answer: Answering) -> ChoicesByMoment:
        """The policy of somebody who is asked in every position with a choice, but those to which its
        own answers never lead."""
        policy = self.even()
        comes = np.ones((self.seats, len(self.moments[0].states)), bool)  # by seat and position of a moment
        for number, moment in enumerate(self.moments):
            starts = np.cumsum(moment.counts) - moment.counts
            for position in np.flatnonzero(moment.counts > 1).tolist():
                if comes[moment.actor[position], position]:
                    choices = slice(int(starts[position]), int(starts[position] + moment.counts[position]))
                    policy[number][choices] = answer(self.chair(number, position), moment.moves[choices])
            if moment.edges is not None:
                comes = self._led(comes, moment, moment.edges, policy[number])
        return policy

    def _led(self, comes: Flags, moment: Positions, edges: Edges, policy: Floats) -> Flags:
        """Where each seat may come to next by its own answers."""
        led = np.zeros((self.seats, int(edges.children.max()) + 1), bool)
        for seat in range(self.seats):
            open_to = comes[seat, edges.parents] & ((moment.actor[edges.parents] != seat) | (policy[edges.taken] > 0))
            led[seat, edges.children[open_to]] = True
        return led

    def chair(self, number: int, position: int) -> Seat:
        """What a bot is handed that is asked in this position, having come there by one of the ways."""
        seat = int(self.moments[number].actor[position])
        state = self.moments[number].states[position].tobytes()
        sights = []
        for moment in reversed(self.moments[: number + 1]):
            sights.append(int(moment.sights[seat, position]))
            position = int(moment.came_from[position]) if len(moment.came_from) else 0
        return self.rules.seat(state, seat, tuple(reversed(sights)))


def _answering(policy: ChoicesByMoment, seat: int) -> Callable[[int, Positions, Floats], Floats]:
    return lambda number, moment, worth: _best(moment, worth[:, seat], moment.actor == seat, policy[number])


def _best(moment: Positions, worth: Floats, chooses: Flags, policy: Floats) -> Floats:
    """The policy, but where `chooses` says so only the best choices are made."""
    owner = np.repeat(np.arange(len(moment.counts)), moment.counts)
    most = np.full(len(moment.counts), -np.inf)
    np.maximum.at(most, owner, worth)
    is_best = worth == most[owner]
    shared = is_best / sums(owner, is_best.astype(np.float64), len(moment.counts))[owner]
    return np.where(chooses[owner], shared, policy)
