"""Finished matches: step through them from any seat's eyes or with all cards open, take the file along, look at one from elsewhere."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any
from urllib.parse import urlencode

import msgspec
from litestar import Request, get, post
from litestar.datastructures import UploadFile
from litestar.enums import MediaType
from litestar.params import FromPath
from litestar.response import Redirect, Response

from samovar.engine.match import Match
from samovar.engine.record import replay, to_text
from samovar.errors import RecordVersion, SamovarError
from samovar.web import problems
from samovar.web.house import House
from samovar.web.pages.home import read_query
from samovar.web.render import art, draw_sheet, draw_table, render
from samovar.web.scene import Person, Scene, make_scene
from samovar.web.visit import Visit

AnyRequest = Request[Any, Any, Any]
LARGEST_RECORD = 512 * 1024
KEPT_REELS = 32
OPEN, NOBODY = "open", "nobody"

_reels: OrderedDict[str, tuple[dict[str, Any], Match]] = OrderedDict()  # what was played again lately


async def reel(house: House, record_id: str) -> tuple[dict[str, Any], Match]:
    """A record and its match, played again. A finished match never changes, so it can be kept."""
    if record_id not in _reels:
        record = await house.record(record_id)
        _reels[record_id] = record, played(record)
        while len(_reels) > KEPT_REELS:
            _reels.popitem(last=False)
    _reels.move_to_end(record_id)
    return _reels[record_id]


def played(record: Any) -> Match:
    """The match of a record that may come from anywhere."""
    try:
        return replay(record, plain=True)
    except RecordVersion as error:
        raise problems.OldRules from error
    except SamovarError as error:
        raise problems.BadFile from error


def people_of(record: dict[str, Any], seats: int) -> list[Person]:
    """Who sat there, as far as the record says so; a file from elsewhere may say anything."""
    told = _table_of(record)
    names: Any = told.get("names") if isinstance(told.get("names"), list) else []
    bots: Any = told.get("bots") if isinstance(told.get("bots"), dict) else {}
    people = []
    for seat in range(seats):
        level = str(bots.get(str(seat), ""))[:20]
        name = str(names[seat])[:40] if seat < len(names) else ""
        people.append(Person(name or f"{seat + 1}", "bot" if level else "person", level))
    return people


def _table_of(record: dict[str, Any]) -> dict[str, Any]:
    table = record.get("table")
    return table if isinstance(table, dict) else {}


def scene_of(record: dict[str, Any], match: Match, eyes: str, language: str) -> Scene:
    seat = int(eyes) if eyes.isdigit() else None
    return make_scene(match, seat, language, people_of(record, match.seats), may_move=False, is_open=eyes == OPEN)


@get("/record/{record_id:str}")
async def show_record(request: AnyRequest, record_id: FromPath[str]) -> Response[Any]:
    visit = Visit(request)
    record, whole = await reel(visit.house, record_id)
    asked = read_query(request)
    last = len(whole.history)
    at = _within(asked.get("at", [str(last)])[0], last)
    eyes = asked.get("eyes", [OPEN])[0]
    if eyes not in {OPEN, NOBODY, *map(str, range(whole.seats))}:
        eyes = OPEN
    facts = reel_facts(visit, record_id, record, whole, at, eyes)
    part = render("parts/reel.html", visit.language, facts)
    if visit.wants_parts:
        return Response(msgspec.json.encode({"parts": {"reel": part.strip()}, "title": facts["title"]}), media_type=MediaType.JSON)
    return visit.page("record.html", art=art(whole.game), reel=part, **facts)


def reel_facts(visit: Visit, record_id: str, record: dict[str, Any], whole: Match, at: int, eyes: str) -> dict[str, Any]:
    last = len(whole.history)
    match = whole.at(at)
    scene = scene_of(record, match, eyes, visit.language)

    def link(ply: int) -> str:
        return f"/record/{record_id}?{urlencode({'at': max(0, min(ply, last)), 'eyes': eyes})}"

    told = _table_of(record)
    return {
        "record_id": record_id,
        "game": whole.game,
        "scene": scene,
        "at": at,
        "last": last,
        "eyes": eyes,
        "link": link,
        "told": [scene.tell(event) for event in match.news(scene.viewer)] if at else [],
        "fair": told if {"commitment", "salt"} <= set(told) else None,
        "seed": record.get("seed"),
        "title": f"{whole.game.name} {at}/{last} · Samovar",
        "csrf_token": visit.csrf_token,
        "draw_table": draw_table,
        "draw_sheet": draw_sheet,
    }


def _within(text: str, last: int) -> int:
    return min(int(text), last) if text.isdigit() and len(text) < 7 else last


@get("/record/{record_id:str}/download")
async def download(request: AnyRequest, record_id: FromPath[str]) -> Response[str]:
    visit = Visit(request)
    record = await visit.house.record(record_id)
    name = f"{record['game']}-{record_id}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(to_text(record), media_type="application/json", headers=headers)


@get("/record")
async def upload_page(request: AnyRequest) -> Response[str]:
    return Visit(request).page("upload.html")


@post("/record", status_code=200, request_max_body_size=LARGEST_RECORD)
async def upload(request: AnyRequest) -> Redirect:
    """A file from elsewhere: it is replayed and checked before it is kept."""
    visit = Visit(request)
    file = (await visit.form()).get("record")
    content = await file.read() if isinstance(file, UploadFile) else b""
    try:
        record = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise problems.BadFile from error
    played(record)
    return visit.go(f"/record/{await visit.house.keep_record(record)}")


HANDLERS = [show_record, download, upload_page, upload]
