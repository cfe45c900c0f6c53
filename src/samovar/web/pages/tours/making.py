"""Begin to look at something together: a moment of a record, or a puzzle."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from litestar import get, post
from litestar.params import FromPath
from litestar.response import Redirect, Response

from samovar.engine.contract import Game
from samovar.engine.registry import find_game
from samovar.web import problems
from samovar.web.pages.home import read_number
from samovar.web.pages.puzzles import named
from samovar.web.pages.record import NOBODY, OPEN, asked_moment, replay_of
from samovar.web.pages.school import classes_of
from samovar.web.pages.tours.looks import tours_of
from samovar.web.tables.phrases import USUAL_NAME
from samovar.web.visit import AnyRequest, Visit


class TourStart(NamedTuple):
    """What is looked at, and where its page is."""

    game: Game
    back: str
    at: int
    eyes: str


@get("/record/{record_id:str}/together")
async def ask_from_record(request: AnyRequest, record_id: FromPath[str]) -> Response[str]:
    visit = Visit(request)
    positions = (await replay_of(visit, record_id)).positions
    if positions is None:
        raise problems.OldRules
    at, eyes = asked_moment(request, positions)
    return await _asking(visit, TourStart(find_game(positions.game), f"/record/{record_id}", at, eyes))


@get("/puzzles/{game_id:str}/{puzzle_id:str}/together")
async def ask_from_puzzle(request: AnyRequest, game_id: FromPath[str], puzzle_id: FromPath[str]) -> Response[str]:
    puzzle = named(game_id, puzzle_id)
    return await _asking(Visit(request), TourStart(puzzle.game, f"/puzzles/{game_id}/{puzzle_id}", 0, ""))


async def _asking(visit: Visit, beginning: TourStart) -> Response[str]:
    classes = classes_of(visit.request)
    taught = await classes.of_teacher(visit.person or "")
    open_now = [(class_id, name) for class_id, name in taught if await classes.is_open(class_id)]
    return visit.page("tour_new.html", beginning=beginning, classes=open_now, usual_name=USUAL_NAME)


@post("/record/{record_id:str}/together")
async def begin_from_record(request: AnyRequest, record_id: FromPath[str]) -> Redirect:
    visit = Visit(request)
    form = await visit.form()
    positions = (await replay_of(visit, record_id)).positions
    if positions is None:
        raise problems.OldRules
    at, eyes = max(0, min(read_number(form, "at", positions.last), positions.last)), str(form.get("eyes", OPEN))
    eyes = eyes if eyes in {OPEN, NOBODY, *map(str, range(positions.seats))} else OPEN
    return await _begin(visit, record_id, at, eyes)


@post("/puzzles/{game_id:str}/{puzzle_id:str}/together")
async def begin_from_puzzle(request: AnyRequest, game_id: FromPath[str], puzzle_id: FromPath[str]) -> Redirect:
    """Its position is a record from then on, which nobody else has: what is written beside it is not for all who
    solve it."""
    visit = Visit(request)
    puzzle = named(game_id, puzzle_id)
    match = await asyncio.to_thread(lambda: puzzle.match(plain=True))
    record_id = await visit.tables.keep_record(match.record(by_number=True))
    eyes = str(match.actors[0])
    return await _begin(visit, record_id, len(match.history), eyes, puzzle=f"{game_id}/{puzzle_id}")


async def _begin(visit: Visit, record_id: str, at: int, eyes: str, puzzle: str = "") -> Redirect:
    form = await visit.form()
    name, class_id = str(form.get("name", "")), str(form.get("class", ""))
    person = visit.make_person()
    if class_id:
        (await classes_of(visit.request).find(class_id)).check_teacher(person)
    tours = tours_of(visit.request)
    tour_id = await tours.make(person, name, record_id, at, eyes, of_class=class_id, puzzle=puzzle)
    if not class_id:
        visit.remember(name=name)
    return visit.go(f"/tour/{tour_id}")
