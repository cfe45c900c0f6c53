"""The process in which bots play, `python -m samovar.arena.worker`: a bot that hangs or kills it
takes nobody else along. See `referee.py`.

Orders come as JSON lines on standard input, one at a time: the match, the limits, and whether to be
`careful`. Lines on standard output:

    {}                              It is alive. About once a second while there is an order; who hears nothing for long kills the process.
    {"will": ANSWER}                Only when careful, before a bot gets the word: the answer if the process ends now; null when it has had it.
    {"outcome": .., "record": ..}   The answer. With `late` it is the last one: a bot is still thinking, and the process ends.
    {"error": [TYPE, TEXT]}         The answer to an order that cannot be carried out.
"""

from __future__ import annotations

import faulthandler
import json
import math
import os
import threading
import time
from dataclasses import asdict
from typing import Any

from samovar.arena.plan import PlannedMatch, revived
from samovar.arena.play import Playing
from samovar.errors import SamovarError

BEAT = 1.0  # seconds between two signs of life
LOOK = 0.1  # seconds between two looks at the clock
CLOSING = 10.0  # seconds for a bot to let go of what it holds

Message = dict[str, Any]


class Worker:
    def __init__(self, answers: int) -> None:
        self._answers = open(answers, "wb")  # noqa: SIM115 - open as long as the process lives
        self._nowhere = open(os.devnull, "wb")  # noqa: SIM115
        # held by the thread that speaks, and while it is decided whether a bot was in time
        self._lock = threading.Lock()
        self._order: Message | None = None
        self._playing: Playing | None = None
        self._seat: int | None = None
        self._due = math.inf
        self._beaten = 0.0

    def carry_out(self, order: Message) -> None:
        with self._lock:
            self._order = order
            self._live()
        self._playing = None
        try:
            self._playing = Playing(revived(PlannedMatch, order["match"]), record=order["record"])
            self._playing.play(self._thinking, only_make=order["only_make"])
            answer = self._answer()
        except SamovarError as error:
            answer = {"error": [type(error).__name__, str(error)]}
        except BaseException:  # nobody interrupts this process, so a bot pretends
            if self._playing is None or not self._playing.ended:
                raise
            answer = self._answer()
        with self._lock:
            self._say(answer)
            self._order = None
            faulthandler.cancel_dump_traceback_later()

    def _thinking(self, seat: int | None) -> None:
        with self._lock:
            assert self._order is not None
            if self._order["careful"]:
                self._say(
                    {
                        "will": None
                        if seat is None
                        else self._answer(seat, "It killed or blocked the process it was running in.")
                    }
                )
            self._seat = seat
            self._due = math.inf if seat is None else time.monotonic() + self._limit(seat)

    def _limit(self, seat: int) -> float:
        assert self._order is not None
        assert self._playing is not None
        return CLOSING if self._playing.ended else float(self._order["limits"][seat])

    def _answer(self, seat: int | None = None, reason: str = "") -> Message:
        assert self._order is not None
        assert self._playing is not None
        if seat is not None and self._order["only_make"]:
            return {"error": ["BotFailed", f"The bot {self._playing.planned.bots[seat]!r} cannot be made. {reason}"]}
        outcome, record = self._playing.played(seat, reason)
        return {"outcome": asdict(outcome), "record": record}

    def watch(self) -> None:
        """The other thread: ends the process when a bot takes too long, and says that it is
        alive."""
        while True:
            time.sleep(LOOK)
            with self._lock:
                now = time.monotonic()
                if self._order is None:
                    continue
                if now > self._due:
                    assert self._seat is not None
                    reason = f"It took longer than {self._limit(self._seat):g} s."
                    self._say(self._answer(self._seat, reason) | {"late": True})
                    os._exit(0)
                if now > self._beaten + BEAT:
                    self._live()

    def _live(self) -> None:
        assert self._order is not None
        self._say({})
        self._beaten = time.monotonic()
        # Ends the process, without Python's help, if a bot never lets another thread run again and
        # nobody is left to kill it.
        faulthandler.dump_traceback_later(self._order["silence"], exit=True, file=self._nowhere)

    def _say(self, message: Message) -> None:
        try:
            self._answers.write(json.dumps(message).encode() + b"\n")
            self._answers.flush()
        except OSError:  # nobody listens any more: whoever gave the orders was killed
            os._exit(1)


def main() -> None:
    # The pipes are moved out of the way of bots that read or print.
    orders, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    worker = Worker(answers)
    threading.Thread(target=worker.watch, daemon=True).start()
    with open(orders, encoding="utf-8") as lines:
        for line in lines:
            worker.carry_out(json.loads(line))
    os._exit(0)  # without waiting for what bots may have left running


if __name__ == "__main__":
    main()
