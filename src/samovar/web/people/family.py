"""Those who play on one device: how often each of them has won, week by week. They are told apart by their names;
nothing is kept of them but the results of their tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from samovar.web.store import results
from samovar.web.store.results import FamilyRow
from samovar.web.store.store import Store
from samovar.web.tables.chairs import COMPANION

MOST_ROWS = 2000
WEEKS = 9  # that are told, this one included
DAYS_BEFORE_FIRST_WEEK = 3  # 1970 began on a Thursday
MILLISECONDS_A_DAY = 86_400_000


@dataclass
class Tally:
    played: int = 0
    won: int = 0


@dataclass
class Relative:
    """One of them, by the name they had last."""

    name: str
    ever: Tally = field(default_factory=Tally)
    weeks: defaultdict[int, Tally] = field(default_factory=lambda: defaultdict(Tally))  # by how long ago

    @property
    def rank(self) -> tuple[int, int, int]:
        """The best of this week first."""
        return (-self.weeks[0].won, -self.ever.won, self.ever.played)


@dataclass(frozen=True)
class PastWeek:
    """Who won most often, so many weeks ago."""

    ago: int
    names: list[str]
    won: int


async def family_of(store: Store, device: str, person: str, now: int) -> list[Relative]:
    """Nobody, on a device that was never shared."""
    if not device:
        return []
    rows = await store.rows(results.FAMILY, pattern=f"{device}{COMPANION}%", person=person, most=MOST_ROWS)
    return tally(rows, now)


def tally(rows: Iterable[FamilyRow], now: int) -> list[Relative]:
    """The newest row first."""
    family: dict[str, Relative] = {}
    for row in rows:
        one = family.setdefault(row.name.casefold(), Relative(row.name))
        for count in (one.ever, one.weeks[week_of(now) - week_of(row.ended)]):
            count.played += 1
            count.won += bool(row.won)
    return sorted(family.values(), key=lambda one: one.rank)


def past_weeks(family: Sequence[Relative]) -> list[PastWeek]:
    """The best of each week before this one, where anybody won."""
    weeks = []
    for ago in range(1, WEEKS):
        most = max((one.weeks[ago].won for one in family), default=0)
        if most:
            weeks.append(PastWeek(ago, [one.name for one in family if one.weeks[ago].won == most], most))
    return weeks


def week_of(milliseconds: int) -> int:
    """Weeks begin on Monday, UTC."""
    return (milliseconds // MILLISECONDS_A_DAY + DAYS_BEFORE_FIRST_WEEK) // 7
