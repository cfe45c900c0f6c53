"""What viewers see is made once for all who see the same, sent only where it has changed, and the
short way is no way round the checks."""

import asyncio
import json
import random
import threading
from contextlib import aclosing

import pytest

from samovar.web import problems
from samovar.web.api import api
from samovar.web.drawing import looks
from samovar.web.drawing.viewer import Viewer, ViewerKind
from samovar.web.pages import table as pages
from samovar.web.tables.actions import PageRemark
from samovar.web.tables.tables import Tables
from support.players import look, move, own_link, post, two_people
from support.visitors import Onlooker, Visitor, running


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def events(site, table, person, wanted, actions):
    """What a person's stream tells: the first event, then `wanted` more while actions are done."""
    state, viewer = site.app.state, Viewer(person, "en", "", "token", "http://samovar.test")

    async def follow():
        told = []
        lines = pages.stream(Onlooker(state), state.looks, state.changes, [table.split("/")[-1]], viewer)
        async with aclosing(lines) as heard:
            told.append(await anext(heard))
            for action in actions:
                await action()
                told.append(await asyncio.wait_for(anext(heard), 10))
        return [json.loads(line.split(b"data: ")[1]) for line in told[: wanted + 1]]

    return site.blocking_portal.call(follow)


def test_a_crowd_is_drawn_for_once(site, monkeypatch):
    anna, _, table = two_people(site)
    made = []
    honest = looks.make_look
    monkeypatch.setattr(looks, "make_look", lambda *facts: made.append(facts[2].seat) or honest(*facts))
    move(anna, table)
    for _ in range(20):
        assert Visitor(site).go(table)
    assert made.count(None) == 1
    assert len(made) <= 3, "one for each player, one for all who watch"


@pytest.mark.parametrize(("seconds", "is_apart"), [(0.0, True), (60.0, False)])
def test_a_look_that_took_long_lets_others_in_and_a_short_one_is_made_at_once(site, monkeypatch, seconds, is_apart):
    _, _, table = two_people(site)
    tables, table_id, threads = site.app.state.tables, table.split("/")[-1], []
    honest = looks.make_look

    def make(*facts):
        threads.append(threading.current_thread().name)
        return honest(*facts)

    async def play():
        now = await tables.look(table_id)
        await tables.move(table_id, lambda table: 0, now.playing.legal(0)[0], now.revision)

    monkeypatch.setattr(looks, "make_look", make)
    monkeypatch.setattr(looks, "SHORT_SECONDS", seconds)
    site.app.state.looks.forget()
    first, played = events(site, table, None, 1, [play])
    assert played["number"] > first["number"]
    assert threads[0].startswith("samovar-looks"), "nobody knows how long the first one takes"
    assert threads[-1].startswith("samovar-looks") == is_apart


def test_a_stream_tells_all_at_first_and_then_what_has_changed(site):
    _, _, table = two_people(site, "babuschka")
    tables, table_id = site.app.state.tables, table.split("/")[-1]

    async def talk():
        await PageRemark(text="Hello there").do(tables, table_id, lambda table: 0)

    async def play():
        now = await tables.look(table_id)
        await tables.move(table_id, lambda table: 0, now.playing.legal(0)[0], now.revision)

    first, talked, played = events(site, table, None, 2, [talk, play])
    assert set(first["parts"]) == set(looks.PARTS)
    assert set(talked["parts"]) == {"talk"}
    assert {"board", "news", "status"} <= set(played["parts"])
    assert "talk" not in played["parts"]
    assert "chairs" not in played["parts"]


@pytest.mark.parametrize("game", ["memoarrrr", "babuschka"])
def test_parts_that_are_taken_over_are_those_that_would_be_drawn(site, game):
    """A look that was made step by step is the same as one made at once, for everybody and at every
    moment."""
    anna, boris, table = two_people(site, game)
    state, choose = site.app.state, random.Random(5)

    async def play_on():
        now = await state.tables.look(table.split("/")[-1])
        if now.actors:
            await state.tables.move(
                now.id, lambda table: table.actors[0], choose.choice(now.playing.legal(now.actors[0])), now.revision
            )

    for _ in range(20):
        if choose.random() < 0.5:
            for visitor in (anna, boris):
                post(visitor, f"{table}/back")
            site.blocking_portal.call(play_on)  # another move, before anybody has looked
        for visitor in (anna, boris):
            visitor.go(table)
            visitor.move(choose)
            if choose.random() < 0.3:
                post(visitor, f"{table}/say", text="Hm")
            if choose.random() < 0.5:
                post(visitor, f"{table}/back")
            if choose.random() < 0.2:
                post(visitor, f"{table}/answer", agrees="yes")
        for person in (None, *site.blocking_portal.call(state.tables.look, table.split("/")[-1]).holders):
            viewer = Viewer(person, "en", "", "token", "http://samovar.test")

            async def both(viewer=viewer):
                now = await state.tables.look(table.split("/")[-1])
                kept = await state.looks.of(now, viewer)
                kind = ViewerKind(now.seat_of(viewer.person), viewer.language, viewer.address)
                return kept, looks.make_look(state.tables.secret, now.still(), kind, kept.away, None)

            kept, anew = site.blocking_portal.call(both)
            assert kept.parts == anew.parts
            assert (kept.state, kept.turn, kept.title) == (anew.state, anew.turn, anew.title)


def test_a_device_that_was_cut_off_sees_what_spectators_see(site):
    anna, _, table = two_people(site)
    phone = Visitor(site)
    phone.go(own_link(anna))
    phone.send("/come/" + own_link(anna).split("/")[-1])
    tables, table_id = site.app.state.tables, table.split("/")[-1]
    holders = list(site.blocking_portal.call(tables.look, table_id).chairs[0].persons)

    async def cut():
        await tables.cut_off(table_id, holders[0])

    before, after = events(site, table, holders[1], 1, [cut])
    assert "/come/" in before["parts"]["chairs"]
    assert "/come/" not in after["parts"]["chairs"]


def test_the_stream_of_a_token_ends_when_the_chair_is_taken_over(site):
    made = site.post("/api/tables", json={"game": "memoarrrr", "chairs": ["token", "token"]}).json()
    state = site.app.state

    async def follow():
        lines = api.event_lines(state.tables, state.looks, state.changes, made["table"], made["tokens"][1], "en", "")
        async with aclosing(lines) as heard:
            assert json.loads(await anext(heard))["seat"] == 1
            await state.tables.come(made["table"], "somebody", made["tokens"][1])
            return [line async for line in heard]

    assert site.blocking_portal.call(follow) == []


@pytest.mark.parametrize("token", ["", "0" * 128, "é" * 128, "another's"])
def test_the_short_way_of_a_move_asks_for_the_token_of_the_form(site, token):
    anna, boris, table = two_people(site, "babuschka")
    anna.go(table)
    fields = {**anna.page.form("/move")["fields"], "move": "c1-c2"}
    fields["_csrf_token"] = boris.client.cookies["samovar-form"] if token == "another's" else token
    answer = anna.client.post(f"{table}/move", data=fields, headers={"x-samovar-parts": "1"})
    assert answer.status_code in (400, 403)
    if token == "0" * 128:  # a cookie that is not of this site does not help
        anna.client.cookies.set("samovar-form", token)
        assert anna.client.post(f"{table}/move", data=fields, headers={"x-samovar-parts": "1"}).status_code == 403
    assert look(site, table)["moment"] == 0


@pytest.mark.parametrize("header", ["1", "by-stream"])
def test_a_move_is_answered_with_the_parts_or_with_the_number_that_the_stream_will_bring(site, header):
    anna, _, table = two_people(site, "babuschka")
    anna.go(table)
    fields = {**anna.page.form("/move")["fields"], "move": "c1-c2"}
    answer = anna.client.post(f"{table}/move", data=fields, headers={"x-samovar-parts": header}).json()
    tables, table_id = site.app.state.tables, table.split("/")[-1]
    assert answer["number"] == site.blocking_portal.call(tables.look, table_id).head
    assert ("board" in answer.get("parts", {})) == (header == "1")


def test_a_move_that_could_not_be_saved_is_not_tried_again(site, monkeypatch):
    anna, _, table = two_people(site, "babuschka")
    anna.go(table)
    tried = []

    async def busy(self, *facts):
        tried.append(facts)
        raise problems.Busy

    monkeypatch.setattr(Tables, "move", busy)
    answer = anna.client.post(
        f"{table}/move", data={**anna.page.form("/move")["fields"], "move": "c1-c2"}, headers={"x-samovar-parts": "1"}
    )
    assert answer.status_code == 503
    assert "cannot be saved" in answer.json()["problem"]
    assert len(tried) == 1


def test_codes_of_links_are_pictures_for_those_who_may_have_them(site):
    anna, _, table = two_people(site)
    stranger = Visitor(site)
    assert anna.client.get(f"{table}/link.svg").text.startswith("<svg")
    assert stranger.client.get(f"{table}/link.svg").status_code == 403
    assert stranger.client.get(f"{table}/invitation.svg").headers["content-type"].startswith("image/svg+xml")
    assert anna.client.get(f"{table}/link.svg").text != stranger.client.get(f"{table}/invitation.svg").text


def test_what_is_looked_at_stays_as_it_is_while_the_table_goes_on(site):
    """It is drawn in another thread, and the table does not wait for that."""
    anna, boris, table = two_people(site, "babuschka")
    now = site.blocking_portal.call(site.app.state.tables.look, table.split("/")[-1])
    still = now.still()

    def seen():
        return (
            still.revision,
            still.head,
            still.actors,
            still.people,
            still.playing.state_bytes,
            len(still.remarks),
            still.asking,
            still.chairs,
        )

    before = repr(seen())
    move(anna, table)
    move(boris, table)
    post(anna, f"{table}/say", text="Hello")
    post(anna, f"{table}/back")
    post(boris, f"{table}/hand-over", seat="1")
    assert now.head > still.head
    assert repr(seen()) == before
