"""The table: its page, the parts of it that change, the actions that are done there, and the stream
that tells of them."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

import msgspec
import segno
from litestar import get, post
from litestar.datastructures import FormMultiDict
from litestar.enums import MediaType
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response import Redirect, Response, Stream
from msgspec import NODEFAULT
from msgspec.structs import FieldInfo, fields

from samovar.errors import StoreError
from samovar.insight.undo import may_teach
from samovar.language.languages import LANGUAGES
from samovar.web import problems
from samovar.web.base_path import under
from samovar.web.drawing import packed
from samovar.web.drawing.looks import RenderedTable, RenderedTables
from samovar.web.drawing.messages import PageMessage
from samovar.web.drawing.muting import MUTED, with_muted
from samovar.web.drawing.podium import podium_picture
from samovar.web.drawing.render import art
from samovar.web.drawing.viewer import Viewer
from samovar.web.names import check_name
from samovar.web.pages.choosing import NOTHING, Chosen, is_asked_twice
from samovar.web.pages.home import FOLLOWED, level_meant, read_number, read_query
from samovar.web.people.family import SIGNS
from samovar.web.people.own_level import LIKE_ME
from samovar.web.store.changes import ChangeNotice, Changes, no_word
from samovar.web.store.queries.hands import NOBODY, Hand
from samovar.web.tables import clock
from samovar.web.tables.actions import ACTIONS, Action, NewName, PlayingAgain
from samovar.web.tables.hands import Viewpoint, by_hand, chairs_here, holder
from samovar.web.tables.hints import read_hint, write_hint
from samovar.web.tables.phrases import PHRASES
from samovar.web.tables.post.plans import DROPPED, READY
from samovar.web.tables.series import check_member
from samovar.web.tables.table import Table
from samovar.web.tables.tables import Tables, Who, by_person
from samovar.web.visit import Answer, AnyRequest, Visit

Done = TypeVar("Done")
HINT = "hint"  # what the cookie calls it
BESIDE = "beside"  # in the cookie: the table that this device plays at without the board, which is on a screen
MOST_TABLES = 20  # that one stream may watch
BEAT = b": beat\r\n\r\n"


async def answer(
    visit: Visit,
    table: Table,
    chosen: Chosen = NOTHING,
    *,
    at: int | None = None,
    problem: problems.Problem | None = None,
) -> Answer:
    """The page of a table, or its parts for our script, with the hint that was given for this position.
    `problem`: why a move was refused, which is told above the board."""
    await visit.tables.check_watching(table, visit.person)
    looks, viewer = looks_of(visit.request), await viewer_of(visit, table)
    seat, _ = touched(visit.tables, table, viewer)
    hint = read_hint(visit.recall(HINT), table, seat) if at is None else None
    if hint or chosen.is_shown:
        look = await looks.with_choice(
            table,
            viewer,
            chosen.picked,
            as_list=chosen.as_list,
            hint=hint,
            ticked=chosen.ticked,
            unsure=chosen.unsure,
        )
    elif at is not None and table.match is not None:
        look = await looks.past(table, viewer, at)
    else:
        look = await looks.of(table, viewer)
    await visit.tables.end_seen(table, visit.person)
    frame = "phone" if viewer.kind(table).is_beside_screen else ""
    return table_page(visit, table, viewer, look, problem, frame=frame, ahead=await ahead_text(visit, table, seat))


async def ahead_text(visit: Visit, table: Table, seat: int | None) -> str:
    """What whoever sits there is told of their moves ahead, when they load the page."""
    if seat is None or not table.is_by_post or visit.wants_parts:
        return ""
    planned = await visit.tables.moves_ahead.of(table, seat)
    if planned is None or not (planned.turns or planned.plan.dropped):
        return ""
    return visit.tell(DROPPED[planned.plan.dropped] if planned.plan.dropped else READY)


def table_page(
    visit: Visit,
    table: Table,
    viewer: Viewer,
    look: RenderedTable,
    problem: problems.Problem | None = None,
    *,
    ahead: str = "",
    **more: object,
) -> Answer:
    """`ahead`: what is said of one's moves ahead. `more`: the frame, that of a screen, of a phone beside one, or none,
    and what belongs to it."""
    if visit.wants_parts:
        return Response(viewer.fill_in_json(look.message(None)), media_type=MediaType.JSON)
    seat, here = viewer.viewpoint(table)
    parts = {name: viewer.fill_in(html) for name, html in look.parts.items()}
    is_joining = seat is None and "sit" in read_query(visit.request) and bool(viewer.name and table.free)
    return visit.page(
        "table.html",
        problem.status if problem else 200,
        table=table,
        game=table.game,
        seat=seat,
        here=here,
        look=look,
        parts=parts,
        now=clock.now(),
        phrases=PHRASES,
        only_bots=seat is not None and all(chair.level for chair in table.chairs if chair.seat != seat),
        art=art(table.game),
        problem=visit.tell_problem(problem) if problem else "",
        is_joining=is_joining,
        ahead=ahead,
        **more,
    )


async def encoded_parts(visit: Visit, table: Table) -> bytes:
    """What our script gets after an action; where its stream brings the parts, the number to wait for."""
    if visit.has_stream:
        return b'{"number":%d}' % table.head
    await visit.tables.check_watching(table, visit.person)
    viewer = await viewer_of(visit, table)
    return viewer.fill_in_json((await looks_of(visit.request).of(table, viewer)).message(None))


async def done(visit: Visit, table: Table) -> Answer:
    """After an action: our script gets the parts at once, a browser without it the page anew."""
    return await answer(visit, table) if visit.wants_parts else visit.go(f"/table/{table.id}")


def go_to(visit: Visit, address: str) -> Answer:
    """To a page that is loaded whole, with a stream of its own: whoever sits down is somebody else
    from then on."""
    return (
        Response(msgspec.json.encode({"go": under(address)}), media_type=MediaType.JSON)
        if visit.wants_parts
        else visit.go(address)
    )


async def table_there(visit: Visit, table_id: str) -> Table:
    """The table, or the one that has taken its place, whose page has another address."""
    try:
        return await visit.table(table_id)
    except problems.Cancelled as gone:
        if other := gone.facts.get("again"):
            await check_member(visit.tables.store, str(gone.facts["circle"]), visit.person or "")
            return await table_there(visit, str(other))
        raise


@get("/table/{table_id:str}")
async def show(request: AnyRequest, table_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    table = await table_there(visit, table_id)
    if table.id != table_id:
        return visit.go(f"/table/{table.id}")
    if table.of_class and visit.class_id and table.seat_of(visit.person) is None:
        return visit.go(f"/class/{visit.class_id}")  # a pupil who plays elsewhere by now
    asked = read_query(request)
    at = _moves(asked.get("at", [""])[0])
    return await answer(visit, table, Chosen.read(asked), at=at)


@post("/table/{table_id:str}/sit", status_code=200)
async def sit(request: AnyRequest, table_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    form = await visit.form()
    name = check_name(str(form.get("name", "")))
    visit.remember(name=name)
    await visit.tables.sit(table_id, visit.make_person(), name, nonce=str(form.get("luck", "")))
    return go_to(visit, f"/table/{table_id}")


@post("/table/{table_id:str}/move", status_code=200)
async def move(request: AnyRequest, table_id: FromPath[str]) -> Answer:
    """One form for all games: `move` is the text of a move, or its verb and `with` what was ticked.
    With `count` nothing is moved: the page of the table tells what the boxes are worth."""
    visit = Visit(request)
    chosen = Chosen.read((await visit.form()).dict())
    if chosen.is_counted:
        return visit.go(f"/table/{table_id}?{chosen.boxes}")
    try:
        if await is_asked_twice(visit) and (question := await second_look(visit, table_id, chosen)):
            return question
        return await done(visit, await make_move(visit, table_id))
    except problems.Problem as problem:
        if visit.wants_parts or problem.status >= problems.Broken.status:
            raise
        return await refused(visit, table_id, chosen, problem)


async def second_look(visit: Visit, table_id: str, chosen: Chosen) -> Answer | None:
    """The board with the question; None: there is nothing to ask."""
    table = await visit.tables.look(table_id)
    seat, match = (await _who(visit, table_id))(table), table.playing.copy()
    table.move(seat, chosen.text, read_number(await visit.form(), "ply", -1))  # what is refused is not asked about
    if not await asyncio.to_thread(may_teach, match, seat):
        return None
    text = match.move_text(seat, match.parse_move(seat, chosen.text))
    return await answer(visit, table, replace(chosen, unsure=text))


async def refused(visit: Visit, table_id: str, chosen: Chosen, problem: problems.Problem) -> Answer:
    """The page of the table again, with what is wrong: nobody has to choose anew what they had
    ticked."""
    table = await visit.tables.look(table_id)
    if isinstance(problem, problems.NotPossible) and table.status == "playing":
        problem = chosen.refused(table.playing, (await viewer_of(visit, table)).viewpoint(table).seat)
    return await answer(visit, table, chosen, problem=problem)


@get("/table/{table_id:str}/move")
async def after_problem(request: AnyRequest, table_id: FromPath[str]) -> Redirect:
    """The page that tells of a problem has this address, and its links stay on it."""
    return Visit(request).go(f"/table/{table_id}?{request.url.query}")


async def make_move(visit: Visit, table_id: str) -> Table:
    form = await visit.form()
    text = Chosen.read(form.dict()).text
    revision = read_number(form, "ply", -1)
    try:
        return await visit.tables.move(table_id, await _who(visit, table_id), text, revision)
    except problems.Problem:
        # our script repeats a move that was not answered: what was lost may have been the answer alone
        if form.get("repeated") != "yes":
            raise
        table = await visit.tables.look(table_id)
        if not table.has_made((await _who(visit, table_id))(table), text, revision):
            raise
        return table


def handler_of(action: type[Action]) -> HTTPRouteHandler:
    """The route of an action's form."""
    form = action.form or action

    @post(f"/table/{{table_id:str}}/{action.page}", status_code=200)
    async def act(request: AnyRequest, table_id: FromPath[str]) -> Answer:
        visit = Visit(request)
        asked = read_form(form, await visit.form()) if form.__struct_fields__ else form()
        table = await asked.do(visit.tables, table_id, await _who(visit, table_id))
        return go_to(visit, action.goes_to.format(table=table)) if action.goes_to else await done(visit, table)

    return act


def read_form(action: type[Action], form: FormMultiDict) -> Action:
    return action(**{field.name: read_field(form, field) for field in fields(action)})


def read_field(form: FormMultiDict, field: FieldInfo) -> str | int | bool | list[str]:
    """What a form lacks is empty, or no, unless the action has something else in its place."""
    kind = getattr(field.type, "__origin__", field.type)  # of something described: what it is
    if kind is bool:
        return form.get(field.encode_name) == "yes"
    if kind is list:
        return [str(one) for one in form.getall(field.encode_name, [])]
    if kind is int:
        return read_number(form, field.encode_name, field.default)
    return str(form.get(field.encode_name, field.default if field.default is not NODEFAULT else ""))


@post("/table/{table_id:str}/mute-here", status_code=200)
async def mute_here(request: AnyRequest, table_id: FromPath[str]) -> Answer:
    """A spectator reads no remarks of a player any more, at this table and in this browser."""
    visit = Visit(request)
    form = await visit.form()
    table, whom = await visit.table(table_id), read_number(form, "whom", -1)
    if not 0 <= whom < table.seats:
        raise problems.MovedOn
    muted = with_muted(visit.recall(MUTED), table.id, whom, form.get("is_muted") == "yes")
    visit.remember(**{MUTED: muted})
    return visit.go(f"/table/{table.id}")


@post("/table/{table_id:str}/again", status_code=200)
async def play_again(request: AnyRequest, table_id: FromPath[str]) -> Answer:
    """Bots that follow the visitor do so from one match to the next."""
    visit = Visit(request)
    swaps = (await visit.form()).get("swaps") == "yes"
    is_followed = visit.recall(FOLLOWED) == table_id
    table = await visit.tables.look(table_id)
    level = await level_meant(visit, table.game, LIKE_ME, table.seats - 1) if is_followed else ""
    table = await visit.tables.play_again(table_id, await _who(visit, table_id), shift=int(swaps), level=level)
    if is_followed:
        visit.remember(**{FOLLOWED: str(table.again)})
    return go_to(visit, f"/table/{table.again}{'/phone' if visit.recall(BESIDE) == table_id else ''}")


@post("/table/{table_id:str}/name", status_code=200)
async def rename(request: AnyRequest, table_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    name = check_name(str((await visit.form()).get("name", "")))
    table = await NewName(name=name).do(visit.tables, table_id, await _who(visit, table_id))
    own = table.seat_of(visit.person)
    if own is not None and own == (await viewer_of(visit, table)).viewpoint(table).seat:
        visit.remember(name=name)
    return await done(visit, table)


@post("/table/{table_id:str}/cut-off", status_code=200)
async def cut_off(request: AnyRequest, table_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    table = await visit.tables.look(table_id)
    seat = (await _who(visit, table_id))(table)
    return await done(visit, await visit.tables.cut_off(table_id, holder(table, seat, visit.person, visit.device)))


@post("/table/{table_id:str}/hint", status_code=200)
async def hint(request: AnyRequest, table_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    who = await _who(visit, table_id)
    table, given = await unless_gone(request, visit.tables.hint(table_id, who))
    seat = (await _who(visit, table_id))(table)  # a device may have gone into other hands meanwhile
    if seat != given.seat:
        raise problems.MovedOn
    visit.remember(**{HINT: write_hint(table, given)})
    return await done(visit, table)


async def unless_gone(request: AnyRequest, work: Coroutine[object, object, Done]) -> Done:
    """What work gives to somebody who waits for it; when they leave, it is dropped."""
    doing, leaving = asyncio.create_task(work), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait((doing, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise problems.Problem  # which nobody reads
        return doing.result()
    finally:
        doing.cancel()
        leaving.cancel()


async def _gone(request: AnyRequest) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


@get("/table/{table_id:str}/come/{key:str}")
async def come_page(request: AnyRequest, table_id: FromPath[str], key: FromPath[str]) -> Answer:
    """A personal link. It only asks: programs that look at links in messages must not sit down."""
    visit = Visit(request)
    table = await visit.tables.look(table_id)
    seat, own = table.seat_with(key, visit.tables.secret), table.seat_of(visit.person)
    if seat in chairs_here(table, visit.person, visit.device):
        return visit.go(f"/table/{table_id}")
    own_name = table.people[own].name if own is not None else ""
    name, devices = table.people[seat].name, len(table.chairs[seat].persons)
    return visit.page("come.html", table=table, game=table.game, key=key, name=name, own_name=own_name, devices=devices)


@post("/table/{table_id:str}/come/{key:str}", status_code=200)
async def come(request: AnyRequest, table_id: FromPath[str], key: FromPath[str]) -> Redirect:
    visit = Visit(request)
    is_leaving = (await visit.form()).get("leave") == "yes"
    table = await visit.tables.come(table_id, visit.make_person(), key, is_leaving=is_leaving)
    return visit.go(f"/table/{table.id}")


@get("/table/{table_id:str}/invitation.svg")
async def invitation_code(request: AnyRequest, table_id: FromPath[str]) -> Response[bytes]:
    """A picture of its own: it takes 12 ms, and most people never look at it."""
    visit = Visit(request)
    table = await visit.table(table_id)
    return Response(await asyncio.to_thread(qr_code, f"{visit.address}/table/{table.id}"), media_type="image/svg+xml")


@get("/table/{table_id:str}/link.svg")
async def link_code(request: AnyRequest, table_id: FromPath[str]) -> Response[bytes]:
    """The personal link of whoever asks."""
    visit = Visit(request)
    table = await visit.table(table_id)
    seat, _ = (await viewer_of(visit, table)).viewpoint(table)
    if seat is None:
        raise problems.NotSeated
    key = table.key(seat, visit.tables.secret)
    return Response(
        await asyncio.to_thread(qr_code, f"{visit.address}/table/{table.id}/come/{key}"), media_type="image/svg+xml"
    )


@get("/table/{table_id:str}/podium.svg")
async def podium(request: AnyRequest, table_id: FromPath[str]) -> Response[bytes]:
    """How the match ended, as a picture to be sent to others."""
    visit = Visit(request)
    table = await visit.table(table_id)
    await visit.tables.check_watching(table, visit.person)
    if table.team_places is None:
        raise problems.NotOver
    return Response(podium_picture(table.game, table.team_places), media_type="image/svg+xml")


@lru_cache(maxsize=1024)
def qr_code(text: str) -> bytes:
    out = io.BytesIO()
    segno.make(text, error="m").save(
        out, kind="svg", xmldecl=False, svgns=True, omitsize=True, border=3, dark="#1e1512", light="#ffffff"
    )
    return out.getvalue()


@get("/live")
async def live(request: AnyRequest) -> Stream:
    """One stream for all tables that a browser has open: each whole at the beginning, and what has
    changed of it whenever something has."""
    headers = {"X-Accel-Buffering": "no", **packed.headers(request.headers)}
    return Stream(open_stream(Visit(request)), media_type="text/event-stream", headers=headers)


def open_stream(visit: Visit) -> AsyncIterator[bytes]:
    request = visit.request
    asked = read_query(request)
    table_ids = list(dict.fromkeys(asked.get("table", [])))
    if not 1 <= len(table_ids) <= MOST_TABLES:
        raise problems.Problem
    watched: Changes = request.app.state.changes
    watched.check_room(visit.client_address, visit.person or "")
    viewer = viewer_from(visit)
    if asked.get("language", [""])[0] in LANGUAGES:  # the page says what it is written in; workers may not know
        viewer = replace(viewer, language=asked["language"][0])
    if "screen" in asked:
        viewer = viewer.as_screen()
    return stream(visit, looks_of(request), watched, table_ids, viewer, is_packed=packed.is_wanted(request.headers))


async def stream(
    visit: Visit,
    looks: RenderedTables,
    watched: Changes,
    table_ids: Sequence[str],
    viewer: Viewer,
    *,
    is_packed: bool = False,
) -> AsyncIterator[bytes]:
    """`is_packed`: as pieces of a gzip file."""
    shown: Callable[[bytes], bytes] = packed.as_it_is if is_packed else bytes
    if is_packed:
        yield packed.HEAD
    tables, address = visit.tables, visit.client_address
    sent: dict[str, RenderedTable | None] = {}  # by table; None: it is gone
    hands: dict[str, Hand | None] = {}  # by table: in whose a shared device was when the stream began
    before: PageMessage | None = None  # what was sent last, if that was a message
    async with watched.watch(table_ids, address=address, person=viewer.person or "") as watcher:
        changed = set(table_ids)
        while await visit.is_still_here():  # a device that was cut off begins anew, as nobody's
            # after some quiet all are looked at again: word of a change may have been lost
            for table_id in changed or table_ids:
                word = watched.word_of(table_id) if changed else no_word()
                last = word if table_id in sent else None
                sent_now = await _message(tables, looks, table_id, viewer, sent, hands, last)
                if isinstance(sent_now, bytes):
                    yield shown(sent_now)
                    before = None
                elif sent_now is not None:
                    yield viewer.event(sent_now, before, is_packed=is_packed)
                    before = sent_now
            if not changed:
                yield shown(BEAT)
                before = None
            changed = await watcher.changes()


async def _message(
    tables: Tables,
    looks: RenderedTables,
    table_id: str,
    viewer: Viewer,
    sent: dict[str, RenderedTable | None],
    hands: dict[str, Hand | None],
    word: ChangeNotice | None,
) -> PageMessage | bytes | None:
    """What has changed at a table since the last time, or an event that says it is gone; None if
    nothing has."""
    known = sent.get(table_id)
    try:
        await tables.presence.ask_others(table_id)
        table = await tables.look(table_id, *(word or ()))
        await tables.check_watching(table, viewer.person)
        viewer = await with_hand(tables, table, viewer)
    except problems.Busy:  # it is tried again after a while
        return None
    except problems.Problem:
        if table_id in sent and known is None:
            return None
        sent[table_id] = None
        return b"event: gone\r\ndata: " + msgspec.json.encode({"table": table_id[:40]}) + b"\r\n\r\n"
    viewer = _as_before(viewer, hands.setdefault(table_id, viewer.hand))
    touched(tables, table, viewer)
    look = await looks.of(table, viewer)
    await tables.end_seen(table, viewer.person)
    if look is known:
        return None
    sent[table_id] = look
    return look.message(known)


def _as_before(viewer: Viewer, first: Hand | None) -> Viewer:
    """A stream shows what the hand saw for which it was opened, or the curtain: another hand has a page
    of its own."""
    is_same = (viewer.hand and viewer.hand.seat) == (first and first.seat)
    return viewer if is_same else replace(viewer, hand=NOBODY)


def _moves(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else None


def looks_of(request: AnyRequest) -> RenderedTables:
    looks: RenderedTables = request.app.state.looks
    return looks


def viewer_from(visit: Visit) -> Viewer:
    facts = visit.person, visit.language, visit.name, visit.csrf_token, visit.address, visit.device
    recall = visit.recall
    return Viewer(*facts, signs=recall(SIGNS), muted=recall(MUTED), beside_screen=recall(BESIDE))


async def viewer_of(visit: Visit, table: Table) -> Viewer:
    return await with_hand(visit.tables, table, viewer_from(visit))


async def with_hand(tables: Tables, table: Table, viewer: Viewer) -> Viewer:
    """Who looks at this table, and in whose hand their device is, if several people share it."""
    if not viewer.device:
        return viewer
    try:
        hand = await tables.hands.of(viewer.device, table.id)
        seen = replace(viewer, hand=hand)
        if hand is None or hand == NOBODY or not seen.kind(table).is_curtain:
            return seen
        await tables.hands.lower(viewer.device, table.id, hand)
    except StoreError as error:
        raise problems.Busy from error
    return replace(viewer, hand=NOBODY)


def touched(tables: Tables, table: Table, viewer: Viewer) -> Viewpoint:
    """A sign of life of all who look through this browser, and with whose eyes it sees."""
    seen = viewer.viewpoint(table)
    for seat in seen.here or (() if seen.seat is None else (seen.seat,)):
        tables.presence.touch(table.id, seat)
    return seen


async def _who(visit: Visit, table_id: str) -> Who:
    """Whoever does something here, as an action finds them when the table is at hand."""
    if not visit.device:
        return by_person(visit.person)
    try:
        hand = await visit.tables.hands.of(visit.device, table_id)
    except StoreError as error:
        raise problems.Busy from error
    return by_hand(visit.person, visit.device, hand, str((await visit.form()).get("hand", "")))


OWN = (NewName, PlayingAgain)  # where the page does more than the action
HANDLERS = [handler_of(action) for action in ACTIONS if action.page and action not in OWN]
