"""Chairs and secrets as a hostile visitor sees them: actions in a row, other people's links, absence,
keys that were used before."""

import asyncio
import json
import random
import re
import time
from types import SimpleNamespace

import pytest

from samovar.engine.records.fair import verify
from samovar.engine.registry import find_game
from samovar.web.store.entries import Logged, read
from samovar.web.tables import presence
from samovar.web.tables.table import Table
from support.players import look, move, own_link, post, two_people
from support.visitors import Visitor, running

NONCE = "0123456789abcdef" * 4


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


@pytest.fixture(scope="module")
def empty_site(tmp_path_factory):
    """Where everybody counts as away at once."""
    with running(tmp_path_factory.mktemp("empty"), away_seconds=-1.0) as client:
        yield client


# Taking back


def test_who_sends_the_other_away_cannot_take_back_what_showed_a_card(empty_site):
    anna, boris, table = two_people(empty_site)
    move(anna, table)  # both look at a side of the island first
    move(boris, table)
    move(anna, table)
    assert look(empty_site, table)["actors"] == [1], "Anna has turned a card up, Boris is to move"
    handed = post(anna, f"{table}/hand-over", seat="1")
    assert handed.status_code == 200
    moment = look(empty_site, table)["moment"]
    post(anna, f"{table}/back")
    assert look(empty_site, table)["moment"] >= moment, "nothing was taken back"


def test_a_wish_to_take_back_waits_for_whoever_is_away(tmp_path):
    class Slow:
        """Bots that never answer: the table stands still."""

        async def start(self): ...

        async def close(self): ...

        def metrics(self):
            return {}

        async def think(self, question, **_):
            import asyncio

            await asyncio.sleep(60)

    with running(tmp_path, Slow(), away_seconds=-1.0) as site:
        anna, boris, table = two_people(site, "babuschka")
        move(anna, table)
        move(boris, table)
        move(anna, table)
        post(anna, f"{table}/hand-over", seat="1")
        moment = look(site, table)["moment"]
        post(boris, f"{table}/back")
        assert look(site, table)["asking"] == {"seat": 1, "agreed": []}
        assert look(site, table)["moment"] == moment
        assert post(boris, f"{table}/answer", agrees="yes").status_code == 409, "nobody agrees with himself"
        assert look(site, table)["moment"] == moment
        post(anna, f"{table}/answer", agrees="yes")
        assert look(site, table)["moment"] == moment - 2


def test_programs_are_asked_too(site):
    anna = Visitor(site)
    made = site.post(
        "/api/tables", json={"game": "babuschka", "chairs": ["free", "token"], "options": {"first": 0}}
    ).json()
    table, token = made["page"], {"authorization": f"Bearer {made['tokens'][1]}"}
    anna.go(table)
    anna.send("/sit", name="Anna")
    move(anna, table)
    legal = site.get(f"/api/tables/{made['table']}/moves", headers=token).json()
    site.post(
        f"/api/tables/{made['table']}/moves",
        json={"move": legal["legal"][0]["move"], "revision": legal["revision"]},
        headers=token,
    )
    post(anna, f"{table}/back")
    assert look(site, table)["moment"] == 2
    assert look(site, table)["asking"] == {"seat": 0, "agreed": []}
    answered = site.post(f"/api/tables/{made['table']}/answer", json={"agrees": True}, headers=token)
    assert answered.status_code == 200
    assert look(site, table)["moment"] == 0


def test_nothing_is_taken_back_without_somebody_who_has_left_for_good(site):
    anna, boris, table = two_people(site, "babuschka")
    move(anna, table)
    move(boris, table)
    post(boris, f"{table}/leave")
    moment = look(site, table)["moment"]
    refused = post(anna, f"{table}/back")
    assert refused.status_code == 409
    assert "has left the table" in refused.json()["problem"]
    assert look(site, table)["moment"] >= moment


# Letting a bot play


def test_nobody_plays_anothers_turn_while_they_are_here(site):
    anna, boris, table = two_people(site, "babuschka")
    move(anna, table)
    for level in ("easy", "expert"):
        refused = post(anna, f"{table}/hand-over", seat="1", level=level)
        assert refused.status_code == 409
        assert "Boris was here a moment ago" in refused.json()["problem"]
    assert look(site, table)["people"][1]["kind"] == "person"
    assert "Away?" not in anna.go(table).words
    boris.go(table)
    assert boris.move(random.Random(1)) is not None


def test_a_bot_plays_for_who_is_away_at_the_level_of_the_table_and_everybody_is_told(empty_site):
    anna, boris, table = two_people(empty_site, "babuschka", stand_in="hard")
    move(anna, table)
    anna.go(table)
    anna.send("/hand-over", seat="1", level="easy")
    assert look(empty_site, table)["people"][1] == {"name": "Boris", "kind": "absent", "level": "hard"}
    boris.go(table)
    assert "Anna let a bot play for Boris, who is away." in boris.page.words
    boris.send("/come-back")
    assert look(empty_site, table)["people"][1]["kind"] == "person"
    assert "Boris is back." in boris.page.words


def test_a_bot_is_not_let_in_twice_within_a_minute(empty_site):
    anna, boris, table = two_people(empty_site, "babuschka")
    move(anna, table)
    assert post(anna, f"{table}/hand-over", seat="1").status_code == 200
    assert post(boris, f"{table}/come-back").status_code == 200
    while look(empty_site, table)["actors"] != [1]:
        move(anna, table)
    assert post(anna, f"{table}/hand-over", seat="1").status_code == 409


def test_ones_own_chair_can_be_left_to_a_bot_at_any_time(site):
    anna, _, table = two_people(site, "babuschka")
    anna.send("/hand-over", seat="0")
    assert look(site, table)["people"][0]["kind"] == "absent"
    anna.go(table)
    anna.send("/come-back")
    assert look(site, table)["people"][0]["kind"] == "person"


# Chairs and links


def test_a_person_is_asked_before_they_change_chairs_and_no_chair_is_without_a_holder(site):
    anna, boris, table = two_people(site, "babuschka")
    boris.go(table)
    link = own_link(boris)
    anna.go(link)
    assert "In this browser you sit at this table as Anna." in anna.page.words
    assert post(anna, link).status_code == 409
    assert [person["kind"] for person in look(site, table)["people"]] == ["person", "person"]
    anna.go(link)
    anna.send(link)
    assert anna.address == table
    people = look(site, table)["people"]
    assert [person["kind"] for person in people] == ["bot", "person"], "Anna left her chair, a bot plays on"
    for visitor in (anna, boris):
        for action in ("hand-over", "come-back", "again", "back", "leave", "cut-off", "hint"):
            assert post(visitor, f"{table}/{action}", seat="1").status_code < 500
            assert post(visitor, f"{table}/{action}", seat="0").status_code < 500


def test_who_stands_up_before_the_match_begins_frees_the_chair(site):
    anna, boris, chloe = Visitor(site), Visitor(site), Visitor(site)
    anna.go("/new/memoarrrr?seats=3")
    anna.send("/new/memoarrrr", name="Anna")
    table = anna.address
    boris.go(table)
    boris.send("/sit", name="Boris")
    boris.send("/leave")
    assert boris.page.form("/sit"), "he may sit down again"
    assert "Boris has left the table." in anna.go(table).words
    chloe.go(table)
    chloe.send("/sit", name="Chloé")
    assert [person["name"] for person in look(site, table)["people"]] == ["Anna", "Chloé", ""]


def test_the_chair_of_somebody_who_sat_down_and_went_away_can_be_freed(empty_site, site):
    for where, status in ((site, 409), (empty_site, 200)):
        anna, stranger = Visitor(where), Visitor(where)
        anna.go("/new/memoarrrr?seats=3")
        anna.send("/new/memoarrrr", name="Anna", open="on")
        stranger.go(anna.address)
        stranger.send("/sit", name="Stranger")
        assert post(anna, f"{anna.address}/free", seat="1").status_code == status
        assert look(where, anna.address)["people"][1]["kind"] == ("free" if status == 200 else "person")


def test_nobody_sits_at_too_many_tables_that_have_not_begun(site):
    stranger, statuses = Visitor(site), []
    for _ in range(9):
        host = Visitor(site)
        host.go("/new/memoarrrr?seats=3")
        host.send("/new/memoarrrr", name="Host")
        stranger.go(host.address)
        stranger.send("/sit", name="Stranger")
        statuses.append(stranger.status)
    assert statuses == [200] * 6 + [429] * 3


def test_a_personal_link_works_once(site):
    anna, _, table = two_people(site)
    link = own_link(anna)
    phone, thief = Visitor(site), Visitor(site)
    phone.go(link)
    phone.send(link)
    assert phone.address == table
    assert own_link(phone) != link
    thief.go(link)
    assert thief.status == 403
    assert post(phone, f"{table}/say", text="hello").status_code == 200
    assert post(anna, f"{table}/say", text="hello").status_code == 200, "the first device still sits there"


def test_the_token_of_a_chair_ends_when_somebody_takes_the_chair_over(site):
    made = site.post("/api/tables", json={"game": "memoarrrr", "chairs": ["token", "token"]}).json()
    old = {"authorization": f"Bearer {made['tokens'][1]}"}
    path = f"/api/tables/{made['table']}"
    assert site.get(path, headers=old).status_code == 200
    friend = Visitor(site)
    friend.go(f"/table/{made['table']}/come/{made['tokens'][1]}")
    assert "One device holds this chair already and has seen its cards." in friend.page.words
    friend.send(f"/come/{made['tokens'][1]}")
    assert friend.status == 200
    assert site.get(path, headers=old).status_code == 403
    assert site.post(f"{path}/talk", json={"text": "x"}, headers=old).status_code == 403


def test_other_devices_are_shown_and_can_be_cut_off(site):
    anna, _, table = two_people(site)
    phone = Visitor(site)
    link = own_link(anna)
    phone.go(link)
    phone.send(link)
    assert "2 devices hold your chair." in anna.go(table).words
    anna.send("/cut-off")
    assert "One device holds your chair: this one." in anna.page.words
    assert post(phone, f"{table}/say", text="still here").status_code == 403
    assert "2 devices" not in phone.go(table).words


# Fair by proof


def finish(site, made):
    path = f"/api/tables/{made['table']}"
    for _ in range(100):
        now = look(site, path)
        if now["status"] == "over":
            return now
        token = {"authorization": f"Bearer {made['tokens'][now['actors'][0]]}"}
        legal = site.get(f"{path}/moves", headers=token).json()
        site.post(
            f"{path}/moves", json={"move": legal["legal"][0]["move"], "revision": legal["revision"]}, headers=token
        )
    raise AssertionError("the match does not end")


def test_the_deal_depends_on_what_the_browsers_brought(site):
    anna, boris = Visitor(site), Visitor(site)
    anna.go("/new/memoarrrr?seats=2")
    anna.send("/new/memoarrrr", name="Anna")
    table = anna.address
    shown = re.search(r'class="commitment">(\w{64})<', anna.page.html)[1]
    assert "The number of Anna, made by this site, because none was brought before the deal:" in anna.page.words
    assert post(anna, f"{table}/luck", luck=NONCE).status_code == 200
    assert f"The number of Anna, made by their browser: {NONCE}" in anna.go(table).words
    boris.go(table)
    boris.send("/sit", name="Boris", luck="f" * 64)
    for visitor, seed in ((anna, 1), (boris, 2)) * 400:
        visitor.go(table)
        visitor.move(random.Random(seed))
        if look(site, table)["status"] == "over":
            break
    record = json.loads(site.get(f"/record/{table.split('/')[-1]}/download").text)
    assert record["table"]["nonces"] == [NONCE, "f" * 64]
    assert record["table"]["nonce_makers"] == ["browser", "browser"]
    assert re.fullmatch("[0-9a-f]{64}", record["seed"]), "no search over 2**63 finds it"
    assert verify(record, shown, NONCE).over


def test_the_deal_of_the_next_match_is_promised_before_its_numbers_are_brought(site):
    made = site.post(
        "/api/tables", json={"game": "connect_four", "chairs": ["free", "token"], "options": {"first": 0}}
    ).json()
    table, token = made["page"], {"authorization": f"Bearer {made['tokens'][1]}"}
    anna = Visitor(site)
    anna.go(table)
    anna.send("/sit", name="Anna")
    while look(site, table)["status"] != "over":
        now = site.get(f"/api/tables/{made['table']}", headers=token).json()
        if now["legal"]:
            site.post(
                f"/api/tables/{made['table']}/moves",
                json={"move": now["legal"][0]["move"], "revision": now["revision"]},
                headers=token,
            )
        else:
            anna.go(table)
            anna.move(random.Random(1))
    anna.go(table)
    promised = re.findall(r'class="commitment">(\w{64})<', anna.page.html)[-1]
    assert promised != look(site, table)["commitment"]
    assert post(anna, f"{table}/luck", luck=NONCE).status_code == 200
    anna.go(table)
    anna.send("/again")
    assert look(site, anna.address)["commitment"] == promised
    assert NONCE in anna.page.html
    first = anna.address
    anna.go(table)
    assert any(link.get("href") == first for link in anna.page.links), "there is one next table, whoever asks"
    again = site.post(f"/api/tables/{made['table']}/again", headers=token).json()
    assert (f"/table/{again['table']}", again["seat"]) == (first, 1)


def test_luck_is_not_taken_once_the_cards_are_dealt(site):
    anna, _, table = two_people(site)
    post(anna, f"{table}/luck", luck=NONCE)
    assert NONCE not in anna.go(table).html


@pytest.mark.parametrize("luck", ["x", "12", "F" * 64, "0" * 500, "²" * 40])
def test_a_number_that_is_none_is_refused(site, luck):
    anna, boris = Visitor(site), Visitor(site)
    anna.go("/new/memoarrrr?seats=2")
    anna.send("/new/memoarrrr", name="Anna")
    boris.go(anna.address)
    boris.send("/sit", name="Boris", luck=luck)
    assert 400 <= boris.status < 500


def test_a_record_is_kept_when_the_rules_change(site):
    made = site.post("/api/tables", json={"game": "connect_four", "chairs": ["token", "token"]}).json()
    finish(site, made)
    before = site.get(f"/api/tables/{made['table']}/record").json()
    game = find_game("connect_four")
    site.app.state.tables._cached.clear()
    old = game.version
    try:
        object.__setattr__(game, "version", 99)
        after = site.get(f"/api/tables/{made['table']}/record")
        page = site.get(f"/record/{made['table']}", headers={"accept": "text/html"})
        download = site.get(f"/record/{made['table']}/download")
    finally:
        object.__setattr__(game, "version", old)
    assert after.json() == before
    assert (page.status_code, download.status_code) == (200, 200)


def logged(number, kind, fields):
    return Logged(number, read("old", number, kind, fields), number)


def test_tables_of_the_first_version_still_open():
    """Their deal was fixed by a seed and a salt, chairs had other facts."""
    settings = {"is_open": False, "hints": True, "memory_aid": False}
    opening = {
        "game": "memoarrrr",
        "rules": find_game("memoarrrr").version,
        "seats": 2,
        "settings": settings,
        "levels": ["", "easy"],
    }
    options = find_game("memoarrrr").check_options(2, {"first": 0})
    table = Table("old", logged(0, "open", {**opening, "options": options, "seed": 7, "salt": "ab" * 16}))
    assert table.commitment == "ed475f280477d374ad12091db18ef5bb342cfe474765bfe6d2019ea33735ffea"
    for number, (kind, data) in enumerate(
        [
            ("sit", {"seat": 0, "person": "anna", "name": "Anna", "nonce": "00", "for_program": False}),
            ("start", {}),
            ("bot", {"seat": 0, "level": "easy"}),
            ("come", {"seat": 0, "person": "phone"}),
        ],
        1,
    ):
        table.apply(logged(number, kind, data))
    assert table.playing.seed == 7
    assert table.seat_of("anna") == table.seat_of("phone") == 0
    assert table.chairs[0].was_taken


def test_since_when_somebody_is_away_stays_what_it_is(monkeypatch):
    """Also when they were not seen for much longer than it takes to count as away."""
    monkeypatch.setattr(presence, "TELL_SECONDS", 0.01)

    async def away_for():
        there = presence.Presence(SimpleNamespace(exclusive=True))
        there._began, there._seen["table", 0] = time.monotonic() - 7200, time.monotonic() - 600
        await there.start()
        await asyncio.sleep(0.1)
        await there.close()
        return there._silent_seconds("table", 0)

    assert 600 <= asyncio.run(away_for()) < 7200
