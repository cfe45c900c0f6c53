"""Plays records again: `python -m samovar.web.jobs.replay_worker NICENESS` is the process in which that is done;
`replays.py` asks it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import msgspec

from samovar.errors import SamovarError
from samovar.json_types import JsonObject
from samovar.processes import be_nice, serve
from samovar.web.jobs.positions import RecordPositions, play

RECORD_SECONDS = 5.0  # of the processor's time for a record
LOOK_SECONDS = 0.25


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
    if not hasattr(signal, "setitimer"):  # on Windows
        return play_watched(record)
    signal.setitimer(signal.ITIMER_PROF, RECORD_SECONDS)
    try:
        return play(record)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def play_watched(record: JsonObject) -> RecordPositions:
    """The same by a thread that looks at the clock, as often as Python lets it."""
    end, is_done = time.process_time() + RECORD_SECONDS, threading.Event()

    def watch() -> None:
        while not is_done.wait(LOOK_SECONDS):
            if time.process_time() > end:
                os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    try:
        return play(record)
    finally:
        is_done.set()


def main() -> None:
    be_nice(int(sys.argv[1]))
    serve(answer)


if __name__ == "__main__":
    main()
