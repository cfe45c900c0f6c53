"""A site in this process that is asked without a network, in a time that only passes when it is told
to, and that can be ended as a power cut would end it."""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import sqlite3
import threading
import zlib
from asyncio.base_events import BaseEventLoop
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch
from urllib.parse import unquote

import msgspec

from samovar.errors import SamovarError
from samovar.insight.advice import Advised
from samovar.web.app import make_app
from samovar.web.jobs import replays
from samovar.web.jobs.positions import play
from samovar.web.jobs.replay_worker import ReplayReply
from samovar.web.people import circles, clubs, tours
from samovar.web.site import Site
from samovar.web.store import database, writer
from samovar.web.tables import clock, presence, series
from samovar.web.tables.post import foresight
from support.visitors import SECRET, RandomBotPool

BEGINNING = 2_000_000_000_000  # in 2033, in milliseconds since 1970: nothing is old by the database's own clock
HOST = b"samovar.test"


class Fault(AssertionError):
    """Something does not hold that must."""


@dataclass
class Answer:
    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""

    @property
    def is_ok(self):
        return self.status < 400

    @cached_property
    def text(self):
        return self.body.decode(errors="replace")

    @property
    def kept(self):
        """All that a viewer receives, but for cookies, which are encrypted with chance of their own."""
        told = [(name, value) for name, value in self.headers if name.lower() not in (b"set-cookie", b"date")]
        return self.status, self.text, told

    def header(self, name):
        return next((value.decode() for key, value in self.headers if key.lower() == name), "")

    @property
    def cookies(self):
        pairs = (value.decode().split(";")[0].split("=", 1) for name, value in self.headers if name == b"set-cookie")
        return dict(pairs)


class Complaints(logging.Handler):
    """What the site itself counts as a mistake of its own."""

    def __init__(self):
        super().__init__(logging.ERROR)
        self.heard = []

    def emit(self, record):
        self.heard.append(logging.Formatter().format(record))


class ToldBotPool(RandomBotPool):
    """A hint follows from all that is told of the seat: if that differs, the hint does."""

    async def advise(self, question):
        mark = zlib.crc32(question.seat())
        return tuple(Advised(move, (mark + move) % 101 / 100, bool(move % 2)) for move in question.legal[:3])


class House:
    """The site on one database, from its opening to the next restart and on."""

    def __init__(self, folder, seed):
        self.path = Path(folder) / "samovar.db"
        self.now = BEGINNING
        self.draws = random.Random(f"secrets {seed}")
        self.complaints = Complaints()
        self.touched = set()  # tables where something was written since the last step
        self._open = None
        self.first_link = ""  # the token by which the first owner comes in

    @cached_property
    def app(self):
        """Made once: all that it knows is made anew whenever it is opened."""
        site = Site(f"sqlite:///{self.path}", SECRET, requests_per_minute=0, bot_pause=0.0, lab_for="nobody")
        return make_app(site, ToldBotPool())

    # Its time, and other chance than that of the system

    @contextmanager
    def in_its_time(self):
        """Everything of the site that asks what time it is, or draws a secret, asks this house. Nobody
        pulls the plug of the machine itself, so no write waits for a disk.

        What threads do is waited for where it is handed to them: of two requests at once the one that goes on
        first would else be the one whose thread was faster, which is another evening each time."""
        apart = SimpleNamespace(monotonic=lambda: self.now / 1000, time=lambda: self.now / 1000)
        logger = logging.getLogger("samovar"), logging.getLogger("asyncio")
        with (
            patch.object(clock, "now", lambda: self.now),
            patch.object(series, "now", lambda: self.now),
            patch.object(clubs, "now", lambda: self.now),
            patch.object(circles, "now", lambda: self.now),
            patch.object(tours, "now", lambda: self.now),
            patch.object(presence, "time", apart),
            patch.object(foresight, "WORLDS", 8),
            patch.object(secrets, "token_hex", lambda size=32: self.draws.randbytes(size).hex()),
            patch.object(
                secrets, "token_urlsafe", lambda size=32: self.draws.randbytes(size).hex()[: -(-size * 4 // 3)]
            ),
            patch.object(database, "prepare_writer", _write_at_once),
            patch.object(replays.Replays, "_answer_to", _wind_here),
            patch.object(BaseEventLoop, "run_in_executor", _run_and_wait),
            patch.object(writer.Writer, "put", _put_and_wait),
            patch.object(writer.Writer, "_tell", _tell_who_waits),
        ):
            for one in logger:
                one.addHandler(self.complaints)
            try:
                yield
            finally:
                for one in logger:
                    one.removeHandler(self.complaints)

    # Its beginning and its end

    async def open(self):
        self._open = AsyncExitStack()
        await self._open.enter_async_context(self.app.lifespan())
        tables = self.tables
        announce = tables.announce

        def heard(table_id, number, lines):
            self.touched.add(table_id)
            announce(table_id, number, lines)

        tables.announce = heard
        self.first_link = await self.app.state.members.begin() or self.first_link
        await self._take_over()

    async def _take_over(self):
        """What the site does every few seconds is done when this house says so, and once at the beginning:
        the same evening must be the same again."""
        turns = self.tables.turns
        for task in (self.tables.timekeeper._task, self.tables.presence._task, *turns._keepers):
            task.cancel()
        async for table_id in self.tables.store.bot_turns():
            await turns._take_up(table_id)
        await self.settle()

    async def close(self):
        if self._open is not None:
            await self._open.aclose()
            self._open = None
        self.first_link = ""  # the token by which the first owner comes in

    async def crash(self):
        """As a power cut: what was going on is never ended, and nobody writes down that the site was here
        until now. Only what this process would hold on to is let go."""
        tables = self.tables
        turns = list(tables.turns._tasks.values())
        for task in turns:
            task.cancel()
        await asyncio.gather(*turns, return_exceptions=True)
        tables.timekeeper._task = None  # so that it says no last word
        await self.close()

    @property
    def tables(self):
        return self.app.state.tables

    async def settle(self):
        """Until the bots have made their moves."""
        while tasks := list(self.tables.turns._tasks.values()):
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(0)

    async def time_passes(self, milliseconds, *, is_here=True):
        """With the site looking at its clocks all the while, or asleep."""
        self.now += milliseconds
        if is_here:
            self.tables.timekeeper.was_here = self.now
        await self.tables.timekeeper.look()

    # Asking

    async def ask(self, method, address, headers=(), body=b"", *, first_only=False):
        """One request. `first_only`: whoever asks goes away after the first piece of the answer."""
        path, _, query = address.partition("?")
        answer, gone, unread = Answer(), asyncio.Event(), [body]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(b"host", HOST), *headers, (b"content-length", str(len(body)).encode())],
            "client": ("192.0.2.1", 50000),
            "server": ("samovar.test", 80),
            "state": {},
            "extensions": {},
        }

        async def receive():
            if unread:
                return {"type": "http.request", "body": unread.pop(), "more_body": False}
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            if message["type"] == "http.response.start":
                answer.status, answer.headers = message["status"], list(message["headers"])
                return
            if not (first_only and answer.body):
                answer.body += message.get("body", b"")
            if not message.get("more_body") or (first_only and answer.body):
                gone.set()

        await self.app(scope, receive, send)
        return answer


def _write_at_once(connection, _):
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")


def _run_and_wait(loop, executor, work, *values):
    """Whoever asked goes on in the loop's next turn, as ever."""
    done = loop.create_future()
    ended = threading.Event()

    def run():
        try:
            outcome, answer = done.set_result, work(*values)
        except BaseException as error:
            outcome, answer = done.set_exception, error
        loop.call_soon_threadsafe(lambda: done.done() or outcome(answer))
        ended.set()

    if executor is None:
        threading.Thread(target=run).start()
    else:
        executor.submit(run)
    ended.wait()
    return done


_put, _tell = writer.Writer.put, writer.Writer._tell


def _put_and_wait(self, job):
    job.written = threading.Event()
    _put(self, job)
    job.written.wait()


def _tell_who_waits(self, jobs, outcomes):
    _tell(self, jobs, outcomes)
    for job in jobs:
        job.written.set()


async def _wind_here(self, record):
    """Records are played in this process: its own is what `test_records.py` looks at."""
    try:
        return ReplayReply(play(msgspec.json.decode(msgspec.json.encode(record))))
    except (SamovarError, msgspec.ValidationError) as error:
        return ReplayReply(error=str(error), kind=type(error).__name__)


def reading(path):
    """A connection of our own to the site's database: what is committed, read by nobody's code but ours."""
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
