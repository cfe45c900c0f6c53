"""A `determinize` that does not end is told, and nobody waits for it.

Drawing worlds until one fits is the usual way to write it, and where none can fit the loop goes on for ever: perhaps
in one position of thousands. A plain rule is stopped by `engine/ways/watch.py`. Compiled code cannot be stopped, so it
runs here in a thread that can be left behind, and what the author is told comes from the same draw in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread

import numpy as np

from samovar.engine.arrays import Array
from samovar.engine.contract import Game
from samovar.engine.ways import watch
from samovar.engine.ways.backend import Backend, backend
from samovar.engine.ways.mistakes import RuleDoesNotEnd
from samovar.engine.ways.operations import NOTHING
from samovar.errors import BrokenGame

PORTION = 256  # worlds that are waited for together

found: dict[Game, str] = {}  # games that were told already: nobody need wait for them again


class Endless(AssertionError):
    """`row`: in which of the states it was asked to draw a world for."""

    def __init__(self, message: str, row: int) -> None:
        super().__init__(message)
        self.row = row


@contextmanager
def patience(game: Game) -> Iterator[None]:
    """Within it, a `determinize` of the game that does not end raises `Endless`."""
    before = {ready: dict(vars(ready)) for ready in (backend(game, True), backend(game, False))}
    for ready in before:
        vars(ready).setdefault("run", Patient(ready).run)
    try:
        yield
    finally:
        for ready, names in before.items():
            if "run" not in names:
                vars(ready).pop("run", None)


@contextmanager
def moment_told(moment: str) -> Iterator[None]:
    """Says when it was that a world was asked for."""
    try:
        yield
    except Endless as error:
        raise Endless(f"{moment}: {error}", error.row) from error


class Aside:
    """A thread in which something is done, again and again; one that does not end is left behind with it."""

    def __init__(self) -> None:
        self._asked = SimpleQueue[Callable[[], None]]()
        self._ended = SimpleQueue[BaseException | None]()
        Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while True:
            try:
                self._asked.get()()
                self._ended.put(None)
            except BaseException as error:
                self._ended.put(error)

    def do(self, asked: Callable[[], None], seconds: float) -> BaseException | None:
        """What went wrong; `Empty` is raised where it has not ended in time."""
        self._asked.put(asked)
        return self._ended.get(timeout=seconds)


_idle: list[Aside] = []  # thousands of draws are waited for, and a thread for each would take longer than they do


def ends(asked: Callable[[], None], seconds: float) -> bool:
    """Whether something ends in time; what it raises is raised here."""
    aside = _idle.pop() if _idle else Aside()
    try:
        error = aside.do(asked, seconds)
    except Empty:
        return False
    _idle.append(aside)
    if error:
        raise error
    return True


class Patient:
    """Runs what a backend does, and `determinize` in portions, each of which must end."""

    def __init__(self, ready: Backend) -> None:
        self._ready = ready
        self._run = partial(Backend.run, ready)  # its own, whoever else is patient with it

    def run(self, operation: str, states: Array, a: Array = NOTHING, b: Array = NOTHING, c: Array = NOTHING) -> None:
        if operation != "determinize":
            self._run(operation, states, a, b, c)
            return
        portion = 1 if self._ready.is_plain else PORTION
        for low in range(0, len(states), portion):
            part = slice(low, low + portion)
            (self._draw_plainly if self._ready.is_plain else self._draw)(states[part], a[part], b[part], low)

    def _draw_plainly(self, states: Array, seats: Array, seeds: Array, low: int) -> None:
        try:
            self._run("determinize", states, seats, seeds)
        except BrokenGame as error:
            if isinstance(error.__cause__, RuleDoesNotEnd):
                raise self._told(int(seats[0]), low, str(error)) from error
            raise

    def _draw(self, states: Array, seats: Array, seeds: Array, low: int) -> None:
        self._run("determinize", states[:0], seats[:0], seeds[:0])  # to compile it may take longer
        before = states.copy()
        if not ends(lambda: self._run("determinize", states, seats, seeds), watch.TOO_LONG):
            raise self._found(before, states.copy(), seats, seeds, low)

    def _found(self, before: Array, now: Array, seats: Array, seeds: Array, low: int) -> Endless:
        """The draw that does not end: the last of which something can be seen, or one behind it."""
        begun = np.flatnonzero(before != now)
        first = int(begun[-1]) if len(begun) else 0
        plainly = Patient(backend(self._ready.game, True))
        for row in range(first, len(before)):
            try:
                plainly._draw_plainly(before[row : row + 1], seats[row : row + 1], seeds[row : row + 1], low + row)
            except Endless as error:
                return error
        return self._told(int(seats[first]), low + first, "In plain Python it does end: look for an overflow.")

    def _told(self, seat: int, row: int, reason: str) -> Endless:
        game = self._ready.game
        found[game] = (
            f"`determinize` of {game.name} draws a world for seat {seat} and has not ended after "
            f"{watch.TOO_LONG:.0f} s. {reason}"
        )
        return Endless(found[game], row)
