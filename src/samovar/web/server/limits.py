"""How much one address may ask for. Every process counts at once for itself; where several share a
database, they add up their counts in it about once a second, so that the limits hold for all of
them together."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from samovar.errors import StoreError
from samovar.web import problems
from samovar.web.networks import network_of
from samovar.web.store.store import Store

TOGETHER_SECONDS = 1.0
MOST_KEPT = 50_000  # addresses of a limit; the oldest is forgotten first
SITS_DOWN = re.compile("/table/[^/]+/sit(-here)?|/api/tables/[^/]+/seats")
MAKES_MOVE = re.compile("/api/tables/[^/]+/moves")
WAIT = "samovar_wait"  # where the scope of a refused request says for how many seconds
COUNTED = "samovar_counted"  # where the scope of a request says that it has been counted


@dataclass
class Count:
    """Of one address in one window."""

    until: float  # by the clock of this process
    total: int = 0  # as far as it is known here
    untold: int = 0  # how many of these the other processes do not know of

    def learn(self, reported: int, total: int, until: float) -> None:
        """What all processes have counted, after they were told so many."""
        self.untold -= reported
        self.total, self.until = total + self.untold, until


@dataclass
class Limit:
    """So many of these in so many seconds."""

    kind: str
    most: int
    seconds: float
    counts_for: Callable[[str, str], bool]  # method and path
    counts: OrderedDict[str, Count] = field(default_factory=OrderedDict)

    def check(self, address: str) -> float:
        """Counts one more; how many seconds to wait if that is too many, else 0."""
        now = time.monotonic()
        count = self.counts.get(address)
        if count is None or count.until <= now:
            self._forget(now)
            self.counts.pop(address, None)
            count = self.counts[address] = Count(now + self.seconds)
        if count.total >= self.most:
            return count.until - now
        count.total += 1
        count.untold += 1
        return 0.0

    def _forget(self, now: float) -> None:
        """Windows that are past stand first: all are equally long."""
        while self.counts and (len(self.counts) >= MOST_KEPT or next(iter(self.counts.values())).until <= now):
            self.counts.popitem(last=False)


class Limits:
    """Plain ASGI: `middleware` checks every request, `hold` keeps the counts together, `tell` says
    when to come again."""

    def __init__(self, limits: Iterable[Limit], free: Sequence[str]) -> None:
        self._limits = list(limits)
        self._free = re.compile("|".join(free))

    def middleware(self, app: ASGIApp) -> ASGIApp:
        async def checked(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == ScopeType.HTTP:
                if makes_move(scope["method"], scope["path"]):
                    send = self._unless_made(scope, send)
                else:
                    self.check(scope)
            await app(scope, receive, send)

        return checked

    def _unless_made(self, scope: Scope, send: Send) -> Send:
        """Moves are bounded by the rules: a seat has a turn or has not. So one that was made is free; one that
        was not is counted before the answer goes out."""

        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] >= 400:
                self.check(scope)
            await send(message)

        return counting

    def check(self, scope: Any) -> None:
        """Counts a request, once."""
        method, path, client = scope["method"], scope["path"], scope.get("client")
        if scope.get(COUNTED) or self._free.search(path):
            return
        scope[COUNTED] = True
        address = network_of(client[0]) if client else ""
        for limit in self._limits:
            if limit.counts_for(method, path) and (seconds := limit.check(address)):
                scope[WAIT] = seconds
                raise problems.TooMany

    @staticmethod
    async def tell(message: Message, scope: Scope) -> None:
        """Before an answer is sent: a refused one says how long to wait."""
        seconds = scope.get(WAIT)
        if isinstance(seconds, float) and message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], (b"retry-after", str(math.ceil(seconds)).encode())]

    @asynccontextmanager
    async def hold(self, store: Store) -> AsyncIterator[None]:
        """Together with the other processes of this database, if there are any."""
        task = None if store.exclusive else asyncio.create_task(self._add_up(store))
        try:
            yield
        finally:
            if task:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def _add_up(self, store: Store) -> None:
        while True:
            await asyncio.sleep(TOGETHER_SECONDS)
            with suppress(StoreError):  # then it is told next time
                await self.add_up(store)

    async def add_up(self, store: Store) -> None:
        counts = {
            f"{limit.kind} {address}": (count, limit)
            for limit in self._limits
            for address, count in limit.counts.items()
            if count.untold
        }
        untold = {who: (count.untold, limit.seconds) for who, (count, limit) in counts.items()}
        totals = await store.count_together(untold)
        now = time.monotonic()
        for who, (total, seconds) in totals.items():
            counts[who][0].learn(untold[who][0], total, now + seconds)


def makes_move(method: str, path: str) -> bool:
    return method == "POST" and bool(MAKES_MOVE.fullmatch(path))


def makes_something(method: str, path: str) -> bool:
    """A table, or a record that is kept."""
    return method == "POST" and (
        path.startswith(("/new/", "/play/", "/record", "/daily/"))
        or path in ("/api/tables", "/club", "/circle", "/class/new")
        or path.endswith(("/again", "/together", "/on"))
        or (path.startswith("/arrange/") and path.endswith("/play"))
        or (path.startswith("/circle/") and path.endswith(("/open", "/day")))
    )


def answers_puzzle(method: str, path: str) -> bool:
    return method == "POST" and path.startswith("/puzzles/")


def arranges(method: str, path: str) -> bool:
    """A position, which plain Python looks at."""
    return path.startswith("/arrange/")


def uses_lab(method: str, path: str) -> bool:
    return method == "POST" and path.startswith("/lab")


def tries_code(method: str, path: str) -> bool:
    return path == "/join" or path.startswith("/screen/") or (method == "POST" and path == "/class")


def makes_club(method: str, path: str) -> bool:
    return method == "POST" and path in ("/club", "/circle", "/class/new")


def is_of_person(method: str, path: str) -> bool:
    """What changes somebody's own page or reads all that is kept of them, and tries of links."""
    return path.startswith("/me") and (method == "POST" or path.startswith(("/me/come/", "/me/export")))


def takes_all_along(method: str, path: str) -> bool:
    """Everything that is kept of somebody, which may be a thousand records."""
    return path == "/me/export"


def sits_down(method: str, path: str) -> bool:
    return method == "POST" and bool(SITS_DOWN.fullmatch(path))
