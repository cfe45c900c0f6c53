"""What the lab measures for visitors: in a process of its own (`samovar.lab.lab_worker`), one order after the other,
behind pages, bots and reviews. Reports are kept in memory, for an hour.

Whether somebody may use the lab is asked before anything here is.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from dataclasses import dataclass, field

import msgspec

from samovar.lab.lab_worker import Begin, GoOn, Report
from samovar.lab.order import LabOrder
from samovar.processes import AFTER_PEOPLE, AsyncChild, Lost
from samovar.web import problems
from samovar.web.jobs.queue import Job, JobQueue

# What the lab may take, all in one place
LONGEST = 300  # seconds that can be ordered
MOST_SECONDS = LONGEST + 30.0  # for one order in all, with what has to be compiled first
STOP_SECONDS = 5.0  # to end when it is told to
MOST_WAITING = 4  # the one that is being measured, and those behind it
MOST_KEPT = 20  # reports
KEPT_SECONDS = 3600.0
LONGEST_PAGES = 16 * 2**20  # bytes, in all languages

MAKER = "samovar.lab.lab_worker"
WAITING, RUNNING, DONE, STOPPED, BROKEN = "waiting", "running", "done", "stopped", "broken"

log = logging.getLogger(__name__)


@dataclass(eq=False)
class LabJob(Job):
    wanted: Begin
    order: LabOrder  # the same, checked
    status: str = WAITING
    stage: str = ""
    done: float = 0.0
    pages: dict[str, str] = field(default_factory=dict)  # by language, the newest there are
    is_stopping: bool = False


class LabJobs:
    def __init__(self) -> None:
        self._queue = JobQueue(AsyncChild(MAKER, AFTER_PEOPLE, longest=LONGEST_PAGES), self._see_to)

    @property
    def waiting(self) -> int:
        return len(self._queue.waiting)

    async def close(self) -> None:
        await self._queue.close()

    def start(self, person: str, wanted: Begin) -> LabJob:
        self._forget()
        job = LabJob(secrets.token_hex(16), person, wanted, wanted.order())
        self._queue.add(job, MOST_WAITING, problems.OneLabAtATime, problems.TooManyLabs)
        self._queue.begin(job)
        return job

    def find(self, job_id: str) -> LabJob:
        self._forget()
        if job_id not in self._queue.jobs:
            raise problems.NoSuchReport
        return self._queue.jobs[job_id]

    def of(self, person: str | None) -> list[LabJob]:
        """The newest first."""
        self._forget()
        return [job for job in reversed(self._queue.jobs.values()) if job.asker == person]

    def before(self, job: LabJob) -> int:
        return self._queue.before(job)

    def stop(self, job: LabJob) -> None:
        """What was measured is kept. Who does not stop when told to is ended, and what it said last is kept."""
        if job.status == WAITING:
            job.status = STOPPED
            job.end()
        elif job.status == RUNNING and not job.is_stopping:
            job.is_stopping = True
            self._queue.child.interrupt()
            asyncio.get_running_loop().call_later(STOP_SECONDS, self._end, job)

    def _end(self, job: LabJob) -> None:
        if job.status == RUNNING:
            self._queue.child.kill()

    def _forget(self) -> None:
        self._queue.forget(KEPT_SECONDS, MOST_KEPT)

    async def _see_to(self, job: LabJob) -> None:
        job.status, outcome = RUNNING, DONE
        try:
            async with asyncio.timeout(MOST_SECONDS):
                await self._measure(job)
        except (Lost, TimeoutError) as error:
            outcome = BROKEN
            if not job.is_stopping:
                log.warning("The process of the lab %s.", error or "took too long")
        job.status = STOPPED if job.is_stopping else outcome
        job.end()
        if job.is_stopping:
            await self._queue.child.end()  # it may be in the midst of a match

    async def _measure(self, job: LabJob) -> None:
        asked: Begin | GoOn = job.wanted
        is_last = False
        while not is_last:
            answer = await self._queue.child.ask(msgspec.json.encode(asked), MOST_SECONDS)
            report = msgspec.json.decode(answer, type=Report)
            if report.error:
                raise Lost(f"refused an order: {report.error}")
            job.stage, job.done, job.pages = report.stage, report.done, report.pages or job.pages
            asked, is_last = GoOn(), report.is_last
