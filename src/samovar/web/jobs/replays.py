"""Records are played again in a process of their own (`replay_worker.py`), so that neither the site nor
its bots wait for them. What was played is kept."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import msgspec

from samovar.json_types import JsonObject
from samovar.processes import AsyncChild, Lost
from samovar.web import problems
from samovar.web.jobs.positions import RecordPositions
from samovar.web.jobs.queue import SharedWorker
from samovar.web.jobs.record_summary import RecordSummary, summary_of
from samovar.web.jobs.replay_worker import ReplayReply
from samovar.web.recent import Recent

PLAYER = "samovar.web.jobs.replay_worker"
LIMIT = 20.0  # seconds for an answer; the process itself gives a record less, of the processor's time
LONGEST_REPLAY = 16 * 2**20  # bytes, as it comes from the process
KEPT_BYTES = 64 * 2**20
SUMMARY_BYTES = 2**11  # what a replay takes besides its positions, roughly
MOST_WAITING = 6  # records that one asker may have played at the same time
OTHER_RULES = ("RecordVersion", "UnknownGame", "BrokenGame")  # errors that do not come from the record

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Replay:
    """A record as it is shown."""

    summary: RecordSummary
    positions: RecordPositions | None  # None: the rules it was played by are not here

    @property
    def can_be_reviewed(self) -> bool:
        """Whether it was played to its end, or given up. Who makes reviews looks again, by the record."""
        positions = self.positions
        return (
            positions is not None
            and positions.last > 0
            and (bool(self.summary.resigned) or positions.at(positions.last).over)
        )

    @property
    def size(self) -> int:
        return SUMMARY_BYTES + (self.positions.size if self.positions else 0)


@dataclass(eq=False, slots=True)
class Asker:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class Replays:
    def __init__(self) -> None:
        self._worker = SharedWorker(AsyncChild(PLAYER, longest=LONGEST_REPLAY))
        self._askers: dict[str, Asker] = {}
        self._kept: Recent[str, Replay] = Recent(KEPT_BYTES, size=lambda replay: replay.size)

    async def close(self) -> None:
        await self._worker.close()

    def kept(self, record_id: str) -> Replay | None:
        return self._kept.get(record_id)

    def keep(self, record_id: str, replay: Replay) -> Replay:
        """For as long as there is room: a finished match never changes, but for names."""
        self._kept.put(record_id, replay)
        return replay

    def forget(self, record_id: str) -> None:
        """Somebody of the match is called otherwise from now on: it is played again when it is asked
        for."""
        self._kept.pop(record_id)

    async def play(self, record: JsonObject, asker: str, record_id: str = "") -> Replay:
        """The replay of a record that may come from anywhere. One that has an id is kept, and played
        once for all who ask for it together."""
        async with self._turn_of(asker):
            if kept := self.kept(record_id):
                return kept
            replay = Replay(summary_of(record), await self._positions_of(record))
            return self.keep(record_id, replay) if record_id else replay

    @asynccontextmanager
    async def _turn_of(self, name: str) -> AsyncIterator[None]:
        """Every asker has one record in the line, however many they sent: nobody waits for all that
        another one wants to see."""
        asker = self._askers.setdefault(name, Asker())
        if asker.waiting == MOST_WAITING:
            raise problems.TooMany
        asker.waiting += 1
        try:
            async with asker.lock, self._worker.turn():
                yield
        finally:
            asker.waiting -= 1
            if not asker.waiting:
                del self._askers[name]

    async def _positions_of(self, record: JsonObject) -> RecordPositions | None:
        reply = await self._answer_to(record)
        if reply.positions is None and reply.kind not in OTHER_RULES:
            raise problems.BadFile
        return reply.positions

    async def _answer_to(self, record: JsonObject) -> ReplayReply:
        try:
            answer = await self._worker.child.ask(msgspec.json.encode(record), LIMIT)
            return msgspec.json.decode(answer, type=ReplayReply)
        except Lost as lost:
            log.warning("The process in which records are played %s.", lost)
            raise problems.TooLongToPlay from lost
