"""Matches that a seat cannot tell apart: what it has observed in them, from the deal on, is the same, and they are not.

That is a proof of what the seat cannot know which owes nothing to `determinize`. So what the seat is shown and may do
must be the same in all of them, and `determinize` must draw the same worlds. Among many deals a group is found that
look alike, and it is played on so that as many as possible go on to do so: the seat itself makes one move in all of
them, the others make whichever moves the seat cannot tell apart.

Where another seat made another move, the news may say so; those who hear of it have left the group. Where the move was
the same, the news must be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from samovar.engine.arrays import Array, Int64s, States
from samovar.engine.contract import Game, Options
from samovar.engine.rule import is_plain
from samovar.engine.ways.backend import Backend, backend
from samovar.engine.ways.plain import plain_state
from samovar.engine.ways.stand_ins import NO_MOVE
from samovar.testing.endless import moment_told, patience
from samovar.testing.sweep import (
    ANY_ORDER,
    actors_of,
    first_unlike,
    legal_moves,
    received,
    shown,
    some_actor,
    told_to,
)
from samovar.testing.worlds import as_one

DEALS = 60_000
PLAIN_DEALS = 300
MEMBERS = 4096  # of a group: in so many, some see the same cards
WALKS = 8  # of each seat
PLAIN_WALKS = 4
LIMIT = 120  # moves
BRANCHES = 16  # moves that are tried in each match
VIEWS = 4  # of a group that are compared as people see them


@dataclass(frozen=True)
class TwinGroup:
    """Matches in which a seat has observed the same from the deal on."""

    seat: int
    seeds: Int64s
    states: States
    movers: tuple[int, ...]  # who has moved, in all of them
    paths: Int64s  # what they have played, a row each

    def tell(self, row: int) -> str:
        return (
            f"seat {self.seat} after {len(self.movers)} moves of seeds {self.seeds[0]} and {self.seeds[row]}, in which "
            "it has observed the same"
        )

    def failure(self, row: int, what: str) -> AssertionError:
        error = AssertionError(f"{self.tell(row)}: {what}")
        for k in (0, row):
            history = [*zip(self.movers, self.paths[k].tolist(), strict=True)]
            error.add_note(f"The match of seed {self.seeds[k]}, by seat and move: {history}")
        return error

    def kept(self, rows: Array) -> TwinGroup:
        return TwinGroup(self.seat, self.seeds[rows], self.states[rows], self.movers, self.paths[rows])


def check_twins(game: Game, seats: int, options: Options, deals: int | None = None, walks: int | None = None) -> int:
    """All seats. Says how many pairs of different matches were compared that a seat cannot tell apart."""
    deals, walks = deals or (PLAIN_DEALS if is_plain() else DEALS), walks or (PLAIN_WALKS if is_plain() else WALKS)
    ready, pairs = backend(game), 0
    states, seeds = np.zeros(deals, game.state), np.arange(deals, dtype=np.int64)
    ready.deal(states, game.setup(seats, game.check_options(seats, options)), seeds)
    with patience(game):
        for seat in range(seats):
            for number, rows in enumerate(groups_of(ready, states, seat, walks)):
                group = TwinGroup(seat, seeds[rows], states[rows], (), np.zeros((len(rows), 0), np.int64))
                pairs += walk(ready, group, seats, number)
    return pairs


def groups_of(ready: Backend, states: States, seat: int, count: int) -> Iterator[Int64s]:
    """Deals that look alike to a seat: of each kind some, kinds with many first."""
    _, kinds = np.unique(looks(ready, states, seat), return_inverse=True)
    order = np.argsort(kinds, kind="stable")
    split = np.split(order, np.flatnonzero(np.diff(kinds[order])) + 1)
    large = sorted((rows for rows in split if len(rows) > 1), key=lambda rows: -len(rows))
    pieces = [rows[low : low + MEMBERS] for low in (0, MEMBERS, 2 * MEMBERS) for rows in large if len(rows) > low + 1]
    yield from pieces[:count]


def looks(ready: Backend, states: States, seat: int) -> Array:
    """What a seat observes and who may act, as one thing that can be compared, for each state."""
    rows = np.zeros((len(states), ready.game.observation_size), np.int8)
    ready.observe(states, seat, rows)
    return as_one(rows, actors_of(ready, states)[:, None])


def walk(ready: Backend, group: TwinGroup | None, seats: int, number: int) -> int:
    """Plays a group on for as long as two of it are different, and compares them before every move. At the end
    cards are laid open which nobody need observe any more."""
    choose = np.random.default_rng(number)
    pairs = 0
    while group is not None and len(group.movers) < LIMIT:
        mask = actors_of(ready, group.states[:1])
        different = np.sort(np.unique(as_one(group.states), return_index=True)[1])
        if not mask[0] or len(different) < 2:
            break
        compare(ready, group.kept(different), seats)
        pairs += len(different) - 1
        group = play_on(ready, group, int(some_actor(mask, seats, choose)[0]), choose, number)
    return pairs


# What must be the same


def compare(ready: Backend, group: TwinGroup, seats: int) -> None:
    """All are compared with the first."""
    seat, states = group.seat, group.states
    for what, rows in received(ready, states, seat, seats):
        unlike = (rows != rows[0]).reshape(len(rows), -1).any(1)
        if unlike.any():
            row = int(unlike.argmax())
            raise group.failure(row, f"{what}: {shown(rows[0])} in one and {shown(rows[row])} in the other")
    worlds = states.copy()
    with moment_told(group.tell(len(states) - 1)):
        ready.determinize(worlds, seat, len(group.movers))
    if (worlds != worlds[0]).any():
        raise group.failure(int((worlds != worlds[0]).argmax()), "determinize looks at the truth")
    told = [told_to(ready.game, states[row : row + 1], seat) for row in range(min(len(states), VIEWS))]
    for row, other in enumerate(told):
        if other != told[0]:
            raise group.failure(row, f"it is told {first_unlike(told[0], other)}")


# Playing on


@dataclass(frozen=True)
class Branches:
    """A group after moves that each of its matches might go on with."""

    rows: Int64s  # which match of the group
    moves: Int64s
    states: States
    alike: Int64s  # a number for each way to look to the seat

    def different(self, keys: Int64s) -> Int64s:
        """How many different states there are of each key."""
        _, first = np.unique(as_one(keys, self.states), return_index=True)
        return np.bincount(keys[first], minlength=int(keys.max()) + 1)


def play_on(ready: Backend, group: TwinGroup, mover: int, choose: np.random.Generator, number: int) -> TwinGroup | None:
    """The move after which most are still alike, or, in every second walk, any after which some are."""
    after = branch(ready, group, mover, int(choose.integers(2**30)))
    _, same_move = np.unique(as_one(after.alike, after.moves), return_inverse=True)
    keys = [same_move] if mover == group.seat else [same_move, after.alike]
    for key in keys:
        counts = after.different(key) - 1
        if counts.max() > 0:
            best = int(counts.argmax()) if number % 2 == 0 else int(choose.choice(len(counts), p=counts / counts.sum()))
            return follow(ready.game, group, after, np.flatnonzero(key == best), mover)
    return None


def branch(ready: Backend, group: TwinGroup, mover: int, salt: int) -> Branches:
    """Some legal moves of each match, the same ones where they can be."""
    legal = legal_moves(ready, group.states, np.full(len(group.states), mover))
    order = np.where(legal == NO_MOVE, -1, (legal.astype(np.int64) + 1) * (2 * salt + 1) * ANY_ORDER % 2**31)
    chosen = np.take_along_axis(legal, np.argsort(-order, 1)[:, :BRANCHES], 1)
    rows, places = np.nonzero(chosen != NO_MOVE)
    moves = chosen[rows, places].astype(np.int64)
    states, answers = group.states[rows], np.zeros(len(rows), np.int64)
    ready.step(states, np.full(len(rows), mover), moves, answers)
    _, alike = np.unique(looks(ready, states, group.seat), return_inverse=True)
    return Branches(rows, moves, states, alike)


def follow(game: Game, group: TwinGroup, after: Branches, taken: Int64s, mover: int) -> TwinGroup:
    """Those that can go where the seat sees the same, each by its first move that leads there."""
    _, first = np.unique(after.rows[taken], return_index=True)
    taken = taken[first]
    paths = np.concatenate([group.paths[after.rows[taken]], after.moves[taken][:, None]], 1)
    gone_on = TwinGroup(group.seat, group.seeds[after.rows[taken]], after.states[taken], (*group.movers, mover), paths)
    heard = game.news_of(plain_state(gone_on.states[:1]), group.seat)
    is_alike = after.moves[taken] == after.moves[taken[0]]
    for row in np.flatnonzero(~is_alike):
        is_alike[row] = game.news_of(plain_state(gone_on.states[row : row + 1]), group.seat) == heard
    return gone_on.kept(is_alike)
