"""What is made in a process of its own, one thing after the other, until nobody waits: reviews, and reports of the
lab. A process that has nothing to do is ended after a while."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from samovar.web.jobs.children import SiteChild

IDLE_SECONDS = 60.0  # after which the process is ended


class Workshop:
    def __init__(self, child: SiteChild, make_next: Callable[[], Awaitable[bool]]) -> None:
        """`make_next` says whether there was anything to make."""
        self._child = child
        self._make_next = make_next
        self._worker: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None

    def go_on(self) -> None:
        """There is something to make."""
        if self._ending:
            self._ending.cancel()
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())

    async def close(self) -> None:
        tasks = [task for task in (self._worker, self._ending) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._child.close()

    async def _work(self) -> None:
        while await self._make_next():
            pass
        self._ending = asyncio.create_task(self._end_when_idle())

    async def _end_when_idle(self) -> None:
        await asyncio.sleep(IDLE_SECONDS)
        await self._child.end()
