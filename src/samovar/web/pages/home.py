"""The way in: home, a new table, rules, the language."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

from litestar import get, post
from litestar.datastructures import FormMultiDict
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect, Response

from samovar.engine.contract import Game, Option, Value, Words
from samovar.engine.heuristics import LEVEL_NAMES
from samovar.engine.registry import find_game, game_ids
from samovar.errors import SamovarError, UnknownGame
from samovar.languages import LANGUAGES, choice_text, option_text, words_in
from samovar.web import problems
from samovar.web.entries import Settings
from samovar.web.names import check_name
from samovar.web.phrases import USUAL_LEVEL, USUAL_NAME
from samovar.web.render import art
from samovar.web.rules_page import rules_html
from samovar.web.store import Listed
from samovar.web.visit import AnyRequest, Visit

MOST_FIELDS = 40  # of an address
NUMBER = re.compile(r"-?[0-9]{1,9}")
OUR_ADDRESS = re.compile(r"/(?![/\\])[^\\]*")  # a browser takes any other beginning for another site


def all_games() -> list[Game]:
    """Those for the largest company first."""
    return sorted(map(find_game, game_ids()), key=lambda game: (-game.seats[-1], -len(game.seats), game.id))


def game_named(game_id: str) -> Game:
    try:
        return find_game(game_id)
    except UnknownGame as error:
        raise problems.NoSuchGame(game=game_id) from error


@get("/")
async def home(request: AnyRequest) -> Response[str]:
    visit = Visit(request)
    mine = await visit.tables.tables_of(visit.person) if visit.person else []
    games = all_games()
    # a table may outlive its game: one's own is listed by its id, others are of no use to anybody
    names = {game.id: game.name for game in games}
    listed = [
        line
        for line in await visit.tables.open_tables()
        if line.summary.game in names and line.table not in {own.table for own in mine}
    ]
    mine.sort(key=lambda line: (line.summary.status == "over", not is_turn(line), -line.changed))
    return visit.page("home.html", games=games, mine=mine, listed=listed, is_turn=is_turn, names=names)


def is_turn(line: Listed) -> bool:
    """Whether the table waits for the person whose list this is."""
    return line.seat is not None and line.summary.status == "playing" and bool(line.summary.actors >> line.seat & 1)


@post("/play/{game_id:str}")
async def play_now(request: AnyRequest, game_id: FromPath[str]) -> Redirect:
    """Against bots, in one click."""
    visit = Visit(request)
    game = game_named(game_id)
    seats = game.seats[0]
    table = await visit.tables.open(game.id, seats, {}, Settings(hints=True), ["", *[USUAL_LEVEL] * (seats - 1)])
    await visit.tables.sit(table.id, visit.make_person(), visit.name or visit.tell(USUAL_NAME))
    return visit.go(f"/table/{table.id}")


@get("/new/{game_id:str}")
async def new_table(request: AnyRequest, game_id: FromPath[str], seats: FromQuery[int | None] = None) -> Response[str]:
    visit = Visit(request)
    game = game_named(game_id)
    chosen = seats if seats in game.seats else game.seats[0]
    return visit.page(
        "new.html",
        game=game,
        words=words_in(game, visit.language),
        seats=chosen,
        levels=LEVEL_NAMES,
        usual_level=USUAL_LEVEL,
        option_text=option_text,
        choice_text=choice_text,
    )


@post("/new/{game_id:str}")
async def open_table(request: AnyRequest, game_id: FromPath[str]) -> Redirect:
    visit = Visit(request)
    game = game_named(game_id)
    form = await visit.form()
    name = check_name(str(form.get("name", "")))
    seats = read_number(form, "seats", game.seats[0])
    if seats not in game.seats:
        raise problems.BadChoice(name=problems.N_("seats"), value=str(seats))
    options = {
        option.name: read_option(form, words_in(game, visit.language), option)
        for option in game.options
        if option.name in form or isinstance(option.default, bool)
    }
    settings = Settings(
        is_open=form.get("open") == "on",
        hints=form.get("hints") == "on",
        memory_aid=form.get("memory_aid") == "on",
        stand_in=str(form.get("stand_in", USUAL_LEVEL)),
    )
    levels = ["", *(str(form.get(f"chair-{seat}", "")) for seat in range(1, seats))]
    table = await visit.tables.open(game.id, seats, options, settings, levels)
    visit.remember(name=name)
    await visit.tables.sit(table.id, visit.make_person(), name)
    return visit.go(f"/table/{table.id}")


def read_query(request: AnyRequest) -> dict[str, list[str]]:
    """What the address asks for, after its question mark; a word without a value counts, too."""
    try:
        return parse_qs(
            request.scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=MOST_FIELDS
        )
    except ValueError as error:
        raise problems.Problem from error


def read_number(form: FormMultiDict, name: str, otherwise: int) -> int:
    text = str(form.get(name, otherwise))
    if not NUMBER.fullmatch(text):
        raise problems.BadChoice(name=name, value=text[:40])
    return int(text)


def read_option(form: FormMultiDict, words: Words, option: Option) -> Value:
    """A choice among those of a switch; a box that is not ticked is not sent, and numbers are
    typed."""
    text = str(form.get(option.name, "false" if isinstance(option.default, bool) else ""))
    value: Value = int(text) if NUMBER.fullmatch(text) else option.parse(text)
    try:
        option.code(value)
    except SamovarError as error:
        raise problems.BadChoice(name=option_text(words, option), value=text[:40]) from error
    return value


@get("/rules/{game_id:str}")
async def rules(request: AnyRequest, game_id: FromPath[str]) -> Response[str]:
    visit = Visit(request)
    game = game_named(game_id)
    return visit.page("rules.html", game=game, rules=rules_html(game, visit.language), art=art(game))


@post("/language")
async def choose_language(request: AnyRequest) -> Redirect:
    visit = Visit(request)
    form = await visit.form()
    if form.get("language") in LANGUAGES:
        visit.remember(language=str(form["language"]))
    back = str(form.get("back", ""))
    return visit.go(back if OUR_ADDRESS.fullmatch(back) and back.isprintable() else "/")


HANDLERS = [home, play_now, new_table, open_table, rules, choose_language]
