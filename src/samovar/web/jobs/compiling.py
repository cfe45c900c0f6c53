"""Of several processes that share a machine one compiles at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from io import RawIOBase

from filelock import lock_descriptor

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
    # The lock is beside the file: on Windows nobody else could read a file that is locked.
    with open(f"{file}.lock", "ab") as turn, open(file, "a+b", buffering=0) as shared:
        while not lock_descriptor(turn.fileno(), blocking=False):
            _learn_all(shared, learn)
            await asyncio.sleep(TURN_SECONDS)
        _learn_all(shared, learn)
        yield lambda what: _tell(shared, what)


def _learn_all(shared: RawIOBase, learn: Callable[[str], None]) -> None:
    shared.seek(0)
    for line in (shared.read(MOST_TOLD) or b"").decode().split():
        learn(line)


def _tell(shared: RawIOBase, what: str) -> None:
    shared.write(f"{what}\n".encode())
