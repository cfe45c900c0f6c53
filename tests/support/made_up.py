"""Tournaments that were never played: rankings drawn from a Plackett-Luce model whose strengths are
known."""

from collections.abc import Mapping
from itertools import combinations
from math import exp

import numpy as np

from samovar.arena.outcome import Outcome, Tournament


def made_up(
    strengths: Mapping[str, float],
    seats: int,
    deals: int,
    seed: int,
    *,
    ties: float = 0.0,
    alike: bool = False,
    forfeits: Mapping[str, str] | None = None,
) -> tuple[Tournament, list[Outcome]]:
    """A tournament and its outcomes.

    `ties`: how readily the last two share their place. `alike`: the matches of a deal all go alike,
    so that they count for one. `forfeits`: bots that sometimes do, and their reason.
    """
    names = tuple(strengths)
    chance = np.random.default_rng([seed, seats, deals])
    outcomes: list[Outcome] = []
    for deal in range(deals):
        luck = dict(zip(names, chance.gumbel(size=len(names)), strict=True))
        for line_up in combinations(names, seats):
            for turn in range(seats):
                bots = line_up[turn:] + line_up[:turn]
                power = [strengths[bot] for bot in bots]
                places = ranking(
                    power,
                    [luck[bot] for bot in bots] if alike else chance.gumbel(size=seats).tolist(),
                    ties,
                    chance.random(),
                )
                out = next(
                    (seat for seat, bot in enumerate(bots) if bot in (forfeits or {}) and chance.random() < 0.1), None
                )
                if out is not None:
                    places = [seats if seat == out else 1 for seat in range(seats)]
                length = int(40 + chance.poisson(12))
                moves = [length // seats] * seats
                outcomes.append(
                    Outcome(
                        number=len(outcomes),
                        deal=deal,
                        bots=bots,
                        scores=tuple(
                            int(20 + 3 * power[seat] - 4 * places[seat] + chance.integers(8)) for seat in range(seats)
                        ),
                        places=tuple(places),
                        length=length,
                        forfeit=out,
                        reason="" if out is None else (forfeits or {})[bots[out]],
                        seconds=tuple(0.001 * exp(2 * p) * m for p, m in zip(power, moves, strict=True)),
                        slowest=tuple(0.001 * exp(2 * p) * chance.uniform(2, 9) for p in power),
                        moves=tuple(moves),
                    )
                )
    return Tournament("memoarrrr", names, seats, len(outcomes), seed, {"first": None, "expert": True}), outcomes


def ranking(power: list[float], luck: list[float], ties: float, draw: float) -> list[int]:
    """Places by seat. Strengths plus Gumbel noise, put in order, are a Plackett-Luce ranking."""
    order = sorted(range(len(power)), key=lambda seat: -power[seat] - luck[seat])
    places = [order.index(seat) + 1 for seat in range(len(power))]
    before, last = order[-2:]
    # as often from either order of the two, so that it pulls neither strength away
    if draw < ties * min(1, exp(power[last] - power[before])):
        places[last] = places[before]
    return places
