"""The family table: those who play on one device, by name, week by week."""

import re

import pytest

from samovar.web.people.family import FamilySign, past_weeks, sign_of, tally, with_sign
from samovar.web.people.people import MARKS
from samovar.web.store.queries.results import FamilyRow
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


# Signs


def signs_at(page, place):
    """The drawings in some part of a page, each with its colour."""
    part = page.html[page.html.index(place) :]
    return re.findall(r'<svg class="family-sign (colour-\w+)".*? d="([^"]+)"', part)


def test_everybody_on_a_device_gets_a_drawing_of_their_own():
    signs = ""
    for name in ("Max", "Mia", "Opa", "MAX", "Zoë"):
        signs = with_sign(signs, name)
    given = [sign_of(signs, name) for name in ("max", "Mia", "Opa", "Zoë")]
    assert [sign.mark for sign in given] == [*MARKS[:4]]
    assert len({sign.colour for sign in given}) == 4
    assert sign_of("", "Mia") == sign_of("", "mia"), "whoever has none yet has one by their name"


def test_a_sign_that_was_chosen_stays_and_the_cookie_stays_small():
    chosen = FamilySign("fish", "plum")
    signs = with_sign(with_sign("", "Mia"), "Mia", chosen)
    assert sign_of(with_sign(signs, "Mia"), "Mia") == chosen
    for number in range(40):
        signs = with_sign(signs, f"Guest {number} " + "ö" * 16)
    assert len(signs) < 500
    assert sign_of(signs, "Guest 39 " + "ö" * 16).mark in MARKS


def test_the_curtain_and_the_family_table_show_the_same_signs(site):
    device = Visitor(site)
    device.go("/new/memoarrrr?seats=2")
    device.send("/new/memoarrrr", **{"name": "Max", "first": "1", "chair-1": "here", "chair-1-name": "Mia"})
    mia, *rest = signs_at(device.page, 'class="curtain"')
    assert rest[0] == mia, "on her button, too"
    max_ = rest[1]
    assert mia != max_
    assert [max_, mia] == signs_at(device.page, 'class="page-chairs"')[:2]
    play_out(site, device.address.rsplit("/")[-1])
    shown = signs_at(device.go("/family"), "<tbody>")[:2]
    assert sorted(shown) == sorted([mia, max_])


def test_another_sign_can_be_chosen(site):
    device = Visitor(site)
    play_together(device, site)
    assert "The sign of" not in device.go("/family").words
    before = signs_at(device.page, "<tbody>")
    link = next(link["href"] for link in device.page.links if "of=Mia" in link.get("href", ""))
    assert "The sign of Mia" in device.go(link).words
    device.send("/family", mark="fish", colour="plum")
    assert (device.status, device.address) == (200, "/family")
    after = signs_at(device.page, "<tbody>")
    assert len(set(before) - set(after)) == 1, "hers is another one, and nobody else’s"
    assert "colour-plum" in dict(after)
    for wrong in ({"mark": "dragon"}, {"name": ""}, {"colour": ":;"}):
        device.go(link)
        device.send("/family", **wrong)
        assert device.status == 422
    assert "The sign of" not in Visitor(site).go(link).words, "of this device alone"
