"""Moves ahead: what somebody wants to play next at a table by post, chosen from what they may see and what may be
possible then. Built from worlds that the seat imagines, so nothing on it depends on what the seat cannot know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from litestar import get
from litestar.params import FromPath

from samovar.engine.contract import Event
from samovar.engine.face import BrowserFace
from samovar.engine.words import words_at, words_in
from samovar.language.languages import ENGLISH
from samovar.web import problems
from samovar.web.drawing.render import art, draw_table
from samovar.web.drawing.scene import make_scene, tell_event
from samovar.web.pages.home import read_query
from samovar.web.pages.table import viewer_of
from samovar.web.tables.post.foresight import Foreseen
from samovar.web.tables.post.plans import DROPPED, MOST_TURNS, PlannedMove, event_of
from samovar.web.tables.table import Table
from samovar.web.visit import Answer, AnyRequest, Visit


class ToldChoice(NamedTuple):
    value: str
    text: str


@dataclass(frozen=True)
class Teller:
    """Says in the reader's language what may be seen and played."""

    table: Table
    language: str

    def event(self, event: Event) -> str:
        game, people = self.table.game, self.table.people
        try:
            return tell_event(words_in(game, self.language), people, event)
        except (KeyError, TypeError, ValueError):  # another language cannot leave this open
            return tell_event(words_in(game, ENGLISH), people, event)

    def move(self, text: str, foreseen: Foreseen) -> str:
        game = self.table.game
        words = words_at(game, self.language, tuple(one.name for one in self.table.people))
        if text in foreseen.meanings:
            return foreseen.meanings[text].tell(words, lambda seat: words[f"name.{seat}"])
        view = foreseen.views.get(text, next(iter(foreseen.views.values()), None))
        return text if view is None else (game.face or BrowserFace()).say(view, text, words)

    def moves(self, texts: list[str], foreseen: Foreseen) -> list[ToldChoice]:
        return [ToldChoice(text, self.move(text, foreseen)) for text in texts]

    def line(self, planned: PlannedMove, foreseen: Foreseen) -> tuple[str, str]:
        """What is to be seen, empty for whatever comes, and what is played then."""
        return self.event(event_of(planned.sees)).rstrip(".") if planned.sees else "", self.move(planned.move, foreseen)


@get("/table/{table_id:str}/ahead")
async def ask(request: AnyRequest, table_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    table = await visit.tables.look(table_id)
    seat, here = (await viewer_of(visit, table)).viewpoint(table)
    if seat is None:
        raise problems.NotSeated
    table.check_by_post()
    ahead, teller = visit.tables.moves_ahead, Teller(table, visit.language)
    planned = await ahead.of(table, seat)
    turns = planned.turns if planned else []
    turn = _asked_turn(read_query(request).get("turn", [""])[0], turns)
    is_asked = seat in table.playing.actors  # in a pause, too
    foreseen = [await ahead.foreseen(table, seat, number, planned) for number in range(0 if is_asked else turn + 1)]
    told = [
        [teller.line(line, foreseen[number] if number < len(foreseen) else Foreseen()) for line in lines]
        for number, lines in enumerate(turns)
    ]
    last = foreseen[-1] if foreseen else Foreseen()
    seen = sorted((ToldChoice(name, teller.event(event_of(name))) for name in last.told), key=lambda one: one.text)
    scene = make_scene(table.playing, seat, visit.language, table.people, may_move=False)
    return visit.page(
        "ahead.html",
        table=table,
        game=table.game,
        art=art(table.game),
        board=draw_table(scene),
        seat=seat,
        here=here,
        told=told,
        turn=turn,
        most_turns=MOST_TURNS,
        is_asked=is_asked,
        foreseen=last,
        seen=seen,
        certain=teller.moves(last.certain, last),
        uncertain=teller.moves(last.uncertain, last),
        only_moves=bool(planned and planned.plan.only_moves),
        dropped=visit.tell(DROPPED[planned.plan.dropped]) if planned and planned.plan.dropped else "",
    )


def _asked_turn(asked: str, turns: list[list[PlannedMove]]) -> int:
    """For which a move is chosen: usually the last, until it has one for whatever comes, then the one after it."""
    usual = len(turns) - 1 if turns and turns[-1][-1].sees else len(turns)
    return min(int(asked) if asked.isdecimal() and asked.isascii() else usual, len(turns), MOST_TURNS - 1)
