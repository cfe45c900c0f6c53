"""What a finished match turned on: everybody's chances, choice and luck, and the moments that decided it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlencode

import msgspec
from litestar import get
from litestar.enums import MediaType
from litestar.params import FromPath
from litestar.response import Response
from markupsafe import Markup

from samovar.engine.installed import own_version
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.insight.moments import Moment
from samovar.insight.page import curve_of
from samovar.insight.report import Telling, percent, to_json
from samovar.insight.review import ChosenMove
from samovar.insight.written import EDITION, WrittenReview
from samovar.json_types import JsonObject
from samovar.language.languages import translations
from samovar.web import problems
from samovar.web.drawing.moments import draw_moment
from samovar.web.drawing.render import PageFacts, art, draw_table, render
from samovar.web.drawing.scene import BETTER, MADE, make_scene
from samovar.web.jobs.positions import RecordPositions
from samovar.web.jobs.replays import Replay
from samovar.web.jobs.reviews import Progress, Reviews
from samovar.web.names import Person
from samovar.web.pages.home import read_query
from samovar.web.pages.record import replay_of
from samovar.web.visit import Answer, AnyRequest, Visit

FIRST_PASS = 0.5  # by then every choice was looked at once: what the numbers say makes sense


class Line(NamedTuple):
    """What came of the move that was made, or would have come of the better one."""

    mark: int  # MADE or BETTER
    name: str  # in addresses
    moves: tuple[tuple[int, int], ...]  # seats and moves


class Shown(NamedTuple):
    """The moment that is looked at, or a step after it, and where the match can be looked at there."""

    number: int  # from 1
    moment: Moment
    is_own: bool
    lines: tuple[Line, ...]
    at: tuple[str, int]  # the line and how many of its moves were made
    drawn: Markup
    sentences: list[str]  # of the step
    link: str


@get("/record/{record_id:str}/review")
async def show_review(request: AnyRequest, record_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    replay = await replay_of(visit, record_id)
    progress = await progress_of(visit, record_id, replay)
    assert replay.positions is not None
    game = find_game(replay.positions.game)
    facts: PageFacts = {"game": game, "record_id": record_id, "progress": progress, "telling": None}
    if progress.review:  # positions are drawn by plain Python, and others need not wait for that
        seat = await seat_of(visit, record_id)
        facts |= await asyncio.to_thread(review_facts, visit, record_id, replay, progress, seat)
    part = render("parts/review.html", visit.language, facts)
    title = f"{visit.tell('Review: %(game)s') % {'game': game.name}} · Samovar"
    if visit.wants_parts:
        content = {"parts": {"review": part.strip()}, "title": title}
        return Response(msgspec.json.encode(content), media_type=MediaType.JSON)
    return visit.page("review.html", art=art(game), title=title, review=part, **facts)


async def seat_of(visit: Visit, record_id: str) -> int | None:
    """Where the reader sat; None: they did not, or the record is from elsewhere."""
    try:
        return (await visit.tables.look(record_id)).seat_of(visit.person)
    except problems.Problem:
        return None


async def progress_of(visit: Visit, record_id: str, replay: Replay) -> Progress:
    """Who may see the record may see its review. `replay_of` has asked that."""
    if replay.positions is None:
        raise problems.OldRules
    if not replay.can_be_reviewed:
        raise problems.NoReview
    reviews: Reviews = visit.request.app.state.reviews
    return await reviews.look(
        name_of(record_id, replay.positions),
        visit.client_address,
        lambda: visit.tables.record(record_id, visit.person),
    )


def name_of(record_id: str, positions: RecordPositions) -> str:
    """Of the review of a record: by these rules, made in this way."""
    return f"{record_id}:{find_game(positions.game).version}:{own_version()}:{EDITION}"


def telling_of(replay: Replay, progress: Progress, language: str) -> Telling:
    positions, review = replay.positions, progress.review
    assert positions is not None
    assert review is not None
    match = Match.remembered(find_game(positions.game), positions.seats, positions.states, review.history)
    names = [person.name for person in people_of(replay, language)]
    return Telling(review.review(match), names, language, review.moments_of(match))


def people_of(replay: Replay, language: str) -> list[Person]:
    """Who has no name is called by the number of the chair, which alone is no name in a sentence."""
    text = translations(language).gettext("Player {number}")
    return [
        replace(person, name=text.format(number=number)) if person.name == str(number) else person
        for number, person in enumerate(replay.summary.people, 1)
    ]


def review_facts(visit: Visit, record_id: str, replay: Replay, progress: Progress, seat: int | None) -> PageFacts:
    telling, review = telling_of(replay, progress, visit.language), progress.review
    assert review is not None
    moments = telling.moments_for(seat)
    number = asked_moment(visit, moments)
    return {
        "telling": telling,
        "titles": telling.titles(),
        "curve": curve_of(telling, moments if progress.is_done else None),
        "is_told": progress.is_done or telling.review.done >= FIRST_PASS,
        "seat": seat,
        "moments": moments,
        "shown": shown(visit, record_id, replay, review, moments[number - 1], number, seat) if moments else None,
        "well": telling.well(seat, review.finds, review.like) if progress.is_done else [],
        "percent": percent,
    }


def asked_moment(visit: Visit, moments: Sequence[Moment]) -> int:
    """By its number, or by the moves made before it: puzzles know it by these, and lead back to it."""
    before = read_query(visit.request).get("choice", [""])[0]
    known = {str(moment.choice.moves_made): number for number, moment in enumerate(moments, 1)}
    return known.get(before) or asked_number(visit, "moment", len(moments))


def asked_number(visit: Visit, name: str, most: int, usual: int = 1) -> int:
    """From 1; what makes no sense is the usual one."""
    asked = read_query(visit.request).get(name, [""])[0]
    return int(asked) if asked in map(str, range(1, most + 1)) else usual


def shown(
    visit: Visit, record_id: str, replay: Replay, review: WrittenReview, moment: Moment, number: int, reader: int | None
) -> Shown:
    """From the eyes of its player: the choice with both moves on the board, or a step after it."""
    assert replay.positions is not None
    at, seat = moment.choice.moves_made, moment.choice.seat
    lines = lines_of(review, moment.choice)
    line, step = asked_step(visit, lines)
    people = people_of(replay, visit.language)
    match = replay.positions.at(at)
    for mover, move in line.moves[:step]:
        match.play(mover, move)
    if step:
        scene = make_scene(match, seat, visit.language, people, may_move=False, helps_memory=True)
        drawn, sentences = draw_table(scene), [scene.tell(event) for event in match.news(seat)]
    else:
        drawn, sentences = draw_moment(match, moment, visit.language, people), []
    link = f"/record/{record_id}?{urlencode({'at': at, 'eyes': seat})}"
    return Shown(number, moment, seat == reader, lines, (line.name, step), drawn, sentences, link)


def lines_of(review: WrittenReview, choice: ChosenMove) -> tuple[Line, ...]:
    better = review.line_of(choice)
    made = review.history[choice.moves_made : choice.moves_made + len(better)]
    return Line(MADE, "made", made), Line(BETTER, "better", better)


def asked_step(visit: Visit, lines: tuple[Line, ...]) -> tuple[Line, int]:
    """0, the choice itself, where nothing else makes sense."""
    asked = read_query(visit.request)
    for line in lines:
        if asked.get("line") == [line.name]:
            return line, asked_number(visit, "step", len(line.moves), 0)
    return lines[0], 0


async def json_review(visit: Visit, record_id: str, language: str) -> JsonObject:
    """For programs."""
    replay = await replay_of(visit, record_id)
    progress = await progress_of(visit, record_id, replay)
    if not progress.is_done:
        return {"done": progress.review.done if progress.review else 0.0}
    return {"done": 1.0, **to_json(telling_of(replay, progress, language))}
