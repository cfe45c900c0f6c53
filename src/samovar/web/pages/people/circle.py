"""Circles: found one, come by its link, open a table with those who are there, look who leads, leave."""

from __future__ import annotations

from litestar import get, post
from litestar.datastructures import FormMultiDict
from litestar.params import FromPath
from litestar.response import Redirect, Response

from samovar.engine.registry import find_game
from samovar.engine.words import counted
from samovar.errors import UnknownGame
from samovar.web import problems
from samovar.web.game_list import all_games, game_named, levels_of_all_games
from samovar.web.names import check_name
from samovar.web.pages.home import game_names, give_signs, read_number, read_seats, relatives_of
from samovar.web.people.circles import Circle, CircleMember, Circles
from samovar.web.store.queries import circles as kept
from samovar.web.store.store import new_id
from samovar.web.tables import clock
from samovar.web.tables.chairs import is_companion
from samovar.web.visit import AnyRequest, Visit

LAST_GAME = "circle-game"  # in the cookie: what was opened last


class CircleVisit(Visit):
    """With what these pages need."""

    def __init__(self, request: AnyRequest) -> None:
        super().__init__(request)
        self.circles = Circles(self.tables)

    async def member(self, circle_id: str) -> tuple[Circle, CircleMember]:
        """Who asks, who must be in it."""
        circle, member = await self.circles.for_member(circle_id, self.person)
        self.circles.touch(circle_id, member)
        return circle, member


@get("/circle")
async def show_circles(request: AnyRequest) -> Response[str]:
    visit = CircleVisit(request)
    return visit.page("circle_list.html", circles=await visit.circles.of_person(visit.person))


@post("/circle", status_code=200)
async def found(request: AnyRequest) -> Redirect:
    visit = CircleVisit(request)
    form = await visit.form()
    name, own = str(form.get("circle", "")), check_name(str(form.get("name", "")))
    visit.remember(name=own)
    return visit.go(f"/circle/{await visit.circles.make(visit.make_person(), name, own)}")


@get("/circle/come/{key:str}")
async def ask(request: AnyRequest, key: FromPath[str]) -> Response[str] | Redirect:
    """It only asks: programs that look at links must not come in."""
    visit = CircleVisit(request)
    circle_id = await visit.circles.with_key(key)
    circle = await visit.circles.find(circle_id)
    if circle.member(visit.person):
        return visit.go(f"/circle/{circle_id}")
    return visit.page("circle_come.html", key=key, circle=circle)


@post("/circle/come/{key:str}", status_code=200)
async def come(request: AnyRequest, key: FromPath[str]) -> Redirect:
    visit = CircleVisit(request)
    name = check_name(str((await visit.form()).get("name", "")))
    await visit.circles.with_key(key)
    visit.remember(name=name)
    return visit.go(f"/circle/{await visit.circles.join(key, visit.make_person(), name)}")


@get("/circle/{circle_id:str}")
async def show(request: AnyRequest, circle_id: FromPath[str]) -> Response[str]:
    visit = CircleVisit(request)
    _, own = await visit.member(circle_id)
    now = await visit.circles.now(circle_id, own.person)
    held = await visit.tables.store.rows(kept.HELD, circle=circle_id, person=own.person)
    mine = [line for line in held if line.status in ("waiting", "playing")]
    relatives = [one.name for one in now.circle.members if one.beside == own.number]
    family = [name for name in await relatives_of(visit) if name not in relatives] if visit.device else []
    return visit.page(
        "circle.html",
        circle_id=circle_id,
        now=now,
        circle=now.circle,
        own=own,
        mine={line.id for line in mine},
        called=next((line.id for line in mine if line.status == "playing" and line.kind == "circle"), ""),
        family=family,
        games=all_games(),
        last_game=visit.recall(LAST_GAME),
        names=game_names(),
        levels=levels_of_all_games(),
        moment=clock.now(),
        counted=counted,
        is_companion=is_companion,
    )


@post("/circle/{circle_id:str}/open", status_code=200)
async def open_table(request: AnyRequest, circle_id: FromPath[str]) -> Redirect:
    """With those who are there; who wants to know of it and is not, is told."""
    visit = CircleVisit(request)
    circle, own = await visit.member(circle_id)
    form = await visit.form()
    chosen = str(form.get("game", ""))
    game_id, _, seats = chosen.partition(" ")
    game = game_named(game_id)
    count = read_seats(FormMultiDict([("seats", seats)]), game, game.seats[0])
    numbers = [read_number(FormMultiDict([("who", text)]), "who", 0) for text in form.getall("who", [])]
    table_id = new_id()
    there = await visit.circles.here(circle_id, circle)
    wanting = [one.person for one in circle.members if one.wants_calls and one not in there]
    await request.app.state.notifier.expect_table(circle_id, table_id, wanting)
    level = str(form.get("level", ""))
    await visit.circles.open_table(circle_id, table_id, own, game, count, numbers, level)
    visit.remember(**{LAST_GAME: chosen})
    give_signs(visit, [one.name for one in circle.members if one.number in numbers and one.beside == own.number])
    return visit.go(f"/table/{table_id}")


@post("/circle/{circle_id:str}/sit", status_code=200)
async def sit(request: AnyRequest, circle_id: FromPath[str]) -> Redirect:
    visit = CircleVisit(request)
    _, own = await visit.member(circle_id)
    table_id = str((await visit.form()).get("table", ""))
    await visit.circles.sit(circle_id, own, table_id)
    return visit.go(f"/table/{table_id}")


@post("/circle/{circle_id:str}/day", status_code=200)
async def play_day(request: AnyRequest, circle_id: FromPath[str]) -> Redirect:
    """To one's table of the circle's own deal of the day; there is one, however often they come."""
    visit = CircleVisit(request)
    circle, own = await visit.member(circle_id)
    try:
        game = find_game(circle.daily)
    except UnknownGame as error:
        raise problems.NoDealOfCircle from error
    return visit.go(f"/table/{await visit.circles.play_day(circle_id, own, game)}")


@post("/circle/{circle_id:str}/calls", status_code=200)
async def want_calls(request: AnyRequest, circle_id: FromPath[str]) -> Redirect:
    """Whether somebody wants to be told that a table was opened."""
    visit = CircleVisit(request)
    _, own = await visit.member(circle_id)
    wants = (await visit.form()).get("on") == "yes"
    await visit.circles.change(circle_id, lambda circle: circle.with_changed(own.person, wants_calls=wants))
    return visit.go(f"/circle/{circle_id}")


@post("/circle/{circle_id:str}/name", status_code=200)
async def rename(request: AnyRequest, circle_id: FromPath[str]) -> Redirect:
    visit = CircleVisit(request)
    _, own = await visit.member(circle_id)
    name = check_name(str((await visit.form()).get("name", "")))
    await visit.circles.change(circle_id, lambda circle: circle.renamed(own.person, name))
    return visit.go(f"/circle/{circle_id}")


@post("/circle/{circle_id:str}/beside", status_code=200)
async def add_relative(request: AnyRequest, circle_id: FromPath[str]) -> Redirect:
    """Somebody who plays on this device is a member, too."""
    visit = CircleVisit(request)
    _, own = await visit.member(circle_id)
    name = check_name(str((await visit.form()).get("name", "")))
    await visit.circles.add_relative(circle_id, own.person, visit.make_device(), name)
    give_signs(visit, [name])
    return visit.go(f"/circle/{circle_id}")


@post("/circle/{circle_id:str}/leave", status_code=200)
async def leave(request: AnyRequest, circle_id: FromPath[str]) -> Redirect:
    """Oneself, somebody on one's own device, or, for the owner, somebody else."""
    visit = CircleVisit(request)
    _, own = await visit.member(circle_id)
    form = await visit.form()
    number = read_number(form, "number", own.number)
    if number == own.number and form.get("sure") != "yes":
        raise problems.NotSure
    await visit.circles.take_out(circle_id, visit.person, number)
    if number == own.number:
        return visit.go("/circle")
    return visit.go(f"/circle/{circle_id}{'/keep' if form.get('back') == 'keep' else ''}")
