"""Has matches played in a process of their own and sees to it that each has an outcome, whatever
the bots do.

A process that dies without a word may have been killed by a bot or by somebody else. So its match
is played again in a fresh process, which is careful: it says whose turn it is before each question.
If that one dies, too, it was the bot. So who kills a process from outside costs nobody a match, and
a bot that kills its process loses every time.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from samovar import errors
from samovar.arena.outcome import Outcome
from samovar.arena.plan import Plan, PlannedMatch, revived
from samovar.arena.play import Played
from samovar.errors import BadTournament, SamovarError

MOVE_LIMIT = 10.0  # seconds for a move
# seconds more for each move of a bot's first match in a process: what it runs may have to be
# compiled first
ALLOWANCE = 120.0
STARTING = 60.0  # seconds for a process to give its first sign of life
SILENCE = 30.0  # seconds beyond the limit of a move without any sign of life, until a process counts as dead
WORKER = ["-P", "-m", "samovar.arena.worker"]  # -P: modules that happen to lie in the working folder are none of ours
CHUNK = 2**16


class Referee:
    """`referee(planned) -> Played`, one match at a time; the process is started when it is needed,
    and again when it has died."""

    def __init__(
        self,
        move_limit: float = MOVE_LIMIT,
        *,
        records: bool = False,
        allowance: float = ALLOWANCE,
        silence: float = SILENCE,
    ) -> None:
        self._move_limit = move_limit
        self._records = records
        self._allowance = allowance
        self._silence = move_limit + silence
        self._lock = threading.Lock()  # held while a process is started or killed
        self._stopped = False
        self._child: subprocess.Popen[bytes] | None = None
        self._said: Iterator[dict[str, Any]] = iter(())
        self._played: set[str] = set()  # the bots that have played in this process
        self._spent: set[str] = set()  # the bots that were too late in spite of their allowance: they get none again

    def __call__(self, planned: PlannedMatch, *, only_make: bool = False) -> Played:
        for careful in (only_make, True, True):
            self._start()
            answer = self._ask(planned, careful, only_make)
            if answer is not None:
                played = self._read(answer, planned)
                if not only_make:
                    self._played.update(planned.bots)
                return played
        raise BadTournament(
            "The process that plays the matches ended again and again while no bot was asked. What it said is above."
        )

    def check_bots(self, plan: Plan) -> None:
        """Every bot of the tournament can be made here; else a wrong name would lose all its
        matches."""
        first = plan.match(0)
        for name in plan.tournament.names:
            self(replace(first, bots=(name,) * len(first.bots)), only_make=True)

    def _ask(self, planned: PlannedMatch, careful: bool, only_make: bool) -> dict[str, Any] | None:
        """What the process answers; if it dies, its will."""
        assert self._child is not None
        assert self._child.stdin is not None
        limits = [
            self._move_limit + (0 if bot in self._played | self._spent else self._allowance) for bot in planned.bots
        ]
        order = {"match": asdict(planned), "record": self._records, "careful": careful, "only_make": only_make}
        will: dict[str, Any] | None = None
        with suppress(BrokenPipeError):
            self._child.stdin.write(json.dumps({**order, "limits": limits, "silence": self._silence}).encode() + b"\n")
            for message in self._said:
                if "will" in message:
                    will = message["will"]
                elif message:
                    return message
        self._clear()
        return will

    def _read(self, answer: dict[str, Any], planned: PlannedMatch) -> Played:
        if "late" in answer:
            self._clear()
        if "error" in answer:
            kind, text = answer["error"]
            raise getattr(errors, kind, SamovarError)(text)
        outcome = revived(Outcome, answer["outcome"])
        if "late" in answer and outcome.forfeit is not None:
            self._spent.add(planned.bots[outcome.forfeit])
        return Played(outcome, answer["record"])

    def _start(self) -> None:
        with self._lock:
            if self._stopped:
                raise RuntimeError("This referee has been stopped.")
            if self._child is None:
                self._child = subprocess.Popen(
                    [sys.executable, *WORKER],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    bufsize=0,
                    process_group=0,
                    env={**os.environ, "SAMOVAR_THREADS": "1"},  # there is a process for every core
                )
                self._said = listen(self._child, self._silence)
                self._played = set()

    def stop(self) -> None:
        """Ends the match that is being played and plays no more; from any thread."""
        with self._lock:
            self._stopped = True
            self._kill()

    def _kill(self) -> None:
        if self._child is not None:
            with suppress(ProcessLookupError, PermissionError):  # the whole group: bots may have started processes, too
                os.killpg(self._child.pid, signal.SIGKILL)

    def _clear(self) -> None:
        with self._lock:
            self._kill()
            if self._child is not None:
                with self._child:
                    pass  # waits for it and closes the pipes
            self._child = None

    def __enter__(self) -> Referee:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
        self._clear()


def listen(child: subprocess.Popen[bytes], silence: float) -> Iterator[dict[str, Any]]:
    """What a process says, until it ends or has said nothing for too long."""
    assert child.stdout is not None
    pipe = child.stdout.fileno()
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    rest = b""
    patience = max(silence, STARTING)
    while poll.poll(patience * 1000):
        heard = os.read(pipe, CHUNK)
        if not heard:
            return
        patience = silence
        *lines, rest = (rest + heard).split(b"\n")
        yield from map(json.loads, lines)
