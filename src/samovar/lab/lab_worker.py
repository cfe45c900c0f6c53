"""Measures for the site, bit by bit: `python -m samovar.lab.lab_worker NICENESS` is the process in which that is done.

It is told of an order once, as a line of JSON, then to go on; every answer is a report, a line of JSON as well. An
interrupt makes the next report the last one, with all that was measured by then.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator

import msgspec

from samovar.engine.contract import Value
from samovar.errors import SamovarError
from samovar.lab.order import LabOrder, make_order
from samovar.lab.run import DONE, Findings, measuring
from samovar.processes import be_nice, serve

STEP_SECONDS = 0.5  # between two answers, if there is something new
PAGE_SECONDS = 3.0  # between two pages at least,
PAGE_SHARE = 0.1  # and no more of the time than this goes into them


class Begin(msgspec.Struct, frozen=True, tag=True):
    """What is to be measured; every choice of what is varied is a variant."""

    game: str
    seats: int
    vary: dict[str, list[Value]]
    players: list[str]
    random: int
    seconds: float

    def order(self) -> LabOrder:
        return make_order(
            self.game, self.seats, vary=self.vary, players=self.players, random=self.random, seconds=self.seconds
        )


class GoOn(msgspec.Struct, frozen=True, tag=True):
    """With the order that came last."""


class Report(msgspec.Struct, frozen=True, omit_defaults=True):
    stage: str = ""
    done: float = 0.0
    pages: dict[str, str] = {}  # all that was found, as HTML by language; empty: none that is newer
    is_last: bool = False
    error: str = ""


class Worker:
    def __init__(self, pages: Callable[[Findings], dict[str, str]]) -> None:
        self._pages = pages
        self._going: Iterator[Findings] = iter(())
        self._is_interrupted = False
        self._next_page = 0.0

    def interrupt(self, *_: object) -> None:
        """What is being counted is counted to its end: half of it would be wrong."""
        self._is_interrupted = True

    def answer(self, line: bytes) -> bytes:
        try:
            report = self.carry_out(msgspec.json.decode(line, type=Begin | GoOn))
        except SamovarError as error:
            report = Report(error=str(error))
        return msgspec.json.encode(report)

    def carry_out(self, order: Begin | GoOn) -> Report:
        if isinstance(order, Begin):
            self._is_interrupted = False
            self._next_page = 0.0
            self._going = measuring(order.order())
        until = time.monotonic() + STEP_SECONDS
        for findings in self._going:
            is_last = findings.stage == DONE or self._is_interrupted
            if is_last or time.monotonic() >= until:
                return Report(findings.stage, findings.done, self._newer_pages(findings, is_last), is_last)
        return Report(error="There is no order to go on with.")

    def _newer_pages(self, findings: Findings, is_last: bool) -> dict[str, str]:
        begun = time.monotonic()
        if not findings.done or (begun < self._next_page and not is_last):
            return {}
        written = self._pages(findings)
        ended = time.monotonic()
        self._next_page = ended + max(PAGE_SECONDS, (ended - begun) / PAGE_SHARE)
        return written


def main() -> None:
    be_nice(int(sys.argv[1]))
    half = max((os.cpu_count() or 1) // 2, 1)  # pages and bots want the other
    os.environ.setdefault("SAMOVAR_THREADS", str(half))
    from samovar.lab.page import pages  # here: who only sends orders need not load it

    worker = Worker(pages)
    signal.signal(signal.SIGINT, worker.interrupt)
    serve(worker.answer)


if __name__ == "__main__":
    main()
