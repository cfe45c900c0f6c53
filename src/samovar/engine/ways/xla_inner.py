"""The inside of handlers: reads and writes by address, in code that Numba compiles. Imports Numba, and leans on its
inside."""

from __future__ import annotations

from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from samovar.engine.ways.xla import (
    API,
    API_VERSION,
    AS_IT_IS,
    ASKS_FOR_METADATA,
    BY_COUNT,
    BY_ROWS,
    CONTEXT,
    DATA,
    EXTENSION,
    EXTENSION_TYPE,
    GIVES_STREAM,
    IN_ARRAY,
    INTERNAL,
    LIST,
    MAJOR_VERSION,
    MAKES_ERROR,
    METADATA,
    NUMBER,
    OPERANDS,
    RANK,
    RESULTS,
    SHAPE,
    TRAITS,
)

Native = Any
WORD = ir.IntType(64)


def _reader(bits: int) -> Native:
    @intrinsic
    def read(context: Native, address: Native) -> Native:
        def code(context: Native, builder: Native, signature: Native, given: Native) -> Native:
            number = ir.IntType(bits)
            value = builder.load(builder.inttoptr(given[0], number.as_pointer()))
            return value if bits == 64 else builder.sext(value, WORD)

        return types.int64(types.int64), code

    return read


def _writer(bits: int) -> Native:
    @intrinsic
    def write(context: Native, address: Native, value: Native) -> Native:
        def code(context: Native, builder: Native, signature: Native, given: Native) -> Native:
            number = ir.IntType(bits)
            value = given[1] if bits == 64 else builder.trunc(given[1], number)
            builder.store(value, builder.inttoptr(given[0], number.as_pointer()))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), code

    return write


read, read_short = _reader(64), _reader(32)
write_short = _writer(32)


@cache
def native_call(count: int) -> Native:
    """Calls a function of Numba's at an address with so many words."""

    @intrinsic
    def run(context: Native, function: Native, words: Native) -> Native:
        def code(context: Native, builder: Native, signature: Native, given: Native) -> Native:
            status, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
            kind = ir.FunctionType(status, [pointer, pointer, *[WORD] * count])
            loaded = _loaded(builder, given[1], count)
            answers = [builder.bitcast(cgutils.alloca_once(builder, pointer), pointer) for _ in range(2)]
            called = builder.call(builder.inttoptr(given[0], kind.as_pointer()), [*answers, *loaded])
            return builder.sext(called, WORD)

        return types.int64(types.int64, types.int64), code

    return run


@cache
def c_call(count: int) -> Native:
    """Calls a C function at an address with so many words. Numbers of 32 bits may be among them: each takes a whole
    word, too."""

    @intrinsic
    def run(context: Native, function: Native, words: Native) -> Native:
        def code(context: Native, builder: Native, signature: Native, given: Native) -> Native:
            kind = ir.FunctionType(WORD, [WORD] * count)
            return builder.call(builder.inttoptr(given[0], kind.as_pointer()), _loaded(builder, given[1], count))

        return types.int64(types.int64, types.int64), code

    return run


def _loaded(builder: Native, words: Native, count: int) -> list[Native]:
    first = builder.inttoptr(words, WORD.as_pointer())
    return [builder.load(builder.gep(first, [ir.Constant(WORD, k)])) for k in range(count)]


ask_xla = c_call(1)


@numba.njit(nogil=True)
def stream_of(frame: int) -> int:
    """Where XLA wants a GPU to work."""
    asked = np.empty(4, np.int64)
    asked[0], asked[1], asked[2], asked[3] = asked.nbytes, 0, read(frame + CONTEXT), 0
    given = np.empty(1, np.int64)
    given[0] = asked.ctypes.data
    ask_xla(read(read(frame + API) + GIVES_STREAM), given.ctypes.data)
    return asked[3]


@numba.njit(nogil=True)
def failure(frame: int, message: int) -> int:
    """An error for XLA; the message ends with a zero."""
    told = np.empty(4, np.int64)
    told[0], told[1], told[2], told[3] = told.nbytes, 0, message, INTERNAL
    given = np.empty(1, np.int64)
    given[0] = told.ctypes.data
    return ask_xla(read(read(frame + API) + MAKES_ERROR), given.ctypes.data)


@numba.njit(nogil=True)
def is_question(frame: int, traits: int) -> bool:
    """Whether XLA only asks which version of its interface a handler knows. It is answered with XLA's own: nothing here
    has changed from one to the next."""
    asked = read(frame + EXTENSION)
    if asked == 0 or read_short(asked + EXTENSION_TYPE) != ASKS_FOR_METADATA:
        return False
    told = read(asked + METADATA)
    api = read(frame + API)
    write_short(told + MAJOR_VERSION, read_short(api + API_VERSION))
    write_short(told + MAJOR_VERSION + 4, read_short(api + API_VERSION + 4))
    write_short(told + TRAITS, traits)
    return True


@numba.njit(nogil=True)
def array_at(frame: int, number: int) -> int:
    """Where an operand is told, or a result after these."""
    operands = read(frame + OPERANDS + NUMBER)
    if number < operands:
        return read(read(frame + OPERANDS + LIST) + 8 * number)
    return read(read(frame + RESULTS + LIST) + 8 * (number - operands))


@numba.njit(nogil=True)
def rows_of(array: int) -> int:
    """All but its last axis, which every operand has that is asked for them."""
    shape = read(array + SHAPE)
    count = 1
    for axis in range(read(array + RANK) - 1):
        count *= read(shape + 8 * axis)
    return count


@numba.njit(nogil=True)
def fill(frame: int, words: Native, recipe: int, room: int) -> int:
    """Writes the words of a call; how many matches there are."""
    count = rows_of(array_at(frame, 0))
    for k in range(len(words)):
        way = read(recipe + 24 * k)
        value = read(recipe + 24 * k + 8)
        factor = read(recipe + 24 * k + 16)
        if way == AS_IT_IS:
            words[k] = value
        elif way == BY_COUNT:
            words[k] = count * factor
        elif way == BY_ROWS:
            words[k] = rows_of(array_at(frame, value)) * factor
        elif way == IN_ARRAY:
            words[k] = read(array_at(frame, value) + DATA)
        else:
            words[k] = room + value
    return count
