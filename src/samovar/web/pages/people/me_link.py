"""A personal link to another device: it says whose it is, asks, and works once."""

from __future__ import annotations

import asyncio

from litestar import get, post
from litestar.params import FromPath
from litestar.response import Redirect, Response

from samovar.web import problems
from samovar.web.pages.table import qr_code
from samovar.web.people import own_data
from samovar.web.people.circles import Circles
from samovar.web.people.clubs import Clubs
from samovar.web.people.own_data import at_each, companions_of
from samovar.web.people.people import key_salt_of, link_key
from samovar.web.people.tours import Tours
from samovar.web.visit import AnyRequest, Visit

MOST_ALONG = 200  # tables that somebody can take along, those that wait for them first


def own_link(visit: Visit) -> str:
    """Empty for those who have no page of their own yet."""
    if not visit.person or not visit.known.key_salt:
        return ""
    return f"{visit.address}/me/come/{link_key(visit.person, visit.known.key_salt, visit.tables.secret)}"


def person_of(visit: Visit) -> str:
    """Whoever has a page of their own."""
    if not visit.person or not visit.known.key_salt:
        raise problems.NobodyYet
    return visit.person


@get("/me/link.svg")
async def link_code(request: AnyRequest) -> Response[bytes]:
    visit = Visit(request)
    person_of(visit)
    return Response(await asyncio.to_thread(qr_code, own_link(visit)), media_type="image/svg+xml")


@post("/me/renew", status_code=200)
async def renew(request: AnyRequest) -> Redirect:
    """Another link; the one that was there is of no use any more."""
    visit = Visit(request)
    await visit.people.spend(person_of(visit), visit.known.key_salt)
    return visit.go("/me#devices")


@post("/me/cut-off", status_code=200)
async def cut_off(request: AnyRequest) -> Redirect:
    """No other device is this person's any more, at no table either."""
    visit = Visit(request)
    persons = [person_of(visit), *await companions_of(visit.tables.store, visit.device)]
    visit.hold_on(await own_data.cut_off(visit.tables, visit.people, persons))
    return visit.go("/me#devices")


@get("/me/come/{key:str}")
async def come_page(request: AnyRequest, key: FromPath[str]) -> Response[str] | Redirect:
    """It only asks: programs that look at links in messages must not use them up."""
    visit = Visit(request)
    person = await visit.people.with_key(key, visit.tables.secret)
    if person == visit.person:
        return visit.go("/me")
    own = await visit.tables.store.tables_of(visit.person, MOST_ALONG) if visit.person else []
    return visit.page(
        "me_come.html",
        key=key,
        other=await visit.people.profile(person),
        tables=len(own),
        link=own_link(visit),
    )


@post("/me/come/{key:str}", status_code=200)
async def come(request: AnyRequest, key: FromPath[str]) -> Redirect:
    visit = Visit(request)
    person, before = await visit.people.with_key(key, visit.tables.secret), visit.person
    if person == before:
        return visit.go("/me")
    takes_along = (await visit.form()).get("along") == "yes"
    await visit.people.spend(person, key_salt_of(key))
    visit.become(person, await visit.people.known(person))
    if before and takes_along:
        await take_along(visit, before, person)
    return visit.go("/me")


async def take_along(visit: Visit, before: str, person: str) -> None:
    """The tables of whoever this browser was before, as far as the other does not sit there, too."""
    lines = await visit.tables.store.tables_of(before, MOST_ALONG)
    await at_each(lines, lambda line: visit.tables.take_along(line, before, person))
    await Clubs(visit.tables).replace_person(before, person)
    await Circles(visit.tables).replace_person(before, person)
    await Tours(visit.tables).replace_person(before, person)
    await visit.request.app.state.channels.move(before, person)
    visit.request.app.state.notifier.expect(person)
