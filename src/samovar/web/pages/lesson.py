"""A guided first match. Nothing of it is kept: the address says which moves led here, and they are made anew. So there
is nothing to find out but the lesson itself, which is the same for everybody."""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import replace
from functools import partial

from litestar import get
from litestar.params import FromPath
from markupsafe import Markup

from samovar.errors import BadLesson, IllegalMove
from samovar.teach.lessons import ON, SAY, Lesson, Stand, Way, find_lesson, stand_at
from samovar.web import problems
from samovar.web.drawing.render import PageFacts, art, draw_sheet, draw_table
from samovar.web.drawing.scene import WAY_ON, TableScene, make_scene
from samovar.web.game_list import game_named
from samovar.web.names import Person
from samovar.web.pages.choosing import Chosen, board_alone, board_facts, wanted_boxes
from samovar.web.pages.home import read_query
from samovar.web.people.path import PathStep, done_by, path_of
from samovar.web.tables.chairs import BOT_NAMES
from samovar.web.tables.phrases import USUAL_NAME
from samovar.web.visit import Answer, AnyRequest, Visit

WAY = re.compile(r"(?:\d{1,9}|on)(?:-(?:\d{1,9}|on))*", re.ASCII)
LONGEST_WAY = 300
NUMBER = re.compile(r"[0-9]{1,9}")

log = logging.getLogger("samovar.web")


def read_way(text: str) -> Way:
    """As it stands in the address: `27-on-2`."""
    if not text:
        return ()
    if len(text) > LONGEST_WAY or not WAY.fullmatch(text):
        raise problems.LostLesson
    return tuple(ON if part == "on" else int(part) for part in text.split("-"))


def address_of(lesson: Lesson, way: Way) -> str:
    text = "-".join("on" if move == ON else str(move) for move in way)
    return f"/learn/{lesson.game.id}" + (f"/{text}" if text else "")


@get(["/learn/{game_id:str}", "/learn/{game_id:str}/{way:str}"])
async def show_lesson(request: AnyRequest, game_id: FromPath[str], way: FromPath[str] = "") -> Answer:
    """A step of a lesson. `move` is what the learner does: it leads to the next step, or to the same one with an
    answer, `tried`."""
    visit = Visit(request)
    game = game_named(game_id)
    read = read_way(way)
    try:
        lesson = find_lesson(game)
        if lesson is None:
            raise problems.NoLesson(game=game.name)
        is_end = len(read) == len(lesson.steps) - 1
        path = path_of(game, await done_by(visit.tables.store, visit.person), visit.language) if is_end else []
        # the rules run as plain Python here, and others need not wait for them
        return await asyncio.to_thread(_answer, visit, lesson, read, read_query(request), path)
    except BadLesson as error:
        log.error("%s", error)
        raise problems.BrokenLesson(game=game.name) from error


def _answer(visit: Visit, lesson: Lesson, way: Way, asked: dict[str, list[str]], path: list[PathStep]) -> Answer:
    try:
        stand = stand_at(lesson, way)
    except IllegalMove as error:
        raise problems.LostLesson from error
    chosen = Chosen.read(asked)
    answer, status = "", 200
    if chosen.move is not None:
        try:
            return visit.go(_next_address(stand, chosen))
        except problems.NotPossible as problem:  # told where one is, with all that was ticked
            answer, status = visit.tell_problem(problem), problem.status
    elif tried := _tried(stand, asked.get("tried", [""])[0]):
        answer = lesson.text(stand.step, stand.step.answer_to(tried), visit.language)
        if wanted_boxes(stand.match, lesson.seat):
            chosen = replace(chosen, ticked=tuple(tried.split()[1:]))
    facts = lesson_facts(visit, stand, chosen)
    if visit.wants_parts:
        return board_alone(visit, facts, str(facts["title"]))
    return visit.page("lesson.html", status, answer=answer, art=art(lesson.game), path=path, **facts)


def _next_address(stand: Stand, chosen: Chosen) -> str:
    """Where a move leads."""
    try:
        move = stand.read_move(chosen.text)
    except IllegalMove as error:
        raise chosen.refused(stand.match, stand.lesson.seat) from error
    if stand.step.goes_on(stand.check(move)):
        return address_of(stand.lesson, (*stand.way, move))
    return f"{address_of(stand.lesson, stand.way)}?tried={move}"


def _tried(stand: Stand, number: str) -> str:
    """The move that was tried and does not go on, as text; nothing where the address names no such move."""
    if not NUMBER.fullmatch(number):
        return ""
    try:
        text = stand.check(int(number))
    except IllegalMove:
        return ""
    return "" if stand.step.goes_on(text) else text


def lesson_facts(visit: Visit, stand: Stand, chosen: Chosen) -> PageFacts:
    lesson, match = stand.lesson, stand.match.copy()
    name = visit.name or visit.tell(USUAL_NAME)
    people = [
        Person(name) if seat == lesson.seat else Person(BOT_NAMES[seat % len(BOT_NAMES)], "bot")
        for seat in range(match.seats)
    ]
    scene = make_scene(
        match,
        lesson.seat,
        visit.language,
        people,
        picked=chosen.picked,
        hinted=_pointed(stand),
        may_move=stand.is_asked,
    )
    others = len(stand.step.others)  # what one did oneself need not be told
    news = match.log(lesson.seat, last=others) if others else []
    return {
        **board_facts(scene, chosen, address_of(lesson, stand.way)),
        "draw_table": partial(_draw_named, stand.step.names),
        "lesson": lesson,
        "game": lesson.game,
        "stand": stand,
        "draw_sheet": draw_sheet,
        "back": address_of(lesson, stand.way[:-1]) if stand.way else "",
        "on": address_of(lesson, (*stand.way, ON)) if stand.step.pause else "",
        "number": len(stand.way) + 1,
        "last": len(lesson.steps),
        "say": lesson.text(stand.step, SAY, visit.language),
        "spoken": lesson.language(visit.language),
        "news": [scene.tell(event) for events in news for event in events],
        "title": f"{lesson.game.name} {len(stand.way) + 1}/{len(lesson.steps)} · Samovar",
    }


def _draw_named(names: tuple[str, ...], scene: TableScene) -> Markup:
    """The table, with a mark on all that the step speaks of."""
    drawn = str(draw_table(scene))
    for name in names:
        drawn = drawn.replace(f'data-key="{name}"', f'data-key="{name}" data-named')
    return Markup(drawn)


def _pointed(stand: Stand) -> dict[str, int]:
    """The moves that lead on, where the step wants them marked."""
    if not (stand.step.point and stand.is_asked):
        return {}
    return dict.fromkeys(map(stand.check, stand.ways_on()), WAY_ON)
