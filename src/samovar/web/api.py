"""The site for programs: JSON, one token for each seat. `/api/docs` describes it; docs/api.md tells how to use it."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Annotated, Any

import msgspec
from litestar import Request, Router, get, post
from litestar.enums import MediaType
from litestar.params import Parameter
from litestar.response import Response, Stream

from samovar.engine.contract import Game, Value
from samovar.engine.face import Face
from samovar.errors import SamovarError
from samovar.web import problems
from samovar.web.house import House
from samovar.web.live import Live
from samovar.web.pages.home import all_games, game_named
from samovar.web.table import LONGEST_NAME, Settings, Table

AnyRequest = Request[Any, Any, Any]
PROGRAM, FREE = "token", "free"


class NewTable(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A table to be made. `chairs`, by seat: "token" (you play it, and get its token), "free" (for people who come by the link), or a bot's level."""

    game: str
    seats: int | None = None
    options: dict[str, bool | int | str | None] = {}
    chairs: list[str] = []
    is_open: bool = False
    hints: bool = False
    memory_aid: bool = False
    name: str = "Program"


class Made(msgspec.Struct, kw_only=True):
    """`tokens`, by seat: null where you do not play."""

    table: str
    page: str
    tokens: list[str | None]


class Sitting(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    name: str
    seat: int | None = None


class Sat(msgspec.Struct, kw_only=True):
    seat: int
    token: str


class NewMove(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """`move`: the number or the text of a legal move. `ply`: how often the match had changed when you looked at it; the answer to an older look is 409."""

    move: int | str
    ply: int


class Moved(msgspec.Struct, kw_only=True):
    """`ply`: how often the match has changed by now. `actors`: the seats that may act."""

    ply: int
    over: bool
    actors: tuple[int, ...]


class Legal(msgspec.Struct, kw_only=True):
    move: int
    text: str
    told: str


class Remark(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    text: str


def token_of(request: AnyRequest) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def house_of(request: AnyRequest) -> House:
    house: House = request.app.state.house
    return house


def seat_of(request: AnyRequest, table: Table) -> int | None:
    """Where the token sits; without a token one is a spectator, with a wrong one nobody."""
    token = token_of(request)
    return table.seat_with(token, house_of(request).secret) if token else None


def player_of(request: AnyRequest, table: Table) -> int:
    seat = seat_of(request, table)
    if seat is None:
        raise problems.NotSeated
    return seat


def table_json(table: Table, seat: int | None, language: str = "en") -> dict[str, Any]:
    """A table as one viewer may see it."""
    told: dict[str, Any] = {
        "table": table.id,
        "game": table.game.id,
        "seats": table.seats,
        "options": table.options,
        "settings": asdict(table.settings),
        "status": table.status,
        "ply": table.ply,
        "actors": table.actors,
        "seat": seat,
        "people": [asdict(person) for person in table.people],
        "commitment": table.commitment,
        "again": table.again,
    }
    match = table.match
    if match is None:
        return told
    words = table.game.words[language]

    def name(number: int) -> str:
        return table.people[number].name

    return {
        **told,
        "view": asdict(match.view(seat)),
        "news": [event.tell(words, name) for event in match.news(seat)],
        "legal": legal_of(table, seat, language) if seat is not None else [],
        "observation": match.observation(seat).tolist() if seat is not None else None,
        **({"scores": match.scores, "places": match.places} if match.over else {}),
    }


def legal_of(table: Table, seat: int, language: str) -> list[Legal]:
    match = table.playing
    face, view = table.game.face or Face(), match.view(seat)
    texts = ((move, match.move_text(seat, move)) for move in match.legal(seat))
    return [Legal(move=move, text=text, told=face.say(view, text, table.game.words[language])) for move, text in texts]


def game_json(game: Game) -> dict[str, Any]:
    options = [
        {
            "name": option.name,
            "default": option.default,
            "choices": [option.choices[0], option.choices[-1]] if isinstance(option.choices, range) else list(option.choices),
            "is_range": isinstance(option.choices, range),
            "help": option.help,
        }
        for option in game.options
    ]
    return {"game": game.id, "name": game.name, "rules": game.version, "seats": game.seats, "moves": game.moves, "options": options}


@get("/games", summary="The games, their seats and options", media_type=MediaType.JSON)
async def games() -> list[dict[str, Any]]:
    return [game_json(game) for game in all_games()]


@post("/tables", summary="Make a table")
async def make_table(request: AnyRequest, data: NewTable) -> Made:
    house = house_of(request)
    game = game_named(data.game)
    seats = game.seats[0] if data.seats is None else data.seats
    chairs = data.chairs or [PROGRAM, *[FREE] * (seats - 1)]
    if len(chairs) != seats:
        raise problems.BadChoice(name=problems.N_("chairs"), value=str(len(chairs)))
    levels = ["" if chair in (PROGRAM, FREE) else chair for chair in chairs]
    options: dict[str, Value] = dict(data.options)
    settings = Settings(data.is_open, data.hints, data.memory_aid)
    try:
        table = await house.open(game.id, seats, options, settings, levels)
    except problems.Problem:
        raise
    except SamovarError as error:
        raise problems.BadChoice(name=problems.N_("options"), value=str(error)) from error
    tokens: list[str | None] = [None] * seats
    for seat, chair in enumerate(chairs):
        if chair == PROGRAM:
            name = data.name[:LONGEST_NAME]
            table, _ = await house.sit(table.id, f"program-{table.id}-{seat}", name, seat, for_program=True)
            tokens[seat] = table.key(seat, house.secret)
    return Made(table=table.id, page=f"/table/{table.id}", tokens=tokens)


@post("/tables/{table_id:str}/seats", summary="Sit down on a free chair")
async def sit(request: AnyRequest, table_id: str, data: Sitting) -> Sat:
    house = house_of(request)
    person = f"program-{secrets.token_hex(8)}"
    table, seat = await house.sit(table_id, person, data.name, data.seat, for_program=True)
    return Sat(seat=seat, token=table.key(seat, house.secret))


@get("/tables/{table_id:str}", summary="The table as you may see it", media_type=MediaType.JSON)
async def look(request: AnyRequest, table_id: str, language: Annotated[str, Parameter(pattern="^(en|fr)$")] = "en") -> dict[str, Any]:
    table = await house_of(request).look(table_id)
    return table_json(table, seat_of(request, table), language)


@get("/tables/{table_id:str}/moves", summary="Your legal moves", media_type=MediaType.JSON)
async def legal(request: AnyRequest, table_id: str, language: Annotated[str, Parameter(pattern="^(en|fr)$")] = "en") -> dict[str, Any]:
    table = await house_of(request).look(table_id)
    return {"ply": table.ply, "legal": legal_of(table, player_of(request, table), language)}


@post("/tables/{table_id:str}/moves", status_code=200, summary="Make a move: the answer comes after it is committed")
async def move(request: AnyRequest, table_id: str, data: NewMove) -> Moved:
    house = house_of(request)
    seat = player_of(request, await house.look(table_id))
    table = await house.move(table_id, seat, data.move, data.ply)
    return Moved(ply=table.ply, over=table.status == "over", actors=table.actors)


@post("/tables/{table_id:str}/talk", status_code=200, summary="Say something at the table")
async def talk(request: AnyRequest, table_id: str, data: Remark) -> dict[str, bool]:
    house = house_of(request)
    seat = player_of(request, await house.look(table_id))
    await house.say_at(table_id, seat, data.text)
    return {"said": True}


@get("/tables/{table_id:str}/record", summary="The record, once the match is over", media_type=MediaType.JSON)
async def record(request: AnyRequest, table_id: str) -> dict[str, Any]:
    return await house_of(request).record(table_id)


@get("/tables/{table_id:str}/events", summary="The table whenever it changes, one JSON object a line (NDJSON)")
async def events(request: AnyRequest, table_id: str, language: Annotated[str, Parameter(pattern="^(en|fr)$")] = "en") -> Stream:
    table = await house_of(request).look(table_id)
    seat = seat_of(request, table)
    lines = event_lines(house_of(request), request.app.state.live, table_id, seat, language)
    return Stream(lines, media_type="application/x-ndjson", headers={"X-Accel-Buffering": "no"})


async def event_lines(house: House, live: Live, table_id: str, seat: int | None, language: str) -> AsyncIterator[bytes]:
    """A full snapshot at first and after every change; an empty line now and then shows that the stream is alive."""
    async with live.watch([table_id]) as watcher:
        changed = {table_id}
        while True:
            if changed:
                yield msgspec.json.encode(table_json(await house.look(table_id), seat, language)) + b"\n"
            else:
                yield b"\n"
            changed = await watcher.changes()


def answer_problem(request: AnyRequest, problem: problems.Problem) -> Response[bytes]:
    kind = type(problem).__name__
    return Response(msgspec.json.encode({"error": kind, "detail": str(problem)}), status_code=problem.status, media_type=MediaType.JSON)


ROUTER = Router(
    "/api", route_handlers=[games, make_table, sit, look, legal, move, talk, record, events], exception_handlers={problems.Problem: answer_problem}
)
