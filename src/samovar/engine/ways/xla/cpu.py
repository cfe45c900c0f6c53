"""A call on the CPU: the compiled loop, shared out among XLA's own threads."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from samovar.engine.arrays import Array, Int64s
from samovar.engine.rule import Compiled
from samovar.engine.ways import kernels
from samovar.engine.ways.backend import backend
from samovar.engine.ways.xla.calls import AS_IT_IS, FROM, IN_ROOM, UP_TO, Given, XlaCall, array_words, words_of

ALIGNMENT = 64


class OnThreads:
    """A call on the CPU, on threads of XLA's."""

    def __init__(self, call: XlaCall) -> None:
        self.call = call
        self.kept: list[Any] = []  # what the words point to

    @cached_property
    def handler(self) -> Compiled:
        """The C function for XLA."""
        from samovar.engine.ways.xla import inner

        words, room = self._words()
        self.kept.append(words)
        handler, task = inner.make_handler(words, room, self._loop())
        self.kept.append(task)
        return handler

    def _place_of(self, array: Array) -> int:
        array = np.ascontiguousarray(array)
        self.kept.append(array)
        return array.ctypes.data

    def _words(self) -> tuple[Int64s, int]:
        """The words, and the bytes of the room of a thread."""
        states, *others = self.call.arguments
        words = [*words_of([states], self._place_of), (FROM, 0, 0), (UP_TO, 0, 0), *words_of(others, self._place_of)]
        at = 0
        for room in backend(self.call.game).scratch():
            words += array_words((AS_IT_IS, len(room), 1), 0, room.itemsize, (IN_ROOM, at, 0))
            at += -(-room.nbytes // ALIGNMENT) * ALIGNMENT
        return np.array(words, np.int64), at

    def _loop(self) -> int:
        """The address of the compiled loop."""
        from samovar.engine.ways.xla import inner

        ready = backend(self.call.game, plain=False)
        entry = ready.make(kernels.loop_between, self.call.operation)
        states, *others = map(inner.native_type, self.call.arguments)
        room = [inner.native_type(Given(one.dtype, 0, 0)) for one in ready.scratch()]
        return inner.address_of(entry, (states, inner.NUMBER_TYPE, inner.NUMBER_TYPE, *others, *room))
