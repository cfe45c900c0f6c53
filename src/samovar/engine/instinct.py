"""What a player of a game feels before thinking: optional, a game without it is played by bots all
the same.

`Game.instinct` brings what a search cannot find out from the rules alone, each a `@rule`:

    evaluate(state, out)               How well each seat stands, at any time: the share of its opponents it will probably leave behind, from
                                       0 to 1000. May use the whole truth: a search asks about imagined worlds.
    quick(state, seat, rng, out)       A legal move that is likely to be good, found fast and not always the same: searches play matches to
                                       their end with it and try its moves first. `out` is room for the legal moves.
    sights(state, seat)                What the seat can see right now and must otherwise remember, one bit per fact (0 to 62). A fact is what
                                       the game likes: a card, a field, an exchange.
    forget(state, seat, facts, rng)    Makes the seat forget these facts in an imagined world: the world is changed into another one that
                                       fits what is left of its knowledge, and `determinize` no longer knows them.

and, as plain numbers, how to search (`Tuning`) and how strong the levels for people are (`Level`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from samovar.engine.chance import below
from samovar.engine.kernels import legal, share_of_places
from samovar.engine.rule import rule

FACTS = 63  # facts that `sights` can tell apart


@rule
def any_move(state: Any, seat: int, rng: Any, out: Any) -> int:
    """The default quick move: any legal one."""
    move: int = out[below(rng, legal(state, seat, out))]
    return move


@rule
def sees_nothing(state: Any, seat: int) -> int:
    return 0


@rule
def forgets_nothing(state: Any, seat: int, facts: int, rng: Any) -> None:
    """By default nothing is forgotten."""


@dataclass(frozen=True)
class Tuning:
    """How to search a game. Found by measuring; a wrong number makes a bot weaker, never wrong."""

    explore: int = 700  # how much a little-tried move is worth trying, in thousandths of a win
    widen: int = 8  # a position tried n times has at most sqrt(widen * n) moves in the tree
    depth: int = 1000  # quick moves before the evaluation is asked; a match that ends earlier needs none
    reuse: int = 1  # simulations in each imagined world
    split: bool = False  # whether what follows a move in the tree depends on what is seen after it, as `sights` tells


@dataclass(frozen=True)
class Level:
    """A strength for people."""

    simulations: int
    half_life: int = 0  # after so many moves half of what was seen is forgotten; 0: never
    whims: int = 0  # of 100 moves so many are any legal one, made without thinking


LEVEL_NAMES = ("easy", "medium", "hard", "expert")
USUAL_LEVELS: Mapping[str, Level] = {
    "easy": Level(simulations=10, half_life=6, whims=30),
    "medium": Level(simulations=60, half_life=20, whims=10),
    "hard": Level(simulations=500, half_life=60),
    "expert": Level(simulations=5000),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Instinct:
    evaluate: Callable[..., Any] = share_of_places
    quick: Callable[..., Any] = any_move
    sights: Callable[..., Any] = sees_nothing
    forget: Callable[..., Any] = forgets_nothing
    tuning: Tuning = Tuning()
    levels: Mapping[str, Level] = field(default_factory=lambda: USUAL_LEVELS)
