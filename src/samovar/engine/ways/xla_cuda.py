"""Operations that XLA calls on a GPU: a handler launches the kernel of `cuda.py` on XLA's own stream, through the driver.

Nothing is copied and nobody waits. The launch may become part of a CUDA graph."""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np

from samovar.engine.arrays import Array
from samovar.engine.rule import Compiled
from samovar.engine.ways.cuda import THREADS_A_BLOCK, DeviceArray, cuda_backend
from samovar.engine.ways.xla import COMMANDS, Call, Given

LAUNCH_WORDS = 11
DRIVER = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
FAILED = b"A kernel of Samovar could not be launched."


@cache
def launcher() -> int:
    """The address of the driver's function."""
    address = ctypes.cast(ctypes.CDLL(DRIVER).cuLaunchKernel, ctypes.c_void_p).value
    assert address
    return address


@dataclass
class OnDevice:
    """A call on a GPU: the kernel, and its words."""

    call: Call
    kept: list[DeviceArray] = field(default_factory=list)  # arrays whose places the words tell

    def moved(self, array: Array) -> int:
        there = cuda_backend(self.call.game).to_device(np.ascontiguousarray(array))
        self.kept.append(there)
        return int(there.__cuda_array_interface__["data"][0])

    @cached_property
    def address(self) -> int:
        """Of the compiled kernel."""
        ready = cuda_backend(self.call.game)

        def sample(given: Given | tuple[Given, ...]) -> object:
            if isinstance(given, Given):
                return ready.empty((2, given.columns) if given.columns else (2,), given.kind)
            return type(given)(*map(sample, given))

        return ready.address(self.call.operation, *map(sample, self.call.given))  # type: ignore[arg-type]

    @cached_property
    def handler(self) -> Compiled:
        """The C function for XLA."""
        function = self.address
        recipe = np.array(self.call.words(self.moved), np.int64)
        return launching(recipe, function, launcher(), self.kept)


def launching(recipe: Array, function: int, launch: int, kept: list[object]) -> Compiled:
    """A handler that launches a kernel."""
    import numba

    from samovar.engine.ways import xla_inner as inner

    message = ctypes.create_string_buffer(FAILED)
    kept += [recipe, message]  # type: ignore[list-item]
    count, where, failed = len(recipe), recipe.ctypes.data, ctypes.addressof(message)
    run = inner.c_call(LAUNCH_WORDS)

    def handler(frame: int) -> int:
        if inner.is_question(frame, COMMANDS):
            return 0
        words = np.empty(count, np.int64)
        matches = inner.fill(frame, words, where, 0)
        if matches == 0:
            return 0
        places = np.empty(count, np.int64)
        for k in range(count):
            places[k] = words.ctypes.data + 8 * k
        told = np.zeros(LAUNCH_WORDS, np.int64)
        told[0] = function
        told[1] = (matches + THREADS_A_BLOCK - 1) // THREADS_A_BLOCK  # blocks, in three directions
        told[2] = told[3] = 1
        told[4] = THREADS_A_BLOCK  # and threads of a block
        told[5] = told[6] = 1
        told[8] = inner.stream_of(frame)
        told[9] = places.ctypes.data
        if run(launch, told.ctypes.data) & 0xFFFFFFFF:
            return inner.failure(frame, failed)
        return 0

    return numba.cfunc("int64(int64)", nogil=True)(handler)
