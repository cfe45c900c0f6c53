"""The deal of the day: play it once, see how you did, and how yesterday went."""

from __future__ import annotations

from datetime import timedelta

from litestar import get, post
from litestar.params import FromPath
from litestar.response import Redirect, Response

from samovar.web.game_list import all_games, game_named
from samovar.web.people.daily import Daily, today
from samovar.web.tables import series
from samovar.web.tables.phrases import USUAL_LEVEL, USUAL_NAME
from samovar.web.visit import AnyRequest, Visit

HOUR_MS = 3_600_000


@get("/daily")
async def show_daily(request: AnyRequest) -> Response[str]:
    visit = Visit(request)
    daily = Daily(visit.tables)
    days = []
    for day in (today(), today() - timedelta(days=1)):
        deals = [daily.deal(game, day) for game in all_games()]
        days.append([(deal, await daily.standing(deal, visit.person)) for deal in deals])
    hours = max(1, round((days[0][0][0].closes - series.now()) / HOUR_MS))
    played = [(deal, standing) for deal, standing in days[1] if standing.count or standing.table]
    return visit.page("daily.html", now=days[0], before=played, hours=hours, level=USUAL_LEVEL)


@post("/daily/{game_id:str}", status_code=200)
async def play(request: AnyRequest, game_id: FromPath[str]) -> Redirect:
    """To the visitor's table of today's deal; there is one, however often they come."""
    visit = Visit(request)
    game = game_named(game_id)
    name = visit.name or visit.tell(USUAL_NAME)
    return visit.go(f"/table/{await Daily(visit.tables).play(game, visit.make_person(), name)}")


HANDLERS = [show_daily, play]
