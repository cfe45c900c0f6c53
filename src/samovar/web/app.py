"""The site as one application: what is put together, what every answer carries, and what is said
when something goes wrong."""

from __future__ import annotations

import asyncio
import errno
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from copy import copy
from itertools import chain
from typing import Any

import msgspec
from litestar import Litestar, get
from litestar.config.csrf import CSRFConfig
from litestar.datastructures import CacheControlHeader, State
from litestar.enums import MediaType
from litestar.exceptions import HTTPException, NotFoundException
from litestar.file_system import BaseLocalFileSystem
from litestar.handlers import HTTPRouteHandler
from litestar.response import Response
from litestar.static_files import create_static_files_router
from litestar.types import Message, Scope

from samovar.errors import SamovarError, StoreError
from samovar.web import figures, problems
from samovar.web.api import api, api_docs, api_problems
from samovar.web.base_path import base_path
from samovar.web.drawing.looks import RenderedTables
from samovar.web.drawing.render import HERE, INSIGHT
from samovar.web.drawing.tours import TourBoards
from samovar.web.jobs.bot_pool import BotPool
from samovar.web.jobs.lab import LabJobs
from samovar.web.jobs.replays import Replays
from samovar.web.jobs.reviews import Reviews
from samovar.web.notifications.channels import Channels
from samovar.web.notifications.notifier import Notifier
from samovar.web.notifications.sender import Sender
from samovar.web.pages import (
    club,
    daily,
    games,
    hand,
    handlers_in,
    home,
    invitation,
    lab,
    lesson,
    owner,
    players,
    privacy,
    puzzles,
    record,
    review,
    school,
    screen,
    table,
)
from samovar.web.pages.going_on import arrange, play_on
from samovar.web.pages.people import circle, circle_keep, family, me, me_data, me_link, my_tables, notifications
from samovar.web.pages.post import ahead
from samovar.web.pages.tours import acts, looks, making
from samovar.web.people.classes import Classes
from samovar.web.people.members import Members
from samovar.web.people.owning import Owning
from samovar.web.people.people import People
from samovar.web.people.players import Players
from samovar.web.people.puzzle_book import PuzzleBook
from samovar.web.people.tours import Tours
from samovar.web.server.entry import EntryCheck
from samovar.web.server.limits import (
    Limit,
    Limits,
    answers_puzzle,
    arranges,
    is_of_person,
    makes_club,
    makes_something,
    sits_down,
    takes_all_along,
    tries_code,
    uses_lab,
)
from samovar.web.server.shortcut import ShortcutApp
from samovar.web.site import Site
from samovar.web.store.changes import Changes, open_channels
from samovar.web.store.store import Store
from samovar.web.tables.tables import Tables
from samovar.web.visit import (
    Answer,
    AnyRequest,
    CarefulCookies,
    CarefulRequest,
    CarefulSessions,
    Visit,
    check_address,
    is_from_here,
    wants_html,
)

PAGES = (
    *(
        home,
        invitation,
        owner,
        lesson,
        notifications,
        me,
        me_link,
        me_data,
        my_tables,
        circle,
        circle_keep,
        family,
        club,
    ),
    *(school, privacy, daily, table, ahead, screen, hand, record, arrange, play_on, making, looks, acts, review),
    *(lab, puzzles, players, games),
)
LARGEST_FORM = 64 * 1024
HEALTH_SECONDS = 2.0
MINUTE = 60.0
DAY = 24 * 60 * MINUTE
MOST_CODES = 60  # typed in ten minutes from one address: a club may sit behind it, and nobody guesses one so
MOST_CLUBS = 20  # in a day from one address
MOST_ANSWERS = 60  # to puzzles in a minute from one address
MOST_ARRANGED = 180  # clicks on a position in a minute from one address
MOST_LABS = 30  # in ten minutes from one address, begun or stopped
MOST_EXPORTS = 10  # in ten minutes from one address
MOST_OF_PERSON = 120  # in ten minutes from one address: what is done on pages of people's own
MOST_SITTING = 20  # in ten minutes from one address: no stranger takes all chairs of all open tables
NO_PERSON = [
    "^/api/(?!docs)",
    "^/static/",
    "^/games/",
    "^/health$",
    "^/metrics$",
    "^/service_worker.js$",
]  # where nobody is asked who they are
YEAR = 400 * 24 * 3600  # the longest that browsers keep a cookie; every visit begins it anew
NO_FILE = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.ELOOP)  # what a disk says of names that no file can have

SECURITY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; "
    "worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

GUARDS = [(name.lower().encode(), value.encode()) for name, value in SECURITY.items()]
HTTPS_ONLY = (b"strict-transport-security", b"max-age=31536000")
NOT_KEPT = (b"cache-control", b"private, no-store")

log = logging.getLogger("samovar.web")


class CarefulFiles(BaseLocalFileSystem):
    async def info(self, path: Any, **more: Any) -> Any:
        """A name that no file can have is one that no file has."""
        try:
            return await super().info(path, **more)
        except OSError as error:
            if error.errno in NO_FILE:
                raise FileNotFoundError from error
            raise


def make_app(site: Site, bot_pool: BotPool | None = None) -> ShortcutApp:
    @asynccontextmanager
    async def running(app: Litestar) -> AsyncIterator[None]:
        site, bot_pool = app.state.site, app.state.bot_pool  # others, where the app is run once more
        async with AsyncExitStack() as open_things:  # closed in the opposite order
            store = Store(site.database)
            open_things.push_async_callback(store.close)
            await store.open()
            broadcast = await open_things.enter_async_context(open_channels(site.database))
            await open_things.enter_async_context(counted.hold(store))
            changes = Changes(broadcast, streams_per_address=site.streams_per_address)
            open_things.push_async_callback(changes.close)
            await changes.start()
            pace = {"bot_pause": site.bot_pause, "away_seconds": site.away_seconds}
            tables = Tables(
                store,
                bot_pool or BotPool(site.bot_processes, site.compiling),
                site.secret,
                announce=changes.announce,
                **pace,
            )
            open_things.push_async_callback(tables.close)
            replays = Replays()
            open_things.push_async_callback(replays.close)
            reviews = Reviews(store)
            open_things.push_async_callback(reviews.close)
            lab_jobs = LabJobs()
            open_things.push_async_callback(lab_jobs.close)

            def hear(table_id: str, written: bytes) -> None:
                tables.hear(table_id, written)
                replays.forget(table_id)

            changes.on_written = hear
            await tables.start()
            channels = Channels(store, site.secret)
            sender = Sender(site, channels)
            notifier = Notifier(store, tables, channels, sender)
            open_things.push_async_callback(notifier.close)
            await notifier.start()
            players_table = Players(store, site.secret)
            open_things.push_async_callback(players_table.close)
            rendered = RenderedTables(tables)
            open_things.callback(rendered.close)
            tours = Tours(tables)
            members, people = Members(store, site.secret), People(store)
            owning = Owning(tables, members, people, site.database)
            open_things.push_async_callback(owning.close)
            await owning.start()
            app.state.update(
                tables=tables,
                owning=owning,
                members=members,
                entry=EntryCheck(
                    site.entry,
                    members,
                    people,
                    tables,
                    Classes(tables, members),
                    tours,
                    header=site.identity_header,
                    proxies=site.proxies,
                    guests=site.guests,
                ),
                people=people,
                channels=channels,
                sender=sender,
                notifier=notifier,
                players=players_table,
                changes=changes,
                looks=rendered,
                tours=tours,
                tour_boards=TourBoards(),
                replays=replays,
                reviews=reviews,
                lab=lab_jobs,
                puzzle_book=PuzzleBook(tables),
                health=Health(store.check),
                limits=counted,
                sessions=CarefulCookies(sessions),
            )
            yield

    counted = limits(site)
    secure = site.is_secure
    sessions = CarefulSessions(
        secret=site.secret,
        key="samovar",
        max_age=YEAR,
        samesite="lax",
        httponly=True,
        secure=secure,
        exclude=NO_PERSON,
        path=base_path() or "/",
    )
    static = create_static_files_router(
        "/static",
        [HERE / "static", INSIGHT / "static"],
        cache_control=CacheControlHeader(max_age=300, public=True),
        file_system=CarefulFiles(),
    )
    return ShortcutApp(
        [*map(own, (*chain.from_iterable(map(handlers_in, PAGES)), health, metrics)), api.ROUTER, static],
        include_in_schema=False,
        lifespan=[running],
        state=State({"site": site, "bot_pool": bot_pool}),
        request_class=CarefulRequest,
        before_request=check_address,
        csrf_config=CSRFConfig(
            secret=site.secret.hex(),
            cookie_name="samovar-form",
            header_name="",  # our forms bring the token as a field
            cookie_httponly=True,
            cookie_path=base_path() or "/",
            cookie_samesite="lax",
            cookie_secure=secure,
            exclude=NO_PERSON,
        ),
        middleware=[counted.middleware, sessions.middleware],
        # Without its own certificate: nobody could pass by a warning any more, nor use another service on that host.
        before_send=[make_guard(secure and not site.certificate), counted.tell],
        exception_handlers={
            problems.Problem: tell_problem,
            StoreError: tell_busy,
            HTTPException: tell_http,
            Exception: tell_broken,
        },
        request_max_body_size=LARGEST_FORM,
        openapi_config=api_docs.make_config(),
        logging_config=None,
    )


def own(handler: HTTPRouteHandler) -> HTTPRouteHandler:
    """A handler for one app: Litestar writes into it whose it is. What it reads in the signature is the same for all
    apps of a process. (Routers it copies by itself, and that took half of the time to make an app.)"""
    handler.parsed_fn_signature  # noqa: B018
    return copy(handler)


def make_guard(secure: bool) -> Callable[[Message, Scope], Awaitable[None]]:
    """Every answer carries these, errors as well, unless it says something else itself; one that does not say how
    long it may be kept is kept by nobody."""
    carried = [*GUARDS, *([HTTPS_ONLY] if secure else ()), NOT_KEPT]

    async def guard(message: Message, scope: Scope) -> None:
        if message["type"] == "http.response.start":
            said = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(one for one in carried if one[0] not in said)]

    return guard


def limits(site: Site) -> Limits:
    """How much one address may ask for."""
    every = Limit("request", site.requests_per_minute, MINUTE, lambda method, path: True)
    making = Limit("making", site.tables_per_minute, MINUTE, makes_something)
    sitting = Limit("sitting", MOST_SITTING, 10 * MINUTE, sits_down)
    codes = Limit("code", MOST_CODES, 10 * MINUTE, tries_code)
    clubs = Limit("club", MOST_CLUBS, DAY, makes_club)
    of_people = Limit("person", MOST_OF_PERSON, 10 * MINUTE, is_of_person)
    answers = Limit("answer", MOST_ANSWERS, MINUTE, answers_puzzle)
    arranged = Limit("arranged", MOST_ARRANGED, MINUTE, arranges)
    labs = Limit("lab", MOST_LABS, 10 * MINUTE, uses_lab)
    exports = Limit("export", MOST_EXPORTS, 10 * MINUTE, takes_all_along)
    counted = [every, making, sitting, codes, clubs, of_people, answers, arranged, labs, exports]
    return Limits(counted if site.requests_per_minute else [], NO_PERSON[1:])


# For those who watch over it


class Health:
    """Whether tables can be saved. One look at a time, and the answer is kept for a while: nobody
    can keep the database busy by asking. While the next look is soon done, the last answer stands."""

    def __init__(self, check: Callable[[], Awaitable[None]]) -> None:
        self._check = check
        self._answer: asyncio.Task[bool] | None = None
        self._asked = 0.0
        self._last: bool | None = None

    async def is_good(self) -> bool:
        if self._answer is None or (self._answer.done() and time.monotonic() - self._asked > HEALTH_SECONDS):
            self._last = self._answer.result() if self._answer is not None and self._is_fresh() else None
            self._asked = time.monotonic()
            self._answer = asyncio.create_task(self._look())
        if self._last is not None and not self._answer.done() and time.monotonic() - self._asked < HEALTH_SECONDS:
            return self._last
        return await asyncio.shield(self._answer)  # who goes away takes it from nobody else

    def _is_fresh(self) -> bool:
        return time.monotonic() - self._asked < 3 * HEALTH_SECONDS

    async def _look(self) -> bool:
        try:
            await self._check()
        except (StoreError, OSError) as error:
            log.error("tables cannot be saved: %s", error)
            return False
        return True


@get("/health", include_in_schema=False, media_type=MediaType.TEXT)
async def health(request: AnyRequest) -> str:
    if not await request.app.state.health.is_good():
        raise problems.Busy
    return "ok"


@get("/metrics", include_in_schema=False)
async def metrics(request: AnyRequest) -> Response[str]:
    """In the form of OpenMetrics, which Prometheus reads."""
    if not (request.app.state.site.open_metrics or is_from_here(request)):
        raise problems.NotForVisitors
    told = {**await request.app.state.tables.figures(), figures.UPTIME: time.time() - request.app.state.site.began}
    return Response(figures.text(told), media_type=figures.CONTENT_TYPE)


# When something goes wrong


def tell_problem(request: AnyRequest, problem: problems.Problem) -> Answer:
    """A friendly page in the reader's language, or a sentence for our script and for programs."""
    if request.scope["path"].startswith("/api/"):
        return api_problems.answer_problem(request, problem)
    visit = Visit(request)
    sentence = visit.tell_problem(problem)
    if visit.wants_parts or not wants_html(request):
        return Response(
            msgspec.json.encode({"problem": sentence}), status_code=problem.status, media_type=MediaType.JSON
        )
    parts = request.scope["path"].split("/")
    table_id = (
        parts[2] if parts[1:2] == ["table"] and len(parts) > 3 and not isinstance(problem, problems.NoSuchTable) else ""
    )
    begin = "/".join(parts[:3]) if isinstance(problem, problems.LostLesson) else ""
    heading = visit.tell(problem.heading)
    return visit.page(
        "problem.html",
        problem.status,
        heading=heading,
        sentence=sentence,
        table_id=table_id,
        begin=begin,
        is_closed=isinstance(problem, problems.NotInvited),
    )


def tell_busy(request: AnyRequest, error: StoreError) -> Answer:
    log.error("the database fails: %s", error)
    return tell_problem(request, problems.Busy())


def tell_http(request: AnyRequest, error: HTTPException) -> Answer:
    """What Litestar refuses: before anything is counted where it knows no such page."""
    try:
        request.app.state.limits.check(request.scope)
    except problems.TooMany as too_many:
        return tell_problem(request, too_many)
    if (
        request.scope["path"].startswith("/api/")
        and error.status_code < 500
        and not isinstance(error, NotFoundException)
    ):
        content = {"error": type(error).__name__.removesuffix("Exception"), "detail": error.detail}
        extra = getattr(error, "extra", None)
        return Response(
            msgspec.json.encode({**content, **({"fields": extra} if extra else {})}),
            status_code=error.status_code,
            media_type=MediaType.JSON,
        )
    known = {403: problems.BadForm, 404: problems.NoSuchPage, 413: problems.TooLarge, 429: problems.TooMany}
    problem = known.get(error.status_code, problems.Problem if error.status_code < 500 else problems.Broken)()
    answer = tell_problem(request, problem)
    answer.status_code = error.status_code
    return answer


def tell_broken(request: AnyRequest, error: Exception) -> Answer:
    if isinstance(error, SamovarError):  # a choice the engine refuses, which no form of ours offers
        log.info("refused: %s", error)
        return tell_problem(request, problems.Problem())
    # not the path itself: it may hold the key of a chair, or an invitation
    log.error("a request failed: %s %s", request.method, request.scope.get("path_template", ""), exc_info=error)
    return tell_problem(request, problems.Broken())
