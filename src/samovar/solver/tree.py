"""The whole tree of a small game, level by level, from every deal to every end.

A seat's *knowledge* is all it has seen at every moment and the moves it made: perfect recall. The
moments with the same knowledge of a seat that is to act are one *question*; its legal moves are the
*choices*. When choices are simultaneous the lowest seat is asked first, and no other sees what it
chose. Histories that lead to the same state, with the same knowledge of every seat, are one node:
what can follow is the same, and so is what each seat has done to get there.

Where nothing is hidden and one seat acts at a time, the state is all the knowledge that matters, so
there far more histories are one node.

Rows are told apart by two hashes of 64 bits each: of 10**8 rows two different ones have the same
pair with a probability of about 10**-23.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from samovar.engine.arrays import Array, Floats, Int32s, Int64s, States
from samovar.engine.contract import Game, Value, nothing_hidden
from samovar.engine.match import Match
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import Backend, backend
from samovar.engine.ways.rewards import PLACE, paid
from samovar.errors import TooLarge
from samovar.solver.chances import all_deals, outcomes, rolls

MOST_NODES = 30_000_000  # on one level
PORTION = 1 << 16  # states looked at together
NOBODY = -1

HashWords = npt.NDArray[np.uint64]

_SALTS = (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03)
_FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
_SHIFT = np.uint64(31)


def digests(rows: Array) -> HashWords:
    """Two hashes of every row of an array."""
    data = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), -1)
    wide = -data.shape[1] % 8
    words = (np.pad(data, ((0, 0), (0, wide))) if wide else data).view(np.uint64)
    found = np.empty((len(rows), len(_SALTS)), np.uint64)
    for k, (salt, factor) in enumerate(zip(_SALTS, _FACTORS, strict=True)):
        mixed = np.full(len(rows), salt, np.uint64)
        for column in words.T:
            mixed = (mixed ^ column) * np.uint64(factor)
            mixed ^= mixed >> _SHIFT
        mixed *= np.uint64(_FACTORS[1 - k])
        found[:, k] = mixed ^ (mixed >> _SHIFT)
    return found


def alike(*columns: Array) -> tuple[Int64s, Int64s]:
    """Which rows are equal: the first of every kind, in their order, and of which kind each row
    is."""
    rows = digests(np.column_stack([np.asarray(column).astype(np.uint64) for column in columns]))
    _, first, kinds = np.unique(rows[:, 0], return_index=True, return_inverse=True)
    if (rows[first[kinds], 1] != rows[:, 1]).any():  # two different rows have the same first hash
        _, first, kinds = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[kinds.reshape(-1)]


def sums(kinds: Int64s, numbers: Floats, count: int = 0) -> Floats:
    """Of each kind the sum of its numbers; there are at least `count` kinds."""
    return np.bincount(kinds, numbers, count).astype(np.float64)


@dataclass(frozen=True)
class TreeLevel:
    """The nodes after so many moves."""

    states: States
    chance: Floats  # the probability of all that chance did on the way to a node, over all its histories
    histories: Floats  # how many lead there
    actor: Int64s  # NOBODY where the match is over
    knowledge: Int64s  # by seat and node: equal numbers on one level are equal knowledge
    counts: Int64s  # legal moves of every node
    moves: Int32s  # all of them, node after node


@dataclass(frozen=True)
class Edges:
    """What leads from a level to the next: one for each outcome of each move."""

    parents: Int64s  # the node it comes from
    taken: Int64s  # which of all moves of the level
    odds: Floats  # the probability of the outcome
    children: Int64s  # the node it leads to


@dataclass(frozen=True)
class Arrivals:
    """Where the edges of a level lead, before equal ones are put together."""

    states: States
    chance: Floats
    histories: Floats
    knowledge: Int64s  # before the move
    mover: Int64s  # NOBODY for a deal
    move: Int64s


class VariantRules:
    """What is asked of a game with its seats and options."""

    def __init__(
        self,
        game: Game,
        seats: int | None = None,
        options: Mapping[str, Value] | None = None,
        *,
        rewards: str = PLACE,
        plain: bool | None = None,
    ) -> None:
        self.game = game
        self.rewards = rewards
        self.seats = game.check_seats(game.seats[0] if seats is None else seats)
        self.options = game.check_options(self.seats, options or {})
        self.ready: Backend = backend(game, plain)
        self.plain = plain
        self.rolls = rolls(game)

    @property
    def is_open(self) -> bool:
        """Whether nothing is hidden from anybody; choices at the same time would be."""
        return self.game.determinize is nothing_hidden

    def actors(self, states: States) -> Int64s:
        masks = np.zeros(len(states), np.int64)
        self.ready.actors(states, masks)
        return masks

    def legal(self, states: States, actor: Int64s) -> tuple[Int64s, Int32s]:
        """How many legal moves each actor has, and all of them in a row."""
        counts = np.zeros(len(states), np.int64)
        parts = []
        room = len(self.ready.scratch()[1])
        for some in portions(len(states)):
            rows = np.zeros((len(states[some]), room), np.int32)
            self.ready.legal(states[some], actor[some], rows, counts[some])
            parts.append(rows[np.arange(room) < counts[some, None]])
        return counts, np.concatenate([*parts, np.zeros(0, np.int32)])

    def observed(self, states: States, seat: int) -> HashWords:
        """Hashes of what a seat knows."""
        parts = [np.zeros((0, 2), np.uint64)]
        for some in portions(len(states)):
            rows = np.zeros((len(states[some]), self.game.observation_size), np.int8)
            self.ready.observe(states[some], seat, rows)
            parts.append(digests(rows))
        return np.concatenate(parts)

    def after(
        self, states: States, actor: Int64s, counts: Int64s, moves: Int32s
    ) -> tuple[States, Int64s, Int64s, Floats]:
        """The states that all moves lead to; of each the node it comes from, the move and the
        probability."""
        parents = np.repeat(np.arange(len(states)), counts)
        if not self.rolls:
            reached = states[parents]
            self.ready.step(reached, actor[parents], moves.astype(np.int64), np.zeros(len(moves), np.int64))
            return reached, parents, np.arange(len(moves)), np.ones(len(moves))
        found = [
            (state, parent, taken, float(odds))
            for taken, (parent, move) in enumerate(zip(parents.tolist(), moves.tolist(), strict=True))
            for odds, state in outcomes(self.game, states[parent].tobytes(), int(actor[parent]), move)
        ]
        reached = np.frombuffer(bytearray(b"".join(state for state, *_ in found)), self.game.state)
        _, origin, taken, odds = zip(*found, strict=True)
        return reached, np.array(origin), np.array(taken), np.array(odds)

    def returns(self, states: States) -> Floats:
        """By state and seat."""
        return paid(self.game, self.seats, self.rewards, self.ready, states)

    def sights(self, states: States, seat: int) -> Int64s:
        facts = np.zeros(len(states), np.int64)
        self.ready.sights(states, seat, facts)
        return facts

    def seat(self, state: bytes, number: int, sights: tuple[int, ...]) -> Seat:
        """A chair as a bot is handed it in this state, having seen that."""
        match = Match.standing(self.game, self.seats, state, plain=self.plain, options=self.options)
        return Seat(match.imagine(number, 0), number, sights)


def portions(count: int) -> Iterator[slice]:
    return (slice(begin, min(begin + PORTION, count)) for begin in range(0, count, PORTION))


def levels(
    rules: VariantRules, *, recall: bool, most: int = MOST_NODES, progress: Callable[[str], None] | None = None
) -> Iterator[tuple[TreeLevel, Edges | None]]:
    """The tree from the deals on, the last level without edges. Without `recall` a node is a state,
    and to know is to know the node."""
    level, _ = _put_together(rules, _dealt(rules), recall)
    for depth in count(1):
        if not level.counts.any():
            break
        if level.counts.sum() > most:
            raise TooLarge(
                f"{rules.game.name} has more than {most:,} positions after {depth} moves. Take a smaller member of "
                "it, or an option that makes matches shorter."
            )
        states, parents, taken, odds = rules.after(level.states, level.actor, level.counts, level.moves)
        reached = Arrivals(
            states,
            level.chance[parents] * odds,
            level.histories[parents],
            level.knowledge[:, parents],
            level.actor[parents],
            level.moves[taken].astype(np.int64),
        )
        following, children = _put_together(rules, reached, recall)
        if progress:
            progress(f"{len(children):,} positions after {depth} moves")
        yield level, Edges(parents, taken, odds, children)
        level = following
    yield level, None


def _dealt(rules: VariantRules) -> Arrivals:
    deals = all_deals(rules.game, rules.seats, rules.options)
    return Arrivals(
        np.frombuffer(bytearray(b"".join(state for _, state in deals)), rules.game.state),
        np.array([float(probability) for probability, _ in deals]),
        np.ones(len(deals)),
        np.zeros((rules.seats, len(deals)), np.int64),
        np.full(len(deals), NOBODY),
        np.zeros(len(deals), np.int64),
    )


def _put_together(rules: VariantRules, reached: Arrivals, recall: bool) -> tuple[TreeLevel, Int64s]:
    """The nodes that were reached, and which of them each arrival is at."""
    states = reached.states
    actor = lowest_actor(rules.actors(states))
    marks = digests(states.view(np.uint8).reshape(len(states), -1))
    known = [_knowledge(rules, reached, actor, seat) for seat in range(rules.seats)] if recall else []
    first, nodes = alike(*marks.T, *known)
    knowledge = [seat[first] for seat in known] or [np.arange(len(first))] * rules.seats
    states, actor = states[first], actor[first]
    live = actor != NOBODY
    counts = np.zeros(len(states), np.int64)
    counts[live], moves = rules.legal(states[live], actor[live])
    chance, histories = sums(nodes, reached.chance), sums(nodes, reached.histories)
    return TreeLevel(states, chance, histories, actor, np.stack(knowledge), counts, moves), nodes


def _knowledge(rules: VariantRules, reached: Arrivals, actor: Int64s, seat: int) -> Int64s:
    """What a seat knew, its own move, whether it is asked now, and what it sees, as one number."""
    seen = rules.observed(reached.states, seat)
    own = np.where(reached.mover == seat, reached.move, NOBODY)
    return alike(reached.knowledge[seat], own, actor == seat, *seen.T)[1]


def lowest_actor(masks: Int64s) -> Int64s:
    """The seat that is asked now: of several the lowest."""
    lowest = np.log2(np.maximum(masks & -masks, 1)).astype(np.int64)
    return np.where(masks == 0, NOBODY, lowest)
