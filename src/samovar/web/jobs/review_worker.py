"""Makes reviews, bit by bit: `python -m samovar.web.jobs.review_worker NICENESS` is the process in which that is done;
`reviews.py` asks it.

It is told of a record once, then to go on, until the review is done: so how far it has come can be shown.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

import msgspec

from samovar.errors import SamovarError
from samovar.insight.review import Review, reviewing
from samovar.insight.written import WrittenReview, write
from samovar.json_types import JsonObject
from samovar.processes import be_nice, serve

STEP_SECONDS = 0.4  # between two answers, roughly
MOST_THREADS = 2  # however many cores there are: bots and pages want some, too


class Begin(msgspec.Struct, frozen=True, tag=True):
    """A record, and for how many seconds to think about it."""

    record: JsonObject
    seconds: float


class GoOn(msgspec.Struct, frozen=True, tag=True):
    """With the record that came last."""


class ReviewReply(msgspec.Struct, frozen=True, omit_defaults=True):
    review: WrittenReview | None = None  # as far as it has come
    is_done: bool = False
    error: str = ""
    kind: str = ""  # of the error: the name of its class


class ReviewWorker:
    def __init__(self) -> None:
        self._going: Iterator[Review] = iter(())

    def answer(self, line: bytes) -> bytes:
        try:
            reply = self.carry_out(msgspec.json.decode(line, type=Begin | GoOn))
        except SamovarError as error:
            reply = ReviewReply(error=str(error), kind=type(error).__name__)
        return msgspec.json.encode(reply)

    def carry_out(self, order: Begin | GoOn) -> ReviewReply:
        if isinstance(order, Begin):
            self._going = reviewing(order.record, seconds=order.seconds)
        until = time.monotonic() + STEP_SECONDS
        for review in self._going:
            if review.done == 1:
                return ReviewReply(write(review, with_moments=True), is_done=True)
            if time.monotonic() >= until:
                return ReviewReply(write(review))
        return ReviewReply(error="There is no record to go on with.", kind="BadReview")


def main() -> None:
    be_nice(int(sys.argv[1]))
    os.environ.setdefault("SAMOVAR_THREADS", str(min(MOST_THREADS, os.cpu_count() or 1)))
    serve(ReviewWorker().answer)


if __name__ == "__main__":
    main()
