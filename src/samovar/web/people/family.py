"""Those who play on one device: how often each of them has won, week by week, and the sign that stands beside each
name. They are told apart by their names; nothing is kept of them but the results of their tables, and in the cookie of
the device their signs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from zlib import crc32

from samovar.web.people.people import COLOURS, MARKS
from samovar.web.store.queries import results
from samovar.web.store.queries.results import FamilyRow
from samovar.web.store.store import Store
from samovar.web.tables.chairs import COMPANION

MOST_ROWS = 2000
WEEKS = 9  # that are told, this one included
DAYS_BEFORE_FIRST_WEEK = 3  # 1970 began on a Thursday
MILLISECONDS_A_DAY = 86_400_000
SIGNS = "signs"  # what the cookie calls them
MOST_SIGNS = 12  # that it holds: the newest


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


class FamilySign(NamedTuple):
    """What stands beside the name of somebody on a shared device: the same on every evening."""

    mark: str
    colour: str


def sign_of(signs: str, name: str) -> FamilySign:
    """The one that the cookie has for this name; one that follows from the name, if it has none."""
    key = _key(name)
    number = int(key, 16)
    usual = FamilySign(MARKS[number % len(MARKS)], COLOURS[number // len(MARKS) % len(COLOURS)])
    return _read_signs(signs).get(key, usual)


def with_sign(signs: str, name: str, sign: FamilySign | None = None) -> str:
    """The cookie with this sign, or with the first that nobody else has, for whoever has none yet."""
    known = _read_signs(signs)
    key = _key(name)
    kept = known.pop(key, None)
    known[key] = sign or kept or _free_sign([other.mark for other in known.values()])
    return ";".join(f"{key}:{':'.join(one)}" for key, one in [*known.items()][-MOST_SIGNS:])


def _free_sign(taken: Sequence[str]) -> FamilySign:
    """Another drawing than the others, in another colour while there are some."""
    free = next((mark for mark in MARKS if mark not in taken), MARKS[0])
    return FamilySign(free, COLOURS[len(taken) % len(COLOURS)])


def _read_signs(signs: str) -> dict[str, FamilySign]:
    split = (part.split(":") for part in signs.split(";") if part)
    return {key: FamilySign(mark, colour) for key, mark, colour in split}


def _key(name: str) -> str:
    """Short, and no name: a cookie is carried to and fro with every page."""
    return f"{crc32(name.casefold().encode()):x}"


def week_of(milliseconds: int) -> int:
    """Weeks begin on Monday, UTC."""
    return (milliseconds // MILLISECONDS_A_DAY + DAYS_BEFORE_FIRST_WEEK) // 7
