"""A tour as one of its people sees it: the parts of its page, all at once or as they change."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from urllib.parse import urlencode

import msgspec
from litestar import get
from litestar.enums import MediaType
from litestar.params import FromPath
from litestar.response import Response, Stream

from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.web import problems
from samovar.web.drawing.render import PageFacts, art
from samovar.web.drawing.scene import chosen_by, make_scene
from samovar.web.drawing.tours import TourBoard, TourBoards, draw_answers, draw_marks, draw_position
from samovar.web.jobs.positions import RecordPositions
from samovar.web.jobs.replays import Replay
from samovar.web.names import Person
from samovar.web.pages.choosing import NOTHING, Chosen, board_facts
from samovar.web.pages.home import read_query
from samovar.web.pages.invitation import members_of
from samovar.web.pages.puzzles import Task
from samovar.web.pages.record import OPEN, asked_moment, notes_of, replay_of
from samovar.web.pages.review import people_of
from samovar.web.pages.school import classes_of
from samovar.web.people.tours import Tour, TourMember, TourQuestion, Tours
from samovar.web.store.changes import Changes
from samovar.web.store.queries.tours import NoteRow
from samovar.web.tables.phrases import PHRASES
from samovar.web.visit import Answer, AnyRequest, Visit

BEAT = b": beat\r\n\r\n"
GONE = b"event: gone\r\ndata: {}\r\n\r\n"
HEADERS = {"X-Accel-Buffering": "no"}
TEMPLATES = ("status", "place", "marks", "notes", "talk", "people")  # of the parts besides the board


@dataclass(frozen=True)
class TourSight:
    """A tour, and the moment of its record that one of its people looks at."""

    id: str
    tour: Tour
    me: TourMember
    replay: Replay
    positions: RecordPositions
    people: tuple[Person, ...]  # of the match
    notes: tuple[NoteRow, ...]  # of the moment
    at: int
    eyes: str
    is_around: bool  # they look around by themselves

    @property
    def leads(self) -> bool:
        return self.me.id == self.tour.leader

    @property
    def question(self) -> TourQuestion | None:
        return self.tour.question

    @property
    def address(self) -> str:
        return f"/tour/{self.id}"

    @property
    def query(self) -> str:
        """What an address of this page ends with, so that it shows the same moment again."""
        return f"?{self.moment}" if self.is_around else ""

    @property
    def moment(self) -> str:
        return urlencode({"at": self.at, "eyes": self.eyes})

    @property
    def seat(self) -> int | None:
        return int(self.eyes) if self.eyes.isdigit() else None

    @cached_property
    def match(self) -> Match:
        return self.positions.at(self.at)

    @property
    def task(self) -> Task:
        """The moment as a puzzle: whoever is to move chooses."""
        return Task(self.match, self.people, self.address, self.match.game.name)

    @property
    def can_be_asked(self) -> bool:
        """Where the player to move has a choice."""
        return self.question is None and bool(self.match.actors) and len(self.match.legal(self.match.actors[0])) > 1

    def link(self, moves: int) -> str:
        """To look around."""
        return f"{self.address}?{urlencode({'at': max(0, min(moves, self.positions.last)), 'eyes': self.eyes})}"


def tours_of(request: AnyRequest) -> Tours:
    tours: Tours = request.app.state.tours
    return tours


async def sight_of(visit: Visit, tour_id: str, number: int | None = None) -> TourSight:
    """What is asked, or where they look around, or what is shown to all who follow. While something is asked all see
    the same: what the player to move saw, and nothing that came after."""
    tours = tours_of(visit.request)
    tour, _ = await tours.find(tour_id, number)
    me = tour.check_member(visit.person)
    await check_class(visit.request, tour, me.person)
    replay = await replay_for(visit, tour)
    positions = replay.positions
    if positions is None:
        raise problems.OldRules
    question, is_around = tour.question, False
    if question:
        at, eyes = question.at, str(question.seat)
    else:
        at, eyes, is_around = tour.at, tour.eyes, "at" in read_query(visit.request)
        if is_around:
            at, eyes = asked_moment(visit.request, positions)
    written = () if tour.is_asking else await notes_of(visit, tour.record, replay.summary)
    notes = [note for note in written if note.at == at]
    people = tuple(people_of(replay, visit.language))
    return TourSight(tour_id, tour, me, replay, positions, people, tuple(notes), at, eyes, is_around)


async def replay_for(visit: Visit, tour: Tour) -> Replay:
    """Everybody must be allowed to see the record by themselves. To pupils their teacher shows it."""
    return await replay_of(visit, tour.record, tour.host if tour.of_class else None)


async def check_class(request: AnyRequest, tour: Tour, person: str | None) -> None:
    """To all but a class its tour is not there."""
    if not tour.of_class or person == tour.host:
        return
    if person and await members_of(request).class_of(person) == tour.of_class:
        return
    if (await classes_of(request).find(tour.of_class)).pupil(person) is None:
        raise problems.NoSuchTour


async def draw_parts(visit: Visit, sight: TourSight, chosen: Chosen = NOTHING) -> dict[str, str]:
    board = await board_of(visit, sight, chosen)
    facts: PageFacts = {
        "sight": sight,
        "tour": sight.tour,
        "me": sight.me,
        "visit": visit,
        "game": sight.match.game,
        "places": () if sight.tour.is_asking and not sight.leads else board.places,
        "marks": sight.tour.marks_for(sight.me),
        "remarks": sight.tour.remarks_for(sight.me),
        "phrases": PHRASES,
        **question_facts(visit, sight),
    }
    shows_marks = not sight.is_around and not (sight.question and sight.question.is_shown)
    hand = draw_marks(sight.tour.marks_for(sight.me), sight.tour.leader, visit.language) if shows_marks else ""
    parts = {name: visit.draw(f"parts/tour_{name}.html", facts).strip() for name in TEMPLATES}
    return {**parts, "board": board.html.strip(), "hand": hand.strip()}


def question_facts(visit: Visit, sight: TourSight) -> PageFacts:
    """What is asked in words, and when the answers are shown, how many have chosen what."""
    question = sight.question
    if question is None:
        return {"prompt": "", "own": "", "answers": [], "best": ""}
    task = sight.task
    scene = make_scene(sight.match, question.seat, visit.language, sight.people, may_move=False)

    def say(text: str) -> str:
        return task.say(sight.match.parse_move(question.seat, text), visit.language) if text else ""

    return {
        "prompt": scene.prompt,
        "own": say(question.answer_of(sight.me.id)),
        "answers": [(count, say(text), text == question.best) for text, count in question.counts]
        if question.is_shown
        else [],
        "best": say(question.best),
    }


async def board_of(visit: Visit, sight: TourSight, chosen: Chosen) -> TourBoard:
    question, boards, language = sight.question, boards_of(visit.request), visit.language
    key = (sight.tour.record, sight.at, sight.eyes, language, sight.people)
    if question and question.is_shown:
        marked = marks_of(question)
        return await boards.get(
            (*key, *marked.items()),
            partial(draw_answers, sight.match, question.seat, language, sight.people, marked),
        )
    if question and not sight.leads:
        return TourBoard(choosing_board(visit, sight, chosen))
    is_open = sight.eyes == OPEN
    return await boards.get(
        (*key, "shown", bool(question)),
        partial(
            draw_position, sight.match, sight.seat, language, sight.people, is_open=is_open, is_asked=bool(question)
        ),
    )


def marks_of(question: TourQuestion) -> dict[str, int]:
    """By move: the best one first."""
    counts = dict(question.counts)
    texts = dict.fromkeys([*([question.best] if question.best else []), *counts])
    return {text: chosen_by(counts.get(text, 0), is_best=text == question.best) for text in texts}


def choosing_board(visit: Visit, sight: TourSight, chosen: Chosen) -> str:
    """For whoever is to answer."""
    scene = make_scene(
        sight.match, sight.seat, visit.language, sight.people, picked=chosen.picked, helps_memory=True
    ).settled()
    return visit.draw("parts/choosing.html", board_facts(scene, chosen, sight.address))


def boards_of(request: AnyRequest) -> TourBoards:
    boards: TourBoards = request.app.state.tour_boards
    return boards


def title_of(visit: Visit, sight: TourSight) -> str:
    return f"{visit.tell('Look at it together')} · {sight.match.game.name} · Samovar"


def encoded(visit: Visit, sight: TourSight, parts: Mapping[str, str]) -> Response[bytes]:
    content = msgspec.json.encode({"parts": parts, "title": title_of(visit, sight)})
    return Response(content, media_type=MediaType.JSON)


@get("/tour/{tour_id:str}")
async def show_tour(request: AnyRequest, tour_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    try:
        sight = await sight_of(visit, tour_id)
    except problems.NotInTour:
        return await ask_in(visit, tour_id)
    return await answer(visit, sight, Chosen.read(read_query(request)))


async def answer(
    visit: Visit, sight: TourSight, chosen: Chosen = NOTHING, problem: problems.Problem | None = None
) -> Answer:
    parts = await draw_parts(visit, sight, chosen)
    if visit.wants_parts:
        return encoded(visit, sight, parts)
    game = find_game(sight.positions.game)
    return visit.page(
        "tour.html",
        problem.status if problem else 200,
        sight=sight,
        tour=sight.tour,
        game=game,
        art=art(game),
        parts=parts,
        phrases=PHRASES,
        problem=visit.tell_problem(problem) if problem else "",
        title=title_of(visit, sight),
        bare=bool(visit.class_id),
    )


async def ask_in(visit: Visit, tour_id: str) -> Response[str]:
    """Who comes by the link says their name, and sees nothing before. Programs that look at links see nothing at
    all."""
    tour, _ = await tours_of(visit.request).find(tour_id)
    if visit.person in tour.sent_away:
        raise problems.NoSuchTour
    await check_class(visit.request, tour, visit.person)
    name = await pupil_name(visit, tour) or visit.name
    moment = {key: values[0] for key, values in read_query(visit.request).items() if key in ("at", "eyes")}
    query = f"?{urlencode(moment)}" if moment else ""
    return visit.page("tour_come.html", tour_id=tour_id, tour=tour, name=name, query=query, bare=bool(visit.class_id))


async def pupil_name(visit: Visit, tour: Tour) -> str:
    """As their teacher calls them; empty: they are nobody's pupil here."""
    if not tour.of_class:
        return ""
    pupil = (await classes_of(visit.request).find(tour.of_class)).pupil(visit.person)
    return pupil.name if pupil else ""


@get("/tour/{tour_id:str}/live")
async def live(request: AnyRequest, tour_id: FromPath[str]) -> Stream:
    """The parts of the page, whole at the beginning, and then what has changed of them."""
    visit = Visit(request)
    watched: Changes = request.app.state.changes
    watched.check_room(visit.client_address, visit.person or "")
    return Stream(stream(visit, tour_id, watched), media_type="text/event-stream", headers=HEADERS)


async def stream(visit: Visit, tour_id: str, watched: Changes) -> AsyncIterator[bytes]:
    sent: dict[str, str] = {}
    async with watched.watch([tour_id], address=visit.client_address, person=visit.person or "") as watcher:
        has_changed = True
        while await visit.is_still_here():
            try:
                sight = await sight_of(visit, tour_id, watched.word_of(tour_id).number if has_changed else None)
                parts = await draw_parts(visit, sight)
            except problems.Busy:  # it is tried again after a while
                parts = sent
            except problems.Problem:
                yield GONE
                return
            fresh = {name: html for name, html in parts.items() if sent.get(name) != html}
            if fresh:
                told = {"parts": fresh, "title": title_of(visit, sight), "around": sight.is_around}
                yield b"data: " + msgspec.json.encode(told) + b"\r\n\r\n"
            elif not has_changed:
                yield BEAT
            sent = parts
            has_changed = bool(await watcher.changes())
