"""Levels for people: `easy`, `medium`, `hard`, `expert`. How strong they are in a game is a table
in the game's heuristics; one that has time can be told to think longer: `expert:5s`, `expert:100000`.

Below expert they err as people do:

- They forget. What a seat saw (`Seat.sights`) fades with the moves made since: after one half-life
  half of it is gone, after two three quarters. What is gone stays gone until it is seen again, and
  the level then thinks about worlds that fit the rest.
- They overlook. Some moves do not come to mind, the obvious ones more seldom than others; obvious
  is what the game's rollout move suggests.
- They are hasty. Now and then the first move that comes to mind is made, without a search.

A pinned level, `expert-2026`, plays for good as the expert of that year did.
"""

from __future__ import annotations

import numpy as np

from samovar.bots.bot import Answer, Order, chance, choices
from samovar.bots.search import SearchBot
from samovar.engine.arrays import Array
from samovar.engine.chance import RNG_WORDS, WORD, seed_rng, word
from samovar.engine.heuristics import Level
from samovar.engine.seat import Seat
from samovar.errors import BadBot

MEMORY_STREAM = 4
GLANCES = 8  # rollout moves that come to mind by themselves


class LevelBot:
    def __init__(self, order: Order) -> None:
        self.level = level_of(order)
        self._ready = order.backend
        self._seed = order.seed
        self._search = SearchBot(order, None if order.argument else self.level.simulations, self.level.tuning)

    def choose(self, seat: Seat) -> Answer:
        known = self.remembered(seat)
        if not self.level.overlooks and not self.level.hasty:
            return self._search.think(seat, known)
        choose = chance(self._seed, seat)
        is_hasty = choose.integers(100) < self.level.hasty
        noticed = self.noticed(seat, known, choose)
        return Answer(noticed[0]) if is_hasty else self._search.think(seat, known, noticed)

    def noticed(self, seat: Seat, known: Array, choose: np.random.Generator) -> list[int]:
        """The legal moves that come to mind, the obvious ones first; at least one."""
        legal = choices(seat)
        glances = np.zeros(GLANCES, np.int64)
        self._ready.rollout_move(np.repeat(known, GLANCES), seat.number, choose.integers(2**62, size=GLANCES), glances)
        # in a misremembered world they need not be legal
        obvious = [move for move in dict.fromkeys(glances.tolist()) if move in legal]
        others = [move for move in legal if move not in obvious]
        choose.shuffle(others)
        missed = self.level.overlooks / 100
        misses = [missed**2] * len(obvious) + [missed] * len(others)  # two looks miss an obvious one
        luck = choose.random(len(legal))
        moves = obvious + others
        return [moves[k] for k in np.flatnonzero(luck >= misses)] or [moves[luck.argmax()]]

    def remembered(self, seat: Seat) -> Array:
        """A world that fits what the level still knows."""
        known = seat.imagine(self._seed).states
        facts = forgotten(seat.sights, self.level.half_life, self._seed)
        if facts:
            self._ready.forget(known, seat.number, facts, self._seed)
        return known

    def close(self) -> None:
        self._search.close()


def level_of(order: Order) -> Level:
    heuristics = order.game.heuristics
    level = heuristics.level(order.name)
    if level is None:
        names = ", ".join([*heuristics.levels, *heuristics.pinned])
        raise BadBot(f"{order.game.name} has no level {order.name!r}. Choose one of these: {names}.")
    return level


def forgotten(sights: tuple[int, ...], half_life: int, seed: int) -> int:
    """The facts that were seen and are gone, a bit each. Whether a sight is gone after so many
    moves depends on the seed alone."""
    if half_life == 0:
        return 0
    gone = 0
    rng = [0] * RNG_WORDS
    sought = 0
    for facts in sights:
        sought |= facts
    for age, facts in enumerate(reversed(sights)):
        seen = facts & sought
        sought &= ~facts
        while seen:
            fact = seen.bit_length() - 1
            seen ^= 1 << fact
            seed_rng(rng, seed, MEMORY_STREAM + fact, len(sights) - 1 - age)
            if word(rng) > WORD * 0.5 ** (age / half_life):
                gone |= 1 << fact
        if not sought:
            break
    return gone
