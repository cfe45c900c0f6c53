"""Reviews that take no time, written in this process."""

import asyncio
from typing import ClassVar

from samovar.insight.review import Effort
from samovar.web.jobs import review_worker, reviews


def make_hasty(monkeypatch):
    """In plain Python a few simulations have to do."""
    monkeypatch.setattr("samovar.insight.review.EFFORTS", (Effort(5, 1, 2, 0.0),))
    monkeypatch.setattr("samovar.insight.review.WATCHING", 2)
    monkeypatch.setattr("samovar.insight.moments.WORLDS", 4)
    monkeypatch.setattr("samovar.insight.moments.REPLIES", 4)
    monkeypatch.setattr("samovar.insight.moments.LINE_SIMULATIONS", 4)
    monkeypatch.setattr("samovar.insight.moments.FINDERS", "random")
    monkeypatch.setattr(reviews, "SECONDS", 0.0)
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")


class Here:
    """Instead of the process: the same answers, from this one. `gate` lets them through, one at a time if it is
    said how many."""

    gate: ClassVar = None
    asked: ClassVar = []

    def __init__(self, *arguments, **options):
        self._reviewer = review_worker.ReviewWorker()

    async def ask(self, line, seconds):
        Here.asked.append(line)
        if Here.gate is not None:
            await asyncio.to_thread(Here.gate.acquire)
        return await asyncio.to_thread(self._reviewer.answer, line)

    async def end(self): ...

    async def close(self):
        if Here.gate is not None:
            Here.gate.release(100)
