"""What helps bots to play a game well: optional, bots play a game without it all the same.

`Game.heuristics` says what a search cannot find out from the rules alone: four rules, explained by
`Evaluate`, `RolloutMove`, `Sights` and `Forget`; and numbers, how to search (`Tuning`) and how
strong the levels for people are (`Level`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import log
from typing import Protocol

from samovar.engine.arrays import AnyState, Ints, Rng
from samovar.engine.rule import Signature, rule

FACTS = 63  # facts that `sights` can tell apart

CERTAIN = 1000  # a share of 1: all opponents left behind


class Evaluate(Signature, Protocol):
    """How well each seat stands, at any time: the share of its opponents it will probably leave
    behind, from 0 to 1000. May use the whole truth: a search asks about imagined worlds."""

    def __call__(self, state: AnyState, out: Ints, /) -> None: ...


class RolloutMove(Signature, Protocol):
    """A legal move that is likely to be good, chosen fast and not always the same: searches play
    matches to their end with such moves and try them first. `out` is room for the legal moves."""

    def __call__(self, state: AnyState, seat: int, rng: Rng, out: Ints, /) -> int: ...


class Sights(Signature, Protocol):
    """What the seat can see right now and must otherwise remember, one bit per fact (0 to 62). A
    fact is what the game likes: a card, a field, an exchange."""

    def __call__(self, state: AnyState, seat: int, /) -> int: ...


class Forget(Signature, Protocol):
    """Makes the seat forget these facts in an imagined world: the world is changed into another one
    that fits what is left of its knowledge, and `determinize` no longer knows them."""

    def __call__(self, state: AnyState, seat: int, facts: int, rng: Rng, /) -> None: ...


@rule
def sees_nothing(state: AnyState, seat: int) -> int:
    """By default there is nothing to remember."""
    return 0


@rule
def forgets_nothing(state: AnyState, seat: int, facts: int, rng: Rng) -> None:
    """By default nothing is forgotten."""


@dataclass(frozen=True)
class Tuning:
    """How to search a game. Found by measuring; a wrong number makes a bot weaker, never wrong."""

    explore: int = 700  # how much a little-tried move is worth trying, in thousandths of a win
    widen: int = 8  # a position tried n times has at most sqrt(widen * n) moves in the tree
    depth: int = 1000  # rollout moves before the evaluation is asked; matches that end earlier need none
    reuse: int = 1  # simulations in each imagined world
    split: bool = False  # whether what follows a move in the tree depends on what is seen after it, as `sights` tells


@dataclass(frozen=True)
class Guidance(Tuning):
    """How to search a game where a network guides the search. Found by measuring, too."""

    explore: int = 600
    widen: int = 32  # the likeliest moves that come into the tree whenever the network looks at a position
    depth: int = 8
    first_play: int = 150  # how much less is expected of a move that was not tried, in thousandths of a win
    again: int = 16  # tries of a position between two looks at it: other worlds show it otherwise
    doubt: int = 40  # of 1000 parts of all chances so many are spread evenly, in case the network is wrong
    soften: int = 100  # 200: chances are as even as if the network were half as sure
    mix: int = 0  # of 1000 parts so many are by rollout moves and the game's own evaluation, the rest by the network
    trusted: bool = True  # False: what has been learned is not yet worth what it costs; `master` searches without
    others: bool = False  # whether the network chooses for those who choose at the same time, else rollout moves


@dataclass(frozen=True)
class Level:
    """A strength for people."""

    simulations: int
    half_life: int = 0  # after so many moves half of what was seen is forgotten; 0: never
    overlooks: int = 0  # of 100 legal moves so many do not come to mind; those that are obvious, more seldom
    hasty: int = 0  # of 100 moves so many are made at once, by the first that comes to mind
    beats_lower: int = 75  # of 100 decided matches against the level below, as the arena has measured them
    tuning: Tuning | None = None  # how it searches; None: as the game does


LEVEL_NAMES = ("easy", "medium", "hard", "expert", "master")
USUAL_LEVELS: Mapping[str, Level] = {
    "easy": Level(simulations=10, half_life=6, overlooks=60, hasty=50),
    "medium": Level(simulations=60, half_life=20, overlooks=30, hasty=10),
    "hard": Level(simulations=500, half_life=60),
    "expert": Level(simulations=5000),
    "master": Level(simulations=1000, beats_lower=50),  # guided by a network; how strong, nobody has measured
}
WORTH_OFFERING = 60  # of 100 decided matches against `expert`, for `master` to be offered to people


def strengths_of(levels: Mapping[str, Level], zero: str) -> dict[str, float]:
    """By level, as logarithms of odds: by how often each beats the one below it in the arena; `zero` has 0."""
    found = {LEVEL_NAMES[0]: 0.0}
    for lower, upper in pairwise(LEVEL_NAMES):
        share = levels[upper].beats_lower / 100
        found[upper] = found[lower] + log(share / (1 - share))
    return {level: strength - found[zero] for level, strength in found.items()}


# Levels that stay as they once were, for others to be compared with; nobody is offered them at a table.
PINNED_NAMES = ("expert-2026",)
USUAL_PINNED: Mapping[str, Level] = {"expert-2026": Level(simulations=5000)}


@dataclass(frozen=True, kw_only=True, eq=False)
class Heuristics:
    """What a game says about playing it well; each entry has a default."""

    evaluate: Evaluate | None = None  # by the places as if the match ended now
    rollout_move: RolloutMove | None = None  # any legal move
    sights: Sights = sees_nothing
    forget: Forget = forgets_nothing
    tuning: Tuning = Tuning()
    guidance: Guidance = Guidance()
    levels: Mapping[str, Level] = field(default_factory=lambda: USUAL_LEVELS)
    pinned: Mapping[str, Level] = field(default_factory=lambda: USUAL_PINNED)

    def __post_init__(self) -> None:
        """A level that a game does not name is the usual one."""
        object.__setattr__(self, "levels", {**USUAL_LEVELS, **self.levels})

    @property
    def offered(self) -> tuple[str, ...]:
        """What people are offered at a table: `master` only where it is clearly stronger than `expert`."""
        is_worth_it = self.levels["master"].beats_lower >= WORTH_OFFERING
        return LEVEL_NAMES if is_worth_it else LEVEL_NAMES[: LEVEL_NAMES.index("master")]

    def level(self, name: str) -> Level | None:
        """One for people, or a pinned one."""
        return self.levels.get(name) or self.pinned.get(name)
