"""Of several processes that share a machine one compiles at a time."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

TURN_SECONDS = 0.2  # between two looks whether others have compiled
MOST_TOLD = 2**20  # bytes of what others have compiled


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
