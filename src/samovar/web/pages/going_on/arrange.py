"""Arrange a position by hand and play on from it: click a piece in the drawing, then where it shall lie. The page
itself carries what was arranged, and nothing is kept before somebody plays."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import msgspec
from litestar import get, post
from litestar.datastructures import FormMultiDict
from litestar.params import FromPath
from litestar.response import Redirect, Response
from markupsafe import Markup

from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.records.arranged import (
    ArrangedPosition,
    can_move_pieces,
    field_text,
    look_at,
    move_piece,
    position_kind,
    position_of,
    read_field,
)
from samovar.engine.words import choice_text, option_text, words_in
from samovar.errors import SamovarError
from samovar.json_types import JsonObject
from samovar.web import problems
from samovar.web.drawing.render import art
from samovar.web.game_list import game_named
from samovar.web.names import Person
from samovar.web.pages.going_on.pieces import ArrangedDrawing, draw_moves, draw_pieces
from samovar.web.pages.going_on.play_on import MOST_MOVES, going_on, match_of_record, ways_to_go_on
from samovar.web.pages.home import UNNAMED, read_query
from samovar.web.pages.puzzles import named
from samovar.web.people.puzzle_book import position_of as position_of_puzzle
from samovar.web.visit import AnyRequest, Visit

LARGEST = 20_000  # letters of a position as JSON; a whole game of Matryoshka is one of 5,000
MOST_FIELDS = 60
MOST_DEALS = 20
MOST_RANDOM = 200  # moves, which plain Python makes
FIELD = "field-"  # begins the names of the fields of a position in the form
SEATS = {"turn": problems.N_("Whose turn it is"), "first": problems.N_("Who began")}  # seats in every game
ONE_SEAT = re.compile(r"\bseat (\d+)\b")
SWITCH = (problems.N_("no"), problems.N_("yes"))


class PositionField(NamedTuple):
    """A fact of a position, as it is asked for."""

    name: str
    label: str
    text: str
    choices: tuple[tuple[str, str], ...] = ()  # values and words
    is_told: bool = True  # in words, and not as programs call it


@dataclass(frozen=True)
class Arranging:
    """What somebody is at."""

    here: ArrangedPosition  # the last that could be drawn
    picked: str = ""  # the piece that was chosen
    typed: dict[str, str] = field(default_factory=dict)  # into fields, where no position came of it
    before: JsonObject | None = None  # what it was before the last change
    problem: str = ""


@get("/arrange/{game_id:str}")
async def begin_arranging(request: AnyRequest, game_id: FromPath[str]) -> Response[str]:
    """From a moment of a record, from a puzzle, or from a deal, with some moves at random."""
    visit, game = Visit(request), game_named(game_id)
    asked = {name: values[0] for name, values in read_query(request).items()}
    if "record" in asked:
        match = await match_of_record(visit, asked["record"], _number(asked, "at", MOST_MOVES))
    elif "puzzle" in asked:
        match = await position_of_puzzle(named(game_id, asked["puzzle"]))
    else:
        seats, moves = _number(asked, "seats", max(game.seats), game.seats[0]), _number(asked, "moves", MOST_RANDOM)
        match = await asyncio.to_thread(_played_at_random, game, game.check_seats(seats), moves)
    if match.game is not game:
        raise problems.NoSuchPage
    position = await asyncio.to_thread(position_of, match)
    if position is None:
        raise problems.CannotArrange(game=game.name)
    return await _answer(visit, game, Arranging(await asyncio.to_thread(look_at, game, position)))


def _number(asked: dict[str, str], name: str, most: int, otherwise: int = 0) -> int:
    text = asked.get(name, str(otherwise))
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) <= most):
        raise problems.BadChoice(name=name, value=text[:40])
    return int(text)


def _played_at_random(game: Game, seats: int, moves: int) -> Match:
    match = Match(game, seats, plain=True)
    for _ in range(MOST_DEALS):  # there are deals with which nobody can begin
        if not match.over:
            break
        match = Match(game, seats, plain=True)
    match.play_random(secrets.randbits(32), moves)
    while match.over and match.history:
        match.undo()
    return match


@post("/arrange/{game_id:str}", status_code=200)
async def arrange(request: AnyRequest, game_id: FromPath[str]) -> Response[str]:
    visit, game = Visit(request), game_named(game_id)
    return await _answer(visit, game, await asyncio.to_thread(_changed, game, await visit.form()))


@post("/arrange/{game_id:str}/play")
async def play_arranged(request: AnyRequest, game_id: FromPath[str]) -> Redirect | Response[str]:
    """What cannot be is told, and stays as it was arranged."""
    visit, game = Visit(request), game_named(game_id)
    form = await visit.form()
    now = await asyncio.to_thread(_changed, game, form)
    if now.problem or now.here.faults:
        return await _answer(visit, game, now, 422)
    try:
        return await going_on(visit, form, lambda: Match.from_position(game, now.here.position, plain=True))
    except problems.Problem as problem:
        return await _answer(visit, game, replace(now, problem=visit.tell_problem(problem)), problem.status)


def _changed(game: Game, form: FormMultiDict) -> Arranging:
    """After what was sent. A change of which no position comes is told and not made."""
    before = _read_position(game, form, "before") if form.get("before") else None
    is_undone = "back" in form and before is not None
    old = look_at(game, before if is_undone and before else _read_position(game, form, "position"))
    if old.match is None:
        raise problems.NoPosition(why=" ".join(old.faults)[:1000])
    if is_undone:
        return Arranging(old)
    typed = _typed(form, old.position)
    picked, clicked = str(form.get("picked", "")), str(form.get("move", ""))
    try:
        position = {**old.position, **{name: read_field(game, name, text) for name, text in typed.items()}}
        position = {name: value for name, value in position.items() if value is not None and typed.get(name) != ""}
        if clicked and not can_move_pieces(game):
            position["moves"] = [*position.get("moves", ()), clicked]
        elif clicked and picked:
            position = move_piece(game, position, picked, clicked)
    except SamovarError as error:
        return Arranging(old, typed=typed, before=before, problem=_for_players(str(error)))
    new = look_at(game, position)
    if new.match is None:
        return Arranging(old, typed=typed, before=before, problem=_for_players(" ".join(new.faults)))
    is_picking = clicked and not picked and can_move_pieces(game)
    before = before if new.position == old.position else old.position
    return Arranging(new, picked=clicked if is_picking else "", before=before)


def _for_players(fault: str) -> str:
    """Programs count seats from 0, and people players from 1."""
    return ONE_SEAT.sub(lambda seat: f"player {int(seat[1]) + 1}", fault)


def _read_position(game: Game, form: FormMultiDict, name: str) -> JsonObject:
    text = form.get(name)
    if not isinstance(text, str) or len(text) > LARGEST:
        raise problems.NoPosition(why="")
    try:
        position = msgspec.json.decode(text, type=JsonObject)
    except (ValueError, RecursionError) as error:
        raise problems.NoPosition(why="") from error
    if position_kind(game) is None or len(position) > MOST_FIELDS:
        raise problems.NoPosition(why="")
    return position


def _typed(form: FormMultiDict, position: JsonObject) -> dict[str, str]:
    """The fields that somebody has changed."""
    sent = {name.removeprefix(FIELD): str(text) for name, text in form.multi_items() if name.startswith(FIELD)}
    return {name: text for name, text in sent.items() if text != field_text(position.get(name))}


async def _answer(visit: Visit, game: Game, now: Arranging, status: int = 200) -> Response[str]:
    match = now.here.match
    assert match is not None
    people = tuple(Person(visit.tell(UNNAMED) % {"number": seat + 1}) for seat in range(match.seats))
    drawn = await asyncio.to_thread(_drawn, now, visit.language, people)
    return visit.page(
        "arrange.html",
        status,
        game=game,
        art=art(game),
        now=now,
        faults=[_for_players(fault) for fault in now.here.faults],
        drawn=drawn,
        position=msgspec.json.encode(now.here.position).decode(),
        before=msgspec.json.encode(now.before).decode() if now.before else "",
        fields=list(_fields(visit, game, now, people)),
        seats=match.seats,
        **ways_to_go_on(visit, match, people, None),
    )


def _drawn(now: Arranging, language: str, people: tuple[Person, ...]) -> ArrangedDrawing:
    """What cannot be may be such that it cannot be drawn, either."""
    match = now.here.match
    assert match is not None
    try:
        if can_move_pieces(match.game):
            return draw_pieces(match, language, people, now.picked)
        return draw_moves(match, language, people)
    except Exception:
        if not now.here.faults:
            raise
        return ArrangedDrawing(Markup(""))


def _fields(visit: Visit, game: Game, now: Arranging, people: tuple[Person, ...]) -> Iterator[PositionField]:
    words, position = words_in(game, visit.language), now.here.position
    options = {option.name: option for option in game.own_options}
    kind = position_kind(game)
    for name in kind.__struct_fields__ if kind else ():
        text = now.typed.get(name, field_text(position.get(name)))
        if name == "seats":
            continue
        option = options.get(name)
        choices: tuple[tuple[str, str], ...] = ()
        if name in SEATS:
            choices = tuple((str(seat), person.name) for seat, person in enumerate(people))
        elif option and not isinstance(option.choices, range):
            choices = tuple(
                (field_text(one), visit.tell(SWITCH[one]) if isinstance(one, bool) else choice_text(words, option, one))
                for one in option.choices
            )
        if choices and text not in dict(choices):  # nothing is said of it yet
            choices = (("", "–"), *choices)
        label = words.get(f"arrange.{name}", "")
        if not label and name in SEATS:
            label = visit.tell(SEATS[name])
        elif not label and option:
            label = option_text(words, option)
        yield PositionField(name, label or name, text, choices, is_told=bool(label))
