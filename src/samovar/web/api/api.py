"""The site for programs: JSON, one token for each seat. `/api/docs` describes it; docs/api.md tells
how to use it.

Everything goes through the tables, as on the pages, and what a seat is told is made from its own
view.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Annotated, Any, NamedTuple, get_type_hints

import msgspec
from litestar import Router, get, post
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Example
from litestar.params import Body, Parameter
from litestar.response import Stream

from samovar.engine.chance import derive_seed
from samovar.engine.contract import Game, Value
from samovar.engine.heuristics import LEVEL_NAMES
from samovar.engine.records.fair import check_nonce
from samovar.engine.registry import find_game, game_ids
from samovar.engine.words import words_at, words_in
from samovar.errors import SamovarError, did_you_mean
from samovar.json_types import JsonObject
from samovar.language.languages import ENGLISH, LANGUAGES
from samovar.web import problems
from samovar.web.api import messages
from samovar.web.api.api_problems import (
    BadField,
    BadJson,
    BotPlays,
    Exact,
    NoToken,
    NotPossible,
    Refused,
    SeatTaken,
    WrongToken,
    answer_http,
    answer_problem,
    not_possible,
    problem_responses,
)
from samovar.web.api.messages import FREE, PROGRAM
from samovar.web.base_path import under
from samovar.web.drawing.looks import RenderedTables, remark_text
from samovar.web.drawing.scene import face_of
from samovar.web.game_list import all_games
from samovar.web.names import check_name
from samovar.web.pages.review import json_review
from samovar.web.store.changes import ChangeNotice, Changes, no_word
from samovar.web.store.entries import Settings
from samovar.web.tables import actions
from samovar.web.tables.actions import Action, Api
from samovar.web.tables.chairs import NO_PAUSE
from samovar.web.tables.series import check_member
from samovar.web.tables.table import Table
from samovar.web.tables.tables import Tables, Who
from samovar.web.visit import AnyRequest, Visit, client_address

Language = Annotated[
    str,
    Parameter(
        description=f"Of the texts for people: {', '.join(f'`{language}`' for language in LANGUAGES)}.",
        pattern=f"^({'|'.join(LANGUAGES)})$",
    ),
]
TableInPath = Annotated[str, Parameter(description="The last part of the address of the table's page.")]


# Who asks


def token_of(request: AnyRequest) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def tables_of_site(request: AnyRequest) -> Tables:
    tables: Tables = request.app.state.tables
    return tables


def seat_with(table: Table, token: str, secret: bytes) -> int:
    try:
        return table.seat_with(token if token.isascii() else "", secret)
    except problems.NotSeated:
        raise WrongToken from None


async def viewer_of(request: AnyRequest, table_id: str) -> tuple[Table, int | None]:
    """The table, and where the token sits; without a token one is a spectator, with a wrong one
    nobody."""
    tables, token = tables_of_site(request), token_of(request)
    table = await tables.look(table_id)
    seat = seat_with(table, token, tables.secret) if token else None
    if seat is not None:
        tables.presence.touch(table_id, seat)
    else:
        await tables.check_watching(table, None)
    return table, seat


async def player_of(request: AnyRequest, table_id: str) -> tuple[Table, int]:
    if not token_of(request):
        raise NoToken
    table, seat = await viewer_of(request, table_id)
    assert seat is not None
    return table, seat


async def who_asks(request: AnyRequest) -> Who:
    """The seat of the token, found when the table is at hand."""
    token = token_of(request)
    if not token:
        raise NoToken
    return by_token(token, tables_of_site(request).secret)


def by_token(token: str, secret: bytes) -> Who:
    return lambda table: seat_with(table, token, secret)


# What they are told


async def tell_table(tables: Tables, table: Table, seat: int | None, language: str) -> messages.Look:
    """A table as one viewer may see it."""
    look = messages.Look(
        table=table.id,
        game=table.game.id,
        rules=table.game.version,
        seats=table.seats,
        teams=table.teams,
        options=table.options,
        settings=table.settings,
        status=table.status,  # type: ignore[arg-type]
        revision=table.revision,
        ply=table.revision,
        moment=len(table.match.history) if table.match else 0,
        actors=table.actors,
        seat=seat,
        # 53 bits: any language can read it
        bot_seed=None if seat is None else derive_seed("program", table.key(seat, tables.secret)) >> 10,
        people=list(table.people),
        clocks=clocks_of(table),
        commitment=table.commitment,
        nonces=[chair.nonce or None for chair in table.chairs],
        talk=last_remarks(table, seat, language),
        asking=messages.Asking(seat=table.asking.seat, agreed=sorted(table.asking.agreed)) if table.asking else None,
        again=None,
    )
    if table.pause_state != NO_PAUSE:
        wanted_by = sorted(table.pause_state.wanted_by)
        look.pause = messages.TablePause(wanted_by=wanted_by, until=table.pause_ends)
    if table.match is not None:
        tell_match(look, table, seat, language)
    if table.again:
        look.again = await table_after(tables, table, seat)
    return look


def clocks_of(table: Table) -> list[messages.Clock]:
    """By seat; none where everybody has as much time as they like."""
    shown = table.clocks.shown if table.clocks and table.status == "playing" else ()
    return [messages.Clock(left=left if until is None else None, until=until) for left, until in shown]


def tell_match(look: messages.Look, table: Table, seat: int | None, language: str) -> None:
    match, words, people = table.playing, words_in(table.game, language), table.people
    view = match.view(seat)
    look.view = view
    look.news = [event.tell(words, lambda number: people[number].name) for event in view.news]
    if seat is not None:
        look.legal = legal_moves(table, seat, language)
        look.observation = match.observation(seat).tolist()
    look.resigned, look.scores, look.places = table.resigned, table.scores, table.places
    look.success = table.success


def legal_moves(table: Table, seat: int, language: str) -> list[messages.Legal]:
    """None while a bot plays for the seat."""
    if table.status != "playing" or table.is_paused or table.chairs[seat].level:
        return []
    match, face = table.playing, face_of(table.playing, seat)
    words = words_at(table.game, language, tuple(one.name for one in table.people))
    view = match.view(seat)
    texts = ((move, match.move_text(seat, move)) for move in match.legal(seat))
    choices = ((move, text, face.say(view, text, words)) for move, text in texts)
    return [messages.Legal(move=move, text=text, sentence=said, told=said) for move, text, said in choices]


def last_remarks(table: Table, seat: int | None, language: str) -> list[messages.Said]:
    """All but what those say whom they have muted."""
    remarks = table.remarks_without(table.muted_by(-1 if seat is None else seat))
    return [messages.Said(number=one.number, seat=one.seat, text=remark_text(one, language)) for one in remarks]


async def table_after(tables: Tables, table: Table, seat: int | None) -> messages.Again:
    """The next table; who sat here has a chair there, too, and gets its token, as long as nobody has
    renewed it: an old token opens nothing that was closed to it since."""
    again = messages.Again(table=str(table.again))
    with suppress(problems.Closed):  # by an owner of the site
        after = await tables.look(again.table) if seat is not None else None
        if after and seat is not None and table.hands_on(seat, after):
            again.seat = table.next_seat(seat)
            again.token = after.key(again.seat, tables.secret)
    return again


# For the description


def example(**value: Any) -> Any:
    return Body(examples=[Example(summary="An example", value=value)])


OWNED = [{"token": list[str]()}]
MAYBE_OWNED = [{}, *OWNED]
SEEN = problem_responses(problems.NoSuchTable, problems.Cancelled, WrongToken, problems.StillPlayed)
NEEDS_SEAT = (NoToken, WrongToken, problems.NoSuchTable, problems.Cancelled)


# What can be asked


@get("/games", summary="The games")
async def games() -> list[messages.GameFacts]:
    """Their seats, options and what the numbers of an observation mean."""
    return [messages.game_facts(game) for game in all_games()]


@get("/tables", summary="The open tables")
async def list_tables(request: AnyRequest) -> list[messages.OpenTable]:
    """Those that are listed for everybody, the newest change first."""
    lines = await tables_of_site(request).open_tables()
    return [
        messages.OpenTable(
            table=line.table,
            game=line.summary.game,
            seats=line.summary.seats,
            free=line.summary.free,
            status=line.summary.status,  # type: ignore[arg-type]
        )
        for line in lines
        if line.summary.game in game_ids()
    ]


@post(
    "/tables",
    summary="Make a table",
    responses=problem_responses(
        BadJson, BadField, problems.BadName, problems.NoSuchGame, problems.HelpedAndRated, problems.TogetherAndRated
    ),
)
async def make_table(
    request: AnyRequest,
    data: Annotated[messages.NewTable, example(game="babuschka", chairs=["token", "hard"], options={"patience": 60})],
) -> messages.Made:
    """The match begins when no chair is free. A wrong choice is 422, too, by the engine's name for
    it: `UnknownGame`, `WrongSeats`, `UnknownOption`, `BadOption`."""
    tables = tables_of_site(request)
    game, chairs, options = check_table(data)
    levels = ["" if chair in (PROGRAM, FREE) else chair for chair in chairs]
    settings = Settings(
        data.is_open, data.hints, data.memory_aid, data.stand_in, data.time, data.one_move, is_rated=data.is_rated
    )
    table = await tables.open(game.id, len(chairs), options, settings, levels)
    tokens: list[str | None] = [None] * len(chairs)
    for seat, chair in enumerate(chairs):
        if chair == PROGRAM:
            table, _ = await tables.sit(table.id, f"program-{table.id}-{seat}", data.name, seat, for_program=True)
            tokens[seat] = table.key(seat, tables.secret)
    return messages.Made(table=table.id, page=under(f"/table/{table.id}"), tokens=tokens)


def check_table(data: messages.NewTable) -> tuple[Game, list[str], dict[str, Value]]:
    """All that can be wrong is found before anything is made."""
    check_name(data.name)
    try:
        game = find_game(data.game)
        seats = game.check_seats(game.seats[0] if data.seats is None else data.seats)
        options = game.check_options(seats, dict(data.options))
    except SamovarError as error:
        raise Refused(error) from error
    chairs = data.chairs or [PROGRAM, *[FREE] * (seats - 1)]
    if len(chairs) != seats:
        raise BadField(why=f"chairs: {len(chairs)} were given for {seats} seats; give one for each.")
    known = (PROGRAM, FREE, *LEVEL_NAMES)
    for seat, chair in enumerate(chairs):
        if chair not in known:
            raise BadField(why=f"chairs[{seat}]: there is no {chair[:40]!r}.{did_you_mean(chair[:40], known)}")
    return game, chairs, options


@post(
    "/tables/{table_id:str}/seats",
    summary="Sit down",
    responses=problem_responses(
        problems.NoSuchTable, problems.Cancelled, SeatTaken, problems.TableFull, problems.BadName, BadField
    ),
)
async def sit(
    request: AnyRequest, table_id: TableInPath, data: Annotated[messages.Sitting, example(name="Deep Borscht")]
) -> messages.Sat:
    """On a free chair. The last one begins the match."""
    tables = tables_of_site(request)
    if data.seat is not None:
        table = await tables.look(table_id)
        await check_member(tables.store, table.circle, "")
        check_free(table, data.seat)
    if data.nonce:
        try:
            check_nonce(data.nonce)
        except SamovarError as error:
            raise Refused(error) from error
    person = f"program-{secrets.token_hex(8)}"
    table, seat = await tables.sit(table_id, person, data.name, data.seat, nonce=data.nonce, for_program=True)
    return messages.Sat(table=table.id, seat=seat, token=table.key(seat, tables.secret))


def check_free(table: Table, seat: int) -> None:
    if not 0 <= seat < table.seats:
        raise BadField(why=f"seat: there is no seat {seat}, the seats are 0 to {table.seats - 1}.")
    free = [chair.seat for chair in table.free]
    if seat not in free:
        raise SeatTaken(seat=seat, free=", ".join(map(str, free)) or "none")


@get("/tables/{table_id:str}", summary="Look at the table", responses=SEEN, security=MAYBE_OWNED)
async def look(request: AnyRequest, table_id: TableInPath, language: Language = "en") -> messages.Look:
    """What the seat of the token sees, with its legal moves; without a token what a spectator
    sees."""
    table, seat = await viewer_of(request, table_id)
    return await tell_table(tables_of_site(request), table, seat, language)


@get(
    "/tables/{table_id:str}/events",
    summary="Follow the table",
    security=MAYBE_OWNED,
    responses={
        200: ResponseSpec(
            messages.Look, description="One `Look` a line.", media_type="application/x-ndjson", generate_examples=False
        ),
        **SEEN,
    },
)
async def events(request: AnyRequest, table_id: TableInPath, language: Language = "en") -> Stream:
    """The same as a look, at once and after every change, one JSON object a line (NDJSON). An empty
    line every 15 seconds shows that the stream is alive. Whoever reads slowly may miss looks in
    between, never the last one."""
    await viewer_of(request, table_id)
    watched, address = request.app.state.changes, client_address(request)
    watched.check_room(address, "")
    lines = event_lines(
        tables_of_site(request), request.app.state.looks, watched, table_id, token_of(request), language, address
    )
    return Stream(lines, media_type="application/x-ndjson", headers={"X-Accel-Buffering": "no"})


async def event_lines(
    tables: Tables, looks: RenderedTables, changes: Changes, table_id: str, token: str, language: str, address: str
) -> AsyncIterator[bytes]:
    """It ends when the token is of no seat any more, or the table is gone."""
    last_look, is_quiet = b"", False
    word: ChangeNotice | None = None  # the first look is at the table as it is
    async with changes.watch([table_id], address=address) as watcher:
        while True:
            with suppress(problems.Busy):  # it is tried again after a while
                try:
                    table = await tables.look(table_id, *(word or ()))
                    seat = seat_with(table, token, tables.secret) if token else None
                    if seat is None:
                        await tables.check_watching(table, None)
                except (WrongToken, problems.NoSuchTable, problems.StillPlayed):
                    return
                if seat is not None:
                    tables.presence.touch(table_id, seat)
                look = await encoded_look(tables, looks, table, seat, language)
                if look != last_look:  # word of a change may come twice, or when the look already told of it
                    yield look + b"\n"
                elif is_quiet:
                    yield b"\n"
                last_look = look
            is_quiet = not await watcher.changes()
            word = no_word() if is_quiet else changes.word_of(table_id)


async def encoded_look(tables: Tables, looks: RenderedTables, table: Table, seat: int | None, language: str) -> bytes:
    """A look as JSON, made once for all who follow and see the same."""
    kind, head = (table.id, seat, language), table.head
    encoded = looks.encoded(kind, head)
    if encoded is None:
        encoded = msgspec.json.encode(await tell_table(tables, table, seat, language))
        looks.keep_encoded(kind, head, encoded)
    return encoded


@get(
    "/tables/{table_id:str}/moves", summary="Your legal moves", responses=problem_responses(*NEEDS_SEAT), security=OWNED
)
async def legal(request: AnyRequest, table_id: TableInPath, language: Language = "en") -> messages.LegalMoves:
    """None if it is not for you to act."""
    table, seat = await player_of(request, table_id)
    return messages.LegalMoves(revision=table.revision, ply=table.revision, legal=legal_moves(table, seat, language))


@post(
    "/tables/{table_id:str}/moves",
    status_code=200,
    summary="Make a move",
    security=OWNED,
    responses=problem_responses(
        *NEEDS_SEAT,
        problems.MovedOn,
        problems.NotYourTurn,
        problems.NotStarted,
        problems.IsOver,
        BotPlays,
        NotPossible,
        BadField,
        BadJson,
    ),
)
async def move(
    request: AnyRequest, table_id: TableInPath, data: Annotated[messages.NewMove, example(move="c1-c2", revision=0)]
) -> messages.Moved:
    """The answer comes when the move is committed to disk. Where choices are simultaneous, what
    others choose in the meantime does no harm."""
    token = token_of(request)
    if not token:
        raise NoToken
    return await make_move(tables_of_site(request), table_id, token, data)


async def make_move(tables: Tables, table_id: str, token: str, data: messages.NewMove) -> messages.Moved:
    def seat_at(table: Table) -> int:
        seat = seat_with(table, token, tables.secret)
        if table.chairs[seat].level:
            raise BotPlays
        return seat

    try:
        table = await tables.move(table_id, seat_at, data.move, data.seen)
    except problems.NotPossible as error:
        table = await tables.look(table_id)
        raise not_possible(table, seat_with(table, token, tables.secret), data.move) from error
    return moved_to(table)


def moved_to(table: Table) -> messages.Moved:
    return messages.Moved(revision=table.revision, ply=table.revision, over=table.status == "over", actors=table.actors)


# Actions: their routes are made from the rows of `tables/actions.py`


class Done(NamedTuple):
    """An action of a program, after it: what its answer is made from."""

    tables: Tables
    table: Table
    who: Who
    token: str


async def moved(done: Done) -> messages.Moved:
    """How the match stands now: the usual answer."""
    return moved_to(done.table)


async def said(done: Done) -> messages.Said:
    remark = done.table.remarks[-1]
    return messages.Said(number=remark.number, seat=remark.seat, text=remark.text)


async def sat(done: Done) -> messages.Sat:
    return messages.Sat(table=done.table.id, seat=done.who(done.table), token=done.token)


async def named(done: Done) -> actions.NewName:
    return actions.NewName(name=done.table.people[done.who(done.table)].name)


async def gone(done: Done) -> messages.Gone:
    return messages.Gone(table=done.table.id)


async def goes_on(done: Done) -> messages.Again:
    table = await done.tables.look(done.table.id)
    seat = done.who(table)
    done.tables.presence.touch(table.id, seat)
    return await table_after(done.tables, table, seat)


ANSWERS: dict[type[Action], Callable[[Done], Awaitable[msgspec.Struct]]] = {
    actions.NewRemark: said,
    actions.ComingBack: sat,
    actions.NewName: named,
    actions.Leaving: gone,
    actions.Cancelling: gone,
    actions.PlayingAgain: goes_on,
}
OLD_NAMES = {"say": "talk"}  # of operations in the document: other people's programs are made from them


def handler_of(action: type[Action], api: Api) -> HTTPRouteHandler:
    answer, has_body = ANSWERS.get(action, moved), bool(action.__struct_fields__)

    async def act(request: AnyRequest, table_id: TableInPath, data: Action) -> msgspec.Struct:
        tables, who = tables_of_site(request), await who_asks(request)
        return await answer(Done(tables, await data.do(tables, table_id, who), who, token_of(request)))

    async def act_alone(request: AnyRequest, table_id: TableInPath) -> msgspec.Struct:
        return await act(request, table_id, action())

    handler = act if has_body else act_alone
    handler.__name__ = handler.__qualname__ = OLD_NAMES.get(action.method, action.method)
    handler.__doc__ = action.__doc__
    body = {"data": Annotated[action, example(**api.example)]} if has_body else {}
    handler.__annotations__ |= {"return": get_type_hints(answer)["return"], **body}
    return post(
        f"/tables/{{table_id:str}}/{api.address}",
        status_code=200,
        summary=api.summary,
        security=OWNED,
        responses=problem_responses(*NEEDS_SEAT, *api.refuses),
    )(handler)


@get(
    "/tables/{table_id:str}/record",
    summary="The record",
    responses=problem_responses(problems.NoSuchTable, problems.Cancelled, problems.NotOver, problems.StillPlayed),
)
async def record(request: AnyRequest, table_id: TableInPath) -> JsonObject:
    """The match as a file, once it is over: with the deal, and the salt that proves it to be the
    one committed to."""
    return await tables_of_site(request).record(table_id)


@get(
    "/tables/{table_id:str}/review",
    summary="The review",
    responses=problem_responses(
        problems.NoSuchTable,
        problems.Cancelled,
        problems.NotOver,
        problems.StillPlayed,
        problems.NoReview,
        problems.OldRules,
        problems.TooLongToReview,
        problems.OneReviewAtATime,
        problems.TooManyReviews,
    ),
)
async def review(request: AnyRequest, table_id: TableInPath, language: Language = ENGLISH) -> JsonObject:
    """What the match turned on, once it is over, as `samovar review --json` says it. That takes some seconds: while
    `done` is less than 1 there is nothing else, so ask again in a second."""
    return await json_review(Visit(request), table_id, language)


HANDLERS = [
    games,
    list_tables,
    make_table,
    sit,
    look,
    events,
    legal,
    move,
    *(handler_of(action, action.api) for action in actions.ACTIONS if action.api),
    record,
    review,
]
ROUTER = Router(
    "/api",
    route_handlers=HANDLERS,
    include_in_schema=True,
    dto=Exact,
    return_dto=None,
    exception_handlers={problems.Problem: answer_problem, HTTPException: answer_http},
)
