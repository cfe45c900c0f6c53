"""Classes in an evening: a teacher, pupils with browsers of their own, and what must hold of them. Pupils see their
class and nothing else, so they are none of the crowd."""

from __future__ import annotations

from dataclasses import dataclass

from samovar.web.server.entry import EntryCheck
from samovar.web.store.entries import (
    CloseTable,
    Come,
    End,
    Hide,
    Leave,
    Move,
    Open,
    Pause,
    Rename,
    Sit,
    Start,
    TakeAlong,
)

from .deeds import deed
from .houses import Fault
from .people import Browser, Request

PUPILS = ("Mia", "Ben", "Ida", "Max")
TEACHERS = ("seat", "move", "pause", "end", "begin", "free", "expect", "names", "delete")
OUTSIDE = ("/", "/tables", "/players", "/club", "/me", "/today", "/api/tables", "/class/new", "/record", "/owner")


@dataclass
class Class:
    id: str
    host: Browser


def some_class(e):
    return e.choose.choice(e.classes[-2:]) if e.classes else None


def of_teacher(e, what, **form):
    """Most often by the teacher; else by a pupil, or anybody else."""
    one = some_class(e)
    if one is None:
        return None
    who = one.host if e.choose.random() < 0.8 else e.choose.choice((*e.pupils, e.anybody()))
    return Request(who, "POST", f"/class/{one.id}/{what}", form)


@deed(0.5, "POST /class/new", "GET /class/new")
def make_a_class(e):
    if e.choose.random() < 0.2:
        return Request(e.anybody(), "GET", "/class/new")
    names = "\n".join(PUPILS) if e.choose.random() < 0.9 else e.choose.choice(("", "Mia", "<b>\n" * 3))
    return Request(e.anybody(), "POST", "/class/new", {"name": "4a", "names": names})


@deed(2.5, "POST /class/{class_id:str}/come", makes=(TakeAlong,))
def choose_a_name(e):
    one = some_class(e)
    name = e.choose.choice((*PUPILS, "nobody"))
    return one and Request(e.choose.choice(e.pupils), "POST", f"/class/{one.id}/come", {"name": name})


@deed(0.3, "GET /class", "POST /class")
def type_a_code(e):
    pupil = e.choose.choice(e.pupils)
    if e.choose.random() < 0.5:
        return Request(pupil, "GET", "/class")
    return Request(pupil, "POST", "/class", {"code": e.choose.choice(("", "CDF HJK", "²"))})


@deed(0.3, "POST /class/{class_id:str}/leave", makes=(Leave, Rename, Hide))
def give_a_name_back(e):
    one = some_class(e)
    return one and Request(e.choose.choice(e.pupils), "POST", f"/class/{one.id}/leave", {})


@deed(
    0.5,
    "GET /class/{class_id:str}",
    "GET /class/{class_id:str}/wall",
    "GET /class/{class_id:str}/links",
    "GET /class/{class_id:str}/names",
    "GET /class/{class_id:str}/come/{key:str}",
    "POST /class/{class_id:str}/come/{key:str}",
    "GET /privacy",
)
def look_at_a_class(e):
    one = some_class(e)
    if one is None:
        return Request(e.anybody(), "GET", "/privacy")
    who = e.choose.choice((one.host, *e.pupils))
    end = e.choose.choice(("", "", "/wall", "/links", "/names", f"/come/{'0' * 40}"))
    method = "POST" if end.startswith("/come") and e.choose.random() < 0.5 else "GET"
    return Request(who, method, f"/class/{one.id}{end}", {} if method == "POST" else None)


@deed(1.2, "POST /class/{class_id:str}/seat", makes=(Open, Sit, Start, Pause))
def seat_the_pupils(e):
    game = e.choose.choice(("connect_four 2", "memoarrrr 2", "memoarrrr 9", "nonsense"))
    return of_teacher(e, "seat", game=game, level="easy")


@deed(0.8, "POST /class/{class_id:str}/pause", makes=(Pause,))
def pause_the_class(e):
    return of_teacher(e, "pause", on=e.choose.choice(("yes", "")))


@deed(0.8, "POST /class/{class_id:str}/move", makes=(Come, Rename, Hide, Leave, Open, Sit, Start))
def move_a_pupil(e):
    tables = [table.id for table in e.ledger.tables.values() if table.of_class and not table.is_closed]
    return of_teacher(e, "move", pupil=e.choose.choice(PUPILS), table=e.choose.choice((*tables[-3:], "", "nonsense")))


@deed(
    0.5,
    *(f"POST /class/{{class_id:str}}/{what}" for what in ("end", "begin", "free", "expect", "names", "delete")),
    makes=(CloseTable, Leave, Rename, Hide),
)
def keep_a_class(e):
    """Lessons end seldom: then there is nothing left to do in them."""
    what = e.choose.choice(("free", "expect", "begin", "begin", "names", "end" if e.choose.random() < 0.3 else "free"))
    what = "delete" if e.choose.random() < 0.05 else what
    request = of_teacher(e, what, name=e.choose.choice(PUPILS), names="\n".join(PUPILS[: e.choose.randrange(2, 5)]))
    if request and what in ("end", "delete") and request.browser in [one.host for one in e.classes]:
        class_id = request.address.split("/")[2]
        tables = [table for table in e.ledger.tables.values() if table.of_class == class_id]
        request.gives_up = [(table.id, chair.seat) for table in tables for chair in table.chairs]
    return request


@deed(4, "POST /table/{table_id:str}/move", makes=(Move, End), name="move as a pupil")
def move_as_a_pupil(e):
    tables = [table for table in e.ledger.tables.values() if table.of_class and table.status == "playing"]
    if not tables:
        return None
    table = e.choose.choice(tables)
    held = [(seat, who) for seat in table.playing.actors for who in e.pupils if seat in e.chairs_here(table, who)]
    seat, who = e.choose.choice(held) if held else (table.playing.actors[0], e.choose.choice(e.pupils))
    return Request(who, "POST", f"/table/{table.id}/move", {"move": e.some_move(table, seat), "ply": table.revision})


@deed(0.6, "POST /table/{table_id:str}/say", name="say as a pupil")
def say_as_a_pupil(e):
    """Words of one's own are refused: see `check_said`."""
    tables = [table for table in e.ledger.tables.values() if table.of_class]
    told = e.choose.choice(({"text": "Hm?"}, {"phrase": "Hello!"}))
    who = e.choose.choice(e.pupils)
    return Request(who, "POST", f"/table/{e.choose.choice(tables).id}/say", told) if tables else None


@deed(2, "GET /record/{record_id:str}", name="look outside as a pupil")
def look_outside(e):
    others = [f"/table/{table}" for table in e.recent()] + [f"/record/{table}" for table in e.recent()]
    return Request(e.choose.choice(e.pupils), "GET", e.choose.choice((*OUTSIDE, *others)))


# What must hold


def check(e, request, answer):
    """After each request: teachers' deeds are teachers' alone, and pupils see nothing outside their class."""
    parts = request.address.partition("?")[0].split("/")
    is_class = parts[1] == "class" and len(parts) > 2 and parts[2] != "new"
    host = next((one.host for one in e.classes if is_class and one.id == parts[2]), None)
    if is_class and len(parts) == 4 and parts[3] in (*TEACHERS, "wall", "links") and answer.is_ok:
        own = e.class_of(request.browser)
        is_led_back = own and own != parts[2] and answer.header(b"location") == f"/class/{own}"
        if not is_led_back and (host is None or e.person_of(request.browser) != e.person_of(host)):
            raise Fault(f"classes: {request.browser}, who is not the teacher, is answered {answer.status}: {request}")
    if request.browser in e.pupils and (class_id := e.class_of(request.browser)):
        _check_pupil(e, class_id, request, answer, parts)


def _check_pupil(e, class_id, request, answer, parts):
    table = e.ledger.tables.get(parts[2]) if len(parts) > 2 else None
    is_own = parts[1] == "class" or (parts[1] == "table" and table is not None and table.of_class == class_id)
    is_own = is_own or (parts[1] == "tour" and e.tour is not None and e.tour.of_class == class_id)
    if is_own or parts[1] in ("static", "games", "rules", "learn", "privacy", "offline", "language"):
        return
    if answer.status == 200 or (answer.status == 303 and answer.header(b"location") != f"/class/{class_id}"):
        raise Fault(f"pupils: {request.browser} of class {class_id} is answered {answer.status}: {request}")


async def look_with_muted_eyes(e):
    """Whoever has muted somebody reads none of their remarks; others do."""
    muting = [
        (table, whom)
        for table in e.ledger.tables.values()
        if not (table.is_closed or table.cancelled_by)
        for muted in table.muted.values()
        for whom in muted
        if any(one.seat == whom and one.names is None for one in table.remarks[-10:])
    ]
    if not muting:
        return
    table, whom = e.choose.choice(muting)
    for browser in e.crowd:
        here = e.chairs_here(table, browser)
        if len(here) != 1:
            continue
        answer = await e._ask(Request(browser, "GET", f"/table/{table.id}"))
        reads = f'data-by="{whom}"' in answer.text
        has_muted = whom in table.muted_by(here[0])
        if answer.status == 200 and reads == has_muted:
            raise Fault(f"mute: at table {table.id} {browser} reads player {whom + 1}: {reads}, muted: {has_muted}")
        e.tally.looks["muted eyes"] += 1


async def look_as_a_stranger(e, request):
    """If the site were for invited people, whatever was just asked for would be answered to a stranger as an address
    is where nothing is: no page, stream, answer or record tells what is there."""
    if request is None or not hasattr(e.house, "app"):
        return
    state = e.house.app.state
    is_open, path = state.entry, request.address.partition("?")[0]
    if path.startswith(("/static/", "/games/", "/invitation/", "/me/come/", "/class/")) or path in FREE:
        return
    state.entry = EntryCheck("invited", state.members, state.people, state.tables, is_open._classes, state.tours)
    try:
        stranger = e.stranger
        await e.has_token(stranger)
        is_api = path.startswith("/api/")
        headers = [] if is_api else stranger.headers()
        asked = await e.house.ask(request.method, request.address, headers, request.body, first_only=True)
        nothing = await e.house.ask("GET", "/api/nothing" if is_api else "/nothing", headers)
        if asked.kept != nothing.kept or asked.status != 403:
            raise Fault(f"strangers: {request.method} {path} is answered {asked.status} otherwise than nothing")
        e.tally.looks["strangers"] += 1
    finally:
        state.entry = is_open


FREE = ("/health", "/metrics", "/service_worker.js", "/offline", "/language", "/privacy", "/class")
