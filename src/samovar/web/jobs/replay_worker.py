"""Plays records again: `python -m samovar.web.jobs.replay_worker NICENESS` is the process in which that is done;
`replays.py` asks it."""

from __future__ import annotations

import os
import signal
import sys

import msgspec

from samovar.errors import SamovarError
from samovar.json_types import JsonObject
from samovar.processes import serve
from samovar.web.jobs.positions import RecordPositions, play

RECORD_SECONDS = 5.0  # of the processor's time for a record


class ReplayReply(msgspec.Struct, frozen=True):
    positions: RecordPositions | None = None
    error: str = ""
    kind: str = ""  # of the error: the name of its class


def answer(line: bytes) -> bytes:
    """To a record as JSON."""
    try:
        reply = ReplayReply(play_in_time(msgspec.json.decode(line, type=JsonObject)))
    except (SamovarError, msgspec.ValidationError) as error:
        reply = ReplayReply(error=str(error), kind=type(error).__name__)
    return msgspec.json.encode(reply)


def play_in_time(record: JsonObject) -> RecordPositions:
    """Ends the process when it takes too long. The processor's time is what counts: a record is as
    good on a machine that has much else to do."""
    signal.setitimer(signal.ITIMER_PROF, RECORD_SECONDS)
    try:
        return play(record)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def main() -> None:
    os.nice(int(sys.argv[1]))
    serve(answer)


if __name__ == "__main__":
    main()
