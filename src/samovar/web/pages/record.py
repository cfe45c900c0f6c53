"""Finished matches: step through them from any seat's eyes or with all cards open, take the file
along, look at one from elsewhere."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlencode

import msgspec
from litestar import get, post
from litestar.datastructures import UploadFile
from litestar.enums import MediaType
from litestar.params import FromPath
from litestar.response import Redirect, Response

from samovar.engine.places import places_behind
from samovar.engine.records.digest import digest_of
from samovar.engine.records.record import to_pieces
from samovar.engine.registry import find_game
from samovar.errors import SamovarError
from samovar.json_types import JsonObject
from samovar.web import problems
from samovar.web.drawing.render import PageFacts, art, draw_sheet, draw_table, render
from samovar.web.drawing.scene import make_scene
from samovar.web.jobs.positions import RecordPositions
from samovar.web.jobs.record_summary import RecordSummary
from samovar.web.jobs.replays import Replay, Replays
from samovar.web.pages.home import read_query
from samovar.web.people.tours import Tours
from samovar.web.store.queries.tours import NoteRow
from samovar.web.visit import Answer, AnyRequest, Visit

LARGEST_RECORD = 512 * 1024
OPEN, NOBODY = "open", "nobody"


@get("/record/{record_id:str}")
async def show_record(request: AnyRequest, record_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    replay = await replay_of(visit, record_id)
    if replay.positions is None:
        return visit.page(
            "record.html", game=None, name=name_of(replay.summary), summary=replay.summary, record_id=record_id
        )
    notes = await notes_of(visit, record_id, replay.summary)
    facts = replay_facts(visit, record_id, replay.summary, replay.positions, notes)
    part = render("parts/replay.html", visit.language, facts)
    if visit.wants_parts:
        return Response(
            msgspec.json.encode({"parts": {"replay": part.strip()}, "title": facts["title"]}), media_type=MediaType.JSON
        )
    game = find_game(replay.positions.game)
    return visit.page(
        "record.html",
        name=game.name,
        art=art(game),
        replay=part,
        summary=replay.summary,
        can_be_reviewed=replay.can_be_reviewed,
        **facts,
    )


async def notes_of(visit: Visit, record_id: str, summary: RecordSummary) -> list[NoteRow]:
    """What people wrote beside its moves, here and before it came here."""
    return [*summary.notes, *await tours_here(visit).notes(record_id)]


def tours_here(visit: Visit) -> Tours:
    tours: Tours = visit.request.app.state.tours
    return tours


def with_notes(record: JsonObject, notes: Sequence[NoteRow]) -> JsonObject:
    """Readers that know of no notes pass them over."""
    if not notes:
        return record
    told = [{"at": note.at, "name": note.name, "text": note.text} for note in notes]
    noted = {**record, "notes": [*record.get("notes", ()), *told]}
    return {**noted, "digest": digest_of(noted)}


async def replay_of(visit: Visit, record_id: str, shown_by: str | None = None) -> Replay:
    """`shown_by`: to whom it must be open; else to whoever asks."""
    replays: Replays = visit.request.app.state.replays
    person = shown_by or visit.person
    proof = await visit.tables.check_record(record_id, person)
    kept = replays.kept(record_id)
    if kept and proof and not kept.summary.secret:  # its deal could not be proven then
        replays.forget(record_id)
    elif kept:
        return kept
    return await replays.play(await visit.tables.record(record_id, person), visit.client_address, record_id)


def name_of(summary: RecordSummary) -> str:
    """Of a game that may not be here any more."""
    try:
        return find_game(summary.game).name
    except SamovarError:
        return summary.game


def replay_facts(
    visit: Visit, record_id: str, summary: RecordSummary, positions: RecordPositions, notes: Sequence[NoteRow]
) -> PageFacts:
    """What the part of the page gets to know that changes from step to step."""
    at, eyes = asked_moment(visit.request, positions)
    match = positions.at(at)
    scene = make_scene(
        match,
        int(eyes) if eyes.isdigit() else None,
        visit.language,
        summary.people,
        may_move=False,
        is_open=eyes == OPEN,
    )

    if summary.resigned and match.over:
        places = places_behind(match.places, summary.resigned, match.game.teams(match.seats))
        scene = replace(scene, places=places, success=summary.success)

    def link(moves: int) -> str:
        return f"/record/{record_id}?{urlencode({'at': max(0, min(moves, positions.last)), 'eyes': eyes})}"

    return {
        "record_id": record_id,
        "game": match.game,
        "scene": scene,
        "at": at,
        "last": positions.last,
        "eyes": eyes,
        "notes": [note for note in notes if note.at == at],
        "link": link,
        "sentences": [scene.tell(event) for event in match.news(scene.viewer)] if at else [],
        "title": f"{match.game.name} {at}/{positions.last} · Samovar",
        "draw_table": draw_table,
        "draw_sheet": draw_sheet,
    }


def asked_moment(request: AnyRequest, positions: RecordPositions) -> tuple[int, str]:
    """After how many moves, and by whom it is seen; what makes no sense shows the end, with all
    cards open."""
    asked = read_query(request)
    at, eyes = asked.get("at", [""])[0], asked.get("eyes", [OPEN])[0]
    moves = min(int(at), positions.last) if re.fullmatch("[0-9]{1,9}", at) else positions.last
    return moves, eyes if eyes in {OPEN, NOBODY, *map(str, range(positions.seats))} else OPEN


@get("/record/{record_id:str}/download")
async def download(request: AnyRequest, record_id: FromPath[str]) -> Response[str]:
    visit = Visit(request)
    record = with_notes(await visit.tables.record(record_id, visit.person), await tours_here(visit).notes(record_id))
    name = re.sub(r"[^\w-]", "", f"{record['game']}-{record_id}", flags=re.ASCII)
    headers = {"Content-Disposition": f'attachment; filename="{name}.json"'}
    pieces = []
    for piece in to_pieces(record):
        pieces.append(piece)
        await asyncio.sleep(0)  # a long one lets the others through
    return Response("".join(pieces), media_type="application/json", headers=headers)


@get("/record")
async def upload_page(request: AnyRequest) -> Response[str]:
    return Visit(request).page("upload.html")


@post("/record", status_code=200, request_max_body_size=LARGEST_RECORD)
async def upload(request: AnyRequest) -> Redirect:
    """A file from elsewhere: it is replayed and checked before it is kept."""
    visit = Visit(request)
    form = await visit.form()
    file = form.get("record")
    content = await file.read() if isinstance(file, UploadFile) else b""
    await form.close()
    page = "/review" if form.get("then") == "review" else ""
    record = read_record(content)
    replays: Replays = request.app.state.replays
    replay = await replays.play(record, visit.client_address)
    if replay.positions is None:
        raise problems.OldRules
    record_id = await visit.tables.keep_record(record)
    replays.keep(record_id, replay)
    return visit.go(f"/record/{record_id}{page}")


def read_record(content: bytes) -> JsonObject:
    """By msgspec, which takes 10 ms where others would stop the site for 80."""
    try:
        return msgspec.json.decode(content, type=JsonObject)
    except (ValueError, RecursionError) as error:
        raise problems.BadFile from error
