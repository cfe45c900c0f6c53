"""Circles in an evening: people found them, come by links of now and of before, and leave. What must hold: who is not
in one is answered as where nothing is, and only who owns it does what owners do."""

from __future__ import annotations

import json

from samovar.web.people.circles import Circle, Circles
from samovar.web.people.seasons import METHODS
from samovar.web.store.entries import CloseTable, Forget, Hide, Leave, Open, Rename, Sit, Start

from .deeds import NAMES, deed
from .houses import Fault
from .people import Request

OWNERS = ("keep", "renew", "season", "hook", "hand-over", "delete")
NOWHERE = ("https://127.0.0.1/x", "http://example.org/", "nonsense", "https://[::1]/")  # nothing is ever sent there


def some_circle(e):
    return e.choose.choice(e.ledger.circles()[-3:]) if e.ledger.circles() else None


def member_of(e, circle_id):
    """Most often one who is in it."""
    there = [one for one in e.crowd if e.person_of(one) in e.ledger.circle_members(circle_id)]
    return e.choose.choice(there) if there and e.choose.random() < 0.8 else e.anybody()


def in_circle(e, what, **form):
    circle_id = some_circle(e)
    return circle_id and Request(member_of(e, circle_id), "POST", f"/circle/{circle_id}/{what}", form)


def by_owner(e, what, **form):
    circle_id = some_circle(e)
    if circle_id is None:
        return None
    host = next((one for one in e.crowd if e.person_of(one) == e.ledger.host(circle_id)), None)
    who = host if host and e.choose.random() < 0.8 else e.anybody()
    return Request(who, "POST", f"/circle/{circle_id}/{what}", form)


@deed(0.3, "GET /circle", "POST /circle")
def found_a_circle(e):
    if e.choose.random() < 0.2:
        return Request(e.anybody(), "GET", "/circle")
    return Request(e.anybody(), "POST", "/circle", {"circle": e.choose.choice(NAMES), "name": e.choose.choice(NAMES)})


@deed(0.8, "GET /circle/come/{key:str}", "POST /circle/come/{key:str}")
def come_into_a_circle(e):
    """By a link of now, or one of before."""
    circle_id = some_circle(e)
    if circle_id is None:
        return None
    circle = Circle(**{**json.loads(e.ledger.circle(circle_id)), "members": [], "seasons": []})
    key = Circles(e.house.tables).key(circle_id, circle) if hasattr(e.house, "app") else "0" * 40
    e.circle_links.append(key)
    key = key if e.choose.random() < 0.8 else e.choose.choice(e.circle_links)
    if e.choose.random() < 0.3:
        return Request(e.anybody(), "GET", f"/circle/come/{key}")
    return Request(e.anybody(), "POST", f"/circle/come/{key}", {"name": e.choose.choice(NAMES)})


@deed(0.4, "GET /circle/{circle_id:str}", "GET /circle/{circle_id:str}/keep", "GET /circle/{circle_id:str}/link.svg")
def look_at_a_circle(e):
    circle_id = some_circle(e)
    end = e.choose.choice(("", "", "", "/keep", "/link.svg"))
    return circle_id and Request(member_of(e, circle_id), "GET", f"/circle/{circle_id}{end}")


@deed(1.2, "POST /circle/{circle_id:str}/open", makes=(Open, Sit, Start))
def open_a_table_of_a_circle(e):
    game = e.choose.choice(
        ("connect_four 2", "connect_four 2", "memoarrrr 2", "memoarrrr 3", "memoarrrr 9", "nonsense")
    )
    who = [e.choose.randrange(1, 6) for _ in range(e.choose.choice((0, 0, 0, 1, 2)))]
    return in_circle(e, "open", game=game, who=who, level=e.choose.choice(("", "", "", "easy", "nonsense")))


@deed(0.6, "POST /circle/{circle_id:str}/sit", makes=(Sit, Start))
def sit_down_in_a_circle(e):
    tables = [one for one in e.ledger.tables.values() if one.circle and one.status == "waiting" and one.free]
    tables = [one for one in tables if not (one.cancelled_by or one.is_closed)]
    if not tables or e.choose.random() < 0.1:
        return in_circle(e, "sit", table=e.choose.choice((*e.recent()[-1:], "nonsense")))
    table = tables[-1]
    there = [one for one in e.crowd if e.person_of(one) in e.ledger.circle_members(table.circle)]
    there = [one for one in there if not e.chairs_here(table, one)] or [e.anybody()]
    return Request(e.choose.choice(there), "POST", f"/circle/{table.circle}/sit", {"table": table.id})


@deed(0.8, "POST /circle/{circle_id:str}/day", makes=(Open, Sit, Start))
def play_the_deal_of_a_circle(e):
    """Of one that has any, if there is one."""
    with_a_deal = [one for one in e.ledger.circles() if json.loads(e.ledger.circle(one)).get("daily") == "memoarrrr"]
    if not with_a_deal:
        return in_circle(e, "day")
    circle_id = e.choose.choice(with_a_deal)
    return Request(member_of(e, circle_id), "POST", f"/circle/{circle_id}/day", {})


@deed(
    0.3,
    "POST /circle/{circle_id:str}/calls",
    "POST /circle/{circle_id:str}/name",
    "POST /circle/{circle_id:str}/beside",
)
def be_in_a_circle(e):
    what = e.choose.choice(("calls", "name", "beside"))
    return in_circle(e, what, on=e.choose.choice(("yes", "")), name=e.choose.choice(NAMES))


@deed(0.3, "POST /circle/{circle_id:str}/leave", makes=(Leave, Rename, Hide, Forget))
def leave_a_circle(e):
    number = {} if e.choose.random() < 0.5 else {"number": e.choose.randrange(1, 6)}
    return in_circle(e, "leave", sure=e.choose.choice(("yes", "yes", "")), **number)


@deed(0.2, "POST /club", name="make an evening of a circle")
def make_an_evening_of_a_circle(e):
    circle_id = some_circle(e)
    form = {"name": "Friday", "game": "memoarrrr", "seats": 2, "deals": 2, "level": "easy", "circle": circle_id}
    return circle_id and Request(member_of(e, circle_id), "POST", "/club", form)


@deed(
    0.6,
    *(f"POST /circle/{{circle_id:str}}/{what}" for what in OWNERS),
    *(f"POST /circle/{{circle_id:str}}/hook/{{channel_id:str}}/{what}" for what in ("try", "remove")),
    makes=(CloseTable,),
)
def keep_a_circle(e):
    """They are deleted seldom: then there is nothing left to do in them."""
    what = e.choose.choice(("keep", "keep", "keep", "renew", "season", "hook", "hook/nonsense/try", "hand-over"))
    what = "delete" if e.choose.random() < 0.05 else what
    form = {
        "keep": {
            "name": e.choose.choice(NAMES),
            "daily": e.choose.choice(("", "memoarrrr", "memoarrrr")),
            "phrases": "Hm?",
        },
        "season": {"ends": e.choose.choice(("2033-09-01", "2001-01-01", "")), "method": e.choose.choice(METHODS)},
        "hook": {"form": "discord", "target": e.choose.choice(NOWHERE)},
        "hand-over": {"number": e.choose.randrange(1, 4)},
        "delete": {"sure": "yes"},
    }.get(what, {})
    if what == "season" and e.choose.random() < 0.4:
        form = {"end": "now"}
    what = what.replace("try", e.choose.choice(("try", "remove")))
    request = by_owner(e, what, **form)
    if request and what == "delete" and is_owner(e, request):
        tables = [table for table in e.ledger.tables.values() if table.circle == request.address.split("/")[2]]
        playing = [table for table in tables if table.status != "over"]
        request.gives_up = [(table.id, chair.seat) for table in playing for chair in table.chairs]
    return request


# What must hold


def is_owner(e, request):
    return bool(e.person_of(request.browser)) and e.person_of(request.browser) == e.ledger.host(
        request.address.split("/")[2]
    )


def before(e, request):
    """Why a request must be answered as where nothing is; empty: it need not be."""
    parts = request.address.partition("?")[0].split("/")
    person = request.browser and e.person_of(request.browser)
    if len(parts) > 2 and parts[1] == "circle" and parts[2] != "come":
        if person not in e.ledger.circle_members(parts[2]):
            return "who is not in it"
        is_for_owner = len(parts) > 3 and (parts[3] in OWNERS or parts[3] in ("keep", "link.svg"))
        return "who does not own it" if is_for_owner and not is_owner(e, request) else ""
    table = e.ledger.tables.get(parts[2]) if len(parts) > 2 and parts[1] in ("table", "record") else None
    if table is None or not table.circle or person in e.ledger.circle_members(table.circle) or request.token:
        return ""
    leads_back = request.method == "GET" or "count" in (request.form or {})
    if leads_back and parts[-1] in ("move", "whole"):
        return ""  # they lead to the page of the table, whether there is one or not
    if "come" in parts or (request.browser and e.chairs_here(table, request.browser)):
        return ""  # they sit there, or have the link of somebody who does
    return "who is not in its circle"


def check(why, request, answer):
    """A form that is nonsense may be refused before anything is looked for."""
    is_refused = answer.status in (403, 404) or (answer.status == 422 and "/table/" in request.address)
    if why and not is_refused:
        raise Fault(f"circles: {why} is answered {answer.status}: {request}")
