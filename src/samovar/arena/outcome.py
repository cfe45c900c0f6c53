"""The words of the arena: a tournament is what was ordered, an outcome is how one of its matches
went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from samovar.engine.contract import Value
from samovar.engine.registry import find_game


@dataclass(frozen=True)
class Tournament:
    """All that decides how a tournament goes. The same tournament has the same outcomes
    everywhere."""

    game: str
    bots: tuple[str, ...]  # as ordered; a bot may be named several times, to sit in several seats
    seats: int
    matches: int
    seed: int
    options: Mapping[str, Value]

    @cached_property
    def teams(self) -> tuple[int, ...]:
        """By seat, numbered from 0 in the order of the seats."""
        teams = find_game(self.game).teams(self.seats)
        order = list(dict.fromkeys(teams))
        return tuple(map(order.index, teams))

    @property
    def parties(self) -> int:
        """How many teams play against each other; 1: all play together."""
        return len(set(self.teams))

    @property
    def names(self) -> tuple[str, ...]:
        """The bots, each once, in the order given."""
        return tuple(dict.fromkeys(self.bots))


@dataclass(frozen=True)
class Outcome:
    """How one match went. A seat that forfeits is last, and its team with it; what the others did to
    each other then does not count."""

    number: int  # of the match in the tournament, from 0
    deal: int  # matches of the same number have the same deal, with the seats rotated
    bots: tuple[str, ...]  # by seat
    scores: tuple[int, ...]  # by seat, at the end or when a seat forfeited
    places: tuple[int, ...]  # by seat; with a forfeit: that team last, all others first
    length: int  # moves made
    forfeit: int | None = None  # the seat that forfeited
    reason: str = ""  # why it did
    seconds: tuple[float, ...] = field(default=(), compare=False)  # by seat: time spent thinking
    slowest: tuple[float, ...] = field(default=(), compare=False)  # by seat: the longest answer
    moves: tuple[int, ...] = field(default=(), compare=False)  # by seat: how many moves it made
    luck: tuple[float, ...] = ()  # by seat: what chance gave it, see `luck.py`; () where that is not known
    success: int | None = None  # where all seats are one team: how well it did, of a thousand; with a forfeit 0
