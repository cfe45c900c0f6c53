"""Looking at records together in an evening: who leads, who follows, who comes uninvited, and what must hold."""

from __future__ import annotations

import re

import msgspec

from samovar.engine.registry import find_game
from samovar.teach.puzzles import puzzles_of
from samovar.web.people.tours import Tour
from samovar.web.store.queries import tours as kept

from .deeds import deed
from .houses import Fault
from .people import Request

LEADING = ("lead", "ask", "show", "go-on", "send-away")
NAMED = ("hand-over", "send-away", "mute", "unmute")
TOKEN = re.compile(r'name="_csrf_token" value="[^"]*"')
PLACE = re.compile(r'<option value="([^"]+)"')
MOVE = re.compile(r'name="move" value="([^"]+)"')


def tour_id(e):
    """Most often the newest: there most are."""
    return e.tours[-1] if e.tours and e.choose.random() < 0.9 else e.choose.choice((*e.tours[-3:], "nothing"))


def somebody(e):
    return e.choose.choice((*e.crowd, *e.crowd, e.choose.choice(e.pupils)))


async def tour_there(e, which):
    row = await e.house.app.state.tables.store.first(kept.DATA, tour=which)
    return row and msgspec.json.decode(row.data, type=Tour)


@deed(0.5, "GET /record/{record_id:str}/together", "POST /record/{record_id:str}/together")
def begin_together(e):
    over = e.table("over") if e.choose.random() < 0.8 else e.table()
    table = e.choose.choice([*([over.id] if over else []), *e.ledger.records[-2:]] or ["nothing"])
    if e.choose.random() < 0.2:
        return Request(e.anybody(), "GET", f"/record/{table}/together?at=2&eyes=0")
    classes = [one.id for one in e.classes[-1:]] if e.choose.random() < 0.15 else []
    form = {"name": "Lea", "at": e.choose.randrange(9), "eyes": e.choose.choice(("open", "0", "x"))}
    who = e.classes[-1].host if classes else e.anybody()
    return Request(who, "POST", f"/record/{table}/together", {**form, **({"class": classes[0]} if classes else {})})


@deed(
    0.25,
    "GET /puzzles/{game_id:str}/{puzzle_id:str}/together",
    "POST /puzzles/{game_id:str}/{puzzle_id:str}/together",
)
def begin_with_a_puzzle(e):
    puzzle = e.choose.choice(("nothing", *[puzzles_of(find_game("memoarrrr"))[0].id] * 4))
    address = f"/puzzles/memoarrrr/{puzzle}/together"
    if e.choose.random() < 0.2:
        return Request(e.anybody(), "GET", address)
    return Request(e.anybody(), "POST", address, {"name": "Lea", "class": e.choose.choice(("", "", "", "nonsense"))})


@deed(1.2, "POST /tour/{tour_id:str}/come")
def come_to_look(e):
    form = {"name": e.choose.choice(("Anna", "Zoë", "Zoë", " "))}
    return Request(somebody(e), "POST", f"/tour/{tour_id(e)}/come", form) if e.tours else None


@deed(1.2, "GET /tour/{tour_id:str}", "GET /tour/{tour_id:str}/live")
def look_together(e):
    end = e.choose.choice(("", "", "?at=1&eyes=open", "?at=²", "?pick=a1", "/live"))
    parts = e.choose.choice(("", "", "1")) if end != "/live" else ""
    return Request(somebody(e), "GET", f"/tour/{tour_id(e)}{end}", parts=parts, first_only=end == "/live")


@deed(
    2.5,
    *(f"POST /tour/{{tour_id:str}}/{what}" for what in (*LEADING, "mark", "wipe", "say", "note", "unnote", "answer")),
    *(f"POST /tour/{{tour_id:str}}/{what}" for what in ("hand-over", "mute", "unmute")),
)
def do_together(e):
    """Whoever it is for, and with whatever the page they saw last had."""
    what = e.choose.choice(
        (*["lead", "show", "mark", "say", "note"], *["ask"] * 4, *["answer"] * 8, *NAMED, "go-on", "wipe", "unnote")
    )
    whom, places, moves = e.seen_together
    form = {
        "lead": {"at": e.choose.randrange(9), "eyes": e.choose.choice(("open", "nobody", "0", "9"))},
        "mark": {name: e.choose.choice((*places, "nonsense")) for name in ("start", "end")},
        "say": e.choose.choice(({"text": "Hm?"}, {"phrase": "Hello!"}, {"text": " "})),
        "note": {"at": e.choose.randrange(-1, 9), "text": e.choose.choice(("<b>Well</b>", ""))},
        "unnote": {"note": e.choose.choice((*whom, "nonsense"))},
        "answer": {"move": e.choose.choice((*moves, "nonsense"))},
    }
    told = form.get(what, {"whom": e.choose.choice((*whom, "nonsense"))} if what in NAMED else {})
    which = tour_id(e)
    return Request(fitting(e, which, what), "POST", f"/tour/{which}/{what}", told) if e.tours else None


def fitting(e, which, what):
    """Most often somebody who may do it, as far as is known."""
    tour = e.known_tours.get(which)
    if tour is None or e.choose.random() < 0.2:
        return somebody(e)
    members = [(browser, tour.find(e.person_of(browser))) for browser in (*e.crowd, *e.pupils)]
    leading = what in LEADING or (what != "answer" and e.choose.random() < 0.3)
    fit = [browser for browser, member in members if member and (member.id == tour.leader) == leading]
    return e.choose.choice(fit) if fit else somebody(e)


@deed(0.15, "POST /tour/{tour_id:str}/leave", "POST /tour/{tour_id:str}/end")
def stop_looking(e):
    return Request(e.anybody(), "POST", f"/tour/{tour_id(e)}/{e.choose.choice(('leave', 'leave', 'end'))}", {})


# What must hold


async def before(e, request):
    """The tour that a request is about, as it is before."""
    parts = request.address.partition("?")[0].split("/")
    if parts[1] != "tour" or len(parts) < 3 or not hasattr(e.house, "app"):
        return None
    e.known_tours[parts[2]] = tour = await tour_there(e, parts[2])
    return tour


def check(e, request, answer, tour):
    """Only who leads leads, and who has not come in sees and does nothing."""
    parts = request.address.partition("?")[0].split("/")
    if tour is None or not answer.is_ok or parts[-1] == "come":
        return
    person = e.person_of(request.browser)
    led_back = answer.header(b"location").startswith("/class/")
    member = tour.find(person)
    if member is None and not led_back and (request.method == "POST" or "data-part" in answer.text):
        if not (parts[-1] == "end" and person == tour.host):
            raise Fault(f"together: {request.browser}, who has not come in, is answered {answer.status}: {request}")
    if member and member.id != tour.leader and parts[-1] in LEADING and not led_back:
        raise Fault(f"together: {request.browser}, who does not lead, is answered {answer.status}: {request}")


def learn(e, request, answer):
    """Of whom, of what places and of what moves the last page told."""
    if request.address.endswith("/together") and request.method == "POST" and answer.is_ok:
        location = answer.header(b"location")
        if location.startswith("/tour/"):
            e.tours.append(location.rsplit("/", 1)[1])
    if request.address.startswith("/tour/") and request.method == "GET" and 'data-part="people"' in answer.text:
        whom = re.findall(r'name="whom" value="([^"]+)"|name="note" value="([^"]+)"', answer.text)
        e.seen_together = [max(pair) for pair in whom], PLACE.findall(answer.text)[:6], MOVE.findall(answer.text)


async def look_for_answers(e):
    """Nobody is sent anything that depends on what others have answered, or whether, before it is shown."""
    if not e.tours or not hasattr(e.house, "app"):
        return
    tours, which = e.house.app.state.tours, e.choose.choice(e.tours[-3:])
    tour = await tour_there(e, which)
    if tour is None or not tour.is_asking or not tour.question.answers:
        return
    browsers = [(browser, tour.find(e.person_of(browser))) for browser in (*e.crowd, *e.pupils)]
    following = [(browser, member) for browser, member in browsers if member and member.id != tour.leader]
    if not following:
        return
    browser, member = e.choose.choice(following)
    own = [answer for answer in tour.question.answers if answer.by == member.id]
    without = msgspec.structs.replace(tour, question=msgspec.structs.replace(tour.question, answers=own))
    first = await e._ask(Request(browser, "GET", f"/tour/{which}"))
    await tours.change(which, lambda tour: without)
    second = await e._ask(Request(browser, "GET", f"/tour/{which}"))
    await tours.change(which, lambda _: tour)
    if first.status == 200 and TOKEN.sub("", first.text) != TOKEN.sub("", second.text):
        raise Fault(f"answers: what {browser} is sent of tour {which} depends on what others have answered")
    e.tally.looks["answers looked for"] += 1
