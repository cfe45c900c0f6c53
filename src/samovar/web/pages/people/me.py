"""A page of one's own: name, sign and wishes, matches, a link for other devices, and all of it as a
file or gone."""

from __future__ import annotations

from typing import Any

from litestar import get, post
from litestar.datastructures import FormMultiDict
from litestar.response import Redirect, Response

from samovar.language.languages import LANGUAGES
from samovar.web import problems
from samovar.web.game_list import all_games
from samovar.web.names import check_name
from samovar.web.pages.home import game_names, is_turn
from samovar.web.pages.people import me_link
from samovar.web.people.own_matches import games_of, latest_of, make_up, opponents_of
from samovar.web.people.path import done_by, path_of
from samovar.web.people.people import COLOURS, MARKS, PACES, SECOND_LOOKS
from samovar.web.tables import clock
from samovar.web.visit import AnyRequest, Visit

MOST_COUNTED = 50  # tables that are looked through for those that wait


@get("/me")
async def me(request: AnyRequest) -> Response[str]:
    visit = Visit(request)
    mine = await visit.tables.store.tables_of(visit.person, MOST_COUNTED) if visit.person else []
    done = await done_by(visit.tables.store, visit.person)
    return visit.page(
        "me.html",
        paths=[(game, path_of(game, done, visit.language)) for game in all_games() if game.id in done.begun],
        marks=MARKS,
        colours=COLOURS,
        paces=PACES,
        is_saved="saved" in request.query_params,
        waiting=sum(map(is_turn, mine)),
        link=me_link.own_link(visit),
    )


@post("/me", status_code=200)
async def save(request: AnyRequest) -> Redirect:
    visit = Visit(request)
    form = await visit.form()
    changes = {
        "name": check_name(str(form.get("name", ""))),
        "mark": read_choice(form, "mark", MARKS),
        "colour": read_choice(form, "colour", COLOURS),
        "language": read_choice(form, "language", LANGUAGES),
        "pace": read_choice(form, "pace", PACES),
        "sound": form.get("sound") == "on",
        "second_look": read_choice(form, "second_look", SECOND_LOOKS),
    }
    await visit.people.change(visit.make_person(), **changes)
    return visit.go("/me?saved")


def read_choice(form: FormMultiDict, name: str, choices: tuple[str, ...]) -> str:
    """One of these, or none."""
    text = str(form.get(name, ""))
    if text and text not in choices:
        raise problems.BadChoice(name=name, value=text[:40])
    return text


@post("/me/comfort", status_code=204)
async def comfort(request: AnyRequest) -> None:
    """What our scripts are told at a table is kept for all devices of whoever has a page."""
    visit = Visit(request)
    form = await visit.form()
    changes: dict[str, Any] = {}
    if "pace" in form:
        changes["pace"] = read_choice(form, "pace", PACES)
    if "sound" in form:
        changes["sound"] = form.get("sound") == "on"
    if "second_look" in form:
        changes["second_look"] = read_choice(form, "second_look", SECOND_LOOKS)
    if changes:
        await visit.change_profile(**changes)


@get("/me/matches")
async def matches(request: AnyRequest) -> Response[str]:
    visit = Visit(request)
    person, store = visit.person or "", visit.tables.store
    if person:
        await make_up(visit.tables, person)
    return visit.page(
        "me_matches.html",
        games=await games_of(store, person) if person else [],
        opponents=await opponents_of(store, person) if person else [],
        latest=await latest_of(store, person) if person else [],
        names=game_names(),
        now=clock.now(),
    )
