"""Classes: a teacher writes down names and shows a code; pupils choose their names; the teacher seats them, watches,
pauses, moves and ends."""

from __future__ import annotations

import asyncio

from litestar import get, post
from litestar.datastructures import FormMultiDict
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response import Redirect, Response
from markupsafe import Markup

from samovar.web import problems
from samovar.web.game_list import all_games, game_named, levels_of_all_games
from samovar.web.pages.home import game_names, read_seats
from samovar.web.pages.invitation import members_of
from samovar.web.pages.table import qr_code
from samovar.web.people.classes import MOST_PUPILS, USUAL_LEVEL, Classes, SchoolClass, SchoolLesson
from samovar.web.store.entries import Settings
from samovar.web.tables.clock import ALLOWANCES, check_time
from samovar.web.tables.codes import code_of, page_with
from samovar.web.visit import AnyRequest, Visit


def classes_of(request: AnyRequest) -> Classes:
    return Classes(request.app.state.tables, members_of(request))


async def may_teach(request: AnyRequest, visit: Visit) -> bool:
    """Whoever may open tables here: everybody on an open site, else those who were let in."""
    if request.app.state.entry.kind != "invited":
        return request.app.state.entry.is_open or bool(visit.person)
    return bool(visit.person and await members_of(request).role(visit.person))


async def taught(request: AnyRequest, class_id: str) -> tuple[Visit, SchoolClass]:
    """The class, for its teacher."""
    visit = Visit(request)
    try:
        group = await classes_of(request).find(class_id)
    except problems.NoSuchClass as error:
        raise problems.NoSuchPage from error
    group.check_teacher(visit.person)
    return visit, group


# For everybody


@get("/class")
async def enter_code(request: AnyRequest) -> Response[str] | Redirect:
    """The same for everybody: nobody learns here whether there is any class."""
    visit, classes = Visit(request), classes_of(request)
    if visit.person and (own := await members_of(request).class_of(visit.person)):
        return visit.go(f"/class/{own}")
    teaches = await may_teach(request, visit)
    own_classes = await classes.of_teacher(visit.person or "") if teaches else []
    return visit.page("class_code.html", teaches=teaches, own=own_classes, bare=not teaches)


@post("/class", status_code=200)
async def come_by_code(request: AnyRequest) -> Redirect:
    visit = Visit(request)
    code = str((await visit.form()).get("code", ""))
    return visit.go(await page_with(visit.tables.store, visit.tables.secret, code, of_class=True))


@get("/class/{class_id:str}")
async def show_class(request: AnyRequest, class_id: FromPath[str]) -> Response[str] | Redirect:
    """To the teacher all of it; to pupils their table, or that they wait; to everybody else the names."""
    visit = Visit(request)
    lesson = await classes_of(request).lesson(class_id)
    group = lesson.group
    tour: str = await request.app.state.tours.of_class(class_id)
    if visit.person == group.host:
        return visit.page("class.html", tour=tour, **facts_of(visit, class_id, lesson))
    pupil = group.pupil(visit.person)
    if pupil is None:
        if not group.is_on:
            raise problems.NoSuchClass
        return visit.page("class_names.html", class_id=class_id, group=group, bare=True)
    if table := lesson.table_of(pupil):
        return visit.go(f"/table/{table}")
    if tour:
        return visit.go(f"/tour/{tour}")
    last = lesson.at.get(pupil.person, "")
    return visit.page("class_wait.html", class_id=class_id, group=group, pupil=pupil, last=last, bare=True)


def facts_of(visit: Visit, class_id: str, lesson: SchoolLesson) -> dict[str, object]:
    return {
        "class_id": class_id,
        "group": lesson.group,
        "lesson": lesson,
        "code": code_of(visit.tables.secret, class_id),
        "address": f"{visit.address}/class",
        "site": f"{visit.address.partition('://')[2]}/class",
        "games": all_games(),
        "names": game_names(),
        "levels": levels_of_all_games(),
        "clocks": [name for name, allowance in ALLOWANCES.items() if not allowance.is_by_post],
        "usual_level": USUAL_LEVEL,
    }


@post("/class/{class_id:str}/come", status_code=200)
async def choose_name(request: AnyRequest, class_id: FromPath[str]) -> Redirect:
    visit = Visit(request)
    name = str((await visit.form()).get("name", ""))
    await classes_of(request).come(class_id, name, visit.make_person())
    return visit.go(f"/class/{class_id}")


@get("/class/{class_id:str}/come/{key:str}")
async def own_link(request: AnyRequest, class_id: FromPath[str], key: FromPath[str]) -> Response[str]:
    """A pupil's own link. It only asks: programs that look at links must not come in."""
    name = await classes_of(request).with_key(class_id, key)
    return Visit(request).page("class_come.html", class_id=class_id, key=key, name=name, bare=True)


@post("/class/{class_id:str}/come/{key:str}", status_code=200)
async def come_by_own_link(request: AnyRequest, class_id: FromPath[str], key: FromPath[str]) -> Redirect:
    visit, classes = Visit(request), classes_of(request)
    name = await classes.with_key(class_id, key)
    await classes.come(class_id, name, visit.make_person(), is_proven=True)
    return visit.go(f"/class/{class_id}")


@post("/class/{class_id:str}/leave", status_code=200)
async def not_me(request: AnyRequest, class_id: FromPath[str]) -> Redirect:
    """A pupil has chosen the wrong name."""
    visit, classes = Visit(request), classes_of(request)
    if pupil := (await classes.find(class_id)).pupil(visit.person):
        await classes.free(class_id, pupil.name)
    return visit.go(f"/class/{class_id}")


# For the teacher


@get("/class/new")
async def new_class(request: AnyRequest) -> Response[str]:
    visit = Visit(request)
    if not await may_teach(request, visit):
        raise problems.NoSuchPage
    return visit.page("class_new.html", most=MOST_PUPILS)


@post("/class/new", status_code=200)
async def make_class(request: AnyRequest) -> Redirect:
    visit = Visit(request)
    if not await may_teach(request, visit):
        raise problems.NoSuchPage
    form = await visit.form()
    classes = classes_of(request)
    class_id = await classes.make(visit.make_person(), str(form.get("name", "")), str(form.get("names", "")))
    return visit.go(f"/class/{class_id}")


@get("/class/{class_id:str}/wall")
async def show_wall(request: AnyRequest, class_id: FromPath[str]) -> Response[str]:
    """For a large screen in the room."""
    visit, _ = await taught(request, class_id)
    lesson = await classes_of(request).lesson(class_id)
    picture = await asyncio.to_thread(qr_code, f"{visit.address}/class/{class_id}")
    return visit.page("class_wall.html", picture=Markup(picture.decode()), **facts_of(visit, class_id, lesson))


@get("/class/{class_id:str}/links")
async def show_links(request: AnyRequest, class_id: FromPath[str]) -> Response[str]:
    """To be printed: a link for each pupil."""
    visit, group = await taught(request, class_id)
    classes = classes_of(request)
    names = [pupil.name for pupil in group.pupils]
    links = [f"{visit.address}/class/{class_id}/come/{classes.key(class_id, name)}" for name in names]
    pictures = await asyncio.to_thread(lambda: [Markup(qr_code(link).decode()) for link in links])
    return visit.page(
        "class_links.html", class_id=class_id, group=group, lines=list(zip(names, links, pictures, strict=True))
    )


@get("/class/{class_id:str}/names")
async def show_names(request: AnyRequest, class_id: FromPath[str]) -> Response[str]:
    visit, group = await taught(request, class_id)
    return visit.page("class_list.html", class_id=class_id, group=group, most=MOST_PUPILS)


@post("/class/{class_id:str}/names", status_code=200)
async def change_names(request: AnyRequest, class_id: FromPath[str]) -> Redirect:
    visit, _ = await taught(request, class_id)
    await classes_of(request).rename(class_id, str((await visit.form()).get("names", "")))
    return visit.go(f"/class/{class_id}")


@post("/class/{class_id:str}/free", status_code=200)
async def free_name(request: AnyRequest, class_id: FromPath[str]) -> Redirect:
    visit, _ = await taught(request, class_id)
    await classes_of(request).free(class_id, str((await visit.form()).get("name", "")))
    return visit.go(f"/class/{class_id}")


@post("/class/{class_id:str}/expect", status_code=200)
async def expect_pupil(request: AnyRequest, class_id: FromPath[str]) -> Redirect:
    visit, _ = await taught(request, class_id)
    await classes_of(request).expect(class_id, str((await visit.form()).get("name", "")))
    return visit.go(f"/class/{class_id}")


@post("/class/{class_id:str}/seat", status_code=200)
async def seat_all(request: AnyRequest, class_id: FromPath[str]) -> Redirect:
    visit, _ = await taught(request, class_id)
    form = await visit.form()
    game_id, _, seats = str(form.get("game", "")).partition(" ")
    game = game_named(game_id)
    number = read_seats(FormMultiDict([("seats", seats)]), game, game.seats[0])
    level, time = str(form.get("level", USUAL_LEVEL)), check_time(str(form.get("time", "")))
    await classes_of(request).seat(class_id, game, number, Settings(stand_in=level, time=time))
    return visit.go(f"/class/{class_id}")


@post("/class/{class_id:str}/move", status_code=200)
async def move_pupil(request: AnyRequest, class_id: FromPath[str]) -> Redirect:
    visit, _ = await taught(request, class_id)
    form = await visit.form()
    await classes_of(request).move(class_id, str(form.get("pupil", "")), str(form.get("table", "")))
    return visit.go(f"/class/{class_id}")


@post("/class/{class_id:str}/pause", status_code=200)
async def pause_all(request: AnyRequest, class_id: FromPath[str]) -> Redirect:
    visit, _ = await taught(request, class_id)
    await classes_of(request).pause(class_id, (await visit.form()).get("on") == "yes")
    return visit.go(f"/class/{class_id}")


def simply(what: str) -> HTTPRouteHandler:
    """The route of what needs no more than the class."""

    @post(f"/class/{{class_id:str}}/{what}", status_code=200)
    async def handler(request: AnyRequest, class_id: FromPath[str]) -> Redirect:
        visit, _ = await taught(request, class_id)
        await getattr(classes_of(request), what)(class_id)
        return visit.go("/class" if what == "delete" else f"/class/{class_id}")

    return handler


end, begin, delete = map(simply, ("end", "begin", "delete"))
