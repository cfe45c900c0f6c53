"""Connections: how many come in, how much they bring before they have said what they want, and how
long they may take for it.

A connection is given to the site's application when its request has a head. What comes before,
uvicorn takes in without end; here it has limits. No connection has a timer of its own: all that
wait for the same thing stand in one line, and once a second somebody looks at the front of each.
"""

from __future__ import annotations

import asyncio
import http
import ssl
import sys
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import ip_address, ip_network
from itertools import takewhile
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from samovar.web.networks import network_of

if sys.platform != "win32":
    import resource

MOST_HEAD = 64 * 1024  # bytes of a head; as many may come between two parts of a body, and after the last one
MOST_AHEAD = 100  # requests that are sent before the first of them is answered
MOST_FILES = 65_536  # as many open files as we ask the system for
MOST_SELECTED = 512  # as many as `select` takes on Windows
HEAD_SECONDS = 10.0  # from the first moment to the end of the head
BODY_SECONDS = 30.0  # from there to the end of the body
IDLE_SECONDS = 65  # an idle connection is kept; closed sooner, it may be cut just when the next request is on its way
READ_SECONDS = 60.0  # for the other side to take what waits for it
SWEEP_SECONDS = 1.0


class Waiting(dict["Connection", float]):
    """Connections that wait for the same thing, since when; the one that waits longest is the
    first."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds

    def overdue(self, now: float) -> list[Connection]:
        return list(takewhile(lambda connection: self[connection] + self.seconds <= now, self))


@dataclass
class ConnectionLimits:
    """Watches over all connections of one process. Made in the process that starts the others, it
    travels to them before the first connection."""

    per_address: int = 200  # open connections, 0: as many as they like
    proxies: tuple[str, ...] = ()  # each brings many people: not bounded
    make_context: Callable[[], ssl.SSLContext] | None = None  # where connections begin with a handshake
    heads: Waiting = field(default_factory=lambda: Waiting(HEAD_SECONDS))
    bodies: Waiting = field(default_factory=lambda: Waiting(BODY_SECONDS))
    idle: Waiting = field(default_factory=lambda: Waiting(IDLE_SECONDS))
    unread: Waiting = field(default_factory=lambda: Waiting(READ_SECONDS))  # the other side does not take what we send
    leaving: Waiting = field(default_factory=lambda: Waiting(READ_SECONDS))  # closed as soon as it has been sent
    _open: Counter[str] = field(default_factory=Counter, init=False)
    _is_sweeping: bool = field(default=False, init=False)

    @cached_property
    def context(self) -> ssl.SSLContext | None:
        return self.make_context() if self.make_context else None

    def let_in(self, connection: Connection) -> bool:
        """Or not: then it is closed without a word, which costs least."""
        self._open[connection.network] += 1
        if not self._is_sweeping:
            self._is_sweeping = True
            connection.loop.call_later(SWEEP_SECONDS, self._sweep, connection.loop)
        if self._is_crowded(connection) or (len(connection.connections) > most_connections() and not self._make_room()):
            connection.transport.abort()
            return False
        connection.wait_in(self.heads)
        return True

    def let_go(self, connection: Connection) -> None:
        connection.wait_in(None)
        self.unread.pop(connection, None)
        self._open[connection.network] -= 1
        if not self._open[connection.network]:
            del self._open[connection.network]

    def _is_crowded(self, connection: Connection) -> bool:
        return 0 < self.per_address < self._open[connection.network] and not is_among(connection.host, self.proxies)

    def _make_room(self) -> bool:
        """Nobody misses an idle connection; who has said nothing yet can come again."""
        for waiting in (self.idle, self.heads):
            for connection in waiting:
                connection.wait_in(None)
                connection.transport.abort()
                return True
        return False

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        self._is_sweeping = bool(self._open)
        if self._is_sweeping:
            loop.call_later(SWEEP_SECONDS, self._sweep, loop)
        now = loop.time()
        for waiting in (self.heads, self.bodies):
            for connection in waiting.overdue(now):
                connection.refuse(http.HTTPStatus.REQUEST_TIMEOUT)
        for waiting in (self.idle, self.unread, self.leaving):
            for connection in waiting.overdue(now):
                connection.transport.abort()


class Connection(HttpToolsProtocol):
    """One connection."""

    def __init__(self, limits: ConnectionLimits, **settings: Any) -> None:
        super().__init__(**settings)
        self.limits = limits
        self.host = self.network = ""
        self._waiting: Waiting | None = None  # none while the application works
        self._taken = 0  # bytes since the last thing that was understood
        self._is_deaf = False
        self._handshake: Coroutine[asyncio.Future[Any], None, None] | None = None
        self._early: list[bytes] = []  # came with the end of the handshake

    def wait_in(self, waiting: Waiting | None) -> None:
        if self._waiting is not None:
            self._waiting.pop(self, None)
        self._waiting = waiting
        if waiting is not None:
            waiting[self] = self.loop.time()

    def refuse(self, status: http.HTTPStatus) -> None:
        """Requests before this one are answered first. Nothing is said to somebody who has said
        nothing, nor into the middle of an answer."""
        self._is_deaf = True
        in_body = self._waiting is self.limits.bodies
        if self.cycle and not self.cycle.response_complete and not in_body:
            self.wait_in(None)
            self.cycle.keep_alive = False
            return
        may_speak = not self.pipeline and not self.cycle.response_started if in_body else self._taken > 0
        if may_speak:
            self.transport.write(short_answer(status))
        self.wait_in(self.limits.leaving)
        self.transport.close()

    # From the transport

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self.client:
            self.host = plain(self.client[0])
            self.client = (self.host, self.client[1])
            self.network = network_of(self.host)
        if self.limits.let_in(self) and self.limits.context:
            # Its first step at once, not by a task: what came before that would be taken for a request.
            self._handshake = self._shake_hands(self.limits.context)
            self._handshake.send(None).add_done_callback(self._end_handshake)

    def _end_handshake(self, _: asyncio.Future[Any]) -> None:
        if self._handshake:
            with suppress(StopIteration):
                self._handshake.send(None)

    async def _shake_hands(self, context: ssl.SSLContext) -> None:
        """Here and not by the server, which would count the connection only afterwards. It has the time of a head."""
        try:
            secured = await self.loop.start_tls(self.transport, self, context, server_side=True)
        except OSError:  # of TLS, too
            secured = None
        if secured is None:
            self.transport.abort()
            self.connection_lost(None)
        else:
            super().connection_made(secured)
            self._handshake = None
            if self._early:
                self.data_received(b"".join(self._early))

    def connection_lost(self, exc: Exception | None) -> None:
        if self in self.connections:  # a handshake that fails may say so twice
            self.limits.let_go(self)
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._handshake:
            self._early.append(data)
            return
        if self._is_deaf:
            return
        self._unset_keepalive_if_required()
        if self._waiting is self.limits.idle:
            self.wait_in(self.limits.heads)
        try:
            for start in range(0, len(data), MOST_HEAD):
                self._take(data[start : start + MOST_HEAD])
        except httptools.HttpParserUpgrade:
            # to nothing that is spoken here: answered as it stands, and what follows is left alone
            self._is_deaf = True
            self.cycle.keep_alive = False
        except httptools.HttpParserError:
            self.refuse(http.HTTPStatus.BAD_REQUEST)
        except TooLong:
            self.refuse(http.HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def _take(self, piece: bytes) -> None:
        self._taken += len(piece)
        self.parser.feed_data(piece)
        if self._taken >= MOST_HEAD:
            raise TooLong

    def pause_writing(self) -> None:
        super().pause_writing()
        self.limits.unread[self] = self.loop.time()

    def resume_writing(self) -> None:
        super().resume_writing()
        self.limits.unread.pop(self, None)

    # From the parser, where an exception means a bad request

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._waiting is None:
            self.wait_in(self.limits.heads)

    def on_headers_complete(self) -> None:
        if len(self.pipeline) >= MOST_AHEAD:
            raise TooLong
        super().on_headers_complete()
        self.headers = []  # those after the body come too late to be believed
        self._taken = 0
        self.wait_in(self.limits.bodies)

    def on_body(self, body: bytes) -> None:
        self._taken = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._taken = 0
        self.wait_in(None)
        super().on_message_complete()
        self._rest()

    # From the application

    def on_response_complete(self) -> None:
        super().on_response_complete()
        # what was announced will not be sent
        if self._waiting is self.limits.bodies and self.cycle.response_complete and self.expect_100_continue:
            self.transport.close()
        self._rest()

    def _rest(self) -> None:
        if self.transport.is_closing():
            self.wait_in(self.limits.leaving)
        elif self._waiting is None and self.cycle.response_complete:
            self.wait_in(self.limits.idle)


class TooLong(Exception):
    """More bytes than a head may have."""


def short_answer(status: http.HTTPStatus) -> bytes:
    said = status.phrase.encode()
    return STATUS_LINE[status] + b"content-type: text/plain\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s" % (
        len(said),
        said,
    )


def plain(host: str) -> str:
    """An address of IPv4 as such, also where a socket for both kinds wraps it:
    `::ffff:192.0.2.7`."""
    return host.removeprefix("::ffff:") if "." in host else host


def is_among(host: str, networks: tuple[str, ...]) -> bool:
    return any(ip_address(host) in ip_network(network) for network in networks)


def most_connections() -> int:
    """As many files as the system lets us open, less some for the database and the bots, and for
    those who come all at once."""
    limit = most_files()
    return limit - max(100, limit // 8)


def most_files() -> int:
    if sys.platform == "win32":  # which has no such limit, but one of its two loops of events has
        is_select = not isinstance(asyncio.get_running_loop(), getattr(asyncio, "ProactorEventLoop", ()))
        return MOST_SELECTED if is_select else MOST_FILES
    return finite(resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def finite(limit: int) -> int:
    return MOST_FILES if limit == resource.RLIM_INFINITY else limit


def raise_file_limit() -> None:
    """Each connection is an open file, and systems give 1,024 unless asked for more."""
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = min(finite(hard), MOST_FILES)
    if finite(soft) < most:
        with suppress(OSError, ValueError):  # some systems have a lower limit than they tell
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
