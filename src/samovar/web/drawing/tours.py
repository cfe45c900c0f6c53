"""What is drawn of a tour: the board at the moment that is shown, with marks by hand; the question that is asked, and
how many have answered what."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html.parser import HTMLParser

from samovar.engine.match import Match
from samovar.engine.words import words_at
from samovar.web.drawing.render import draw_sheet, draw_table, render
from samovar.web.drawing.scene import NamedPlaces, face_of, make_scene
from samovar.web.names import Person
from samovar.web.people.tours import HandMark
from samovar.web.recent import Recent

KEPT_BOARDS = 128
KEPT_SECONDS = 600.0
MOST_PLACES = 400  # that are listed


@dataclass(frozen=True)
class TourBoard:
    html: str
    places: tuple[tuple[str, str], ...] = ()  # names, as marks have them, and what a reader is told of them


def draw_position(
    match: Match, eyes: int | None, language: str, people: Sequence[Person], *, is_open: bool, is_asked: bool
) -> TourBoard:
    """Nothing can be chosen, and marks can be drawn on every place. `is_asked`: to whoever asks what is best here."""
    scene = make_scene(match, eyes, language, people, may_move=False, is_open=is_open, helps_memory=is_asked)
    words = words_at(match.game, language, tuple(one.name for one in people))
    named = replace(scene, choices=NamedPlaces(face_of(match, eyes), scene.view, words))
    html = draw_table(named)
    if scene.over:
        html += draw_sheet(scene)
    return TourBoard(str(html), places_in(html))


def draw_answers(
    match: Match, seat: int, language: str, people: Sequence[Person], marked: Mapping[str, int]
) -> TourBoard:
    """What the player saw, with all answers on it."""
    scene = make_scene(match, seat, language, people, may_move=False, helps_memory=True, marked=marked)
    return TourBoard(str(draw_table(scene)))


def draw_marks(marks: Sequence[HandMark], leader: str, language: str) -> str:
    return render("parts/hand_marks.html", language, {"marks": marks, "leader": leader})


class TourBoards:
    """Drawn once for all who see the same, beside the site's own work: plain Python takes a while."""

    def __init__(self) -> None:
        self._recent: Recent[tuple[object, ...], asyncio.Task[TourBoard]] = Recent(KEPT_BOARDS, KEPT_SECONDS)

    async def get(self, key: tuple[object, ...], draw: Callable[[], TourBoard]) -> TourBoard:
        task = self._recent.get(key)
        if task is None:
            task = asyncio.create_task(asyncio.to_thread(draw))
            self._recent.put(key, task)
        try:
            return await asyncio.shield(task)
        except BaseException:
            if task.done():
                self._recent.pop(key)
            raise


class PlaceReader(HTMLParser):
    """Finds what marks can be drawn on: places and pieces that have a name."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = dict(attrs)
        if name := facts.get("data-mark") or facts.get("data-key"):
            label = facts.get("aria-label") or facts.get("title") or name
            self.found.setdefault(name, label if label == name else f"{label} ({name})")


def places_in(html: str) -> tuple[tuple[str, str], ...]:
    reader = PlaceReader()
    reader.feed(html)
    return tuple(reader.found.items())[:MOST_PLACES]
