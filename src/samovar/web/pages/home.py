"""The way in: home, one's own tables, a new table, rules, the language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from urllib.parse import parse_qs, urlencode

from litestar import get, post
from litestar.datastructures import FormMultiDict
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect, Response
from msgspec import UNSET, UnsetType

from samovar.engine.contract import Game, Option, Value, Words
from samovar.engine.registry import is_ours
from samovar.engine.words import choice_text, option_text, words_in
from samovar.errors import SamovarError
from samovar.language.languages import LANGUAGES
from samovar.teach.lessons import has_lesson
from samovar.teach.puzzles import has_puzzles
from samovar.teach.rules_pages import rules_language
from samovar.web import problems
from samovar.web.drawing.render import PageFacts, art
from samovar.web.drawing.rules_page import rules_html
from samovar.web.game_list import all_games, game_named, told_seats
from samovar.web.names import check_name, same_name
from samovar.web.people.family import SIGNS, FamilySign, family_of, with_sign
from samovar.web.people.own_level import LIKE_ME, level_like
from samovar.web.people.own_matches import games_of
from samovar.web.store.entries import DaysOff, Settings
from samovar.web.store.store import Listed
from samovar.web.tables import clock
from samovar.web.tables.clock import ALLOWANCES, check_time
from samovar.web.tables.codes import page_with
from samovar.web.tables.companions import sit_down
from samovar.web.tables.phrases import USUAL_LEVEL, USUAL_NAME
from samovar.web.tables.post.calendar import read_days_off, zones
from samovar.web.tables.table import check_level
from samovar.web.tables.tables import by_person
from samovar.web.visit import AnyRequest, Visit

ON_THIS_DEVICE = "here"  # who takes a chair
WAYS = ("alone", "friends", ON_THIS_DEVICE)  # to play, as the first page offers them
UNNAMED = problems.N_("Player %(number)s")
MOST_FIELDS = 40  # of an address
MOST_NEXT = 50  # tables that are looked through for the one that has waited longest
FOLLOWED = "followed"  # in the cookie: the last table whose bots follow the visitor
MOST_MINE = 3  # tables of a visitor's own on the first page
NUMBER = re.compile(r"-?[0-9]{1,9}")
OUR_ADDRESS = re.compile(r"/(?![/\\])[^\\]*")  # a browser takes any other beginning for another site


@get("/")
async def home(request: AnyRequest) -> Response[str]:
    visit = Visit(request)
    way = read_query(request).get("way", [""])[-1]
    mine = await visit.tables.current_tables_of(visit.person, MOST_MINE) if visit.person else []
    played = await games_played(visit)
    games = all_games()
    names = game_names()
    # a table may outlive its game: one's own is listed by its id, others are of no use to anybody
    open_tables = [
        line
        for line in await visit.tables.open_tables()
        if line.summary.game in names and line.table not in {own.table for own in mine}
    ]
    return visit.page(
        "home.html",
        way=way if way in WAYS else WAYS[0],
        pitch=lambda game: words_in(game, visit.language).get("pitch", ""),
        told_seats=told_seats,
        ours=[game for game in games if is_ours(game.id)],
        others=[game for game in games if not is_ours(game.id)],
        choices={game.id: last_choice(visit, game, has_played=game.id in played) for game in games},
        levels={game.id: levels_offered(game, has_played=game.id in played) for game in games},
        has_lesson=has_lesson,
        puzzled={game.id for game in games if has_puzzles(game)},
        mine=mine,
        open_tables=open_tables,
        **line_facts(),
    )


def line_facts() -> PageFacts:
    """What lists of tables need."""
    return {
        "names": game_names(),
        "now": clock.now(),
        "is_turn": is_turn,
        "opponents": opponents,
        "actors": actors,
    }


def game_names() -> dict[str, str]:
    return {game.id: game.name for game in all_games()}


def opponents(line: Listed) -> list[str]:
    """Who else sits at a table of the visitor's own."""
    return [name for seat, name in enumerate(line.summary.names.split("\n")) if name and seat != line.seat]


def actors(line: Listed) -> list[str]:
    """Whom a table waits for."""
    names = line.summary.names.split("\n")
    return [name for seat, name in enumerate(names) if name and line.summary.actors >> seat & 1]


def is_turn(line: Listed) -> bool:
    """Whether the table waits for the person whose list this is."""
    return line.seat is not None and line.summary.status == "playing" and bool(line.summary.actors >> line.seat & 1)


@get("/next")
async def next_table(request: AnyRequest) -> Redirect:
    """To the table where this visitor's time runs out first, or that has waited for them longest;
    home, if none does."""
    visit = Visit(request)
    mine = await visit.tables.current_tables_of(visit.person, MOST_NEXT) if visit.person else []
    waiting = sorted(
        (line for line in mine if is_turn(line)),
        key=lambda line: (line.summary.due is None, line.summary.due or line.changed),
    )
    return visit.go(f"/table/{waiting[0].table}" if waiting else "/")


@get("/join")
async def join_by_code(request: AnyRequest) -> Redirect:
    """To the table, or the club, whose code somebody has typed."""
    visit = Visit(request)
    typed = read_query(request).get("code", [""])[-1]
    return visit.go(await page_with(visit.tables.store, visit.tables.secret, typed))


@post("/play/{game_id:str}")
async def play_now(request: AnyRequest, game_id: FromPath[str]) -> Redirect:
    """Against bots or with friends, in one click. How many players and how good the bots is offered again the next
    time."""
    visit = Visit(request)
    game = game_named(game_id)
    form = await visit.form()
    usual_seats, usual_level = last_choice(visit, game, has_played=game.id in await games_played(visit))
    seats = read_seats(form, game, usual_seats)
    chosen = str(form.get("level", usual_level))
    level = check_level(await level_meant(visit, game, chosen, seats - 1))
    name = str(form.get("name", "")).strip()
    if name:
        name = check_name(name)
        visit.remember(name=name)
    is_choice = chosen != usual_level or usual_level == last_level(visit, game)
    visit.remember(**{f"play-{game.id}": f"{seats} {chosen if is_choice else ''}"})
    with_friends = form.get("way") == "friends"
    others = [""] * (seats - 1) if with_friends else [level] * (seats - 1)
    words = words_in(game, visit.language)
    options = {option.name: read_option(form, words, option) for option in game.options if option.name in form}
    table = await visit.tables.open(game.id, seats, options, Settings(hints=not with_friends), ["", *others])
    await visit.tables.sit(table.id, visit.make_person(), name or visit.name or visit.tell(USUAL_NAME))
    if chosen == LIKE_ME:
        visit.remember(**{FOLLOWED: table.id})
    return visit.go(f"/table/{table.id}")


def last_choice(visit: Visit, game: Game, *, has_played: bool = False) -> tuple[int, str]:
    """How many players, and how good the bots: as the visitor chose for this game the last time. Whoever has played it
    and not chosen gets bots that follow them."""
    seats, level = visit.recall(f"play-{game.id}").partition(" ")[0], last_level(visit, game)
    return (
        int(seats) if seats in map(str, game.seats) else game.seats[0],
        level if level in levels_offered(game, has_played=has_played) else LIKE_ME if has_played else USUAL_LEVEL,
    )


def last_level(visit: Visit, game: Game) -> str:
    """That was chosen; empty: what was offered was good enough."""
    return visit.recall(f"play-{game.id}").partition(" ")[2]


async def games_played(visit: Visit) -> set[str]:
    """Of those it is known how good the visitor is."""
    return {tally.game for tally in await games_of(visit.tables.store, visit.person)} if visit.person else set()


def levels_offered(game: Game, *, has_played: bool) -> tuple[str, ...]:
    levels = game.heuristics.offered
    return (LIKE_ME, *levels) if has_played else levels


async def level_meant(visit: Visit, game: Game, level: str, others: int) -> str:
    return await level_like(visit.tables.store, visit.person, game, others) if level == LIKE_ME else level


@post("/name")
async def change_name(request: AnyRequest) -> Redirect:
    """What the visitor is called at the next tables; those who sit already change it there."""
    visit = Visit(request)
    name = check_name(str((await visit.form()).get("name", "")))
    visit.remember(name=name)
    await visit.change_profile(name=name)
    return visit.go("/")


@get("/new/{game_id:str}")
async def new_table(
    request: AnyRequest,
    game_id: FromPath[str],
    seats: FromQuery[int | None] = None,
    chairs: FromQuery[str] = "",
    instead: FromQuery[str] = "",
) -> Response[str]:
    """`chairs`: who takes the others, unless something else is chosen. `instead`: the table whose place this one
    shall take."""
    visit = Visit(request)
    game = game_named(game_id)
    old = await visit.table(instead) if instead else None
    usual = old.seats if old else last_choice(visit, game)[0]
    there = [old.settings.stand_in, *(chair.level for chair in old.chairs if chair.level)] if old else []
    offered = levels_offered(game, has_played=game.id in await games_played(visit))
    asked = (old.options if old and old.game is game else {}) | options_asked(request, game)
    return visit.page(
        "new.html",
        game=game,
        asked={option.name: option.default for option in game.options} | asked,
        asked_query=options_query(asked) + (f"&instead={old.id}" if old else ""),
        old=old,
        settings=old.settings if old else Settings(),
        words=words_in(game, visit.language),
        seats=seats if seats in game.seats else usual,
        chairs=chairs,
        relatives=await relatives_of(visit),
        levels=dict.fromkeys((*game.heuristics.offered, *there)),
        offered=dict.fromkeys((*offered, *there)),
        usual_level=USUAL_LEVEL,
        allowances=ALLOWANCES,
        zones=zones(),
        own_zone=visit.profile.wishes.zone,
        option_text=option_text,
        choice_text=choice_text,
    )


async def relatives_of(visit: Visit) -> list[str]:
    """Who else has played on this device."""
    family = await family_of(visit.tables.store, visit.device, visit.person or "", clock.now())
    return [one.name for one in family if not same_name(one.name, visit.name)]


@post("/new/{game_id:str}")
async def open_table(request: AnyRequest, game_id: FromPath[str]) -> Redirect:
    visit = Visit(request)
    game = game_named(game_id)
    form = await visit.form()
    instead = str(form.get("instead", ""))
    name = "" if instead else check_name(str(form.get("name", "")))
    seats = read_seats(form, game, game.seats[0])
    options = {
        option.name: read_option(form, words_in(game, visit.language), option)
        for option in game.options
        if option.name in form or isinstance(option.default, bool)
    }
    time = check_time(str(form.get("time", "")))
    settings = Settings(
        is_open=form.get("open") == "on",
        hints=form.get("hints") == "on",
        memory_aid=form.get("memory_aid") == "on",
        stand_in=str(form.get("stand_in", USUAL_LEVEL)),
        time=time,
        one_move=form.get("late") == "one_move",
        is_rated=form.get("rated") == "on",
        days_off=days_off_asked(form) if time and ALLOWANCES[time].is_by_post else UNSET,
    )
    chairs = [str(form.get(f"chair-{seat}", "")) for seat in range(1, seats)]
    companions = {
        seat: read_companion(visit, form, seat) for seat, chair in enumerate(chairs, 1) if chair == ON_THIS_DEVICE
    }
    bots = [await level_meant(visit, game, chair, seats - 1) for chair in chairs]
    levels = ["", *("" if bot == ON_THIS_DEVICE else bot for bot in bots)]
    if instead:
        who = by_person(visit.person)
        other = await visit.tables.open_instead(instead, who, game.id, seats, options, settings, levels)
        return visit.go(f"/table/{other.id}")
    table = await visit.tables.open(game.id, seats, options, settings, levels)
    visit.remember(name=name)
    await visit.tables.sit(table.id, visit.make_person(), name)
    for seat, companion in companions.items():
        await sit_down(visit.tables, visit.make_device(), table.id, companion, seat)
    give_signs(visit, [name, *companions.values()] if companions else [])
    return visit.go(f"/table/{table.id}")


def days_off_asked(form: FormMultiDict) -> DaysOff | UnsetType:
    weekends = form.get("weekends_off") == "on"
    return read_days_off(str(form.get("zone", "UTC")), str(form.get("days_off", "")), weekends=weekends)


def give_signs(visit: Visit, names: Iterable[str]) -> None:
    """To everybody on this device who has none yet; whose page it is keeps the sign of it."""
    signs = visit.recall(SIGNS)
    for name in filter(None, names):
        own = visit.profile if same_name(name, visit.name) and visit.profile.mark else None
        signs = with_sign(signs, name, FamilySign(own.mark, own.colour) if own else None)
    visit.remember(**{SIGNS: signs})


def read_companion(visit: Visit, form: FormMultiDict, seat: int) -> str:
    """What somebody on the same device is called; whoever leaves the field empty has the number of
    their chair."""
    name = str(form.get(f"chair-{seat}-name", "")).strip()
    return check_name(name) if name else visit.tell(UNNAMED) % {"number": seat + 1}


def read_query(request: AnyRequest) -> dict[str, list[str]]:
    """What the address asks for, after its question mark; a word without a value counts, too."""
    try:
        return parse_qs(
            request.scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=MOST_FIELDS
        )
    except ValueError as error:
        raise problems.Problem from error


def options_asked(request: AnyRequest, game: Game) -> dict[str, Value]:
    """The options that a link names; what the game does not know is left out."""
    query, asked = read_query(request), {}
    for option in game.options:
        with suppress(SamovarError):
            asked[option.name] = parse_option(option, query.get(option.name, [""])[-1])
    return asked


def options_query(options: Mapping[str, Value]) -> str:
    """The part of a link that names options, as `options_asked` reads them."""
    texts = {name: "random" if value is None else str(value).lower() for name, value in options.items()}
    return "".join(f"&{urlencode({name: text})}" for name, text in texts.items())


def read_number(form: FormMultiDict, name: str, otherwise: int) -> int:
    text = str(form.get(name, otherwise))
    if not NUMBER.fullmatch(text):
        raise problems.BadChoice(name=name, value=text[:40])
    return int(text)


def read_seats(form: FormMultiDict, game: Game, otherwise: int) -> int:
    seats = read_number(form, "seats", otherwise)
    if seats not in game.seats:
        raise problems.BadChoice(name=problems.N_("seats"), value=str(seats))
    return seats


def read_option(form: FormMultiDict, words: Words, option: Option) -> Value:
    """A choice among those of a switch; a box that is not ticked is not sent, and numbers are
    typed."""
    text = str(form.get(option.name, "false" if isinstance(option.default, bool) else ""))
    try:
        return parse_option(option, text)
    except SamovarError as error:
        raise problems.BadChoice(name=option_text(words, option), value=text[:40]) from error


def parse_option(option: Option, text: str) -> Value:
    """Refuses what cannot be chosen."""
    value: Value = int(text) if NUMBER.fullmatch(text) else option.parse(text)
    option.code(value)
    return value


@get("/rules")
async def learn(request: AnyRequest) -> Response[str]:
    return Visit(request).page("learn.html", games=all_games(), has_lesson=has_lesson)


@get("/rules/{game_id:str}")
async def rules(request: AnyRequest, game_id: FromPath[str]) -> Response[str]:
    visit = Visit(request)
    game = game_named(game_id)
    spoken = rules_language(game, visit.language)
    return visit.page("rules.html", game=game, rules=rules_html(game, spoken), spoken=spoken, art=art(game))


@post("/language")
async def choose_language(request: AnyRequest) -> Redirect:
    visit = Visit(request)
    form = await visit.form()
    if form.get("language") in LANGUAGES:
        visit.remember(language=str(form["language"]))
        await visit.change_profile(language=str(form["language"]))
    back = str(form.get("back", ""))
    return visit.go(back if OUR_ADDRESS.fullmatch(back) and back.isprintable() else "/")
