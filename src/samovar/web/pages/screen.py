"""A large screen for all around a table: it shows what a spectator sees, with nothing to press. Beside it a phone shows
its player's own part. A screen follows a table to the next one, or goes from table to table by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from litestar import get
from litestar.params import FromPath
from litestar.response import Redirect, Response

from samovar.web.pages.club import draw_wall, visitor
from samovar.web.pages.home import read_query
from samovar.web.pages.table import BESIDE, looks_of, qr_code, table_page, table_there, viewer_from
from samovar.web.people.clubs import Clubs, Evening
from samovar.web.tables.codes import page_with, screen_code_of
from samovar.web.visit import Answer, AnyRequest, Visit


@get("/table/{table_id:str}/screen")
async def show_screen(request: AnyRequest, table_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    turns = read_query(request).get("turns", [""])[-1]
    table = await table_there(visit, table_id)
    place = table.again if table.again and not turns else table.id
    if place != table_id:
        return visit.go(f"/table/{place}/screen")
    await visit.tables.check_watching(table, None)
    viewer = viewer_from(visit).as_screen()
    look = await looks_of(request).of(table, viewer)
    is_over = table.status == "over"
    code = "" if is_over else await screen_code_of(visit.tables.store, visit.tables.secret, table_id)
    site = visit.address.partition("://")[2]
    return table_page(
        visit, table, viewer, look, frame="screen", code=code, site=site, next_page=_next(turns, table_id)
    )


def _next(turns: str, table_id: str) -> str:
    """Where a screen goes on that shows several tables in turn: those of the house, or of a club evening."""
    if not turns:
        return ""
    return f"/screen?after={table_id}" if turns == "house" else f"/club/{turns}/screen?after={table_id}"


@get("/table/{table_id:str}/phone")
async def play_beside(request: AnyRequest, table_id: FromPath[str]) -> Redirect:
    """From the screen: this device leaves the board out, and whoever has a name sits down by it."""
    visit = Visit(request)
    table = await table_there(visit, table_id)
    if table.id != table_id:
        return visit.go(f"/table/{table.id}/phone")
    visit.remember(**{BESIDE: table_id})
    is_new = table.status == "waiting" and table.seat_of(visit.person) is None
    return visit.go(f"/table/{table_id}{'?sit' if is_new else ''}")


@get("/table/{table_id:str}/whole")
async def play_whole(request: AnyRequest, table_id: FromPath[str]) -> Redirect:
    """With the board again."""
    visit = Visit(request)
    visit.remember(**{BESIDE: ""})
    return visit.go(f"/table/{table_id}")


@get("/table/{table_id:str}/phone.svg")
async def phone_code(request: AnyRequest, table_id: FromPath[str]) -> Response[bytes]:
    visit = Visit(request)
    table = await visit.table(table_id)
    picture = await asyncio.to_thread(qr_code, f"{visit.address}/table/{table.id}/phone")
    return Response(picture, media_type="image/svg+xml")


@get("/screen")
async def show_house(request: AnyRequest) -> Answer:
    """The tables that are open to everybody, in turn."""
    visit = Visit(request)
    after = read_query(request).get("after", [""])[-1]
    tables = sorted(line.table for line in await visit.tables.open_tables())
    if not tables:
        return visit.page("screen_empty.html", site=visit.address.partition("://")[2])
    return visit.go(f"/table/{_following(tables, after)}/screen?turns=house")


@get("/screen/{code:str}")
async def show_by_code(request: AnyRequest, code: FromPath[str]) -> Redirect:
    """A short address, to be typed on a television: of a table, or of a club evening."""
    visit = Visit(request)
    page = await page_with(visit.tables.store, visit.tables.secret, code)
    return visit.go(f"{page.removesuffix('/phone')}/screen")


@get("/club/{club_id:str}/screen")
async def show_club(request: AnyRequest, club_id: FromPath[str]) -> Answer:
    """The wall page, and in turn with it the tables of the last deal that is over everywhere: the others nobody may
    see who is to play the same cards."""
    visit = await visitor(request, club_id)
    after = read_query(request).get("after", [""])[-1]
    evening = await Clubs(visit.tables).evening(club_id)
    tables = _shown_tables(evening)
    if not tables or after in ("", tables[-1]):
        return draw_wall(visit, club_id, evening, f"/club/{club_id}/screen?after=wall")
    return visit.go(f"/table/{_following(tables, after)}/screen?turns={club_id}")


def _shown_tables(evening: Evening) -> list[str]:
    last = max((deal for deal, _ in evening.tables if evening.is_open(deal)), default=0)
    return [table_id for (deal, _), (table_id, _) in sorted(evening.tables.items()) if deal == last]


def _following(tables: Sequence[str], after: str) -> str:
    """The next one, and after the last the first."""
    return tables[(tables.index(after) + 1) % len(tables)] if after in tables else tables[0]
