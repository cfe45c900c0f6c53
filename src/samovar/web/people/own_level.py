"""A level of bots that follows a person: against it they should win every second match. It is worked out from how their
last matches against bots came out, when a table is opened; the table has a bot of that level, as any other, and nobody
is told how it was chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import exp
from typing import NamedTuple

from samovar.engine.contract import Game
from samovar.engine.heuristics import LEVEL_NAMES, Level, strengths_of
from samovar.web.problems import N_
from samovar.web.store.queries import results
from samovar.web.store.queries.results import BotMet
from samovar.web.store.store import Store
from samovar.web.tables.phrases import USUAL_LEVEL

LIKE_ME = N_("like me")  # in the place of a level
MOST_MATCHES = 20  # the last ones
STRONGEST = 12.0  # nobody is so far from the usual level, by the logarithm of strength
STEPS = 40  # of the search between there and its opposite


class BotMatch(NamedTuple):
    """One against bots alone."""

    levels: tuple[str, ...]
    has_won: bool


async def level_like(store: Store, person: str | None, game: Game, others: int) -> str:
    """The level for somebody who plays against so many bots; the usual one for whoever has not played yet."""
    rows = await store.rows(results.AGAINST_BOTS, person=person, game=game.id, most=MOST_MATCHES) if person else []
    return level_for(matches_of(rows), game.heuristics.levels, others, game.heuristics.offered)


def matches_of(rows: Sequence[BotMet]) -> list[BotMatch]:
    """What was played against people, too, says nothing."""
    matches = []
    for _, group in groupby(rows, key=lambda row: row.table_id):
        met = list(group)
        if all(row.level in LEVEL_NAMES for row in met):
            matches.append(BotMatch(tuple(row.level for row in met), met[0].place == 1))
    return matches


def level_for(
    matches: Sequence[BotMatch], levels: Mapping[str, Level], others: int, offered: Sequence[str] = LEVEL_NAMES
) -> str:
    """The level, of those that are offered, at which somebody wins nearest to half of their matches against so many
    of it."""
    if not matches:
        return USUAL_LEVEL
    strengths = strengths_of(levels, USUAL_LEVEL)
    own = strength_of(matches, strengths)
    return min(offered, key=lambda level: abs(chance(own, [strengths[level]] * others) - 0.5))


def chance(own: float, others: Sequence[float]) -> float:
    """Of winning against them."""
    return 1 / (1 + sum(exp(other - own) for other in others))


def strength_of(matches: Sequence[BotMatch], strengths: Mapping[str, float]) -> float:
    """The one with which as many matches would be won as were. One more is taken for won and one for lost, against the
    usual level: nobody always wins."""
    played = [[strengths[level] for level in match.levels] for match in matches] + [[strengths[USUAL_LEVEL]]] * 2
    won = sum(match.has_won for match in matches) + 1
    low, high = -STRONGEST, STRONGEST
    for _ in range(STEPS):
        middle = (low + high) / 2
        too_few = sum(chance(middle, others) for others in played) < won
        low, high = (middle, high) if too_few else (low, middle)
    return (low + high) / 2
