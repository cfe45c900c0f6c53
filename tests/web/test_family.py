"""The family table: those who play on one device, by name, week by week."""

import pytest

from samovar.web.people.family import past_weeks, tally
from samovar.web.store.results import FamilyRow
from support.tables import play_out
from support.visitors import Visitor, running

DAY = 86_400_000
NOW = 19_998 * DAY  # a Wednesday


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def play_together(visitor, site, name="Max", other="Mia"):
    """A match of two on one device, to its end."""
    visitor.go("/new/babuschka?seats=2")
    visitor.send("/new/babuschka", **{"name": name, "chair-1": "here", "chair-1-name": other})
    play_out(site, visitor.address.rsplit("/")[-1])


def test_everybody_on_the_device_is_counted_by_name(site):
    device = Visitor(site)
    for other in ("Mia", "MIA", "Opa"):
        play_together(device, site, other=other)
    words = device.go("/family").words
    assert "of 3" in words, "Max"
    assert "of 2" in words, "Mia, however she writes it"
    assert "of 1" in words, "Opa"
    assert words.count("Max") == 1


def test_no_other_device_sees_it(site):
    play_together(Visitor(site), site)
    assert "Mia" not in Visitor(site).go("/family").words


def test_a_match_alone_is_no_part_of_it(site):
    device = Visitor(site)
    play_together(device, site)
    device.go("/new/babuschka?seats=2")
    device.send("/new/babuschka", **{"name": "Max", "chair-1": "easy"})
    play_out(site, device.address.rsplit("/")[-1])
    words = device.go("/family").words
    assert "of 1" in words
    assert "of 2" not in words


def test_their_names_are_offered_the_next_time(site):
    device = Visitor(site)
    play_together(device, site, other="Opa")
    page = device.go("/new/babuschka?seats=2&chairs=here").html
    assert 'value="Opa"' in page.partition('name="chair-1-name"')[2].partition(">")[0]
    elsewhere = Visitor(site).go("/new/babuschka?seats=2&chairs=here")
    assert elsewhere.form("/new/babuschka")["fields"]["chair-1"] == "here"
    assert 'value="Opa"' not in elsewhere.html


def test_weeks_begin_on_monday():
    monday, sunday = NOW - 2 * DAY, NOW - 2 * DAY - 1
    rows = [FamilyRow("Mia", True, monday), FamilyRow("Opa", True, sunday), FamilyRow("Mia", False, sunday)]
    mia, opa = tally(rows, NOW)
    assert (mia.name, mia.weeks[0].won, mia.weeks[1].played, mia.weeks[1].won) == ("Mia", 1, 1, 0)
    assert (opa.weeks[0].played, opa.weeks[1].won) == (0, 1)
    assert [(week.ago, week.names, week.won) for week in past_weeks([mia, opa])] == [(1, ["Opa"], 1)]
