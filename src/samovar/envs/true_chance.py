"""Chance in OpenSpiel as it is: every deal with its probability, and every outcome of a move that
rolls, each a node of its own. For games small enough to be looked at whole.
"""

from __future__ import annotations

import struct
from functools import cached_property

from samovar.engine.contract import Game, Options
from samovar.errors import IllegalMove
from samovar.solver.chances import MOST_RUNS, all_deals, outcomes, rolls

PENDING = struct.Struct("<ii")  # behind a state: who made a move that rolls, and which; what comes of it is open

Likely = list[tuple[float, bytes]]  # a probability and a state


class TrueChance:
    """What can come of a deal (no bytes yet) or of a move that is `pending`."""

    def __init__(self, game: Game, seats: int, options: Options) -> None:
        self._game = game
        self._seats = seats
        self._options = options
        self.rolls = rolls(game)
        self._after: dict[bytes, Likely] = {}

    @cached_property
    def _deals(self) -> Likely:
        return [(float(odds), state) for odds, state in all_deals(self._game, self._seats, self._options)]

    @property
    def most_outcomes(self) -> int:
        """Of one chance node; how many a move may have is not known before it is made."""
        return max(len(self._deals), MOST_RUNS if self.rolls else 0)

    @property
    def most_nodes(self) -> int:
        """Chance nodes in one match."""
        return 1 + (self._game.max_length(self._seats, self._options) if self.rolls else 0)

    def is_pending(self, state: bytes) -> bool:
        return len(state) > self._game.state.itemsize

    def moved(self, state: bytes, seat: int, move: int) -> bytes:
        """The state after a legal move, or one that is pending."""
        pending = state + PENDING.pack(seat, move)
        after = self.likely(pending)
        return pending if len(after) > 1 else after[0][1]

    def likely(self, state: bytes) -> Likely:
        if not state:
            return self._deals
        if state not in self._after:
            itself = state[: -PENDING.size]
            found = outcomes(self._game, itself, *PENDING.unpack(state[-PENDING.size :]))
            self._after[state] = [(float(odds), after) for odds, after in found]
        return self._after[state]

    def chosen(self, state: bytes, outcome: int) -> bytes:
        likely = self.likely(state)
        if not 0 <= outcome < len(likely):
            raise IllegalMove(f"There is no outcome {outcome} here. They are numbered 0 to {len(likely) - 1}.")
        return likely[outcome][1]
