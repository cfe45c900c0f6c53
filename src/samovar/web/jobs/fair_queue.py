"""Whose question is answered next. Every level has a queue of its own, and the queues share the
time of the processes evenly.

First come, first served would let a quick answer wait for hundreds of slow ones, and a rule that
weighs how long a question takes against how long it has waited is wrong from some load on. So time
is counted: the queue that was given the least of it is next. A level that thinks for a millisecond
hardly waits for one that thinks for half a second, however many stand there, and none waits for
ever.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from samovar.bots.bot_worker import HostReply
from samovar.insight.advice_worker import Order

PRICE_OF_BOTS = 10.0  # a second for a table without people counts as so many: it gets on, but keeps no people waiting


@dataclass(eq=False, frozen=True, slots=True)
class QuestionJob:
    """An order to a process."""

    order: Callable[[], Order]  # made when it is next
    answer: asyncio.Future[HostReply]
    level: str
    people: bool = True  # at the table that asks
    since: float = field(default_factory=time.monotonic)

    def settle(self, reply: HostReply) -> None:
        if not self.answer.done():
            self.answer.set_result(reply)


@dataclass(eq=False, slots=True)
class LevelQueue:
    price: float
    jobs: deque[QuestionJob] = field(default_factory=deque)
    given: float = 0.0  # seconds, times the price


class FairQueue(asyncio.Queue[QuestionJob]):
    """A queue that hands out its jobs queue by queue; `charge` tells it what a job has cost."""

    def _init(self, maxsize: int) -> None:
        self._queues: dict[tuple[str, bool], LevelQueue] = {}
        self._given = 0.0  # to the queue that was next last time

    def qsize(self) -> int:
        return sum(len(queue.jobs) for queue in self._queues.values())

    def empty(self) -> bool:
        return not self.qsize()

    def charge(self, job: QuestionJob, seconds: float) -> None:
        queue = self._queue_of(job)
        queue.given += seconds * queue.price

    def _put(self, job: QuestionJob) -> None:
        queue = self._queue_of(job)
        if self.empty():  # what was given while nobody waited was taken from nobody
            self._given = max(queue.given for queue in self._queues.values())
        if not queue.jobs:  # and who did not ask for a while has saved nothing up
            queue.given = max(queue.given, self._given)
        queue.jobs.append(job)

    def _get(self) -> QuestionJob:
        queue = min((queue for queue in self._queues.values() if queue.jobs), key=lambda queue: queue.given)
        self._given = max(self._given, queue.given)
        return queue.jobs.popleft()

    def _queue_of(self, job: QuestionJob) -> LevelQueue:
        price = 1.0 if job.people else PRICE_OF_BOTS
        return self._queues.setdefault((job.level, job.people), LevelQueue(price))
