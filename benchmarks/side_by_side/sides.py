"""The two sides of a comparison: processes that wait for their turn, play a round and say how
fast."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any

from samovar.json_types import JsonObject
from side_by_side.environments import complaint

READY_S = 600.0  # compiling on a slow machine
ROUND_S = 120.0

# One thread for everybody who would start several.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}


class Failed(Exception):
    """A side that cannot be measured, and why. Never leaves the benchmark: it becomes a line of the
    table."""


@dataclass(frozen=True)
class Side:
    """Who plays what: the words after `ours.py` or `peer.py`, and the environment to run in, None
    for our own."""

    words: tuple[str, ...]
    peer: str | None = None
    is_ours: bool = False

    def __str__(self) -> str:
        return " ".join((["ours"] if self.peer is None else []) + list(self.words))

    @property
    def script(self) -> list[str]:
        return ["-m", "side_by_side.ours"] if self.is_ours else [str(Path(__file__).with_name("peer.py"))]


class Running:
    """The process of a side. With a core it uses no other one, and one thread."""

    def __init__(self, side: Side, python: Path | None, rounds: int, seconds: float, core: int | None) -> None:
        """`python`: that of the side's own environment, where nothing from outside is seen; without
        one, ours."""
        command = [str(python), "-I"] if python else [sys.executable, "-P"]
        command += [*side.script, *side.words, "--wait", "--rounds", str(rounds), "--seconds", str(seconds)]
        command += [] if core is None else ["--core", str(core)]
        self._told = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._told,
            text=True,
            env={**os.environ, **({} if core is None else ONE_THREAD), "PYTHONPATH": search_path()},
        )

    def ready(self) -> JsonObject:
        """Waits until the side has loaded and compiled all it needs; what it says of itself."""
        return dict(self._answer("ready", READY_S))

    def rate(self) -> float:
        """Plays a round; moves per second."""
        try:
            print("go", file=self._process.stdin, flush=True)
        except OSError:
            raise Failed(self._reason()) from None
        return float(self._answer("rate", ROUND_S))

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._told.close()

    def _answer(self, key: str, limit_s: float) -> Any:
        assert self._process.stdout
        alarm = Timer(limit_s, self._process.kill)
        alarm.start()
        line = self._process.stdout.readline()
        is_late = not alarm.is_alive()
        alarm.cancel()
        if is_late:
            raise Failed(f"no answer for {limit_s:.0f} s")
        if not line:
            raise Failed(self._reason())
        try:
            return json.loads(line)[key]
        except (ValueError, KeyError, TypeError):
            raise Failed(f"answered {line.strip()[:80]!r}") from None

    def _reason(self) -> str:
        """What an ended process said last."""
        code = self._process.wait()
        self._told.seek(0)
        return complaint(self._told.read()) or (
            f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        )


def search_path() -> str:
    """Where a side of ours finds this package, and one of this Python its library."""
    return os.pathsep.join(filter(None, (str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH"))))
