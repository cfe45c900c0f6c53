"""Long work in a process of its own, one thing after the other, in the order in which it was asked for: records that
are played again, reviews, reports of the lab. A process that has nothing to do is ended after a while, and is started
again by the next who asks."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from samovar.processes import AsyncChild
from samovar.web import problems

IDLE_SECONDS = 60.0  # after which a process is ended


class SharedWorker:
    """A process for one who asks at a time."""

    def __init__(self, child: AsyncChild) -> None:
        self.child = child
        self._lock = asyncio.Lock()
        self._ending: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Whoever came first is next."""
        async with self._lock:
            if self._ending:
                self._ending.cancel()
            try:
                yield
            finally:
                self._ending = asyncio.create_task(self._end_when_idle())

    async def close(self) -> None:
        if self._ending:
            self._ending.cancel()
        await self.child.close()

    async def _end_when_idle(self) -> None:
        await asyncio.sleep(IDLE_SECONDS)
        async with self._lock:
            await self.child.end()


@dataclass(eq=False)
class Job:
    """What somebody has asked for, and comes back to look at."""

    id: str
    asker: str
    ended: float = field(default=0.0, kw_only=True)  # by this process's clock; 0: it is not over

    @property
    def is_over(self) -> bool:
        return self.ended > 0

    def end(self) -> None:
        self.ended = self.ended or time.monotonic()


AnyJob = TypeVar("AnyJob", bound=Job)


class JobQueue(SharedWorker, Generic[AnyJob]):
    """`make` does a job. Each goes on when whoever asked for it has left, and stands here until it is forgotten."""

    def __init__(self, child: AsyncChild, make: Callable[[AnyJob], Awaitable[None]]) -> None:
        super().__init__(child)
        self._make = make
        self.jobs: dict[str, AnyJob] = {}  # by id, the oldest first
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def waiting(self) -> list[AnyJob]:
        """With the one that is being made."""
        return [job for job in self.jobs.values() if not job.is_over]

    def before(self, job: AnyJob) -> int:
        """How many are made before it."""
        return self.waiting.index(job)

    def add(self, job: AnyJob, most: int, one_each: type[problems.Problem], too_many: type[problems.Problem]) -> None:
        """A place in the line: everybody has one at most, and there are so many. It is not begun yet."""
        waiting = self.waiting
        if any(other.asker == job.asker for other in waiting):
            raise one_each
        if len(waiting) >= most:
            raise too_many
        self.jobs[job.id] = job

    def begin(self, job: AnyJob) -> None:
        """As soon as it is its turn."""
        task = asyncio.create_task(self._see_to(job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def forget(self, seconds: float, most: float = math.inf) -> None:
        """Those that have been over for longer, and the oldest where more are."""
        over = [job for job in self.jobs.values() if job.is_over]
        for number, job in enumerate(over):
            if number < len(over) - most or time.monotonic() - job.ended > seconds:
                del self.jobs[job.id]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await super().close()

    async def _see_to(self, job: AnyJob) -> None:
        async with self.turn():
            if not job.is_over:
                try:
                    await self._make(job)
                finally:
                    job.end()
