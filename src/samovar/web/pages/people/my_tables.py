"""All tables of one's own: in the order in which they matter, hidden or left for good."""

from __future__ import annotations

import re

from litestar import get, post
from litestar.response import Redirect, Response

from samovar.web import problems
from samovar.web.pages.home import line_facts, read_query
from samovar.web.people.own_matches import make_up
from samovar.web.store import chores
from samovar.web.tables.actions import StandingUp
from samovar.web.tables.tables import by_person
from samovar.web.visit import AnyRequest, Visit

ON_A_PAGE = 50
LONGEST_ID = 40


@get("/tables")
async def my_tables(request: AnyRequest) -> Response[str]:
    """All tables where this visitor sits, also those that are over or forgotten."""
    visit = Visit(request)
    asked = read_query(request)
    is_hidden = "hidden" in asked
    page = int(asked["page"][0]) if re.fullmatch("[1-9][0-9]{0,5}", asked.get("page", [""])[0]) else 1
    if visit.person:
        await make_up(visit.tables, visit.person)
    first = (page - 1) * ON_A_PAGE
    mine = (
        await visit.tables.store.tables_of(visit.person, ON_A_PAGE + 1, first, is_hidden=is_hidden)
        if visit.person
        else []
    )
    return visit.page(
        "tables.html",
        mine=mine[:ON_A_PAGE],
        page=page,
        has_more=len(mine) > ON_A_PAGE,
        is_hidden=is_hidden,
        **line_facts(),
    )


async def _asked(visit: Visit) -> tuple[str, str]:
    """Who asks, and for which table."""
    table = str((await visit.form()).get("table", ""))[:LONGEST_ID]
    if visit.person is None or "\x00" in table:
        raise problems.NotSeated
    return visit.person, table


@post("/tables/hide", status_code=200)
async def hide(request: AnyRequest) -> Redirect:
    visit = Visit(request)
    person, table = await _asked(visit)
    await visit.tables.store.do(chores.hide, table, person, True)
    return visit.go("/tables")


@post("/tables/show", status_code=200)
async def show(request: AnyRequest) -> Redirect:
    visit = Visit(request)
    person, table = await _asked(visit)
    await visit.tables.store.do(chores.hide, table, person, False)
    return visit.go("/tables?hidden")


@post("/tables/leave", status_code=200)
async def leave(request: AnyRequest) -> Redirect:
    """A table that is over, or has not begun. A match that goes on is left at its table, where one
    is told what that means."""
    visit = Visit(request)
    person, table_id = await _asked(visit)
    if not await visit.tables.leave_after_end(table_id, person):
        await StandingUp().do(visit.tables, table_id, by_person(person))
    return visit.go("/tables")
