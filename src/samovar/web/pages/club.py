"""Club evenings: make one, come by its link, begin it, go to one's table, and see who leads."""

from __future__ import annotations

import asyncio

from litestar import get, post
from litestar.params import FromPath
from litestar.response import Redirect, Response

from samovar.web import problems
from samovar.web.drawing.clock_words import clock_text
from samovar.web.game_list import all_games, game_named
from samovar.web.names import check_name
from samovar.web.pages.home import read_number, read_query, read_seats
from samovar.web.pages.table import qr_code
from samovar.web.people.circles import Circles
from samovar.web.people.clubs import MOST_DEALS, MOST_PEOPLE, Club, Clubs, Evening, commitment_of
from samovar.web.tables.clock import now
from samovar.web.tables.codes import code_of
from samovar.web.tables.phrases import USUAL_LEVEL
from samovar.web.visit import AnyRequest, Visit

USUAL_DEALS = 4


@get("/club")
async def new_club(request: AnyRequest) -> Response[str]:
    """First the game, which says how many may sit at a table, then all else."""
    visit = Visit(request)
    games, query = all_games(), read_query(request)
    asked, circle = (query.get(name, [""])[0] for name in ("game", "circle"))
    own_circles = await Circles(visit.tables).of_person(visit.person)
    game = next((game for game in games if game.id == asked), games[0])
    return visit.page(
        "club_new.html",
        games=games,
        game=game,
        circles=own_circles,
        circle=next((one for one in own_circles if one[0] == circle), None),
        levels=game.heuristics.offered,
        usual_level=USUAL_LEVEL,
        usual_deals=USUAL_DEALS,
        most_deals=MOST_DEALS,
        most_people=MOST_PEOPLE,
    )


@post("/club")
async def make_club(request: AnyRequest) -> Redirect:
    visit = Visit(request)
    form = await visit.form()
    game = game_named(str(form.get("game", "")))
    seats, deals = read_seats(form, game, game.seats[0]), read_number(form, "deals", USUAL_DEALS)
    name, level = str(form.get("name", "")), str(form.get("level", USUAL_LEVEL))
    circle = str(form.get("circle", ""))
    club_id = await Clubs(visit.tables).make(visit.make_person(), name, game, seats, deals, level, circle)
    return visit.go(f"/club/{club_id}")


async def visitor(request: AnyRequest, club_id: str) -> Visit:
    """Of an evening that is there for them."""
    visit = Visit(request)
    await Clubs(visit.tables).check_visitor(club_id, visit.person)
    return visit


@get("/club/{club_id:str}")
async def show_club(request: AnyRequest, club_id: FromPath[str]) -> Response[str]:
    visit = await visitor(request, club_id)
    evening = await Clubs(visit.tables).evening(club_id)
    club = evening.club
    company = club.company_of(visit.person)
    return visit.page(
        "club.html",
        club_id=club_id,
        club=club,
        evening=evening,
        game=game_of(club),
        commitment=shown_commitment(club),
        own=club.number_of(visit.person),
        company=company,
        deal=None if company is None else evening.next_deal(company),
        is_host=visit.person == club.host,
        by_cards=read_query(request).get("by", [""])[0] == "cards",
        invitation=f"{visit.address}/club/{club_id}",
        code=code_of(visit.tables.secret, club_id),
        most_people=MOST_PEOPLE,
    )


@get("/club/{club_id:str}/wall")
async def show_wall(request: AnyRequest, club_id: FromPath[str]) -> Response[str]:
    """For a large screen in the room: how to join, then who plays and who leads."""
    visit = await visitor(request, club_id)
    return draw_wall(visit, club_id, await Clubs(visit.tables).evening(club_id))


def draw_wall(visit: Visit, club_id: str, evening: Evening, next_page: str = "") -> Response[str]:
    """`next_page`: where a screen goes on that shows other pages in turn with this one."""
    return visit.page(
        "wall.html",
        next_page=next_page,
        club_id=club_id,
        club=evening.club,
        evening=evening,
        game=game_of(evening.club),
        began=evening.club.began and not evening.is_over,
        now=now(),
        clock_text=clock_text,
        code=code_of(visit.tables.secret, club_id),
        site=visit.address.partition("://")[2],
    )


def game_of(club: Club) -> str:
    """Its name, also when its rules are not here any more."""
    try:
        return game_named(club.game).name
    except problems.NoSuchGame:
        return club.game


def shown_commitment(club: Club) -> str:
    """None can be computed any more when the rules have changed."""
    try:
        return commitment_of(club, club.find_game())
    except (problems.NoSuchGame, problems.OldRules):
        return ""


@get("/club/{club_id:str}/invitation.svg")
async def invitation(request: AnyRequest, club_id: FromPath[str]) -> Response[bytes]:
    visit = await visitor(request, club_id)
    return Response(await asyncio.to_thread(qr_code, f"{visit.address}/club/{club_id}"), media_type="image/svg+xml")


@post("/club/{club_id:str}/join", status_code=200)
async def join(request: AnyRequest, club_id: FromPath[str]) -> Redirect:
    visit = await visitor(request, club_id)
    form = await visit.form()
    name, nonce = check_name(str(form.get("name", ""))), str(form.get("luck", ""))
    visit.remember(name=name)
    person = visit.make_person()
    await Clubs(visit.tables).change(club_id, lambda club: club.join(person, name, nonce))
    return visit.go(f"/club/{club_id}")


@post("/club/{club_id:str}/leave", status_code=200)
async def leave(request: AnyRequest, club_id: FromPath[str]) -> Redirect:
    """Somebody is named by name: their number may be another's by now."""
    visit = await visitor(request, club_id)
    name = str((await visit.form()).get("name", ""))

    def without(club: Club) -> Club:
        number = next((place for place, member in enumerate(club.members) if member.name == name), -1)
        return club.leave(visit.person, number)

    await Clubs(visit.tables).change(club_id, without)
    return visit.go(f"/club/{club_id}")


@post("/club/{club_id:str}/begin", status_code=200)
async def begin(request: AnyRequest, club_id: FromPath[str]) -> Redirect:
    visit = await visitor(request, club_id)
    await Clubs(visit.tables).change(club_id, lambda club: club.begin(visit.person))
    return visit.go(f"/club/{club_id}")


@post("/club/{club_id:str}/end", status_code=200)
async def end(request: AnyRequest, club_id: FromPath[str]) -> Redirect:
    visit = await visitor(request, club_id)
    await Clubs(visit.tables).change(club_id, lambda club: club.close(visit.person))
    return visit.go(f"/club/{club_id}")


@post("/club/{club_id:str}/play", status_code=200)
async def play(request: AnyRequest, club_id: FromPath[str]) -> Redirect:
    """To one's table, which the first of a company opens."""
    visit = await visitor(request, club_id)
    table_id = await Clubs(visit.tables).table_for(club_id, visit.person)
    return visit.go(f"/table/{table_id}" if table_id else f"/club/{club_id}")
