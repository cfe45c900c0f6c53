"""Keys that were given up: none of them opens anything again, at no later table either."""

import random

import pytest

from samovar.client import NotAllowed, Seat
from support.clubs import begin, go_to_table
from support.people import link_of, with_page
from support.players import look, own_link, post, two_people
from support.tables import table_of
from support.visitors import Visitor, running


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def bearer(key):
    return {"authorization": f"Bearer {key}"}


def key_of(visitor):
    """The key of their personal link, which anybody may have noted."""
    return own_link(visitor).split("/")[-1]


def api(table):
    return f"/api{table.replace('/table/', '/tables/')}"


def again_with(site, table, key):
    """The token of the next table that this one gives, if any."""
    return site.get(api(table), headers=bearer(key)).json()["again"]["token"]


def finish(site, table, *people):
    while look(site, table)["status"] != "over":
        for person in people:
            person.go(table)
            person.move(random.Random(1))


@pytest.fixture
def next_table(site):
    """Anna and Boris have played and play again; whoever has noted Anna's key of the first table looks
    on."""
    anna, boris, first = two_people(site, "connect_four")
    noted = key_of(anna)
    finish(site, first, anna, boris)
    anna.go(first)
    anna.send("/again")
    return anna, boris, first, noted, anna.address


def test_the_key_of_a_table_gives_that_of_the_next_while_the_chair_is_held_as_it_was(site, next_table):
    anna, _, first, noted, second = next_table
    token = again_with(site, first, noted)
    assert site.get(api(second), headers=bearer(token)).json()["seat"] == 0
    anna.go(second)
    assert token == key_of(anna)


def test_cutting_off_at_the_next_table_ends_what_the_key_of_the_first_gave(site, next_table):
    anna, boris, first, noted, second = next_table
    before = again_with(site, first, noted)
    anna.go(second)
    anna.send("/cut-off")
    assert again_with(site, first, noted) is None
    assert site.post(f"{api(first)}/again", headers=bearer(noted)).json()["token"] is None
    assert site.post(f"{api(second)}/resign", headers=bearer(before)).status_code == 403
    assert again_with(site, first, key_of(boris.go(first) and boris)) is not None, "the others keep theirs"


def test_whoever_comes_to_the_chair_of_the_first_table_later_has_not_that_of_the_next(site, next_table):
    anna, _, first, _, _ = next_table
    anna.go(first)
    phone, link = Visitor(site), own_link(anna)
    phone.go(link)
    phone.send(link)
    assert again_with(site, first, key_of(phone)) is None


def test_who_sits_down_on_a_chair_that_was_left_is_not_given_away(site):
    """Anna's chair of the next table is another's there: her old key says nothing of it."""
    anna, boris, first = two_people(site, "connect_four")
    noted = key_of(anna)
    finish(site, first, anna, boris)
    anna.go(first)
    anna.send("/again")
    assert post(anna, f"{anna.address}/leave").status_code == 200
    assert again_with(site, first, noted) is None


def test_a_program_is_told_that_its_chair_at_the_next_table_is_another_s(site, monkeypatch):
    chair = Seat.__new__(Seat)
    monkeypatch.setattr(Seat, "_ask", lambda *words: {"table": "x", "seat": None, "token": None})
    with pytest.raises(NotAllowed, match="held by somebody else at the next table"):
        chair.again()


# All devices at once


def test_who_cuts_off_all_other_devices_renews_the_keys_of_all_their_chairs(site):
    anna = with_page(site)
    keys = {}
    for opened in ("playing", "waiting", "over"):
        anna.go("/new/connect_four?seats=2")
        anna.send("/new/connect_four", name="Anna", first="0", **({} if opened == "waiting" else {"chair-1": "easy"}))
        keys[anna.address] = key_of(anna)
        if opened == "over":
            anna.send("/resign")
    assert [look(site, table)["status"] for table in keys] == ["playing", "waiting", "over"]
    assert {site.get(api(table), headers=bearer(key)).status_code for table, key in keys.items()} == {200}
    anna.go("/me")
    anna.send("/me/cut-off")
    assert {site.get(api(table), headers=bearer(key)).status_code for table, key in keys.items()} == {403}
    for table, key in keys.items():
        assert site.post(f"{api(table)}/talk", json={"text": "It is me"}, headers=bearer(key)).status_code == 403
        anna.go(table)
        assert key_of(anna) != key
        assert post(anna, f"{table}/say", text="It is me").status_code == 200, "this device keeps its chairs"


def test_devices_that_came_to_a_chair_by_its_key_lose_it_too(site):
    anna, _, table = two_people(site, "connect_four")
    with_page(site, visitor=anna)
    anna.go(table)
    phone, link = Visitor(site), own_link(anna)
    phone.go(link)
    phone.send(link)
    anna.go("/me")
    anna.send("/me/cut-off")
    assert post(phone, f"{table}/say", text="still here").status_code == 403
    assert link_of(anna), "this one stays"


def test_the_chairs_of_those_who_share_the_browser_get_other_keys_too(site):
    anna = with_page(site)
    anna.go("/new/connect_four?seats=2")
    anna.send("/new/connect_four", name="Anna", first="0", **{"chair-1": "here", "chair-1-name": "Boris"})
    tables, table_id = site.app.state.tables, anna.address.split("/")[-1]

    def keys():
        table = site.blocking_portal.call(tables.look, table_id)
        return [table.key(seat, tables.secret) for seat in range(2)]

    before = keys()
    anna.go("/me")
    anna.send("/me/cut-off")
    assert not set(before) & set(keys())


# Chairs where all play the same cards


def test_at_a_club_s_table_nobody_chooses_the_bot_that_plays_for_them_and_all_are_told(site):
    guests, address = begin(site)
    table_id = go_to_table(guests[0], address)
    table = table_of(site, table_id)
    seat = table.seat_of(next(iter(table.chairs[0].persons)))
    key = table.key(seat, site.app.state.tables.secret)
    path = f"/api/tables/{table_id}"
    assert site.post(f"{path}/hand-over", json={"level": "master"}, headers=bearer(key)).status_code == 200
    table = table_of(site, table_id)
    assert table.chairs[seat].level == table.settings.stand_in != "master"
    name = table.chairs[seat].name
    told = site.get(path, headers=bearer(key)).json()["talk"][-1]["text"]
    assert told == f"{name} lets a bot play for now."
    assert site.post(f"{path}/come-back", headers=bearer(key)).status_code == 200
    assert site.get(path, headers=bearer(key)).json()["talk"][-1]["text"] == f"{name} is back."


def test_a_copied_cookie_holds_no_chair_of_those_who_share_the_browser(site):
    """It names the device as well as the person."""
    anna = with_page(site)
    anna.go("/new/connect_four?seats=2")
    anna.send("/new/connect_four", name="Anna", first="0", **{"chair-1": "here", "chair-1-name": "Boris"})
    table, thief = anna.address, Visitor(site)
    thief.client.cookies.update(anna.client.cookies)
    assert thief.go(table).words == anna.go(table).words
    anna.go("/me")
    anna.send("/me/cut-off")
    assert post(thief, f"{table}/say", text="It is me", hand="0").status_code == 403
    assert thief.go(table).words != anna.go(table).words
