"""Reviews of finished matches are made in a process of its own (`review_worker.py`), one after the other, behind
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
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

import msgspec

from samovar.errors import StoreError
from samovar.insight.review import USUAL_SECONDS
from samovar.insight.written import WrittenReview
from samovar.json_types import JsonObject
from samovar.processes import AFTER_PEOPLE, LONGEST_ANSWER, AsyncChild, Lost
from samovar.web import problems
from samovar.web.jobs.queue import Job, JobQueue
from samovar.web.jobs.review_worker import Begin, GoOn, ReviewReply
from samovar.web.networks import network_of
from samovar.web.recent import Recent
from samovar.web.store.queries import facts
from samovar.web.store.store import Store

# What reviews may take, all in one place
SECONDS = USUAL_SECONDS  # to think about one
MOST_SECONDS = 180.0  # for one in all: a long one, or a machine that has much else to do
STEP_LIMIT = 120.0  # for an answer on the way: the first one may have to wait until the rules are compiled
MOST_WAITING = 8  # for their turn, each asked for by another address
MOST_KEPT = 100  # in memory
MOST_STORED = 1000  # in the database, 3 to 12 KB each
GONE_SECONDS = 30.0  # one that nobody has asked about for so long is not begun
FAILED_SECONDS = 60.0  # one that could not be made is not tried again before that
LONGEST_REVIEW = 16 * LONGEST_ANSWER

MAKER = "samovar.web.jobs.review_worker"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a review has come."""

    review: WrittenReview | None  # None: it has not begun
    is_done: bool = False
    before: int = 0  # how many are made before it


@dataclass(eq=False)
class ReviewJob(Job):
    record: JsonObject = field(default_factory=dict)
    asked: float = field(default_factory=time.monotonic)  # when somebody last did
    review: WrittenReview | None = None
    problem: type[problems.Problem] | None = None  # why it could not be made


class Reviews:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._queue = JobQueue(AsyncChild(MAKER, AFTER_PEOPLE, longest=LONGEST_REVIEW), self._see_to)
        self._kept: Recent[str, WrittenReview] = Recent(MOST_KEPT)

    @property
    def waiting(self) -> int:
        return len(self._queue.waiting)

    async def close(self) -> None:
        await self._queue.close()

    async def look(self, name: str, address: str, record: Callable[[], Awaitable[JsonObject]]) -> Progress:
        """The review of this name, as far as it is there; it is begun if it is not. The name says which
        record, by which rules and which way of reviewing."""
        if name not in self._kept and name not in self._queue.jobs and (stored := await self._recall(name)):
            self._kept.put(name, stored)
        if kept := self._kept.get(name):
            return Progress(kept, is_done=True)
        self._queue.forget(FAILED_SECONDS)
        if name not in self._queue.jobs:
            await self._begin(ReviewJob(name, network_of(address)), record)
        job = self._queue.jobs[name]
        job.asked = time.monotonic()
        if job.problem:
            raise job.problem()
        return Progress(job.review, before=self._queue.before(job))

    async def _begin(self, job: ReviewJob, record: Callable[[], Awaitable[JsonObject]]) -> None:
        """Its place in the line is taken before the record is read."""
        self._queue.add(job, MOST_WAITING, problems.OneReviewAtATime, problems.TooManyReviews)
        try:
            job.record = await record()
        except BaseException:
            self._queue.jobs.pop(job.id, None)
            raise
        self._queue.begin(job)

    async def _see_to(self, job: ReviewJob) -> None:
        if time.monotonic() - job.asked > GONE_SECONDS:
            del self._queue.jobs[job.id]
            return
        try:
            async with asyncio.timeout(MOST_SECONDS):
                found = await self._make(job)
        except (Lost, TimeoutError) as error:
            log.warning("The process in which reviews are made %s.", error or "took too long")
            job.problem = problems.TooLongToReview
        except problems.NoReview as problem:
            job.problem = type(problem)
        else:
            self._kept.put(job.id, found)
            del self._queue.jobs[job.id]
            with suppress(StoreError):  # then it is made again one day
                await self._store.do(facts.keep, slot_of(job.id), packed(job.id, found))
        finally:
            job.record = {}

    async def _make(self, job: ReviewJob) -> WrittenReview:
        reply = await self._answer_to(Begin(job.record, SECONDS))
        while not reply.is_done:
            job.review = reply.review
            reply = await self._answer_to(GoOn())
        assert reply.review is not None
        return reply.review

    async def _answer_to(self, order: Begin | GoOn) -> ReviewReply:
        reply = msgspec.json.decode(
            await self._queue.child.ask(msgspec.json.encode(order), STEP_LIMIT), type=ReviewReply
        )
        if reply.error:
            log.info("A review was refused: %s", reply.error)
            raise problems.NoReview
        return reply

    # What was made

    async def _recall(self, name: str) -> WrittenReview | None:
        stored = await self._store.first(facts.VALUE, name=slot_of(name))
        return unpacked(name, stored) if stored else None


def slot_of(name: str) -> str:
    """Where it is in the database: so many places there are, and the newest review has its own. No list has
    to be kept of which is the oldest."""
    return f"review {zlib.crc32(name.encode()) % MOST_STORED}"


def packed(name: str, review: WrittenReview) -> str:
    return f"{name} {base64.b64encode(zlib.compress(msgspec.json.encode(review))).decode()}"


def unpacked(name: str, value: str) -> WrittenReview | None:
    """None: another one has its place by now."""
    stored, _, review = value.partition(" ")
    if stored == name:
        with suppress(ValueError, zlib.error):  # it was damaged: then it is made again
            return msgspec.json.decode(zlib.decompress(base64.b64decode(review)), type=WrittenReview)
    return None
