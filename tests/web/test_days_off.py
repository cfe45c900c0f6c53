"""At a table by post no time runs on weekends and on days that were named, by the time of who opened it."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from samovar.web import problems
from samovar.web.store.entries import DaysOff, Logged, Say, SiteWasAway
from samovar.web.tables import clock, timekeeper
from samovar.web.tables.clock import DAY, HOUR, Clocks
from samovar.web.tables.post.calendar import Calendar, read_days, read_days_off
from support.players import look, two_people
from support.visitors import Visitor, running

FRIDAY = int(datetime(2026, 3, 27, 12, tzinfo=UTC).timestamp() * 1000)  # clocks are put forward on Sunday in Europe
HOLIDAY = date(2026, 3, 31)
ZONES = ("UTC", "Europe/Tallinn", "America/New_York", "Pacific/Auckland")


def is_off(calendar, moment):
    day = datetime.fromtimestamp(moment / 1000, ZoneInfo(calendar.zone)).date()
    return (calendar.weekends and day.isoweekday() > 5) or day in calendar.holidays


@given(st.sampled_from(ZONES), st.booleans(), st.integers(0, 200), st.integers(0, 500))
def test_time_runs_in_the_hours_of_other_days(zone, weekends, start, hours):
    calendar = Calendar(zone, weekends, frozenset([HOLIDAY]))
    since = FRIDAY + start * HOUR
    counted = sum(not is_off(calendar, since + hour * HOUR) for hour in range(hours))
    assert calendar.passed(since, since + hours * HOUR) == counted * HOUR
    until = calendar.after(since, hours * HOUR)
    assert calendar.passed(since, until) == hours * HOUR
    assert not is_off(calendar, until)


def test_a_clock_stands_on_a_weekend():
    clocks = Clocks.for_table("1d", 2, DaysOff("Europe/Tallinn", weekends=True))
    clocks = clocks.after(Logged(0, Say(0, "Hm"), FRIDAY), frozenset([0]))
    assert clocks.due == FRIDAY + 3 * DAY - HOUR, "Sunday has an hour less"
    assert clocks.time_outs(FRIDAY + 2 * DAY) == []
    assert clocks.time_outs(clocks.due) != []
    late = clocks.after(Logged(1, Say(0, "Hm"), FRIDAY + 2 * DAY), frozenset([0]))
    assert late.due == clocks.due
    assert late.left[0] == DAY - 10 * HOUR


def test_a_site_that_was_away_on_a_weekend_gives_nothing_back_for_it():
    clocks = Clocks.for_table("1d", 2, DaysOff("UTC", weekends=True)).after(
        Logged(0, Say(0, "Hm"), FRIDAY), frozenset([0])
    )
    monday = FRIDAY + 3 * DAY
    assert clocks.make_up(FRIDAY + 6 * HOUR, monday) == [SiteWasAway(18 * HOUR)]
    [entry] = clocks.make_up(FRIDAY + 6 * HOUR, monday)
    assert clocks.after(Logged(1, entry, monday), frozenset([0])).left[0] == DAY - 6 * HOUR


def test_days_as_they_are_written():
    assert read_days(" 2026-12-25, 2026-12-24;2026-12-24 ") == ("2026-12-24", "2026-12-25")
    assert read_days_off("UTC", "", weekends=False) is UNSET
    many = " ".join((date(2026, 1, 1) + timedelta(days)).isoformat() for days in range(31))
    for wrong in ("Christmas", "2026-02-30", many):
        with pytest.raises(problems.BadDays):
            read_days(wrong)
    with pytest.raises(problems.BadChoice):
        read_days_off("Nowhere/At_All", "", weekends=True)


def test_whoever_opens_a_table_names_days_and_everybody_reads_them(tmp_path, monkeypatch):
    monkeypatch.setattr(timekeeper, "LOOK_SECONDS", 3600.0)
    monkeypatch.setattr(clock, "now", lambda: FRIDAY)
    with running(tmp_path) as site:
        named = {"weekends_off": "on", "days_off": "2026-04-03", "zone": "Europe/Tallinn"}
        anna, boris, table = two_people(site, "babuschka", time="1d", **named)
        for visitor in (anna, boris, Visitor(site)):
            visitor.go(table)
            told = "No time runs on these days (Europe/Tallinn): Saturdays and Sundays, 2026-04-03"
            assert told in visitor.page.words
        assert look(site, table)["settings"]["time"] == "1d"
        *_, fast = two_people(site, "babuschka", time="5+5", **named)
        anna.go(fast)
        assert "No time runs" not in anna.page.words
        anna.go("/new/babuschka?seats=2")
        anna.send("/new/babuschka", name="Anna", time="1d", days_off="Christmas")
        assert anna.status == 400
        assert "2026-12-24" in anna.page.words
