"""Records are played again in a process of their own (`reel_worker.py`), so that neither the site nor
its bots wait for them. What was played is kept."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec

from samovar.processes import AsyncChild, Lost
from samovar.web import problems
from samovar.web.jobs.cover import Cover, cover_of
from samovar.web.jobs.queue import Workshop
from samovar.web.jobs.reel import Reel
from samovar.web.jobs.reel_worker import ReelReply
from samovar.web.recent import Recent

PLAYER = "samovar.web.jobs.reel_worker"
LIMIT = 20.0  # seconds for an answer; the process itself gives a record less, of the processor's time
LONGEST_REEL = 16 * 2**20  # bytes, as it comes from the process
KEPT_BYTES = 64 * 2**20
COVER_BYTES = 2**11  # what a film takes besides its positions, roughly
MOST_WAITING = 6  # records that one asker may have played at the same time
OTHER_RULES = ("RecordVersion", "UnknownGame", "BrokenGame")  # errors that are not the record's fault

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Film:
    """A record as it is shown."""

    cover: Cover
    reel: Reel | None  # None: the rules it was played by are not here

    @property
    def can_be_reviewed(self) -> bool:
        """Whether it was played to its end, or given up. Who makes reviews looks again, by the record."""
        reel = self.reel
        return reel is not None and reel.last > 0 and (bool(self.cover.resigned) or reel.at(reel.last).over)

    @property
    def size(self) -> int:
        return COVER_BYTES + (self.reel.size if self.reel else 0)


@dataclass(eq=False, slots=True)
class Asker:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class Reels:
    def __init__(self) -> None:
        self._workshop = Workshop(AsyncChild(PLAYER, longest=LONGEST_REEL))
        self._askers: dict[str, Asker] = {}
        self._kept: Recent[str, Film] = Recent(KEPT_BYTES, size=lambda film: film.size)

    async def close(self) -> None:
        await self._workshop.close()

    def kept(self, record_id: str) -> Film | None:
        return self._kept.get(record_id)

    def keep(self, record_id: str, film: Film) -> Film:
        """For as long as there is room: a finished match never changes, but for names."""
        self._kept.put(record_id, film)
        return film

    def forget(self, record_id: str) -> None:
        """Somebody of the match is called otherwise from now on: it is played again when it is asked
        for."""
        self._kept.pop(record_id)

    async def play(self, record: dict[str, Any], asker: str, record_id: str = "") -> Film:
        """The film of a record that may come from anywhere. One that has an id is kept, and played
        once for all who ask for it together."""
        async with self._turn_of(asker):
            if kept := self.kept(record_id):
                return kept
            film = Film(cover_of(record), await self._wind(record))
            return self.keep(record_id, film) if record_id else film

    @asynccontextmanager
    async def _turn_of(self, name: str) -> AsyncIterator[None]:
        """Every asker has one record in the line, however many they sent: nobody waits for all that
        another one wants to see."""
        asker = self._askers.setdefault(name, Asker())
        if asker.waiting == MOST_WAITING:
            raise problems.TooMany
        asker.waiting += 1
        try:
            async with asker.lock, self._workshop.turn():
                yield
        finally:
            asker.waiting -= 1
            if not asker.waiting:
                del self._askers[name]

    async def _wind(self, record: dict[str, Any]) -> Reel | None:
        reply = await self._answer_to(record)
        if reply.reel is None and reply.kind not in OTHER_RULES:
            raise problems.BadFile
        return reply.reel

    async def _answer_to(self, record: dict[str, Any]) -> ReelReply:
        try:
            answer = await self._workshop.child.ask(msgspec.json.encode(record), LIMIT)
            return msgspec.json.decode(answer, type=ReelReply)
        except Lost as lost:
            log.warning("The process in which records are played %s.", lost)
            raise problems.TooLongToPlay from lost
