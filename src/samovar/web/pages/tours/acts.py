"""What people do who look at a record together: come and go, lead, mark, say, note, ask and answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from litestar import post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response import Redirect

from samovar.errors import BotFailed
from samovar.web import problems
from samovar.web.names import check_name
from samovar.web.pages.choosing import Chosen
from samovar.web.pages.home import read_number
from samovar.web.pages.puzzles import book_of, named
from samovar.web.pages.record import NOBODY, OPEN
from samovar.web.pages.tours.looks import (
    TourSight,
    answer,
    board_of,
    check_class,
    draw_parts,
    encoded,
    pupil_name,
    replay_for,
    sight_of,
    tours_of,
)
from samovar.web.people.puzzle_book import Judgement
from samovar.web.people.tours import Tour
from samovar.web.visit import Answer, AnyRequest, Visit

log = logging.getLogger(__name__)


async def done(visit: Visit, tour_id: str, only: Iterable[str] = ()) -> Answer:
    """Back to where they looked; our script gets the parts, or those that this is about."""
    query = visit.request.url.query
    if not visit.wants_parts:
        return visit.go(f"/tour/{tour_id}{'?' if query else ''}{query}")
    sight = await sight_of(visit, tour_id)
    parts = await draw_parts(visit, sight)
    return encoded(visit, sight, {name: html for name, html in parts.items() if not only or name in only})


async def change(visit: Visit, tour_id: str, action: Callable[[Tour], Tour]) -> None:
    """For those who may be here at all."""
    tour, _ = await tours_of(visit.request).find(tour_id)
    await check_class(visit.request, tour, visit.person)
    await tours_of(visit.request).change(tour_id, action)


@post("/tour/{tour_id:str}/come", status_code=200)
async def come(request: AnyRequest, tour_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    tour, _ = await tours_of(request).find(tour_id)
    await check_class(request, tour, visit.person)
    pupil = await pupil_name(visit, tour)
    name = pupil or check_name(str((await visit.form()).get("name", "")))
    await replay_for(visit, tour)  # who may not see the record has nothing to do here
    if not pupil:
        visit.remember(name=name)
    person = visit.make_person()
    await change(visit, tour_id, lambda tour: tour.join(person, name))
    return await done(visit, tour_id)


@post("/tour/{tour_id:str}/leave", status_code=200)
async def leave(request: AnyRequest, tour_id: FromPath[str]) -> Redirect:
    visit = Visit(request)
    tours = tours_of(request)
    tour, _ = await tours.find(tour_id)
    await tours.change(tour_id, lambda tour: tour.leave(visit.person))
    return visit.go(f"/class/{tour.of_class}" if tour.of_class else f"/record/{tour.record}")


@post("/tour/{tour_id:str}/end", status_code=200)
async def end(request: AnyRequest, tour_id: FromPath[str]) -> Redirect:
    """For all: nothing stays but the notes at the moves."""
    visit = Visit(request)
    tours = tours_of(request)
    tour, _ = await tours.find(tour_id)
    if visit.person != tour.host:
        tour.check_leader(visit.person)
        if tour.of_class:
            raise problems.NotTheLeader
    await tours.end(tour_id)
    return visit.go(f"/class/{tour.of_class}" if tour.of_class else f"/record/{tour.record}")


@post("/tour/{tour_id:str}/lead", status_code=200)
async def lead(request: AnyRequest, tour_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    form = await visit.form()
    sight = await sight_of(visit, tour_id)
    at = max(0, min(read_number(form, "at", sight.tour.at), sight.positions.last))
    eyes = str(form.get("eyes", sight.tour.eyes))
    if eyes not in {OPEN, NOBODY, *map(str, range(sight.positions.seats))}:
        raise problems.BadChoice(name="eyes", value=eyes[:20])
    await change(visit, tour_id, lambda tour: tour.lead(visit.person, at, eyes))
    return await done(visit, tour_id)


@post("/tour/{tour_id:str}/mark", status_code=200)
async def mark(request: AnyRequest, tour_id: FromPath[str]) -> Answer:
    """On a place that is on the board, or from there to another one."""
    visit = Visit(request)
    form = await visit.form()
    sight = await sight_of(visit, tour_id)
    start, end = str(form.get("start", "")), str(form.get("end", ""))
    await check_places(visit, sight, start, end)
    shown = sight.tour.at, sight.tour.eyes

    def marked(tour: Tour) -> Tour:
        if (tour.at, tour.eyes) != shown:  # it was meant for another board
            raise problems.MovedOn
        return tour.mark(visit.person, start, end)

    await change(visit, tour_id, marked)
    return await done(visit, tour_id, ("hand", "marks"))


async def check_places(visit: Visit, sight: TourSight, start: str, end: str) -> None:
    sight.tour.check_quiet(sight.me)
    places = dict((await board_of(visit, sight, Chosen())).places)
    if sight.is_around or start not in places or (end and end not in places):
        raise problems.NoSuchPlace


@post("/tour/{tour_id:str}/say", status_code=200)
async def say(request: AnyRequest, tour_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    form = await visit.form()
    text, phrase = str(form.get("text", "")), str(form.get("phrase", ""))
    await change(visit, tour_id, lambda tour: tour.say(visit.person, text, phrase))
    return await done(visit, tour_id, ("talk",))


@post("/tour/{tour_id:str}/note", status_code=200)
async def note(request: AnyRequest, tour_id: FromPath[str]) -> Answer:
    """At the moment they look at. It stays with the record, for everybody who opens it."""
    visit = Visit(request)
    form = await visit.form()
    sight = await sight_of(visit, tour_id)
    sight.tour.check_quiet(sight.me)
    at, text = read_number(form, "at", -1), str(form.get("text", ""))
    if sight.tour.of_class and sight.me.person != sight.tour.host:
        raise problems.OnlyPhrases
    if sight.tour.is_asking or not 0 <= at <= sight.positions.last:
        raise problems.MovedOn
    tours = tours_of(request)
    await tours.write_note(sight.tour.record, at, sight.me.person, sight.me.name, text)
    await tours.tell(tour_id)
    return await done(visit, tour_id)


@post("/tour/{tour_id:str}/unnote", status_code=200)
async def take_note_away(request: AnyRequest, tour_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    sight = await sight_of(visit, tour_id)
    tours = tours_of(request)
    await tours.remove_note(sight.tour.record, str((await visit.form()).get("note", "")), sight.me.person)
    await tours.tell(tour_id)
    return await done(visit, tour_id)


@post("/tour/{tour_id:str}/ask", status_code=200)
async def ask(request: AnyRequest, tour_id: FromPath[str]) -> Answer:
    """What would the player to move do?"""
    visit = Visit(request)
    sight = await sight_of(visit, tour_id)
    sight.tour.check_leader(visit.person)
    if not sight.can_be_asked:
        raise problems.NoChoice
    at, seat = sight.tour.at, sight.match.actors[0]

    def asking(tour: Tour) -> Tour:
        if tour.at != at:
            raise problems.MovedOn
        return tour.ask(visit.person, seat)

    await change(visit, tour_id, asking)
    return await done(visit, tour_id)


@post("/tour/{tour_id:str}/answer", status_code=200)
async def give_answer(request: AnyRequest, tour_id: FromPath[str]) -> Answer:
    """Secretly; until the answers are shown they can give another one."""
    visit = Visit(request)
    chosen = Chosen.read((await visit.form()).dict())
    if chosen.is_counted:
        return visit.go(f"/tour/{tour_id}?{chosen.boxes}")
    sight = await sight_of(visit, tour_id)
    if sight.question is None:
        raise problems.MovedOn
    try:
        text = sight.match.move_text(sight.task.seat, sight.task.read_move(chosen))
    except problems.NotPossible as problem:
        if visit.wants_parts:
            raise
        return await answer(visit, sight, chosen, problem)
    at = sight.question.at
    await change(visit, tour_id, lambda tour: tour.answer(visit.person, at, text))
    return await done(visit, tour_id)


@post("/tour/{tour_id:str}/show", status_code=200)
async def show_answers(request: AnyRequest, tour_id: FromPath[str]) -> Answer:
    """To all, beside the best move by what the player knew."""
    visit = Visit(request)
    sight = await sight_of(visit, tour_id)
    sight.tour.check_leader(visit.person)
    if not sight.tour.is_asking:
        raise problems.MovedOn
    judged = await judgement_of(visit, sight)
    best = sight.match.move_text(sight.task.seat, judged.best) if judged else ""
    share = judged.share if judged else 0
    await change(visit, tour_id, lambda tour: tour.show_answers(visit.person, best, share))
    return await done(visit, tour_id)


async def judgement_of(visit: Visit, sight: TourSight) -> Judgement | None:
    """Puzzles know theirs; None: the best move cannot be found just now, and the answers are shown without it."""
    if sight.tour.puzzle and sight.at == sight.positions.last:
        puzzle = named(*sight.tour.puzzle.split("/", 1))
        return Judgement(puzzle.best, puzzle.share, puzzle.losses)
    try:
        return await book_of(visit.request).judge(sight.tour.record, sight.at, sight.match, f"tour {sight.id}")
    except BotFailed as error:
        log.warning("the best move of a question could not be found: %s", error)
        return None


def simply(what: str, action: Callable[[Tour, str | None, str], Tour]) -> HTTPRouteHandler:
    """The route of what needs no more than the tour, and perhaps one of its people."""

    @post(f"/tour/{{tour_id:str}}/{what}", status_code=200)
    async def handler(request: AnyRequest, tour_id: FromPath[str]) -> Answer:
        visit = Visit(request)
        whom = str((await visit.form()).get("whom", ""))
        await change(visit, tour_id, lambda tour: action(tour, visit.person, whom))
        return await done(visit, tour_id)

    return handler


go_on = simply("go-on", lambda tour, by, whom: tour.drop_question(by))
wipe = simply("wipe", lambda tour, by, whom: tour.wipe(by))
hand_over = simply("hand-over", lambda tour, by, whom: tour.hand_over(by, whom))
send_away = simply("send-away", lambda tour, by, whom: tour.send_away(by, whom))
mute = simply("mute", lambda tour, by, whom: tour.mute(by, whom, True))
unmute = simply("unmute", lambda tour, by, whom: tour.mute(by, whom, False))
