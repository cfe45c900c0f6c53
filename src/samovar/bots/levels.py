"""Levels for people: `easy`, `medium`, `hard`, `expert`. How strong they are in a game is a table
in the game's heuristics; one that has time can be told to think longer: `expert:5s`, `expert:100000`.

Below expert they forget as people do. What a seat saw (`Seat.sights`) fades with the moves made
since: after one half-life half of it is gone, after two three quarters. What is gone stays gone
until it is seen again, and the level then thinks about worlds that fit the rest.
"""

from __future__ import annotations

from samovar.bots.bot import Answer, Order, chance, choices
from samovar.bots.search import SearchBot
from samovar.engine.arrays import Array
from samovar.engine.chance import RNG_WORDS, WORD, seed_rng, word
from samovar.engine.heuristics import FACTS
from samovar.engine.seat import Seat

MEMORY_STREAM = 4


class LevelBot:
    def __init__(self, order: Order) -> None:
        self.level = order.game.heuristics.levels[order.name]
        self._ready = order.backend
        self._seed = order.seed
        self._search = SearchBot(order, None if order.argument else self.level.simulations)

    def choose(self, seat: Seat) -> Answer:
        choose = chance(self._seed, seat)
        if choose.integers(100) < self.level.whims:
            return Answer(int(choose.choice(choices(seat))))
        return self._search.think(seat, self.remembered(seat))

    def remembered(self, seat: Seat) -> Array:
        """A world that fits what the level still knows."""
        known = seat.imagine(self._seed).states
        facts = forgotten(seat.sights, self.level.half_life, self._seed)
        if facts:
            self._ready.forget(known, seat.number, facts, self._seed)
        return known

    def close(self) -> None:
        self._search.close()


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
        for fact in range(FACTS):
            if (seen >> fact) & 1:
                seed_rng(rng, seed, MEMORY_STREAM + fact, len(sights) - 1 - age)
                if word(rng) > WORD * 0.5 ** (age / half_life):
                    gone |= 1 << fact
    return gone
