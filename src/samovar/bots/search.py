"""The bot `search`: thinks by `tree`, on all threads of the machine.

`search` makes 1000 simulations for a move, `search:8000` so many, `search:0.5s` as many as half a
second allows. By simulations the answer depends on the seed alone: they go into TREES trees however
many threads there are, and a tree is the work of one thread.

A tree is used again for the next move where nothing is hidden from the seat. Where something is,
what was found out by simulating worlds that have since turned out to be impossible would weigh in,
so each move is thought about anew.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import numpy as np

from samovar.bots import tree
from samovar.bots.bot import Answer, Order, chance, choices, reason
from samovar.bots.network_rules import Net
from samovar.engine.arrays import Array
from samovar.engine.heuristics import CERTAIN, Tuning
from samovar.engine.rule import Rule
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import Backend, thread_count
from samovar.engine.ways.plain import plain
from samovar.errors import BadBot

USUAL = 1000
TREES = 2
MOST_SIMULATIONS = 100_000_000
MOST_SECONDS = 3600
ENDLESS = 2**62  # simulations, when only the clock counts
MOST_NODES = 200_000  # of one tree, 11 MB: a full tree grows no more, but goes on counting
PORTION = 64  # worlds between two looks at the clock
SHOWN = 5  # reasons given
SEED_STEP = 1 << 40  # between the trees of one search
MOST_FOLLOWED = 2_000  # positions looked at to find the present one in an old tree

_BUDGET = re.compile(r"(?P<simulations>\d+)|(?P<seconds>\d+(\.\d+)?)s")

Tried = dict[int, tuple[int, int]]  # by move: how often it was tried, and the sum of what came of it


class Tree:
    """One tree of a search. Its memory is its room: 56 bytes a node, and three states."""

    fields, ordered = tree.NODE_FIELDS, tree.ORDERS
    searching: ClassVar[tuple[Rule, str]] = (tree.search, "search")  # what makes it grow, and its name when compiled

    def __init__(self, ready: Backend, room: int, tuning: Tuning) -> None:
        game = ready.game
        self._ready = ready
        self._tuning = tuning
        self.nodes = np.zeros((room, self.fields), np.int64)
        self.states = np.zeros(tree.STATES, game.state)
        self.orders = np.zeros(self.ordered, np.int64)
        self.orders[tree.USED] = tree.ROOT + 1
        self.orders[tree.EXPLORE : tree.SPLIT + 1] = (
            tuning.explore,
            tuning.widen,
            tuning.depth,
            tuning.reuse,
            tuning.split,
        )
        rng, out, _ = self._ready.scratch()
        self._spare = out.copy()
        path = np.zeros(tree.PATH, np.int64)
        self._arrays: tuple[Array | Net, ...] = (self.states, self.nodes, path, self.orders, rng, out, self._spare)

    def plant(self, known: Array, observer: int, seed: int) -> None:
        """What the simulations are about: `known` is a world that fits what the observer knows."""
        self.states[tree.KNOWN] = known[0]
        self.orders[tree.OBSERVER] = observer
        self.orders[tree.SEED] = seed

    def grow(self, simulations: int) -> None:
        self.orders[tree.BEGIN] = self.orders[tree.END]
        self.orders[tree.END] += simulations
        search = self._ready.make(*self.searching)
        search(*(map(plain, self._arrays) if self._ready.is_plain else self._arrays))

    def grow_until(self, deadline: float, simulations: int) -> None:
        """Some simulations, and then more until there are enough of them or it is late."""
        worlds = 1 if self._ready.is_plain else PORTION
        portion = simulations if deadline == math.inf else worlds * int(self.orders[tree.REUSE])
        for begun in range(0, simulations, portion):
            self.grow(min(portion, simulations - begun))
            if time.perf_counter() >= deadline:
                break

    def children(self, node: int) -> Iterator[int]:
        child = int(self.nodes[node, tree.FIRST])
        while child != tree.NONE:
            yield child
            child = int(self.nodes[child, tree.NEXT])

    def tried(self) -> Tried:
        """The moves at the root."""
        rows = (self.nodes[child].tolist() for child in self.children(tree.ROOT))
        return {row[tree.MOVE]: (row[tree.VISITS], row[tree.TOTAL]) for row in rows}

    def find(self, state: Array) -> int:
        """The node where the match stands as in `state`, at most a round of moves below the root;
        NONE if it is not in the tree."""
        wanted = state.tobytes()
        level = [(tree.ROOT, self.states[tree.KNOWN : tree.KNOWN + 1])]
        for _ in range(int(state["seats"][0])):
            parents = [(child, before) for node, before in level for child in self.children(node)][:MOST_FOLLOWED]
            if not parents:
                break
            after = np.concatenate([before for _, before in parents])
            rows = self.nodes[[child for child, _ in parents]]
            self._ready.step(
                after, rows[:, tree.SEAT].copy(), rows[:, tree.MOVE].copy(), np.zeros(len(after), np.int64)
            )
            level = [(child, after[k : k + 1]) for k, (child, _) in enumerate(parents)]
            for node, reached in level:
                if reached.tobytes() == wanted:
                    return node
        return tree.NONE

    def another(self, room: int) -> Tree:
        """An empty tree of the same kind."""
        return Tree(self._ready, room, self._tuning)

    def below(self, node: int, room: int) -> Tree:
        """What is below a node as a tree of its own, with room for more."""
        kept = self.another(min(int(self.nodes[node, tree.VISITS]) + room, MOST_NODES))
        keep = self._ready.make(tree.keep, "keep")
        arrays = (self.nodes, kept.nodes)
        kept.orders[tree.USED] = keep(*(map(plain, arrays) if self._ready.is_plain else arrays), node)
        return kept


class SearchBot:
    trees = TREES
    grows = 1  # nodes a simulation, about; more where what was seen after a move has its own

    def __init__(self, order: Order, simulations: int | None = None, tuning: Tuning | None = None) -> None:
        self.simulations, seconds = simulations or USUAL, math.inf
        if simulations is None and order.argument:
            self.simulations, seconds = parse_budget(order.name, order.argument)
        self._seconds = min(seconds, order.limit)
        self._ready = order.backend
        self._tuning = tuning or order.game.heuristics.tuning
        self._seed = order.seed
        self._trees: list[Tree] = []

    def choose(self, seat: Seat) -> Answer:
        return self.think(seat, seat.imagine(0).states)

    def think(self, seat: Seat, known: Array, considered: Sequence[int] = ()) -> Answer:
        """The best move as far as `known` goes: a world that fits what the seat knows, or what it
        believes to remember. It is one of those considered, if some are named."""
        legal = considered or choices(seat)
        seed = int(chance(self._seed, seat).integers(2**62))
        if len(legal) == 1:
            return Answer(legal[0])
        threads = thread_count()
        count = threads if self.simulations == ENDLESS else min(self.trees, self.simulations)
        share = -(-self.simulations // count)
        grows = self.grows + self._tuning.split
        self._trees = self._ready_trees(seat, known, count, min(grows * share + 2, MOST_NODES))
        for number, planted in enumerate(self._trees):
            planted.plant(known, seat.number, seed + number * SEED_STEP)
        deadline = time.perf_counter() + self._seconds
        if deadline < math.inf:  # the trees share the time, so they grow side by side
            threads = count
        on_threads(threads, [lambda grown=grown: grown.grow_until(deadline, share) for grown in self._trees])  # type: ignore[misc]
        return answer(seat, merged([grown.tried() for grown in self._trees]), legal)

    def _ready_trees(self, seat: Seat, known: Array, count: int, room: int) -> list[Tree]:
        """The trees of the move before where they can be used again, else new ones."""
        may_stay = len(self._trees) == count and not self._tuning.split
        if may_stay and is_all_known(self._ready, seat, known):
            nodes = [old.find(known) for old in self._trees]
            if tree.NONE not in nodes:
                return [old.below(node, room) for old, node in zip(self._trees, nodes, strict=True)]
        return [self._new_tree(room) for _ in range(count)]

    def _new_tree(self, room: int) -> Tree:
        return Tree(self._ready, room, self._tuning)

    def close(self) -> None:
        self._trees = []


def is_all_known(ready: Backend, seat: Seat, known: Array) -> bool:
    """Whether nothing is hidden from the seat: it can only imagine this one world."""
    imagined = np.repeat(known, 2)
    ready.determinize(imagined, seat.number, np.array([1, 2], np.int64))
    return imagined.tobytes() == known.tobytes() * 2


def on_threads(threads: int, jobs: Sequence[Callable[[], None]]) -> None:
    if threads == 1 or len(jobs) == 1:
        for job in jobs:
            job()
        return
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(job) for job in jobs]:
            done.result()


def parse_budget(name: str, text: str) -> tuple[int, float]:
    """`8000` simulations or `0.5s`."""
    parts = _BUDGET.fullmatch(text)
    if parts and parts["simulations"] and 1 <= int(parts["simulations"]) <= MOST_SIMULATIONS:
        return int(parts["simulations"]), math.inf
    if parts and parts["seconds"] and 0 < float(parts["seconds"]) <= MOST_SECONDS:
        return ENDLESS, float(parts["seconds"])
    raise BadBot(
        f"{name}:{text} is no budget. Write {name}:8000 for simulations (1 to {MOST_SIMULATIONS}), or {name}:0.5s "
        f"for seconds (up to {MOST_SECONDS})."
    )


def merged(searches: list[Tried]) -> Tried:
    together: Tried = {}
    for moves in searches:
        for move, (visits, total) in moves.items():
            before = together.get(move, (0, 0))
            together[move] = (before[0] + visits, before[1] + total)
    return together


def answer(seat: Seat, tried: Tried, considered: Sequence[int]) -> Answer:
    """Of the moves considered that tried most often, then that which did best, then the lowest; the
    first if none was tried. What is not legal was tried in a misremembered world."""
    order = sorted(
        tried.keys() & set(considered) or considered[:1],
        key=lambda move: (*(-number for number in tried.get(move, (0, 0))), move),
    )
    reasons = []
    for move in order[:SHOWN]:
        visits, total = tried.get(move, (0, 0))
        reasons.append(reason(seat, move, visits, total / (CERTAIN * max(visits, 1))))
    return Answer(order[0], tuple(reasons))
