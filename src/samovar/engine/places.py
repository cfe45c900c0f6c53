"""How matches came out beyond what the rules say: those who gave up, teams, and success in words."""

from __future__ import annotations

from collections.abc import Sequence

from samovar.engine.heuristics import CERTAIN


def places_behind(places: Sequence[int], resigned: Sequence[int], teams: Sequence[int]) -> tuple[int, ...]:
    """The places when those who gave up come behind all others, whoever did so first last. They take
    their team with them."""
    given_up: dict[int, int] = {}  # by team: how far behind, the first to go furthest
    for seat in reversed(resigned):
        given_up[teams[seat]] = 1 + len(resigned) - resigned.index(seat)
    order = [(given_up.get(team, 0), place) for team, place in zip(teams, places, strict=True)]
    return tuple(1 + sum(other < own for other in order) for own in order)


def shares_behind(places: Sequence[int], teams: Sequence[int]) -> tuple[float, ...]:
    """By seat, the share of its opponents that it left behind, equals by half; 0 without opponents."""

    def share(seat: int) -> float:
        others = [place for place, team in zip(places, teams, strict=True) if team != teams[seat]]
        behind = sum((place > places[seat]) + (place == places[seat]) / 2 for place in others)
        return behind / max(len(others), 1)

    return tuple(map(share, range(len(places))))


def team_places(places: Sequence[int], teams: Sequence[int]) -> tuple[int, ...]:
    """By seat, the place of its team among the teams: two teams of two have 1, 1, 2, 2 where the
    seats have 1, 1, 3, 3. The same as the places where each seat is for itself."""
    ahead = ({teams[other] for other, better in enumerate(places) if better < place} for place in places)
    return tuple(1 + len(each) for each in ahead)


def percent_of(success: int) -> int:
    """How much of what can be reached together. 0 and 100 are for nothing and for all."""
    share = success // 10
    return share if success in (0, CERTAIN) else min(max(share, 1), 99)
