"""A call on the CPU: the compiled loop, shared out among XLA's own threads."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from samovar.engine.arrays import Array, Int64s
from samovar.engine.rule import Compiled
from samovar.engine.ways import kernels
from samovar.engine.ways.backend import backend
from samovar.engine.ways.xla.calls import AS_IT_IS, FROM, IN_ROOM, UP_TO, Call, Form, Given, array_words, words_of

Native: TypeAlias = Any  # of Numba's inside, which has no types
ALIGNMENT = 64


def native_type(form: Form) -> Native:
    """The type of an argument, as Numba names it."""
    from numba import types
    from numba.np.numpy_support import from_dtype

    if isinstance(form, Given):
        return types.Array(from_dtype(form.kind), 2 if form.columns else 1, "C")
    return types.NamedTuple(tuple(map(native_type, form)), type(form))


class OnThreads:
    """A call on the CPU, on threads of XLA's."""

    def __init__(self, call: Call) -> None:
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
        from numba import types

        ready = backend(self.call.game, plain=False)
        entry = ready.make(kernels.loop_between, self.call.operation)
        states, *others = map(native_type, self.call.arguments)
        room = [native_type(Given(one.dtype, 0, 0)) for one in ready.scratch()]
        signature = (states, types.int64, types.int64, *others, *room)
        entry.compile(signature)
        compiled = entry.overloads[signature]
        return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))
