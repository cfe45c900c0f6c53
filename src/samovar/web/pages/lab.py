"""The lab: order what to measure, watch how far it has come, stop it, read the report."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
from litestar import get, post
from litestar.datastructures import FormMultiDict
from litestar.enums import MediaType
from litestar.params import FromPath
from litestar.response import Redirect, Response

from samovar.engine.contract import Game, Option, Value
from samovar.engine.heuristics import LEVEL_NAMES
from samovar.engine.words import option_text, words_in
from samovar.errors import SamovarError
from samovar.lab.lab_worker import Begin
from samovar.lab.order import MOST_VARIANTS, RANDOM
from samovar.lab.telling import value_text, variant_text
from samovar.language.languages import translations
from samovar.web import problems
from samovar.web.drawing.render import PageFacts
from samovar.web.game_list import all_games, game_named
from samovar.web.jobs import lab
from samovar.web.jobs.lab import LabJob, LabJobs
from samovar.web.pages.home import options_query, read_number, read_query, read_seats
from samovar.web.problems import N_
from samovar.web.visit import Answer, AnyRequest, Visit

LENGTHS = (10, 60, lab.LONGEST)  # seconds
RANDOM_PER_SECOND = 10_000  # matches by chance, at most; counting them has a fifth of the time
PLAYERS = (RANDOM, *LEVEL_NAMES)  # from the weakest to the strongest
USUAL_PLAYERS = (RANDOM, "easy")
MOST_VALUES = 6  # of an option: of one with more, its usual value is compared with the half and the double
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
SAYS = {
    "counting": N_("Games by chance are played and counted."),
    "playing": N_("Bots play games, and these are looked at."),
    "meeting": N_("Bots of different levels play against each other."),
    "done": N_("The report is written."),
}


class Variant(NamedTuple):
    text: str  # what sets it apart
    link: str  # to a new table that is played like this


def open_lab(request: AnyRequest) -> tuple[Visit, LabJobs]:
    visit = Visit(request)
    if not visit.has_lab:
        raise problems.NoLab
    return visit, request.app.state.lab


@get("/lab")
async def show_lab(request: AnyRequest) -> Response[str]:
    visit, jobs = open_lab(request)
    games = [game for game in all_games() if sizes(game)]
    asked = read_query(request).get("game", [""])[-1]
    game = check_measurable(game_named(asked)) if asked else games[0]
    return visit.page(
        "lab.html",
        games=games,
        game=game,
        sizes=sizes(game),
        options=[(option.name, *option_facts(visit, game, sizes(game)[-1], option)) for option in game.options],
        players=[(name, tell_player(visit, name), name in USUAL_PLAYERS) for name in PLAYERS],
        lengths=[(seconds, tell_length(visit, seconds)) for seconds in LENGTHS],
        mine=[(job, title_of(visit, job)) for job in jobs.of(visit.person)] if visit.person else [],
    )


def sizes(game: Game) -> list[int]:
    """Numbers of players with somebody to play against."""
    return [seats for seats in game.seats if len(set(game.teams(seats))) > 1]


def check_measurable(game: Game) -> Game:
    if not sizes(game):
        raise problems.NoSuchGame(game=game.id)
    return game


@post("/lab")
async def start_lab(request: AnyRequest) -> Redirect:
    visit, jobs = open_lab(request)
    form = await visit.form()
    game = check_measurable(game_named(str(form.get("game", ""))))
    job = jobs.start(visit.make_person(), read_order(visit, form, game))
    return visit.go(f"/lab/{job.id}")


def read_order(visit: Visit, form: FormMultiDict, game: Game) -> Begin:
    seats = read_seats(form, game, sizes(game)[0])
    if seats not in sizes(game):
        raise problems.BadChoice(name=N_("seats"), value=str(seats))
    seconds = read_number(form, "seconds", LENGTHS[0])
    if seconds not in LENGTHS:
        raise problems.BadChoice(name="seconds", value=str(seconds))
    ticked = read_ticked(form, "players", PLAYERS)
    if not ticked:
        raise problems.NobodyPlays
    options = {option.name: option for option in game.options}
    vary = {name: values_of(game, seats, options[name]) for name in read_ticked(form, "vary", tuple(options))}
    count = 1
    for values in vary.values():
        count *= len(values)
    if count > MOST_VARIANTS:
        raise problems.TooManyVariants(count=count, most=MOST_VARIANTS)
    return Begin(game.id, seats, vary, ticked, RANDOM_PER_SECOND * seconds, seconds)


def read_ticked(form: FormMultiDict, name: str, known: tuple[str, ...]) -> list[str]:
    """In the order that they are known in."""
    ticked = {str(value) for value in form.getall(name, [])}
    for value in ticked.difference(known):
        raise problems.BadChoice(name=name, value=value[:40])
    return [value for value in known if value in ticked]


def values_of(game: Game, seats: int, option: Option) -> list[Value]:
    """What is compared: the usual value first, and no more than fit so many players."""
    usual, choices = option.default, option.choices
    if isinstance(usual, int) and len(choices) > MOST_VALUES:
        choices = tuple(value for value in (usual // 2, usual * 2) if value in choices)
    return [usual, *(value for value in choices if value != usual and fits(game, seats, option, value))]


def fits(game: Game, seats: int, option: Option, value: Value) -> bool:
    try:
        game.check_options(seats, {option.name: value})
    except SamovarError:
        return False
    return True


@get("/lab/{job_id:str}")
async def show_job(request: AnyRequest, job_id: FromPath[str]) -> Answer:
    visit, jobs = open_lab(request)
    job = jobs.find(job_id)
    facts: PageFacts = {
        "job": job,
        "is_mine": job.asker == visit.person,
        "before": 0 if job.is_over else jobs.before(job),
        "says": visit.tell(SAYS.get(job.stage) or N_("All is made ready. The first time after a start takes longer.")),
    }
    parts = {name: visit.draw(f"parts/lab_{name}.html", facts).strip() for name in ("progress", "stop", "report")}
    if visit.wants_parts:
        return Response(msgspec.json.encode({"parts": parts}), media_type=MediaType.JSON)
    return visit.page(
        "lab_job.html",
        **facts,
        parts=parts,
        game=job.order.game,
        varied=[option_facts(visit, job.order.game, job.order.seats, option) for option in varied_options(job)],
        players=[tell_player(visit, name) for name in job.order.players],
        length=tell_length(visit, int(job.wanted.seconds)),
        variants=[variant_of(visit, job, number) for number in range(len(job.order.variants))],
    )


@get("/lab/{job_id:str}/report")
async def show_report(request: AnyRequest, job_id: FromPath[str]) -> Response[str]:
    """A page by itself, which loads nothing."""
    visit, jobs = open_lab(request)
    job = jobs.find(job_id)
    if not job.pages:
        raise problems.NoReportYet
    return Response(
        job.pages[visit.language], media_type=MediaType.HTML, headers={"content-security-policy": REPORT_POLICY}
    )


@post("/lab/{job_id:str}/stop")
async def stop_job(request: AnyRequest, job_id: FromPath[str]) -> Redirect:
    visit, jobs = open_lab(request)
    job = jobs.find(job_id)
    if job.asker != visit.person:
        raise problems.NotYourLab
    jobs.stop(job)
    return visit.go(f"/lab/{job.id}")


# In words


def tell_player(visit: Visit, name: str) -> str:
    return visit.tell(N_("by chance")) if name == RANDOM else visit.tell(name)


def tell_length(visit: Visit, seconds: int) -> str:
    words = translations(visit.language)
    if seconds < 60:
        return words.ngettext("%(num)s second", "%(num)s seconds", seconds) % {"num": seconds}
    return words.ngettext("%(num)s minute", "%(num)s minutes", seconds // 60) % {"num": seconds // 60}


def title_of(visit: Visit, job: LabJob) -> str:
    options = [option_text(words_in(job.order.game, visit.language), option) for option in varied_options(job)]
    return " · ".join([job.order.game.name, *options])


def varied_options(job: LabJob) -> list[Option]:
    return [option for option in job.order.game.options if option.name in job.wanted.vary]


def option_facts(visit: Visit, game: Game, seats: int, option: Option) -> tuple[str, str]:
    """What it is called, and what is compared."""
    values = [value_text(game, option, value, visit.language) for value in values_of(game, seats, option)]
    return option_text(words_in(game, visit.language), option), " / ".join(values)


def variant_of(visit: Visit, job: LabJob, number: int) -> Variant:
    game, seats, options = job.order.game, job.order.seats, job.order.variants[number]
    apart = {option.name: options[option.name] for option in varied_options(job)}
    text = variant_text(game, apart, visit.language) or visit.tell(N_("as it is"))
    return Variant(text, f"/new/{game.id}?seats={seats}{options_query(apart)}")
