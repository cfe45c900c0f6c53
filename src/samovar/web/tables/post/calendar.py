"""Days on which no time runs at a table by post: weekends, and days that whoever opened it has named, by the time of
where they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, available_timezones

from msgspec import UNSET, UnsetType

from samovar.web import problems
from samovar.web.store.entries import DaysOff

AREAS = ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
MOST_HOLIDAYS = 30
SATURDAY = 5


@cache
def zones() -> tuple[str, ...]:
    """Those that are named after a place, and one for people without scripts who say nothing."""
    return ("UTC", *sorted(zone for zone in available_timezones() if zone.startswith(tuple(f"{a}/" for a in AREAS))))


def zone_named(name: str) -> tzinfo:
    """Zones come and go; one that this machine does not know is none."""
    try:
        return ZoneInfo(name)
    except (ValueError, LookupError, OSError):
        return UTC


@dataclass(frozen=True)
class Calendar:
    """Where some days are off. All moments are in milliseconds since 1970."""

    zone: str
    weekends: bool
    holidays: frozenset[date]

    def is_off(self, day: date) -> bool:
        return (self.weekends and day.weekday() >= SATURDAY) or day in self.holidays

    def passed(self, since: int, until: int) -> int:
        """How much time runs between two moments."""
        total = 0
        while since < until:
            is_off, midnight = self._day(since)
            end = min(midnight, until)
            total += 0 if is_off else end - since
            since = end
        return total

    def after(self, since: int, milliseconds: int) -> int:
        """The moment at which so much time has run."""
        while True:
            is_off, midnight = self._day(since)
            if not is_off:
                if milliseconds < midnight - since:
                    return since + milliseconds
                milliseconds -= midnight - since
            since = midnight

    def _day(self, moment: int) -> tuple[bool, int]:
        """Whether a moment is on a day that is off, and when that day ends."""
        zone = zone_named(self.zone)
        day = datetime.fromtimestamp(moment / 1000, zone).date()
        midnight = datetime.combine(day + timedelta(days=1), time(), zone)
        return self.is_off(day), max(moment + 1, round(midnight.timestamp() * 1000))


@lru_cache(1024)
def calendar_of(days_off: DaysOff | UnsetType) -> Calendar | None:
    """None where time runs on every day."""
    if days_off is UNSET:
        return None
    return Calendar(days_off.zone, days_off.weekends, frozenset(map(date.fromisoformat, days_off.days)))


def read_days(text: str) -> tuple[str, ...]:
    """The days that somebody has named, each once, in order."""
    named = re.split(r"[\s,;]+", text.strip())
    try:
        days = sorted({date.fromisoformat(day).isoformat() for day in named if day})
    except ValueError as error:
        raise problems.BadDays(most=MOST_HOLIDAYS) from error
    if len(days) > MOST_HOLIDAYS:
        raise problems.BadDays(most=MOST_HOLIDAYS)
    return tuple(days)


def read_days_off(zone: str, days: str, *, weekends: bool) -> DaysOff | UnsetType:
    """As a form says it; unset where there are none."""
    if zone not in zones():
        raise problems.BadChoice(name=problems.N_("time zone"), value=zone[:40])
    named = read_days(days)
    return DaysOff(zone, weekends, named) if weekends or named else UNSET
