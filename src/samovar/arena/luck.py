"""How much of a match was luck: what chance gave each seat, move by move.

All chance is in the deal, but no bot can depend on a card that no seat has seen. So it is as if such a card were
dealt when the first seat sees it. Every move is therefore also made in many worlds in which all that nobody had seen
before it is dealt anew; *luck* is how much better a seat stands after the move than on average in these worlds.
How well it stands is said by the game's `evaluate`, and by the places once the match is over.

On average over deals this luck is nothing, however good or bad the evaluation is. So a part of it can be taken off a
result, and what is left is right on average and varies less: see `shares.py`. (The method is AIVAT, of Burch,
Schmid, Moravčík, Morrill and Bowling, 2018, for the chance of a match; the chance in a bot's choices stays.)

What is dealt at the start is left out: in the arena every bot has every seat of the same deal, and it cancels out.
"""

from __future__ import annotations

import numpy as np

from samovar.engine.arrays import Array, Floats
from samovar.engine.chance import CHANCE_FIELD
from samovar.engine.contract import Game, nothing_hidden
from samovar.engine.heuristics import CERTAIN
from samovar.engine.match import Match
from samovar.engine.ways.backend import backend
from samovar.errors import BrokenGame

WORLDS = 100  # for each move; with fewer, more of the luck stays in
MOVES_AT_ONCE = 64  # so that the worlds of a long match need little memory
DIGITS = 6


def luck_of(match: Match, seed: int) -> tuple[float, ...]:
    """By seat, as a share of the opponents left behind; () where all play together, or the game does not say
    what no seat has seen."""
    game = match.game
    if game.is_together(match.seats):
        return ()
    if game.redeal is None and CHANCE_FIELD not in (game.state.names or ()):
        return (0.0,) * match.seats if game.determinize is nothing_hidden else ()
    return tuple((np.round(luck_by_move(match, seed).sum(0), DIGITS) + 0.0).tolist())  # no -0.0


def luck_by_move(match: Match, seed: int) -> Floats:
    """A row for each move so far, a column for each seat."""
    states = np.frombuffer(b"".join(match.positions), match.game.state)
    history = np.array(match.history, np.int64).reshape(-1, 2)
    luck = [np.zeros((0, match.seats))]
    for start in range(0, len(history), MOVES_AT_ONCE):
        end = min(start + MOVES_AT_ONCE, len(history))
        after = shares_in(match.game, states[start + 1 : end + 1].copy(), match.seats)
        seeds = (seed >> 1) + start * WORLDS  # those of other moves are between; none is beyond 63 bits
        luck.append(after - expected(match.game, states[start:end], history[start:end], match.seats, seeds))
    return np.concatenate(luck)


def expected(game: Game, states: Array, moves: Array, seats: int, seed: int) -> Floats:
    """How well each seat stands after each move, on average over what it could have brought."""
    ready = backend(game)
    worlds = np.repeat(states, WORLDS)
    movers, chosen = np.repeat(moves, WORLDS, axis=0).T.copy()
    ready.redeal(worlds, seed + np.arange(len(worlds)))
    answers = np.zeros(len(worlds), np.int64)
    ready.step(worlds, movers, chosen, answers)
    if answers.min() < 0:
        raise BrokenGame(f"`redeal` of {game.name} changes what a seat may do. It may change only what none has seen.")
    shares: Floats = shares_in(game, worlds, seats).reshape(len(states), WORLDS, seats).mean(1)
    return shares


def shares_in(game: Game, states: Array, seats: int) -> Floats:
    shares = np.zeros((len(states), seats), np.int64)
    backend(game).evaluate(states, shares)
    return shares / CERTAIN
