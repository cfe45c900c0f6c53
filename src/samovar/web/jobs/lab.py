"""What the lab measures for visitors: in a process of its own (`samovar.lab.worker`), one order after the other,
behind pages, bots and reviews. Reports are kept in memory, for an hour.

Whether somebody may use the lab is asked before anything here is.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass

import msgspec

from samovar.bots.process import Lost
from samovar.lab.order import LabOrder
from samovar.lab.worker import Begin, GoOn, Report
from samovar.web import problems
from samovar.web.jobs.children import SiteChild
from samovar.web.jobs.workshop import Workshop

# What the lab may take, all in one place
LONGEST = 300  # seconds that can be ordered
MOST_SECONDS = LONGEST + 30.0  # for one order in all, with what has to be compiled first
STOP_SECONDS = 5.0  # to end when it is told to
NICENESS = 15  # after pages, and after bots' turns
MOST_WAITING = 4  # the one that is being measured, and those behind it
MOST_KEPT = 20  # reports
KEPT_SECONDS = 3600.0
LONGEST_PAGE = 4 * 2**20  # bytes

MAKER = "samovar.lab.worker"
WAITING, RUNNING, DONE, STOPPED, BROKEN = "waiting", "running", "done", "stopped", "broken"

log = logging.getLogger(__name__)


@dataclass(eq=False)
class LabJob:
    id: str
    person: str  # who ordered it
    wanted: Begin
    order: LabOrder  # the same, checked
    status: str = WAITING
    stage: str = ""
    done: float = 0.0
    page: str = ""  # the newest there is
    is_stopping: bool = False
    ended: float = 0.0

    @property
    def is_over(self) -> bool:
        return self.status not in (WAITING, RUNNING)

    def end(self, status: str) -> None:
        self.status, self.ended = status, time.monotonic()


class LabJobs:
    def __init__(self) -> None:
        self._child = SiteChild(MAKER, NICENESS, longest=LONGEST_PAGE)
        self._workshop = Workshop(self._child, self._make_next)
        self._jobs: OrderedDict[str, LabJob] = OrderedDict()  # by id, the oldest first

    async def close(self) -> None:
        await self._workshop.close()

    def start(self, person: str, wanted: Begin) -> LabJob:
        order = wanted.order()
        if any(job.person == person for job in self._line()):
            raise problems.OneLabAtATime
        if len(self._line()) >= MOST_WAITING:
            raise problems.TooManyLabs
        job = LabJob(secrets.token_hex(16), person, wanted, order)
        self._jobs[job.id] = job
        self._workshop.go_on()
        return job

    def find(self, job_id: str) -> LabJob:
        self._forget()
        if job_id not in self._jobs:
            raise problems.NoSuchReport
        return self._jobs[job_id]

    def of(self, person: str | None) -> list[LabJob]:
        """The newest first."""
        self._forget()
        return [job for job in reversed(self._jobs.values()) if job.person == person]

    def before(self, job: LabJob) -> int:
        """How many are measured before it."""
        return self._line().index(job)

    def stop(self, job: LabJob) -> None:
        """What was measured is kept. Who does not stop when told to is ended, and what it said last is kept."""
        if job.status == WAITING:
            job.end(STOPPED)
        elif job.status == RUNNING and not job.is_stopping:
            job.is_stopping = True
            self._child.interrupt()
            asyncio.get_running_loop().call_later(STOP_SECONDS, self._end, job)

    def _end(self, job: LabJob) -> None:
        if job.status == RUNNING:
            self._child.kill()

    def _line(self) -> list[LabJob]:
        return [job for job in self._jobs.values() if not job.is_over]

    def _forget(self) -> None:
        """What is too old, and the oldest when there are too many."""
        over = [job for job in self._jobs.values() if job.is_over]
        for number, job in enumerate(over):
            if number < len(over) - MOST_KEPT or time.monotonic() - job.ended > KEPT_SECONDS:
                del self._jobs[job.id]

    async def _make_next(self) -> bool:
        job = next(iter(self._line()), None)
        if job is None:
            return False
        job.status = RUNNING
        try:
            async with asyncio.timeout(MOST_SECONDS):
                await self._measure(job)
        except (Lost, TimeoutError) as error:
            if not job.is_stopping:
                log.warning("The process of the lab %s.", error or "took too long")
            job.end(STOPPED if job.is_stopping else BROKEN)
        else:
            job.end(STOPPED if job.is_stopping else DONE)
        self._forget()
        if job.status == STOPPED:
            await self._child.end()  # it may be in the midst of a match
        return True

    async def _measure(self, job: LabJob) -> None:
        asked: Begin | GoOn = job.wanted
        is_last = False
        while not is_last:
            answer = await self._child.ask(msgspec.json.encode(asked), MOST_SECONDS)
            report = msgspec.json.decode(answer, type=Report)
            if report.error:
                raise Lost(f"refused an order: {report.error}")
            job.stage, job.done, job.page = report.stage, report.done, report.page or job.page
            asked, is_last = GoOn(), report.is_last
