"""The pages of `samovar dev`: every seat of a game in work in one window, on this machine alone."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import msgspec
from litestar import Litestar, Request, get, post
from litestar.datastructures import State
from litestar.enums import MediaType
from litestar.params import FromPath
from litestar.response import Redirect, Response, ServerSentEvent
from litestar.static_files import create_static_files_router

from samovar.dev.messages import PIECES, SPECTATOR, AskBots, Course, LetPlay, MovePiece, Play, ShowSteps
from samovar.dev.workshop import Workshop
from samovar.json_types import JsonObject
from samovar.web.drawing.render import HERE, render
from samovar.web.pages.choosing import Chosen

ALL_MOVES = 10_000
HERE_NAMES = ("localhost", "127.0.0.1")
SEEDS = 10_000
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}

DevRequest = Request[object, object, State]


def make_dev_app(game_id: str, language: str) -> Litestar:
    workshop = Workshop(game_id, language)
    static = create_static_files_router("/static", [HERE / "static"])
    return Litestar(
        [show, show_board, show_pieces, move_piece, show_style, tell_changes, make_move, do, static],
        lifespan=[lambda app: workshop.running()],
        state=State({"workshop": workshop}),
        before_request=check_host,
        response_headers=HEADERS,
        openapi_config=None,
        logging_config=None,
    )


def check_host(request: DevRequest) -> Response[str] | None:
    """No page from elsewhere gets at it, whatever name it gives this machine."""
    name = urlsplit(f"//{request.headers.get('host', '')}").hostname
    is_own = request.headers.get("sec-fetch-site", "none") in ("none", "same-origin")
    return None if name in HERE_NAMES and is_own else Response("Open it by http://localhost.", status_code=403)


def _workshop(request: DevRequest) -> Workshop:
    workshop: Workshop = request.app.state.workshop
    return workshop


def _page(request: DevRequest, template: str, **facts: object) -> Response[str]:
    workshop = _workshop(request)
    return Response(
        render(template, workshop.language, {"work": workshop, "told": workshop.told, **facts}),
        media_type=MediaType.HTML,
    )


@get("/")
async def show(request: DevRequest) -> Response[str]:
    return _page(request, "dev.html", spectator=SPECTATOR)


@get("/seat/{eye:str}")
async def show_board(request: DevRequest, eye: FromPath[str]) -> Response[str]:
    """What one seat sees. `pick`: the first steps of a move."""
    workshop = _workshop(request)
    picked = tuple(request.query_params.getall("pick", []))
    board = workshop.told.boards.get(eye, "")
    if picked and eye.isdigit():
        board = await workshop.board(eye, ShowSteps(int(eye), picked)) or board
    return Response(board, media_type=MediaType.HTML)


@get("/pieces")
async def show_pieces(request: DevRequest) -> Response[str]:
    """Where a position is laid out: a piece is clicked, then where it shall lie."""
    question = MovePiece(str(request.query_params.get("picked", "")))
    return Response(await _workshop(request).board(PIECES, question), media_type=MediaType.HTML)


@post("/pieces")
async def move_piece(request: DevRequest) -> Redirect:
    form = await request.form()
    picked, clicked = (str(form.get(name, "")) for name in ("picked", "move"))
    if picked and clicked:
        await _workshop(request).ask(MovePiece(picked, clicked))
        return Redirect("/pieces", status_code=303)
    return Redirect(f"/pieces?{urlencode({'picked': clicked})}", status_code=303)


@get("/table.css")
async def show_style(request: DevRequest) -> Response[str]:
    path = Path(_workshop(request).told.folder) / "table.css"
    return Response(path.read_text(encoding="utf-8") if path.exists() else "", media_type=MediaType.CSS)


@get("/changes")
async def tell_changes(request: DevRequest) -> ServerSentEvent:
    async def numbers() -> AsyncIterator[str]:
        async for number in _workshop(request).changes():
            yield str(number)

    return ServerSentEvent(numbers())


@post("/move/{seat:int}")
async def make_move(request: DevRequest, seat: FromPath[int]) -> Redirect:
    form = await request.form()
    chosen = Chosen.read({name: form.getall(name) for name in form})
    if chosen.move:
        await _workshop(request).ask(Play(seat, chosen.move))
    return Redirect(f"/seat/{seat}", status_code=303)


@post("/do")
async def do(request: DevRequest) -> Redirect:
    """What is not a move: `what` names it."""
    workshop, form = _workshop(request), await request.form()
    course, what = workshop.course, form.get("what")
    if what == "undo":
        await workshop.begin(msgspec.structs.replace(course, moves=course.moves[:-1]))
    elif what == "hint":
        await workshop.ask(AskBots())
    elif what == "bots":
        number = str(form.get("moves", ""))
        await workshop.ask(LetPlay(str(form.get("bot", "")), int(number) if number.isdigit() else ALL_MOVES))
    elif what == "again":
        await workshop.begin(msgspec.structs.replace(course, moves=()))
    elif what == "deal":
        await workshop.begin(_asked_deal(workshop, {name: str(form[name]) for name in form}))
    elif what == "arrange":
        try:
            position = msgspec.json.decode(str(form.get("position", "")), type=JsonObject)
        except msgspec.DecodeError as error:
            await workshop.refuse(str(error))
        else:
            await workshop.begin(Course(position=position))
    return Redirect("/", status_code=303)


def _asked_deal(workshop: Workshop, form: dict[str, str]) -> Course:
    """As it stands in the form; an option as text is read by the game."""
    seats, seed = form.get("seats", ""), form.get("seed", "")
    return Course(
        int(seats) if seats.isdigit() else None,
        int(seed) if seed.isdigit() and "new" not in form else secrets.randbelow(SEEDS),
        {option.name: form[option.name] for option in workshop.told.options if form.get(option.name)},
    )
