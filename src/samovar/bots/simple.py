"""Bots that do not search: `random`, and `greedy`, which looks one move ahead."""

from __future__ import annotations

import numpy as np

from samovar.bots.bot import Answer, Order, chance, choices, reason
from samovar.engine.heuristics import CERTAIN
from samovar.engine.seat import Seat
from samovar.errors import BadBot

WORLDS = 8  # imagined by `greedy` for each decision


def refuse_argument(order: Order) -> None:
    if order.argument:
        raise BadBot(
            f"The bot {order.name!r} takes no argument, so {order.name}:{order.argument} is none. Write {order.name!r}."
        )


class RandomBot:
    """Any legal move, all equally likely."""

    def __init__(self, order: Order) -> None:
        refuse_argument(order)
        self._seed = order.seed

    def choose(self, seat: Seat) -> Answer:
        moves = choices(seat)
        return Answer(moves[chance(self._seed, seat).integers(len(moves))])

    def close(self) -> None:
        pass


class GreedyBot:
    """The move after which the game's own evaluation is best, on average over some worlds that fit;
    among equals one at random."""

    def __init__(self, order: Order) -> None:
        refuse_argument(order)
        self._ready = order.backend
        self._seed = order.seed

    def choose(self, seat: Seat) -> Answer:
        moves = choices(seat)
        choose = chance(self._seed, seat)
        count = len(moves)
        shares = np.zeros((WORLDS, count, seat.seats), np.int64)
        for number, seed in enumerate(choose.integers(2**62, size=WORLDS).tolist()):
            after = np.repeat(seat.imagine(seed).states, count)
            self._ready.step(
                after,
                np.full(count, seat.number, np.int64),
                np.array(moves, np.int64),
                np.zeros(count, np.int64),
            )
            self._ready.evaluate(after, shares[number])
        worth = shares[:, :, seat.number].mean(0)
        order = np.lexsort((choose.random(count), -worth))
        reasons = tuple(reason(seat, moves[k], WORLDS, float(worth[k]) / CERTAIN) for k in order[:5].tolist())
        return Answer(reasons[0].move, reasons)

    def close(self) -> None:
        pass
