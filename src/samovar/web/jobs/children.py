"""Processes of the site's own: the same as everywhere (`bots/process.py`), asked without keeping the
site waiting."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TypeVar

from samovar.bots.process import LONGEST_ANSWER, Child

TURN_SECONDS = 0.2  # between two looks whether others have compiled
MOST_TOLD = 2**20  # bytes of what others have compiled
NICENESS = 5  # of those who think: pages come first

T = TypeVar("T")


class SiteChild:
    """A child that one thread asks and ends, so the two never meet."""

    def __init__(self, module: str, niceness: int = NICENESS, longest: int = LONGEST_ANSWER) -> None:
        self._child = Child(module, str(niceness), longest=longest)
        self._thread = ThreadPoolExecutor(1)

    async def start(self) -> None:
        await self.run(self._child.start)

    async def ask(self, line: bytes, seconds: float) -> bytes:
        """The answer, or `Lost`. Its start does not count as its time."""
        return await self.run(lambda: self._child.ask(line, seconds))

    def interrupt(self) -> None:
        """It answers with what it has."""
        self._child.interrupt()

    def kill(self) -> None:
        """Whoever waits for its answer gets none."""
        self._child.kill()

    async def end(self) -> None:
        """At once, whatever it is doing. It is started again when it is asked."""
        self._child.kill()
        await self.run(self._child.end)

    async def close(self) -> None:
        self._child.stop()
        await self.run(self._child.end)
        self._thread.shutdown(wait=False)

    async def run(self, do: Callable[[], T]) -> T:
        """In the thread that asks it."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, do)
        except asyncio.CancelledError:  # nobody waits for the answer any more
            self._child.kill()
            raise


@asynccontextmanager
async def turn_to_compile(file: str, learn: Callable[[str], None]) -> AsyncIterator[Callable[[str], None]]:
    """Of several processes that share this file one compiles at a time, and tells what is compiled in a line of the
    file; the others learn of it meanwhile, and find hardly anything left to do when their turn comes. Without a file
    nobody waits."""
    if not file:
        yield lambda what: None
        return
    shared = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
    try:
        while not _has_turn(shared):
            _learn_all(shared, learn)
            await asyncio.sleep(TURN_SECONDS)
        _learn_all(shared, learn)
        yield lambda what: _tell(shared, what)
    finally:
        os.close(shared)


def _has_turn(shared: int) -> bool:
    try:
        fcntl.flock(shared, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _learn_all(shared: int, learn: Callable[[str], None]) -> None:
    for line in os.pread(shared, MOST_TOLD, 0).decode().split():
        learn(line)


def _tell(shared: int, what: str) -> None:
    os.write(shared, f"{what}\n".encode())
