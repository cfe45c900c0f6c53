"""Reviews of finished matches are made in a process of its own (`reviewer.py`), one after the other, behind
pages and bots: nobody's move waits for them. What was found is kept, in memory and in the database, so the
next one who asks has it at once.

Whether somebody may see a record is asked before anything here is.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import time
import zlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec
from sqlalchemy import Connection, text

from samovar.bots.process import LONGEST_ANSWER, Lost
from samovar.errors import StoreError
from samovar.insight.review import USUAL_SECONDS
from samovar.insight.written import WrittenReview
from samovar.web import problems
from samovar.web.jobs.children import SiteChild
from samovar.web.jobs.reviewer import Begin, GoOn, ReviewReply
from samovar.web.jobs.workshop import Workshop
from samovar.web.networks import network_of
from samovar.web.store.store import Store

# What reviews may take, all in one place
SECONDS = USUAL_SECONDS  # to think about one
MOST_SECONDS = 180.0  # for one in all: a long one, or a machine that has much else to do
STEP_LIMIT = 120.0  # for an answer on the way: the first one may have to wait until the rules are compiled
NICENESS = 15  # after pages, and after bots' turns
MOST_WAITING = 8  # for their turn, each asked for by another address
MOST_KEPT = 100  # in memory
MOST_STORED = 1000  # in the database, 3 to 12 KB each
GONE_SECONDS = 30.0  # one that nobody has asked about for so long is not begun
FAILED_SECONDS = 60.0  # one that could not be made is not tried again before that
LONGEST_REVIEW = 16 * LONGEST_ANSWER

MAKER = "samovar.web.jobs.reviewer"
RECALL = text("SELECT value FROM facts WHERE name = :name")
KEEP = text(
    "INSERT INTO facts (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a review has come."""

    review: WrittenReview | None  # None: it has not begun
    is_done: bool = False
    before: int = 0  # how many are made before it


@dataclass(eq=False)
class Job:
    name: str
    asker: str
    record: dict[str, Any]
    asked: float = field(default_factory=time.monotonic)  # when somebody last did
    review: WrittenReview | None = None
    problem: type[problems.Problem] | None = None  # why it could not be made
    ended: float = 0.0


class Reviews:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._child = SiteChild(MAKER, NICENESS, longest=LONGEST_REVIEW)
        self._jobs: OrderedDict[str, Job] = OrderedDict()  # the first is being made, or has failed
        self._kept: OrderedDict[str, WrittenReview] = OrderedDict()  # those that were asked for last at the end
        self._workshop = Workshop(self._child, self._make_next)

    async def close(self) -> None:
        await self._workshop.close()

    async def look(self, name: str, address: str, record: Callable[[], Awaitable[dict[str, Any]]]) -> Progress:
        """The review of this name, as far as it is there; it is begun if it is not. The name says which
        record, by which rules and which way of reviewing."""
        if name not in self._kept and name not in self._jobs and (stored := await self._recall(name)):
            self._keep(name, stored)
        if name in self._kept:
            self._kept.move_to_end(name)
            return Progress(self._kept[name], is_done=True)
        self._forget_failed()
        if name not in self._jobs:
            await self._begin(name, network_of(address), record)
        job = self._jobs[name]
        job.asked = time.monotonic()
        if job.problem:
            raise job.problem()
        return Progress(job.review, before=self._waiting().index(job))

    async def _begin(self, name: str, asker: str, record: Callable[[], Awaitable[dict[str, Any]]]) -> None:
        waiting = self._waiting()
        if any(job.asker == asker for job in waiting):
            raise problems.OneReviewAtATime
        if len(waiting) >= MOST_WAITING:
            raise problems.TooManyReviews
        job = self._jobs[name] = Job(name, asker, {})  # its place in the line is taken before the record is read
        try:
            job.record = await record()
        except BaseException:
            self._jobs.pop(name, None)
            raise
        self._workshop.go_on()

    def _waiting(self) -> list[Job]:
        return [job for job in self._jobs.values() if job.problem is None]

    def _forget_failed(self) -> None:
        old = [job.name for job in self._jobs.values() if job.problem and time.monotonic() - job.ended > FAILED_SECONDS]
        for name in old:
            del self._jobs[name]

    async def _make_next(self) -> bool:
        job = next((job for job in self._waiting() if job.record), None)
        if job is None:
            return False
        if time.monotonic() - job.asked > GONE_SECONDS:
            del self._jobs[job.name]
        else:
            await self._see_to(job)
        return True

    async def _see_to(self, job: Job) -> None:
        try:
            async with asyncio.timeout(MOST_SECONDS):
                found = await self._make(job)
        except (Lost, TimeoutError) as error:
            log.warning("The process in which reviews are made %s.", error or "took too long")
            job.problem = problems.TooLongToReview
        except problems.NoReview as problem:
            job.problem = type(problem)
        else:
            self._keep(job.name, found)
            del self._jobs[job.name]
            with suppress(StoreError):  # then it is made again one day
                await self._store.do(put_by, slot_of(job.name), packed(job.name, found))
        finally:
            job.record, job.ended = {}, time.monotonic()

    async def _make(self, job: Job) -> WrittenReview:
        reply = await self._answer_to(Begin(job.record, SECONDS))
        while not reply.is_done:
            job.review = reply.review
            reply = await self._answer_to(GoOn())
        assert reply.review is not None
        return reply.review

    async def _answer_to(self, order: Begin | GoOn) -> ReviewReply:
        reply = msgspec.json.decode(await self._child.ask(msgspec.json.encode(order), STEP_LIMIT), type=ReviewReply)
        if reply.error:
            log.info("A review was refused: %s", reply.error)
            raise problems.NoReview
        return reply

    # What was made

    def _keep(self, name: str, review: WrittenReview) -> None:
        self._kept[name] = review
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)

    async def _recall(self, name: str) -> WrittenReview | None:
        rows = await self._store.all(RECALL, name=slot_of(name))
        return unpacked(name, rows[0].value) if rows else None


def slot_of(name: str) -> str:
    """Where it is in the database: so many places there are, and the newest review has its own. No list has
    to be kept of which is the oldest."""
    return f"review {zlib.crc32(name.encode()) % MOST_STORED}"


def put_by(connection: Connection, slot: str, value: str) -> None:
    connection.execute(KEEP, {"name": slot, "value": value})


def packed(name: str, review: WrittenReview) -> str:
    return f"{name} {base64.b64encode(zlib.compress(msgspec.json.encode(review))).decode()}"


def unpacked(name: str, value: str) -> WrittenReview | None:
    """None: another one has its place by now."""
    stored, _, review = value.partition(" ")
    if stored == name:
        with suppress(ValueError, zlib.error):  # it was damaged: then it is made again
            return msgspec.json.decode(zlib.decompress(base64.b64decode(review)), type=WrittenReview)
    return None
