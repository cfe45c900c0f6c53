"""Play on from a moment of a finished match, or from a puzzle: in the world that was, or in another that fits what
one player knew."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlencode

from litestar import get, post
from litestar.datastructures import FormMultiDict
from litestar.params import FromPath
from litestar.response import Redirect, Response

from samovar.engine.contract import Value
from samovar.engine.match import Match
from samovar.engine.records.record import replay
from samovar.engine.registry import find_game
from samovar.json_types import JsonObject
from samovar.web import problems
from samovar.web.drawing.render import PageFacts, art, draw_table
from samovar.web.drawing.scene import make_scene
from samovar.web.names import Person, check_name
from samovar.web.pages.home import read_number
from samovar.web.pages.puzzles import named, task_of
from samovar.web.pages.record import asked_moment, replay_of
from samovar.web.store.entries import Settings
from samovar.web.tables.hands import has_secrets
from samovar.web.tables.phrases import USUAL_LEVEL, USUAL_NAME
from samovar.web.tables.table import check_level
from samovar.web.tables.tables import by_person
from samovar.web.visit import AnyRequest, Visit

FRIENDS, THE_SAME = "friends", "same"  # who takes the other chairs; else bots of a level
TRUE_WORLD = ""
MOST_MOVES = 1000  # of a match: whoever reads the table plays them again
WORLDS = 2**32


@dataclass(frozen=True)
class StartingPoint:
    """Where somebody may play on."""

    match: Match
    people: tuple[Person, ...]
    back: str  # the page that shows it; this one is below it
    at: int  # after so many moves ...
    last: int  # ... of so many; 0: of a puzzle nobody needs to know
    knowing: int | None = None  # the seat that looks at it
    sat_there: bool = False  # the visitor, with others

    @property
    def change(self) -> str:
        """Where this position can be changed first."""
        kind, name = ("record", {"at": self.at}) if self.back.startswith("/record/") else ("puzzle", {})
        asked = {kind: self.back.rpartition("/")[2], **name}
        return f"/arrange/{self.match.game.id}?{urlencode(asked)}"


@get("/record/{record_id:str}/on")
async def ask_from_record(request: AnyRequest, record_id: FromPath[str]) -> Response[str]:
    visit = Visit(request)
    replayed = await replay_of(visit, record_id)
    if replayed.positions is None:
        raise problems.OldRules
    at, eyes = asked_moment(request, replayed.positions)
    own = await _own_seat(visit, record_id)
    return _asking(
        visit,
        StartingPoint(
            match=replayed.positions.at(at),
            people=replayed.summary.people,
            back=f"/record/{record_id}",
            at=at,
            last=replayed.positions.last,
            knowing=int(eyes) if eyes.isdigit() else own,
            sat_there=own is not None and replayed.positions.seats > 1,
        ),
    )


@get("/puzzles/{game_id:str}/{puzzle_id:str}/on")
async def ask_from_puzzle(request: AnyRequest, game_id: FromPath[str], puzzle_id: FromPath[str]) -> Response[str]:
    visit = Visit(request)
    task = await task_of(visit, named(game_id, puzzle_id))
    return _asking(visit, StartingPoint(task.match, task.people, task.address, 0, 0, task.seat))


def _asking(visit: Visit, moment: StartingPoint) -> Response[str]:
    """How to go on, and with whom."""
    match, knowing = moment.match, moment.knowing
    if match.over:
        raise problems.IsOver
    scene = make_scene(match, knowing, visit.language, moment.people, may_move=False, is_open=knowing is None)
    return visit.page(
        "play_on.html",
        moment=moment,
        game=match.game,
        art=art(match.game),
        board=draw_table(scene),
        sat_there=moment.sat_there,
        **ways_to_go_on(visit, match, moment.people, knowing),
    )


def ways_to_go_on(visit: Visit, match: Match, people: Sequence[Person], knowing: int | None) -> PageFacts:
    """For `parts/ways_to_go_on.html`."""
    return {
        "people": people,
        "knowing": knowing,
        "seat": next(iter(match.actors), 0) if knowing is None else knowing,
        "has_secrets": has_secrets(match.game),
        "levels": match.game.heuristics.offered,
        "usual_level": USUAL_LEVEL,
        "usual_name": USUAL_NAME,
    }


@post("/record/{record_id:str}/on")
async def go_on_from_record(request: AnyRequest, record_id: FromPath[str]) -> Redirect:
    visit = Visit(request)
    form = await visit.form()
    record = await _record_of(visit, record_id)
    moves = _number_below(len(record["moves"]) + 1, form, "at")

    def moment() -> Match:
        return _moment_in(record, moves)

    if form.get("others") != THE_SAME:
        return await going_on(visit, form, moment)
    begun = await asyncio.to_thread(_begun, form, moment)
    old = await visit.tables.play_again(record_id, by_person(visit.person), goes_on=begun)
    return visit.go(f"/table/{old.again}")


async def match_of_record(visit: Visit, record_id: str, moves: int) -> Match:
    """The match of a record after so many moves, with its deal."""
    return await asyncio.to_thread(_moment_in, await _record_of(visit, record_id), moves)


async def _record_of(visit: Visit, record_id: str) -> JsonObject:
    record = await visit.tables.record(record_id, visit.person)
    if not (await replay_of(visit, record_id)).positions:
        raise problems.OldRules
    if len(record["moves"]) > MOST_MOVES:
        raise problems.TooLongToPlay
    return record


def _moment_in(record: JsonObject, moves: int) -> Match:
    whole = replay(record, plain=True)
    return whole.at(min(moves, len(whole.history)))


@post("/puzzles/{game_id:str}/{puzzle_id:str}/on")
async def go_on_from_puzzle(request: AnyRequest, game_id: FromPath[str], puzzle_id: FromPath[str]) -> Redirect:
    visit = Visit(request)
    puzzle = named(game_id, puzzle_id)
    return await going_on(visit, await visit.form(), lambda: puzzle.match(plain=True))


async def going_on(visit: Visit, form: FormMultiDict, moment: Callable[[], Match]) -> Redirect:
    """A new table, where whoever asks has sat down."""
    name = check_name(str(form.get("name", "")))
    others = str(form.get("others", USUAL_LEVEL))
    level = "" if others == FRIENDS else check_level(others)
    begun = await asyncio.to_thread(_begun, form, moment)
    seats: int = begun["seats"]
    seat = _number_below(seats, form, "seat")
    levels = ["" if each == seat else level for each in range(seats)]
    table = await visit.tables.open(
        begun["game"], seats, _options_of(begun), Settings(hints=bool(level)), levels, goes_on=begun
    )
    visit.remember(name=name)
    await visit.tables.sit(table.id, visit.make_person(), name, seat)
    return visit.go(f"/table/{table.id}")


def _begun(form: FormMultiDict, moment: Callable[[], Match]) -> JsonObject:
    """The record of a match up to a moment, in the world that was asked for."""
    match = moment()
    if match.over:
        raise problems.IsOver
    if form.get("world", TRUE_WORLD) != TRUE_WORLD and has_secrets(match.game):
        match = match.go_on(_number_below(match.seats, form, "world"), secrets.randbelow(WORLDS))
    return match.record(by_number=True)


def _options_of(record: JsonObject) -> dict[str, Value]:
    """Those it is played with; a position names its own."""
    told: JsonObject = record["options"] if "options" in record else record["position"]
    return {option.name: told[option.name] for option in find_game(record["game"]).options if option.name in told}


async def _own_seat(visit: Visit, record_id: str) -> int | None:
    """Where the visitor sat; nowhere in a match from elsewhere."""
    with suppress(problems.Problem):
        return (await visit.tables.look(record_id)).seat_of(visit.person)
    return None


def _number_below(end: int, form: FormMultiDict, name: str) -> int:
    number = read_number(form, name, -1)
    if not 0 <= number < end:
        raise problems.BadChoice(name=name, value=number)
    return number
