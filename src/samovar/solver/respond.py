"""On games that are too large: somebody who answers to a bot, and what that gains, at least.

The best answer is out of reach, but whatever anybody wins from a bot, the best answer would. Two of
them try. Against `random`, which is quick, one plays every legal move in imagined worlds to the end,
all seats playing as the bot would, and makes the one that did best (`Rollouts`). All other bots meet
a search that forgets nothing and thinks several times as long as they do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from samovar.bots.bot import Answer, Bot, chance, choices
from samovar.bots.registry import make_bot
from samovar.bots.search import USUAL
from samovar.engine.arrays import Floats
from samovar.engine.chance import MAX_SEED, derive_seed
from samovar.engine.match import Match
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import backend
from samovar.errors import BadOption
from samovar.solver.exploit import RANDOM
from samovar.solver.tree import VariantRules

USUAL_MATCHES = 100
TIMES_AS_LONG = 8
LEAST_SIMULATIONS = 4000
PLAYOUTS = 300  # of all moves together
TO_THE_END = 2**62
SURE = 1.96  # standard errors of a 95 % interval


@dataclass(frozen=True)
class AnswerBound:
    """What an answer to a bot gained."""

    by: str
    gains: Floats  # by deal: the mean over all seats
    by_seat: Floats

    @property
    def gain(self) -> float:
        return float(self.gains.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """In which the mean of all deals is, in about 95 of 100 cases. Two more deals are counted in, one
        won and one lost: else a few equal results would look certain."""
        counted = np.concatenate([self.gains, [-1.0, 1.0]])
        middle, error = float(counted.mean()), SURE * float(counted.std(ddof=1)) / math.sqrt(len(counted))
        return max(middle - error, -1.0), min(middle + error, 1.0)


class Rollouts:
    """The best answer to `random`, but for the moves to come, which it takes to be random as well."""

    def __init__(self, rules: VariantRules, seed: int) -> None:
        self._rules = rules
        self._seed = seed

    def choose(self, seat: Seat) -> Answer:
        moves = choices(seat)
        chosen = chance(self._seed, seat)
        worlds = -(-PLAYOUTS // len(moves))
        states = np.repeat(seat.imagine(0).states, worlds)
        ready = backend(self._rules.game, self._rules.plain)
        ready.determinize(states, seat.number, chosen.integers(MAX_SEED, size=worlds))
        states = np.tile(states, len(moves))  # every move in the same worlds
        ready.step(states, seat.number, np.repeat(moves, worlds), np.zeros(len(states), np.int64))
        ready.play_random(
            states, chosen.integers(MAX_SEED, size=len(states)), np.zeros(len(states), np.int64), TO_THE_END
        )
        worth = self._rules.returns(states)[:, seat.number].reshape(len(moves), worlds).mean(axis=1)
        return Answer(moves[int(worth.argmax())])

    def close(self) -> None:
        pass


def responder(rules: VariantRules, bot: str) -> tuple[str, Callable[[int], Bot]]:
    """Who answers to a bot, in words, and how to make one from a seed."""
    if bot == RANDOM:
        return f"{PLAYOUTS:,} random matches a move", lambda seed: Rollouts(rules, seed)
    level = rules.game.heuristics.level(bot)
    name = f"search:{max(TIMES_AS_LONG * (level.simulations if level else USUAL), LEAST_SIMULATIONS)}"
    return name, lambda seed: make_bot(name, rules.game, seed, plain=rules.plain)


def bound(
    rules: VariantRules,
    bot: str,
    matches: int = USUAL_MATCHES,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> AnswerBound:
    """What an answer to a bot gains: it sits in every seat of every deal once, the bot in all the
    others. In a match between bots of one kind the mean return of a seat is 0, so what it gets is
    what it gains."""
    *_, found = bounding(rules, bot, matches, seed, progress)
    return found


def bounding(
    rules: VariantRules, bot: str, matches: int, seed: int, progress: Callable[[int, int], None] | None = None
) -> Iterator[AnswerBound]:
    """The same after each deal, by those played so far."""
    if rules.game.is_together(rules.seats):
        raise BadOption(f"In {rules.game.name} all seats win together, so nobody can gain against the others.")
    deals = -(-matches // rules.seats)
    by, make = responder(rules, bot)
    gained = np.zeros((deals, rules.seats))
    for deal in range(deals):
        for seat in range(rules.seats):
            players = [
                (make(number) if other == seat else make_bot(bot, rules.game, number, plain=rules.plain))
                for other in range(rules.seats)
                for number in [derive_seed(seed, deal, other)]
            ]
            gained[deal, seat] = play(rules, players, derive_seed(seed, deal))[seat]
            if progress:
                progress(deal * rules.seats + seat + 1, deals * rules.seats)
        played = gained[: deal + 1]
        yield AnswerBound(by, played.mean(axis=1), played.mean(axis=0))


def play(rules: VariantRules, players: list[Bot], seed: int) -> Floats:
    """One match; what each seat gets."""
    match = Match(rules.game, rules.seats, seed, plain=rules.plain, **rules.options)
    while not match.over:
        seat = match.actors[0]
        match.play(seat, players[seat].choose(match.seat(seat)).move)
    for player in players:
        player.close()
    returned: Floats = rules.returns(match.states)[0]
    return returned
