"""The season of a circle: who leads, by points or by strength, from what its members did at the same tables. What
only one of them played, or all won or lost together, compares nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter

import msgspec

from samovar.engine.registry import find_game
from samovar.web.people.ratings import RatedMatch, rate
from samovar.web.store.queries.circles import CircleOutcome

POINTS, STRENGTH = METHODS = ("points", "strength")
KEPT_RATINGS = 64  # of seasons of this process


class SeasonLine(msgspec.Struct, frozen=True):
    """How somebody stands, or stood at the end."""

    person: str
    name: str
    place: int
    points: int
    played: int
    won: int


class Season(msgspec.Struct, frozen=True):
    begins: int  # milliseconds since 1970, as all moments here
    ends: int
    method: str = POINTS
    final: list[SeasonLine] = []  # once it is over

    @property
    def winners(self) -> list[str]:
        return [line.name for line in self.final if line.place == 1]


def matches_of(rows: Iterable[CircleOutcome], persons: Iterable[str]) -> list[tuple[str, RatedMatch]]:
    """The matches that count, and of which game each was, the oldest first: of rows with the newest tables first."""
    members, matches = set(persons), []
    for _, group in groupby(rows, key=attrgetter("table_id")):
        seats = list(group)
        known = [row for row in seats if row.person in members]
        is_whole = len(seats) == seats[0].seats and len({row.person for row in known}) == len(known)
        if is_whole and seats[0].success is None and len({row.team for row in known}) > 1:
            parties, teams = len({row.team for row in seats}), tuple(row.team for row in known)
            places = tuple((row.person, row.place) for row in known)
            matches.append((seats[0].game, RatedMatch(seats[0].ended, len(seats), places, teams, parties)))
    return matches[::-1]


def standings_of(
    matches: Sequence[tuple[str, RatedMatch]], method: str, name_of: Callable[[str], str]
) -> list[SeasonLine]:
    """Best first; those who share a place have the same."""
    played = [match for _, match in matches]
    people = list(dict.fromkeys(person for match in played for person, _ in match.places))
    points = strengths_of(tuple(played), _game_of(matches)) if method == STRENGTH and played else points_of(played)
    in_order = sorted(people, key=lambda person: -points[person])
    return [
        SeasonLine(
            person,
            name_of(person),
            1 + sum(other > points[person] for other in points.values()),
            points[person],
            sum(person in dict(match.places) for match in played),
            sum(dict(match.places).get(person) == 1 for match in played),
        )
        for person in in_order
    ]


def points_of(matches: Iterable[RatedMatch]) -> dict[str, int]:
    """Of each match, how many played against each other less the place."""
    points: dict[str, int] = {}
    for match in matches:
        for person, place in match.places:
            points[person] = points.get(person, 0) + match.parties - place
    return points


@lru_cache(KEPT_RATINGS)
def strengths_of(matches: tuple[RatedMatch, ...], game: str) -> dict[str, int]:
    """By the method of the table of players; somebody of whom nothing is known has as much as a medium bot."""
    ratings = rate(matches, find_game(game).heuristics.levels)
    people = {person for match in matches for person, _ in match.places}
    return {person: ratings[person].points for person in people}


def _game_of(matches: Sequence[tuple[str, RatedMatch]]) -> str:
    """Whose bots are the measure: that played most."""
    games = [game for game, _ in matches]
    return max(sorted(set(games)), key=games.count)
