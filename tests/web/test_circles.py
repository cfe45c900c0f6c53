"""Circles: who is in them sees all of it, and to everybody else there is nothing."""

import json
import re
from functools import partial
from html import unescape

import msgspec
import pytest

from samovar.web.people.circles import Circles
from samovar.web.store.queries import series
from samovar.web.tables.series import now
from support.calls import call_at
from support.circles import found, link_of, lose, open_table
from support.receivers import receiving
from support.tables import call
from support.visitors import Page, Visitor, running


@pytest.fixture
def site(tmp_path):
    with running(tmp_path) as client:
        yield client


def test_people_come_by_the_link_and_open_a_table_with_those_who_are_there(site):
    (anna, boris, chloe), address, _ = found(site)
    table = open_table(anna, address, "Boris", game="memoarrrr 2")
    assert "Boris" in anna.page.words
    boris.go(address)
    assert 'data-called="' + table in boris.page.html, "he is led to his table"
    assert boris.go(f"/table/{table}").form("/say"), "he sits there"
    chloe.go(address)
    assert "Look on" in chloe.page.words
    chloe.go(f"/table/{table}")
    assert chloe.status == 200
    lose(boris, table)
    anna.go(address)
    assert "1. Anna, 2. Boris" in anna.page.words
    assert f"/record/{table}" in anna.page.html


def test_a_free_chair_is_for_members_in_one_click(site):
    (anna, boris, _), address, _ = found(site)
    table = open_table(anna, address, game="memoarrrr 2")
    stranger = Visitor(site)
    stranger.go("/")
    nothing = status_and_text(stranger, "/table/AAAAAAAAAAAA")
    assert status_and_text(stranger, f"/table/{table}") == nothing
    boris.go(address)
    boris.send("/sit")
    assert boris.address == f"/table/{table}"
    assert boris.page.form("/say")


def status_and_text(visitor, address):
    visitor.go(address)
    return visitor.status, visitor.page.words


def nothing_is_there(visitor, address):
    """What they get is what anybody gets where nothing is."""
    return status_and_text(visitor, address) == status_and_text(visitor, "/circle/AAAAAAAAAAAA")


def test_strangers_find_nothing_and_an_old_link_leads_nowhere(site):
    (anna, *_), address, link = found(site)
    stranger = Visitor(site)
    stranger.go("/")
    assert stranger.status == 200
    for end in ("", "/keep", "/link.svg"):
        assert nothing_is_there(stranger, address + end), end
    for end in (
        "open",
        "sit",
        "day",
        "calls",
        "name",
        "beside",
        "leave",
        "keep",
        "renew",
        "season",
        "hook",
        "hand-over",
        "delete",
    ):
        assert post(stranger, f"{address}/{end}") == post(stranger, f"/circle/AAAAAAAAAAAA/{end}"), end
        assert post(stranger, f"{address}/{end}")[0] == 404
    anna.go(f"{address}/keep")
    anna.send("/renew")
    assert nothing_is_there(stranger, link)
    assert post(stranger, link, name="Mallory")[0] == 404
    assert not nothing_is_there(stranger, link_of(anna, address))


def post(visitor, address, **facts):
    """Without having seen the form: its token is that of any."""
    visitor.go("/circle")
    token = visitor.page.form("/circle")["fields"]["_csrf_token"]
    answer = visitor.client.post(address, data={"_csrf_token": token, **facts}, follow_redirects=False)
    return answer.status_code, Page(answer.text).words


def test_members_who_are_no_owners_change_nothing(site):
    (anna, boris, _), address, _ = found(site)
    assert nothing_is_there(boris, f"{address}/keep")
    for end in ("keep", "renew", "season", "hook", "hand-over", "delete"):
        assert post(boris, f"{address}/{end}", sure="yes", end="now", number="2")[0] == 404, end
    assert post(boris, f"{address}/leave", number="3")[0] == 404, "nor do they take others out"
    anna.go(address)
    assert "3 members" in anna.page.words
    anna.go(f"{address}/keep")
    anna.send("/keep", name="Wednesday round", mark="moon", phrases="Checkmate!\nTea?")
    assert "Wednesday round" in boris.go(address).words


def test_who_leaves_or_is_taken_out_keeps_nothing_open(site):
    (anna, boris, chloe), address, _ = found(site)
    over = open_table(anna, address, "Boris", game="memoarrrr 2")
    lose(boris, over)
    playing, waiting = open_table(anna, address, "Boris", game="memoarrrr 2"), open_table(anna, address)
    boris.go(address)
    boris.send("/sit")
    boris.go(address)
    boris.send("/leave", sure="yes")
    assert boris.address == "/circle"
    for table in (over, playing, waiting):
        assert status_and_text(boris, f"/table/{table}") == status_and_text(boris, "/table/AAAAAAAAAAAA"), table
        assert status_and_text(boris, f"/record/{table}")[0] == 404
        assert post(boris, f"/table/{table}/say", text="Boo!")[0] == 404
    assert nothing_is_there(boris, address)
    assert "a bot plays" in anna.go(f"/table/{playing}").words or "bot ·" in anna.page.words
    anna.go(f"{address}/keep")
    anna.send("/leave", number="3")
    assert nothing_is_there(chloe, address)


def test_a_circle_is_handed_over_and_deleted(site):
    (anna, boris, _), address, _ = found(site)
    table = open_table(anna, address, "Boris", game="memoarrrr 2")
    lose(boris, table)
    assert post(anna, f"{address}/leave", sure="yes")[0] == 409, "it is hers"
    anna.go(f"{address}/keep")
    anna.send("/hand-over", number="2")
    assert nothing_is_there(anna, f"{address}/keep")
    boris.go(f"{address}/keep")
    boris.send("/delete")
    assert "Tick the box" in boris.page.words
    boris.go(f"{address}/keep")
    boris.send("/delete", sure="yes")
    assert nothing_is_there(boris, address)
    stranger = Visitor(site)
    stranger.go("/")
    assert status_and_text(stranger, f"/record/{table}")[0] == 404, "nor is anything open to others now"
    assert status_and_text(anna, f"/record/{table}")[0] == 200, "it was her game, too"


def test_to_programs_a_table_that_is_gone_was_never_there(site):
    """Neither a cancelled one nor one that was closed, and no finished game fails because of the one after it."""
    (anna, boris, _), address, _ = found(site)
    cancelled = open_table(anna, address)
    anna.send("/cancel")
    over = open_table(anna, address, "Boris", game="memoarrrr 2")
    lose(boris, over)
    boris.go(f"/table/{over}")
    boris.send("/again")
    after = boris.address.rsplit("/", 1)[1]
    assert after != over
    tables = site.app.state.tables
    token = call(site, tables.look, over).key(0, tables.secret)
    anna.go(f"{address}/keep")
    anna.send("/delete", sure="yes")
    client = Visitor(site).client
    nothing = client.get("/api/tables/AAAAAAAAAAAA")
    for gone in (cancelled, after):
        answer = client.get(f"/api/tables/{gone}")
        assert (answer.status_code, answer.json()) == (nothing.status_code, nothing.json()), gone
    own = client.get(f"/api/tables/{over}", headers={"authorization": f"Bearer {token}"})
    assert (own.status_code, own.json()["status"]) == (200, "over")


def test_who_is_forgotten_is_nowhere_in_it(site):
    (anna, boris, _), address, _ = found(site)
    lose(anna, open_table(anna, address, "Boris"))
    anna.go(f"{address}/keep")
    anna.send("/season", end="now")
    assert "Boris won" in anna.page.words
    boris.go("/me/delete")
    boris.send("/me/delete", sure="yes")
    assert "Boris" not in anna.go(address).words
    assert "Somebody won." in anna.page.words
    anna.go("/me/delete")
    anna.send("/me/delete", sure="yes")
    rows = call(site, partial(site.app.state.tables.store.rows, series.NAMING, kind="circle", pattern="%Anna%"))
    assert rows == [], "Chloé has it now"


def test_two_seasons_and_what_is_told_elsewhere(tmp_path):
    with running(tmp_path, call_private=True) as site, receiving() as receiver:
        (anna, boris, _), address, _ = found(site)
        base = receiver.address.rsplit("/", 1)[0]
        add_hook(anna, address, "discord", f"{base}/discord")
        add_hook(anna, address, "slack", f"{base}/slack", names="yes")
        add_hook(anna, address, "matrix", base, room="!a b:x", token="t")
        assert "This address cannot be called" in anna.page.words
        add_hook(anna, address, "matrix", base, room="!round:example.org", token="secret-token")
        add_hook(anna, address, "ntfy", f"{base}/topic", token="tk_1")
        assert "secret-token" not in anna.page.html
        boris.go(address)
        boris.send("/name", name="<!channel> @room")
        open_table(boris, address)
        receiver.wait(4)
        told = {path: (headers, content) for path, headers, content, _ in receiver.heard}
        said = ["Tuesday round", "A table was opened: Connect Four.", f"http://samovar.test{address}"]
        headers, content = told["/discord"]
        assert headers["Content-Type"] == "application/json"
        assert json.loads(content) == {"content": "\n".join(said), "allowed_mentions": {"parse": []}}
        with_name = "&lt;!channel&gt; @room has opened a table: Connect Four."
        assert json.loads(told["/slack"][1]) == {"text": "\n".join([said[0], with_name, said[2]])}
        headers, content = told["/topic"]
        assert (headers["Title"], headers["Click"], content.decode()) == (said[0], said[2], said[1])
        assert headers["Authorization"] == "Bearer tk_1"
        [matrix] = set(told) - {"/discord", "/slack", "/topic"}
        room = "/_matrix/client/v3/rooms/%21round%3Aexample.org/send/m.room.message/"
        assert re.fullmatch(re.escape(room) + "[0-9a-f]{40}", matrix)
        headers, content = told[matrix]
        assert receiver.methods[[path for path, *_ in receiver.heard].index(matrix)] == "PUT"
        assert headers["Authorization"] == "Bearer secret-token"
        assert json.loads(content) == {"msgtype": "m.text", "body": "\n".join(said), "m.mentions": {}}

        lose(boris, open_table(anna, address, "<!channel> @room"))
        anna.go(address)
        assert season(anna) == ["1 Anna you 1 1 1", "2 <!channel> @room 1 0 0"]
        anna.go(f"{address}/keep")
        anna.send("/season", ends="2001-01-01")
        assert "A season ends on a later day" in anna.page.words
        anna.go(f"{address}/keep")
        anna.send("/season", end="now")
        assert "Anna won. Points: 1." in anna.page.words
        assert "No game counts yet" in anna.page.words, "the next has begun"
        next_season(site, anna, address, "strength")
        for _ in range(2):
            lose(anna, open_table(anna, address, "<!channel> @room"))
        boris.go(address)
        first, second = season(boris)
        assert first.startswith("1 <!channel> @room you 2 2")
        assert second.startswith("2 Anna 2 0")
        let_it_end(site, address)
        page = anna.go(address).words
        assert page.index("<!channel> @room won.") < page.index("Anna won. Points: 1."), "the newest first"
        assert len(receiver.heard) == 4, "where no chair is free nobody is told"


def season(visitor):
    """How everybody stands: place, name, games, won, points."""
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", visitor.page.html, re.DOTALL)[1:]
    return [" ".join(unescape(re.sub("<[^>]+>", " ", row)).split()) for row in rows]


def add_hook(owner, address, form, target, **facts):
    owner.go(f"{address}/keep")
    owner.send("/hook", form=form, target=target, **facts)


def next_season(site, owner, address, method):
    owner.go(f"{address}/keep")
    owner.send("/season", method=method)
    assert "It is kept" in owner.page.words


def let_it_end(site, address):
    """Its last day was yesterday."""
    circles = Circles(site.app.state.tables)

    def shortened(circle):
        season = msgspec.structs.replace(circle.season, ends=now() - 1)
        return msgspec.structs.replace(circle, seasons=[*circle.seasons[:-1], season])

    call(site, circles.change, address.rsplit("/", 1)[1], shortened)


def test_members_who_want_it_are_told_and_nobody_else(tmp_path):
    with running(tmp_path, call_private=True) as site, receiving() as receiver, receiving() as other:
        (anna, boris, chloe), address, _ = found(site)
        call_at(boris, receiver)
        call_at(chloe, other)
        boris.go(address)
        boris.send("/calls")
        go_away(site, address)
        open_table(anna, address)
        receiver.wait()
        assert receiver.texts == ["Anna has opened a table: Connect Four."]
        assert receiver.titles == ["Tuesday round"]
        assert other.texts == [], "Chloé has not asked for it"


def go_away(site, address):
    """Nobody has the page in sight any more."""
    presence = site.app.state.tables.presence
    presence._seen = {key: seen - 60 for key, seen in presence._seen.items()}


def test_only_encrypted_public_addresses_are_told(site):
    (anna, *_), address, _ = found(site)
    for target in ("http://example.org/x", "https://127.0.0.1/x", "https://a:b@example.org/", "nonsense"):
        add_hook(anna, address, "discord", target)
        assert "This address cannot be called" in anna.page.words, target


def test_the_deal_of_the_day_is_the_circles_own(site):
    (anna, boris, _), address, _ = found(site)
    anna.go(f"{address}/keep")
    anna.send("/keep", daily="memoarrrr")
    anna.go(address)
    anna.send("/day")
    table = anna.address
    anna.go(address)
    anna.send("/day")
    assert anna.address == table, "one table of it, however often she comes"
    stranger = Visitor(site)
    stranger.go("/today")
    stranger.send("/daily/memoarrrr")
    deals = [
        call(site, site.app.state.tables.look, one.rsplit("/", 1)[1]).commitment for one in (table, stranger.address)
    ]
    assert deals[0] != deals[1]
    assert status_and_text(stranger, table)[0] == 404
    lose(anna, table.rsplit("/", 1)[1])
    assert "Anna: place" in anna.go(address).words
    assert "Anna: place" not in boris.go(address).words, "he is still to play it"


def test_its_phrases_are_offered_at_its_tables(site):
    (anna, *_), address, _ = found(site)
    anna.go(f"{address}/keep")
    anna.send("/keep", phrases="Tea, anybody?\n\n  Not  again! ")
    anna.go(f"/table/{open_table(anna, address)}")
    assert "Tea, anybody?" in anna.page.words
    assert "Not again!" in anna.page.words
    anna.go(f"{address}/keep")
    anna.send("/keep", phrases="x" * 61)
    assert anna.status == 422


def test_its_club_evenings_are_for_members(site):
    (anna, boris, _), address, _ = found(site)
    stranger = Visitor(site)
    stranger.go("/club?game=memoarrrr")
    stranger.send("/club", name="Crashed", circle=address.rsplit("/", 1)[1])
    assert stranger.status == 404
    anna.go(f"/club?game=memoarrrr&circle={address.rsplit('/', 1)[1]}")
    anna.send("/club", name="Friday", seats="2", deals="1")
    evening = anna.address
    anna.send("/join", name="Anna")
    assert status_and_text(stranger, evening) == status_and_text(stranger, "/club/AAAAAAAAAAAA")
    boris.go(address)
    assert evening in boris.page.html
    boris.go(evening)
    boris.send("/join", name="Boris")
    anna.go(evening)
    anna.send("/begin")
    for guest in (anna, boris):
        guest.go(evening)
        guest.send("/play")
        table = guest.address
        assert "/table/" in table
        assert status_and_text(stranger, table)[0] == 404
        lose(guest, table.rsplit("/", 1)[1])
    assert "Friday" in anna.go(address).words


def test_who_plays_on_the_same_device_is_a_member(site):
    (anna, boris, _), address, _ = found(site)
    anna.go(address)
    anna.send("/beside", name="Mia")
    assert "4 members" in anna.page.words
    table = open_table(anna, address, "Mia", "Boris", game="memoarrrr 3")
    anna.go(f"/table/{table}")
    assert "I am Mia" in anna.page.words or "Mia" in anna.page.words
    lose(boris, table)
    seats = {chair.name: chair for chair in call(site, site.app.state.tables.look, table).chairs}
    assert len(seats["Mia"].persons) == 1
    boris.go(address)
    boris.send("/leave", sure="yes")
    anna.go(address)
    anna.send("/leave", number="4")
    assert "2 members" in anna.go(address).words


def test_on_a_site_for_invited_people_nothing_of_it_shows(tmp_path):
    with running(tmp_path, entry="invited") as site:
        stranger = Visitor(site)
        nothing = status_and_text(stranger, "/nothing")
        for address in ("/circle", "/circle/AAAAAAAAAAAA", f"/circle/come/{'a' * 40}"):
            assert status_and_text(stranger, address) == nothing
