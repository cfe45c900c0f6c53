"""The short way of a move, by a program or through a page, of streams, and of those who ask every few
moments whether the site is well: most of their time went into the framework around them.

This is for what succeeds, nothing else: whatever is unusual or wrong goes the usual way
(`api.move`, `pages/table.py`) and is answered there. A refused move has changed nothing, so it does
no harm to try it again. One that could not be saved may be committed: it is not tried again.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, suppress
from functools import lru_cache
from hmac import compare_digest
from typing import Any, TypeAlias

import msgspec
from litestar import Litestar
from litestar.exceptions import HTTPException
from litestar.middleware.csrf import CSRF_SECRET_LENGTH, generate_csrf_hash
from litestar.utils.scope.state import ScopeState

from samovar.web import problems
from samovar.web.api import api, messages
from samovar.web.base_path import inside
from samovar.web.drawing import packed
from samovar.web.pages import table as pages
from samovar.web.pages.choosing import is_asked_twice
from samovar.web.recent import Recent
from samovar.web.visit import IS_CLOSED, CarefulRequest, Visit, check_address, recognise

MOVES = re.compile(r"/api/tables/([\w-]+)/moves")
PAGE_MOVES = re.compile(r"/table/([\w-]+)/move")
NO_HEAD = re.compile(
    r"/live|/tour/[^/]+/live|/me/export|/api/tables/[^/]+/events"
)  # streams, which would be made for nothing
LONGEST_BODY = 4096
MOST_KNOWN = 4096
CLOSED_AT_ONCE = 8  # streams
BEARER = b"Bearer "
JSON = b"application/json"
TEXT = b"text/plain; charset=utf-8"
EVENTS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
decode = msgspec.json.Decoder(messages.NewMove).decode
encode = msgspec.json.Encoder().encode
log = logging.getLogger("samovar.web")
# These are ASGI's. Litestar has types for them that part what is one thing here: each kind of event is another.
Scope: TypeAlias = Any
Receive: TypeAlias = Callable[[], Awaitable[Any]]
Send: TypeAlias = Callable[[Any], Awaitable[None]]
AsgiMessage: TypeAlias = dict[str, Any]


class ShortcutApp(Litestar):
    def __init__(self, *positional: Any, **settings: Any) -> None:
        super().__init__(*positional, **settings)
        self.begin()

    def begin(self) -> None:
        """Knows nobody yet: before it runs, and before it is run once more."""
        # when a crowd leaves at once, everybody else gets their turns in between
        self._closing = asyncio.Semaphore(CLOSED_AT_ONCE)
        # cookies as they came: what they say, decrypted once, and the token of forms
        self.known: Recent[bytes, tuple[dict[str, Any], str]] = Recent(MOST_KNOWN)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope["path"] = inside(scope["path"])
            entry = self.state.entry
            if not await entry.admits(scope, lambda: self._person(scope)):
                return await super().__call__(closed(scope), nothing, send)
            if scope["method"] == "POST" and (
                path := MOVES.fullmatch(scope["path"]) or PAGE_MOVES.fullmatch(scope["path"])
            ):
                message = await receive()
                try:
                    answer, status = await self._answer(scope, path, message), 200
                except problems.Busy as busy:
                    answer, status = encode({"error": "Busy", "detail": str(busy), "problem": str(busy)}), busy.status
                if answer is not None:
                    return await self._send(scope, send, answer, status)
                receive = first(message, receive)
            elif scope["method"] == "GET" and scope["path"] == "/live":
                lines = await self._lines(scope)
                if lines is not None:
                    return await self._stream(scope, receive, send, lines)
            elif scope["method"] == "GET" and scope["path"] == "/health" and await self._is_well(scope):
                return await self._send(scope, send, b"ok", content_type=TEXT)
            elif scope["method"] == "HEAD" and not NO_HEAD.fullmatch(scope["path"]):
                scope, send = {**scope, "method": "GET"}, without_body(send)
        return await super().__call__(scope, receive, send)

    async def _answer(self, scope: Scope, path: re.Match[str], message: AsgiMessage) -> bytes | None:
        """The answer to a move that was made; None: it was not."""
        if (
            message["type"] != "http.request"
            or message.get("more_body")
            or len(message.get("body", b"")) > LONGEST_BODY
        ):
            return None
        try:
            if path.re is MOVES:
                return await self._move_of_program(scope, path[1], message)
            return await self._move_through_page(scope, path[1], message)
        except problems.Busy:
            raise
        except (problems.Problem, HTTPException, msgspec.MsgspecError, UnicodeError):
            # the usual way finds the same again, and tells
            return None

    async def _move_of_program(self, scope: Scope, table_id: str, message: AsgiMessage) -> bytes | None:
        token = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        if not token.startswith(BEARER):
            return None
        data = decode(message["body"])
        return encode(await api.make_move(self.state.tables, table_id, token[len(BEARER) :].decode(), data))

    async def _move_through_page(self, scope: Scope, table_id: str, message: AsgiMessage) -> bytes | None:
        ScopeState.from_scope(scope).body = message["body"]
        visit = await self._visit(scope)
        if visit is None or not visit.wants_parts or not await self._is_from_our_page(visit):
            return None
        if await is_asked_twice(visit):
            return None
        return await pages.encoded_parts(visit, await pages.make_move(visit, table_id))

    async def _person(self, scope: Scope) -> str:
        """Who has come, by their cookie alone; empty: nobody."""
        try:
            visit = await self._visit(scope)
        except problems.Busy:
            raise
        except problems.Problem:
            return ""
        return (visit and visit.person) or ""

    async def _visit(self, scope: Scope) -> Visit | None:
        """A visitor who was here before, as the framework would see them; it does the same again if
        it must."""
        scope["litestar_app"] = self
        request = CarefulRequest(scope)
        check_address(request)
        cookies = next((value for name, value in scope["headers"] if name == b"cookie"), b"")
        known = self.known.get(cookies)
        if known is None:
            token = request.cookies.get("samovar-form")
            if token is None:
                return None
            known = await self.state.sessions.load_from_connection(request), token
            self.known.put(cookies, known)
        session, ScopeState.from_scope(scope).csrf_token = known
        scope["session"] = await recognise(scope, self.state.people, dict(session))
        return Visit(request)

    async def _is_from_our_page(self, visit: Visit) -> bool:
        """Whether the form holds the token of this browser's cookie, and the token is one of
        ours."""
        form_token, token = str((await visit.form()).get("_csrf_token", "")), visit.csrf_token
        return compare_digest(form_token, token) and is_ours(token, self.state.site.secret)

    async def _is_well(self, scope: Scope) -> bool:
        with suppress(problems.Problem):
            check_address(CarefulRequest(scope))
            return bool(await self.state.health.is_good())
        return False

    async def _lines(self, scope: Scope) -> AsyncIterator[bytes] | None:
        try:
            visit = await self._visit(scope)
            return None if visit is None else pages.open_stream(visit)
        except problems.Problem:
            return None

    async def _send(
        self, scope: Scope, send: Send, answer: bytes, status: int = 200, content_type: bytes = JSON
    ) -> None:
        headers = [(b"content-type", content_type), (b"content-length", str(len(answer)).encode())]
        await self._start(scope, send, headers, status)
        await send({"type": "http.response.body", "body": answer, "more_body": False})

    async def _start(self, scope: Scope, send: Send, headers: list[tuple[bytes, bytes]], status: int = 200) -> None:
        start: Any = {"type": "http.response.start", "status": status, "headers": headers}
        for hook in self.before_send:  # what every answer of the site carries
            await hook(start, scope)
        await send(start)

    async def _stream(self, scope: Scope, receive: Receive, send: Send, lines: AsyncIterator[bytes]) -> None:
        """Until the visitor goes away, or the site."""
        more = packed.headers(CarefulRequest(scope).headers).items()
        await self._start(scope, send, [*EVENTS, *((name.encode(), text.encode()) for name, text in more)])
        sending = asyncio.create_task(_send_all(lines, send))
        try:
            await _until_gone(receive)  # which is also told when all is sent
        finally:
            async with self._closing:
                sending.cancel()
                [outcome] = await asyncio.gather(sending, return_exceptions=True)
            if isinstance(outcome, Exception):
                log.error("a stream has ended", exc_info=outcome)


@lru_cache(4096)
def is_ours(token: str, secret: bytes) -> bool:
    """Whether this site has given out a token for forms."""
    signed = generate_csrf_hash(token=token[:CSRF_SECRET_LENGTH], secret=secret.hex())
    return compare_digest(signed, token[CSRF_SECRET_LENGTH:])


async def _send_all(lines: AsyncIterator[bytes], send: Send) -> None:
    async with aclosing(lines) as events:  # type: ignore[type-var]
        with suppress(OSError):  # the other side has hung up
            try:
                async for line in events:
                    await send({"type": "http.response.body", "body": line, "more_body": True})
            finally:
                await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def without_body(send: Send) -> Send:
    """`send`, for whoever wants to know of a page what its head says."""

    async def send_head(message: AsgiMessage) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return send_head


def closed(scope: Scope) -> Scope:
    """The request of somebody who may not come in: the same, whatever they asked for."""
    path = "/api/closed" if scope["path"].startswith("/api/") else "/closed"
    return {**scope, "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"", IS_CLOSED: True}


async def nothing() -> Any:
    """What is received of a request that is answered without a look at it."""
    return {"type": "http.request", "body": b"", "more_body": False}


def first(message: AsgiMessage, receive: Receive) -> Receive:
    """`receive`, with a message put back."""
    waiting = [message]

    async def receive_again() -> AsgiMessage:
        return waiting.pop() if waiting else await receive()

    return receive_again
