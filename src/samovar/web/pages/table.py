"""The table: its page, the parts of it that change, the deeds that are done there, and the stream that tells of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec
from litestar import Request, get, post
from litestar.enums import MediaType
from litestar.params import FromPath
from litestar.response import Redirect, Response, ServerSentEvent, ServerSentEventMessage
from markupsafe import Markup

from samovar.engine.face import Face
from samovar.web import problems
from samovar.web.house import House
from samovar.web.live import Live
from samovar.web.looks import Viewer, snapshot, table_facts, table_parts, title_of
from samovar.web.pages.home import read_number, read_query
from samovar.web.phrases import PHRASES, USUAL_LEVEL
from samovar.web.render import LANGUAGES, art
from samovar.web.table import Table, check_name
from samovar.web.visit import Visit

AnyRequest = Request[Any, Any, Any]
MOST_TABLES = 20  # that one stream may watch
MOST_STREAMS = 5000  # of one process


def answer(visit: Visit, table: Table, status: int = 200, **more: Any) -> Response[Any]:
    """The page of a table, or its parts for our script."""
    viewer = Viewer.of(visit)
    if visit.wants_parts:
        content = msgspec.json.encode(snapshot(visit.house, table, viewer, **more))
        return Response(content, media_type=MediaType.JSON, status_code=status)
    facts = table_facts(visit.house, table, viewer, **more)
    parts = {name: Markup(html) for name, html in table_parts(facts, visit.language).items()}
    return visit.page("table.html", status, parts=parts, title=title_of(facts, visit.language), art=art(table.game), **facts)


def done(visit: Visit, table: Table) -> Response[Any] | Redirect:
    """After a deed: our script gets the parts at once, a browser without it the page anew."""
    return answer(visit, table) if visit.wants_parts else visit.go(f"/table/{table.id}")


def go_to(visit: Visit, address: str) -> Response[Any] | Redirect:
    """To a page that is loaded whole, with a stream of its own: whoever sits down is somebody else from then on."""
    return Response(msgspec.json.encode({"go": address}), media_type=MediaType.JSON) if visit.wants_parts else visit.go(address)


@get("/table/{table_id:str}")
async def show(request: AnyRequest, table_id: FromPath[str]) -> Response[Any]:
    visit = Visit(request)
    table = await visit.house.look(table_id)
    asked = read_query(request)
    return answer(visit, table, picked=asked.get("pick", []), as_list="list" in asked)


@post("/table/{table_id:str}/sit", status_code=200)
async def sit(request: AnyRequest, table_id: FromPath[str]) -> Response[Any] | Redirect:
    visit = Visit(request)
    name = check_name(str((await visit.form()).get("name", "")))
    visit.remember(name=name)
    await visit.house.sit(table_id, visit.make_person(), name)
    return go_to(visit, f"/table/{table_id}")


@post("/table/{table_id:str}/begin", status_code=200)
async def begin(request: AnyRequest, table_id: FromPath[str]) -> Response[Any] | Redirect:
    visit = Visit(request)
    level = str((await visit.form()).get("level", USUAL_LEVEL))
    return done(visit, await visit.house.begin(table_id, _person(visit), level))


@post("/table/{table_id:str}/move", status_code=200)
async def move(request: AnyRequest, table_id: FromPath[str]) -> Response[Any] | Redirect:
    """One form for all games: `move` is the text of a move, or its verb and `with` what was ticked."""
    visit = Visit(request)
    form = await visit.form()
    text = " ".join([str(form.get("move", "")), *(str(card) for card in form.getall("with", []))])
    if not text.strip() or len(text) > 200:
        raise problems.NotPossible
    return done(visit, await visit.house.move(table_id, _person(visit), text, read_number(form, "ply", -1)))


@post("/table/{table_id:str}/back", status_code=200)
async def take_back(request: AnyRequest, table_id: FromPath[str]) -> Response[Any] | Redirect:
    visit = Visit(request)
    return done(visit, await visit.house.take_back(table_id, _person(visit)))


@post("/table/{table_id:str}/answer", status_code=200)
async def answer_asking(request: AnyRequest, table_id: FromPath[str]) -> Response[Any] | Redirect:
    visit = Visit(request)
    agrees = (await visit.form()).get("agrees") == "yes"
    return done(visit, await visit.house.answer(table_id, _person(visit), agrees=agrees))


@post("/table/{table_id:str}/say", status_code=200)
async def say(request: AnyRequest, table_id: FromPath[str]) -> Response[Any] | Redirect:
    visit = Visit(request)
    form = await visit.form()
    phrase = str(form.get("phrase", ""))
    if phrase and phrase not in PHRASES:
        raise problems.BadChoice(name=problems.N_("phrase"), value=phrase[:40])
    text = phrase or str(form.get("text", ""))
    return done(visit, await visit.house.say(table_id, _person(visit), text, is_phrase=bool(phrase)))


@post("/table/{table_id:str}/hand-over", status_code=200)
async def hand_over(request: AnyRequest, table_id: FromPath[str]) -> Response[Any] | Redirect:
    visit = Visit(request)
    form = await visit.form()
    level = str(form.get("level", USUAL_LEVEL))
    return done(visit, await visit.house.hand_over(table_id, _person(visit), read_number(form, "seat", -1), level))


@post("/table/{table_id:str}/come-back", status_code=200)
async def come_back(request: AnyRequest, table_id: FromPath[str]) -> Response[Any] | Redirect:
    visit = Visit(request)
    return done(visit, await visit.house.come_back(table_id, _person(visit)))


@post("/table/{table_id:str}/hint", status_code=200)
async def hint(request: AnyRequest, table_id: FromPath[str]) -> Response[Any]:
    visit = Visit(request)
    table, thought = await visit.house.hint(table_id, _person(visit))
    face = table.game.face or Face()
    seat = table.seated(visit.person)
    view = table.playing.view(seat)
    text = face.say(view, table.playing.move_text(seat, thought.move), table.game.words[visit.language])
    return answer(visit, table, hint=text)


@post("/table/{table_id:str}/again", status_code=200)
async def again(request: AnyRequest, table_id: FromPath[str]) -> Response[Any] | Redirect:
    visit = Visit(request)
    return go_to(visit, f"/table/{await visit.house.play_again(table_id, _person(visit))}")


@get("/table/{table_id:str}/come/{key:str}")
async def come_page(request: AnyRequest, table_id: FromPath[str], key: FromPath[str]) -> Response[Any] | Redirect:
    """A personal link. It only asks: programs that look at links in messages must not sit down."""
    visit = Visit(request)
    table = await visit.house.look(table_id)
    seat = table.seat_with(key, visit.house.secret)
    if table.seat_of(visit.person) == seat:
        return visit.go(f"/table/{table_id}")
    return visit.page("come.html", table=table, game=table.game, key=key, name=table.people[seat].name)


@post("/table/{table_id:str}/come/{key:str}", status_code=200)
async def come(request: AnyRequest, table_id: FromPath[str], key: FromPath[str]) -> Redirect:
    visit = Visit(request)
    table = await visit.house.come(table_id, visit.make_person(), key)
    return visit.go(f"/table/{table.id}")


@get("/live")
async def live(request: AnyRequest) -> ServerSentEvent:
    """One stream for all tables that a browser has open: a full snapshot of each at the beginning, and again whenever it has changed."""
    visit = Visit(request)
    asked = read_query(request)
    tables = asked.get("table", [])
    if not 1 <= len(tables) <= MOST_TABLES:
        raise problems.Problem
    if request.app.state.live.streams >= MOST_STREAMS:
        raise problems.TooMany
    viewer = Viewer.of(visit)
    if asked.get("language", [""])[0] in LANGUAGES:  # the page says what it is written in; workers may not know
        viewer = replace(viewer, language=asked["language"][0])
    return ServerSentEvent(stream(visit.house, request.app.state.live, tables, viewer), headers={"X-Accel-Buffering": "no"})


async def stream(house: House, watched: Live, tables: Sequence[str], viewer: Viewer) -> AsyncIterator[ServerSentEventMessage]:
    async with watched.watch(tables) as watcher:
        changed = set(tables)
        while True:
            for table_id in sorted(changed):
                yield await _message(house, table_id, viewer)
            if not changed:
                yield ServerSentEventMessage(data=None, comment="beat")
            changed = await watcher.changes()


async def _message(house: House, table_id: str, viewer: Viewer) -> ServerSentEventMessage:
    try:
        table = await house.look(table_id)
    except problems.Problem:
        return ServerSentEventMessage(event="gone", data=msgspec.json.encode({"table": table_id[:40]}))
    return ServerSentEventMessage(data=msgspec.json.encode(snapshot(house, table, viewer)))


def _person(visit: Visit) -> str:
    if visit.person is None:
        raise problems.NotSeated
    return visit.person


HANDLERS = [show, sit, begin, move, take_back, answer_asking, say, hand_over, come_back, hint, again, come_page, come, live]
