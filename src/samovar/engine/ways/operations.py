"""What can be done to an array of states, by name: the same on one thread, on many and on a GPU.

Arrays have one row a match, and what an operation says to be written is written into them. Where
one number holds for every match it may be given as such: `determinize(states, seat, seed)`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeAlias

import numpy as np

from samovar.engine.arrays import Int64s, Rows
from samovar.engine.kinds import RAW
from samovar.engine.ways.turns import Turn

Argument: TypeAlias = Rows | Turn
Numbers: TypeAlias = int | Rows  # one for all matches, or one for each

NOTHING: Int64s = np.zeros(1, np.int64)


class Operations(ABC):
    """Runs a game's operations; `run` says where."""

    @abstractmethod
    def run(
        self, operation: str, states: Rows, a: Argument = NOTHING, b: Argument = NOTHING, c: Argument = NOTHING
    ) -> None:
        """One of `kernels.OPERATIONS` on every state of an array."""

    # What the rules say

    def deal(self, states: Rows, setup: Rows, seeds: Numbers) -> None:
        """Deals every match anew; `setup` is `Game.setup`, one for all or one for each."""
        self.run("deal", states, _each(setup, states), _row(seeds, states))

    def actors(self, states: Rows, masks: Rows) -> None:
        """Writes the seats that may act, a bit each."""
        self.run("actors", states, masks)

    def legal(self, states: Rows, seats: Numbers, moves: Rows, counts: Rows) -> None:
        """Writes the legal moves of an actor in each match, and how many."""
        self.run("legal", states, _row(seats, states), moves, counts)

    def step(self, states: Rows, seats: Numbers, moves: Rows, answers: Rows) -> None:
        """One checked move in each match; writes the actors after it, or why it was refused."""
        self.run("step", states, _row(seats, states), moves, answers)

    def observe(self, states: Rows, seats: Numbers, rows: Rows, encoding: str = RAW) -> None:
        """Writes the observation of a seat in each match."""
        self.run("observe" if encoding == RAW else "observe_planes", states, _row(seats, states), rows)

    def encode(self, states: Rows, observations: Rows, rows: Rows) -> None:
        """Writes observations that were made before as planes; the states are not asked."""
        self.run("encode", states, observations, rows)

    def factors(self, states: Rows, seats: Numbers, moves: Rows, rows: Rows) -> None:
        """Writes legal moves of a seat in each match told as parts, up to the first -1."""
        self.run("factors", states, _row(seats, states), moves, rows)

    def rotate_moves(self, states: Rows, seats: Numbers, moves: Rows, *, back: bool = False) -> None:
        """A move of a seat in each match becomes its number on the board as the seat sees it, or
        `back`."""
        self.run("rotate_back" if back else "rotate_move", states, _row(seats, states), moves)

    def success(self, states: Rows, shares: Rows) -> None:
        """Writes how well all seats of each match did together, 0 to 1000."""
        self.run("success", states, shares)

    def scores(self, states: Rows, points: Rows, places: Rows) -> None:
        """Writes points and places by seat, as if every match ended now."""
        self.run("scores", states, points, places)

    def determinize(self, states: Rows, seats: Numbers, seeds: Numbers) -> None:
        """Replaces every match by a world that fits all that a seat of it knows."""
        self.run("determinize", states, _row(seats, states), _row(seeds, states))

    def redeal(self, states: Rows, seeds: Numbers) -> None:
        """Replaces every match by a world that fits what all its seats know together."""
        self.run("redeal", states, _row(seeds, states))

    # What the heuristics say

    def evaluate(self, states: Rows, shares: Rows) -> None:
        """Writes how well each seat stands, from 0 to 1000."""
        self.run("evaluate", states, shares)

    def rollout_move(self, states: Rows, seats: Numbers, seeds: Numbers, moves: Rows) -> None:
        """Writes a move of a seat in each match that is likely to be good."""
        self.run("rollout_move", states, _row(seats, states), _row(seeds, states), moves)

    def sights(self, states: Rows, seat: int, facts: Rows) -> None:
        """Writes what the same seat sees in each state, a bit for each fact."""
        self.run("sights", states, np.array([seat], np.int64), facts)

    def forget(self, states: Rows, seats: Numbers, facts: Numbers, seeds: Numbers) -> None:
        """Makes a seat forget facts, in imagined worlds."""
        self.run("forget", states, _row(seats, states), _row(facts, states), _row(seeds, states))

    # Random play

    def play_random(self, states: Rows, seeds: Numbers, lengths: Rows, limit: int) -> None:
        """At most `limit` random moves in each match; `made` is how many there were, raised."""
        self.run("play_random", states, _row(seeds, states), lengths, np.array([limit], np.int64))

    def play_sensibly(self, states: Rows, seeds: Numbers, lengths: Rows, limit: int) -> None:
        """The same with moves that are likely to be good, as the heuristics say them."""
        self.run("play_sensibly", states, _row(seeds, states), lengths, np.array([limit], np.int64))

    def play_endless(self, states: Rows, setup: Rows, seeds: Rows, steps: Rows, *, observed: bool = False) -> None:
        """Random matches one after another, for measuring; `steps` becomes the moves made."""
        self.run("play_observed" if observed else "play_endless", states, _each(setup, states), seeds, steps)

    def tally(self, states: Rows, setup: Rows, seeds: Rows, rows: Rows) -> None:
        """A whole random match for each row, which becomes what it was like: the columns of
        `kernels` from LENGTH on, then points and places by seat. LENGTH says how many moves it may have."""
        self.run("tally", states, _each(setup, states), seeds, rows)

    # Step by step, for `Batch`

    def offer(self, states: Rows, turn: Turn, *, encoded: bool = False) -> None:
        """Writes who is to act, what it may do and what it knows; `encoded`: as the turn's wishes are."""
        self.run("offer_encoded" if encoded else "offer", states, turn)

    def check(self, states: Rows, turn: Turn, moves: Rows, refused: Rows) -> None:
        """Writes whether any move is not among those offered."""
        self.run("check", states, turn, moves, refused)

    def advance(self, states: Rows, turn: Turn, moves: Rows, *, encoded: bool = False) -> None:
        """One of the moves offered in each match, and what is so then."""
        self.run("advance_encoded" if encoded else "advance", states, turn, moves)

    def send(self, states: Rows, turn: Turn, moves: Rows, sent: Rows, *, encoded: bool = False) -> None:
        """The same with any move; one that was not offered is counted in `sent`, and its match waits."""
        self.run("send_encoded" if encoded else "send", states, turn, moves, sent)

    def any_move(self, states: Rows, turn: Turn, asked: Rows, moves: Rows) -> None:
        """Writes one of the moves offered in each match, all equally likely."""
        self.run("any_move", states, turn, asked, moves)


def _row(numbers: Numbers, states: Rows) -> Rows:
    return np.array([numbers] * len(states), np.int64) if isinstance(numbers, int) else numbers


def _each(setup: Rows, states: Rows) -> Rows:
    return np.repeat(setup, len(states)) if isinstance(setup, np.ndarray) and len(setup) == 1 else setup
