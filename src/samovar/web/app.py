"""The site as one application: what is put together, what every answer carries, and what is said when something goes wrong."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import msgspec
from litestar import Litestar, Request, Router, get
from litestar.config.csrf import CSRFConfig
from litestar.datastructures import CacheControlHeader, ResponseHeader, State
from litestar.enums import MediaType
from litestar.exceptions import HTTPException, NotFoundException
from litestar.middleware.rate_limit import RateLimitConfig
from litestar.middleware.session.client_side import CookieBackendConfig
from litestar.response import Response
from litestar.static_files import create_static_files_router
from litestar.types import Message, Scope

from samovar.errors import SamovarError, StoreError
from samovar.web import api, api_docs, problems, refusals
from samovar.web.house import House
from samovar.web.live import Live, make_channels
from samovar.web.pages import games, home, record, table
from samovar.web.quick import QuickApp
from samovar.web.render import HERE
from samovar.web.store import Store
from samovar.web.thinking import Thinkers
from samovar.web.visit import Visit, wants_html

AnyRequest = Request[Any, Any, Any]
LARGEST_FORM = 64 * 1024
NO_PERSON = ["^/api/(?!docs)", "^/static/", "^/games/", "^/health$", "^/metrics$"]  # where nobody is asked who they are
YEAR = 400 * 24 * 3600  # the longest that browsers keep a cookie; every visit begins it anew

SECURITY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

GUARDS = [(name.lower().encode(), value.encode()) for name, value in SECURITY.items()]

log = logging.getLogger("samovar.web")


@dataclass(frozen=True)
class Site:
    """How a site is run."""

    database: str
    secret: bytes  # 32 bytes, the same in all processes of a site
    lan_address: str = ""  # where friends find it
    requests_per_minute: int = 1200  # from one address, 0: as many as they like
    tables_per_minute: int = 30
    bot_pause: float = 0.6  # seconds a bot's move takes at least, so that people can follow
    thinkers: int | None = None


def make_app(site: Site, thinkers: Thinkers | None = None) -> Litestar:
    @asynccontextmanager
    async def running(app: Litestar) -> AsyncIterator[None]:
        async with AsyncExitStack() as open_things:  # closed in the opposite order
            store = Store(site.database)
            open_things.push_async_callback(store.close)
            await store.open()
            channels = await open_things.enter_async_context(make_channels(site.database))
            live = Live(channels, alone=store.exclusive)
            open_things.push_async_callback(live.close)
            await live.start()
            house = House(store, thinkers or Thinkers(site.thinkers), site.secret, announce=live.announce, bot_pause=site.bot_pause)
            open_things.push_async_callback(house.close)
            await house.start()
            app.state.update(house=house, live=live, lan_address=site.lan_address)
            yield

    sessions = CookieBackendConfig(secret=site.secret, key="samovar", max_age=YEAR, samesite="lax", httponly=True, exclude=NO_PERSON)
    pages = Router(
        "/",
        route_handlers=[*home.HANDLERS, *table.HANDLERS, *record.HANDLERS],
        response_headers=[ResponseHeader(name="Cache-Control", value="private, no-store")],
        include_in_schema=False,
    )
    static = create_static_files_router("/static", [HERE / "static"], cache_control=CacheControlHeader(max_age=300, public=True))
    return QuickApp(
        [pages, api.ROUTER, static, *games.HANDLERS, health, metrics],
        lifespan=[running],
        state=State({}),
        csrf_config=CSRFConfig(
            secret=site.secret.hex(), cookie_name="samovar-form", cookie_httponly=True, cookie_samesite="lax", exclude=["^/api/(?!docs)"]
        ),
        middleware=[*limits(site), sessions.middleware],
        before_send=[guard],
        exception_handlers={problems.Problem: tell_problem, StoreError: tell_busy, HTTPException: tell_http, Exception: tell_broken},
        request_max_body_size=LARGEST_FORM,
        openapi_config=api_docs.make_config(),
        logging_config=None,
    )


async def guard(message: Message, scope: Scope) -> None:
    """Every answer carries these, errors as well."""
    if message["type"] == "http.response.start":
        message["headers"] = [*message["headers"], *GUARDS]


def limits(site: Site) -> list[Any]:
    """How much one address may ask for. Moves through the API are bounded by the rules: a seat has a turn or has not."""
    if not site.requests_per_minute:
        return []
    free = [*NO_PERSON[1:], r"^/api/tables/[^/]+/moves$"]
    every = RateLimitConfig(("minute", site.requests_per_minute), exclude=free, set_rate_limit_headers=False)
    making = RateLimitConfig(
        ("minute", site.tables_per_minute),
        exclude=free,
        set_rate_limit_headers=False,
        identifier_for_request=lambda request: f"making {request.client.host if request.client else ''}",
        check_throttle_handler=_makes_something,
    )
    return [every.middleware, making.middleware]


def _makes_something(request: AnyRequest) -> bool:
    path = request.url.path
    return request.method == "POST" and (path.startswith(("/new/", "/play/", "/record")) or path == "/api/tables" or path.endswith("/again"))


# For those who watch over it


@get("/health", include_in_schema=False, media_type=MediaType.TEXT)
async def health(request: AnyRequest) -> str:
    await request.app.state.house.store.check()
    return "ok"


@get("/metrics", include_in_schema=False, media_type=MediaType.TEXT)
async def metrics(request: AnyRequest) -> str:
    """In the format of Prometheus."""
    counted = {**await request.app.state.house.metrics(), "streams": request.app.state.live.streams}
    return "".join(f"samovar_{name} {value:g}\n" for name, value in sorted(counted.items()))


# When something goes wrong


def tell_problem(request: AnyRequest, problem: problems.Problem) -> Response[Any]:
    """A friendly page in the reader's language, or a sentence for our script and for programs."""
    if request.url.path.startswith("/api/"):
        return refusals.answer_problem(request, problem)
    visit = Visit(request)
    sentence = visit.tell_problem(problem)
    if visit.wants_parts or not wants_html(request):
        return Response(msgspec.json.encode({"problem": sentence}), status_code=problem.status, media_type=MediaType.JSON)
    parts = request.url.path.split("/")
    table_id = parts[2] if parts[1] == "table" and len(parts) > 3 and not isinstance(problem, problems.NoSuchTable) else ""
    return visit.page("problem.html", problem.status, sentence=sentence, table_id=table_id)


def tell_busy(request: AnyRequest, error: StoreError) -> Response[Any]:
    log.error("the database fails: %s", error)
    return tell_problem(request, problems.Busy())


def tell_http(request: AnyRequest, error: HTTPException) -> Response[Any]:
    if request.url.path.startswith("/api/") and error.status_code < 500 and not isinstance(error, NotFoundException):
        content = {"error": type(error).__name__.removesuffix("Exception"), "detail": error.detail}
        extra = getattr(error, "extra", None)
        return Response(
            msgspec.json.encode({**content, **({"fields": extra} if extra else {})}), status_code=error.status_code, media_type=MediaType.JSON
        )
    known = {403: problems.BadForm, 404: problems.NoSuchPage, 413: problems.TooLarge, 429: problems.TooMany}
    problem = known.get(error.status_code, problems.Problem if error.status_code < 500 else problems.Broken)()
    answer = tell_problem(request, problem)
    answer.status_code = error.status_code
    return answer


def tell_broken(request: AnyRequest, error: Exception) -> Response[Any]:
    if isinstance(error, SamovarError):  # a choice the engine refuses, which no form of ours offers
        log.info("refused: %s", error)
        return tell_problem(request, problems.Problem())
    log.error("a request failed: %s %s", request.method, request.url.path, exc_info=error)
    return tell_problem(request, problems.Broken())
