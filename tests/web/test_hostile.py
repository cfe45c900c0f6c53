"""The hostile visitor (`support/hostile/`): finds nothing at the site as it is, and finds what was broken on
purpose."""

import asyncio
from contextlib import nullcontext
from typing import get_args

import pytest

from samovar.web.app import make_app
from samovar.web.site import Site
from samovar.web.store.entries import AnyEntry
from support.hostile import planted
from support.hostile.deeds import DEEDS, EVENTS
from support.hostile.evening import Tally, spend
from support.hostile.houses import Fault
from support.hostile.killing import spend_killing
from support.visitors import SECRET, RandomBotPool

QUICK, EVENINGS, AN_EVENING = 250, 10, 1000
ROWS = [*DEEDS, *EVENTS]


def test_every_route_of_the_site_is_among_the_deeds(tmp_path):
    app = make_app(Site(f"sqlite:///{tmp_path}/samovar.db", SECRET), RandomBotPool())
    routes = {f"{method} {route.path}" for route in app.routes for method in route.methods if method != "OPTIONS"}
    assert routes == {route for row in ROWS for route in row.routes}


def test_every_kind_of_entry_is_made_by_a_deed():
    assert set(get_args(AnyEntry)) == {kind for row in ROWS for kind in row.makes}


def test_nothing_is_found_in_a_short_evening():
    tally = Tally()
    asyncio.run(spend("short", QUICK, tally))
    assert tally.deeds >= QUICK
    assert tally.looks["tables compared with their logs"] > QUICK / 4


@pytest.mark.slow
def test_nothing_is_found_in_ten_thousand_deeds_and_all_are_done():
    tally = evenings("long")
    assert tally.deeds >= EVENINGS * AN_EVENING
    for number in range(EVENINGS, 2 * EVENINGS):  # what is done seldom may take longer
        if never_done(tally) or seldom_looked(tally):
            asyncio.run(spend(f"long {number}", AN_EVENING, tally))
    assert never_done(tally) == []
    assert {kind.__name__ for kind in get_args(AnyEntry)} == set(tally.kinds)
    assert seldom_looked(tally) == []


def never_done(tally):
    """Rows that can only be refused, nonsense and what is for others to look at, do not count."""
    refused = {"choose again", "ask for a review"}
    return [row.name for row in ROWS if not tally.ok[row.name] and row.name not in refused]


def seldom_looked(tally):
    looks = (
        "worlds compared",
        "logs folded",
        "dead keys tried",
        "good keys tried",
        "restarts",
        "power cuts",
        "strangers",
    )
    return [look for look in looks if tally.looks[look] <= 9]


@pytest.mark.processes
def test_nothing_is_lost_or_found_at_a_site_that_is_killed():
    tally = Tally()
    asyncio.run(spend_killing("one", QUICK, tally))
    assert tally.looks["kills"] > 1
    assert tally.looks["tables compared with their logs"] > QUICK / 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broken", "found"),
    [
        (planted.old_token_opens_the_next_chair, "keys: an old token"),
        (planted.cutting_off_leaves_the_keys, "keys: a key that was given up"),
        (planted.taking_back_costs_others_time, "clocks: after Undo"),
        (planted.a_step_back_shows_the_truth, "worlds: "),
        (planted.the_news_of_before_show_the_truth, "worlds: "),
        (planted.a_change_that_is_in_no_log, "log: "),
        (planted.a_mistake_of_the_site, "server: "),
        (planted.strangers_see_records, "strangers: "),
        (planted.pupils_go_outside, "pupils: "),
        (planted.pupils_do_what_teachers_do, "classes: "),
        (planted.a_pause_holds_nobody, "pause: "),
        (planted.a_pause_without_consent, "pause: .* nobody has asked"),
        (planted.strangers_see_tables_of_circles, "circles: who is not in"),
        (planted.members_do_what_owners_do, "circles: who does not own"),
        (planted.muting_changes_nothing, "mute: "),
        (planted.plans_are_told, "ahead: "),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_is_broken_on_purpose_is_found(broken, found):
    with pytest.raises(Fault, match=found):
        evenings("planted", broken)


def evenings(name, broken=nullcontext):
    """So many of them, each with a seed of its own."""
    tally = Tally()
    for number in range(EVENINGS):
        asyncio.run(spend(f"{name} {number}", AN_EVENING, tally, broken=broken))
    return tally


def test_the_same_seed_is_the_same_evening():
    told = []
    for _ in range(2):
        tally = Tally()
        asyncio.run(spend(5, 80, tally))
        told.append(tally.told())
    assert told[0] == told[1]
