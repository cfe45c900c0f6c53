"""A call on a GPU: the driver launches the kernel of `ways/cuda.py` on XLA's own stream.

Nothing is copied and nobody waits. The launch may become part of a CUDA graph."""

from __future__ import annotations

import ctypes
import sys
from functools import cache, cached_property
from typing import Any

import numpy as np

from samovar.engine.arrays import Array, Int64s
from samovar.engine.rule import Compiled
from samovar.engine.ways.cuda import THREADS_A_BLOCK, cuda_backend
from samovar.engine.ways.xla.calls import ArgumentForm, Given, XlaCall, words_of

CAN_BE_RECORDED = 1  # in a CUDA graph
LAUNCH_WORDS = 11
STATUS = 0xFFFFFFFF  # the driver answers 32 bits
DRIVER = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
FAILED = ctypes.create_string_buffer(b"A kernel of Samovar could not be launched.")


@cache
def launcher() -> int:
    """The address of the driver's function."""
    address = ctypes.cast(ctypes.CDLL(DRIVER).cuLaunchKernel, ctypes.c_void_p).value
    assert address
    return address


class OnDevice:
    """A call on a GPU."""

    def __init__(self, call: XlaCall) -> None:
        self.call = call
        self.kept: list[Any] = []  # what the words point to

    @cached_property
    def handler(self) -> Compiled:
        """The C function for XLA."""
        words = np.array(words_of(self.call.arguments, self._place_of), np.int64)
        self.kept.append(words)
        return make_handler(words, self._kernel(), launcher())

    def _place_of(self, array: Array) -> int:
        there = cuda_backend(self.call.game).to_device(np.ascontiguousarray(array))
        self.kept.append(there)
        return int(there.__cuda_array_interface__["data"][0])

    def _kernel(self) -> int:
        ready = cuda_backend(self.call.game)

        def sample(form: ArgumentForm) -> Any:
            if isinstance(form, Given):
                return ready.empty((2, form.columns) if form.columns else (2,), form.kind)
            return type(form)(*map(sample, form))

        return ready.address(self.call.operation, *map(sample, self.call.arguments))


def make_handler(recipe_words: Int64s, kernel: int, launch: int) -> Compiled:
    """The C function for XLA that launches a kernel."""
    import numba

    from samovar.engine.ways.xla import inner

    recipe, count, failed = recipe_words.ctypes.data, len(recipe_words), ctypes.addressof(FAILED)
    run = inner.c_call(LAUNCH_WORDS)

    def handler(frame: int) -> int:
        if inner.is_question(frame, CAN_BE_RECORDED):
            return 0
        # One piece of memory, for Numba lets go of an array as soon as only its address is needed: what the driver is
        # told, the words, and where each of them is.
        told = inner.allocate(8 * (LAUNCH_WORDS + 2 * count))
        words, places = told + 8 * LAUNCH_WORDS, told + 8 * (LAUNCH_WORDS + count)
        matches = inner.fill(frame, recipe, count, words)
        for k in range(count):
            inner.write(places + 8 * k, words + 8 * k)
        blocks = (matches + THREADS_A_BLOCK - 1) // THREADS_A_BLOCK
        inner.write(told, kernel)
        for k, number in enumerate((blocks, 1, 1, THREADS_A_BLOCK, 1, 1, 0, inner.stream_of(frame), places, 0)):
            inner.write(told + 8 * (k + 1), number)
        status = run(launch, told) & STATUS if matches > 0 else 0
        inner.release(told)
        return inner.failure(frame, failed) if status else 0

    return numba.cfunc("int64(int64)", nogil=True)(handler)
