"""Handlers: what reads XLA's frames, in code that Numba compiles. Imports Numba, and leans on its inside.

The layout of a frame is in `c_api.h`, in the folder that `jax.ffi.include_dir()` names. It is the same in all versions
of jaxlib from 0.7 to 0.11.
"""
# mypy: disable-error-code="untyped-decorator, no-any-return"

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.numpy_support import from_dtype

from samovar.engine.arrays import Int64s
from samovar.engine.rule import Compiled
from samovar.engine.ways.xla.calls import BY_COUNT, BY_ROWS, FROM, IN_ARRAY, IN_ROOM, UP_TO, ArgumentForm, Given

Native: TypeAlias = Any  # of Numba's inside, which has no types

# A frame, in bytes from its beginning, and what it points to
EXTENSION, API, CONTEXT, OPERANDS, RESULTS = 8, 16, 24, 40, 80
NUMBER, LIST = 16, 32  # of operands, and of results
DATA, RANK, SHAPE = 24, 32, 40  # of an array
EXTENSION_TYPE, METADATA, ASKS_FOR_METADATA = 8, 24, 1
MAJOR_VERSION, MINOR_VERSION, TRAITS = 24, 28, 32  # of the metadata, in 32 bits each
# XLA's own functions: each takes a row of words, the first of them says how long it is
API_MAJOR_VERSION, API_MINOR_VERSION = 32, 36
MAKE_ERROR, DROP_ERROR, GIVE_STREAM, SCHEDULE, COUNT_THREADS = 48, 64, 80, 136, 144

INTERNAL = 13  # the kind of an error
WORD_BYTES, ENTRY_BYTES, ALIGNMENT = 8, 24, 64
LEAST = 128  # matches for which another thread is worth while
# A job that several threads do: where these words of it are; the words of the call follow
NEXT, DONE, USERS, PARTS, MATCHES, HEAD = range(6)

WORD = ir.IntType(64)
PLACE = WORD.as_pointer()
NUMBER_TYPE = types.int64


def native_type(form: ArgumentForm) -> Native:
    """The type of an argument, as Numba names it."""
    if isinstance(form, Given):
        return types.Array(from_dtype(form.kind), 2 if form.columns else 1, "C")
    return types.NamedTuple(tuple(map(native_type, form)), type(form))


def address_of(entry: Compiled, signature: tuple[Native, ...]) -> int:
    """Where the code of a compiled function is for arguments of these types."""
    entry.compile(signature)
    made = entry.overloads[signature]
    return int(made.library.get_pointer_to_function(made.fndesc.llvm_func_name))


def _primitive(*given: Native, gives: Native = types.int64) -> Native:
    """Marks what writes instructions for a function of so many words."""

    def mark(write: Any) -> Native:
        def typed(context: Native, *kinds: Native) -> Native:
            def code(context: Native, builder: Native, signature: Native, values: Native) -> Native:
                written = write(context, builder, *values)
                return context.get_dummy_value() if gives is types.void else written

            return gives(*given), code

        names = ", ".join(f"word{k}" for k in range(len(given)))
        made: dict[str, Any] = {"typed": typed}  # Numba looks at the names of parameters
        exec(f"def {write.__name__}(context, {names}): return typed(context, {names})", made)
        return intrinsic(made[write.__name__])

    return mark


@_primitive(types.int64)
def read(context: Native, builder: Native, address: Native) -> Native:
    return builder.load(builder.inttoptr(address, PLACE))


@_primitive(types.int64, types.int64, gives=types.void)
def write(context: Native, builder: Native, address: Native, word: Native) -> Native:
    builder.store(word, builder.inttoptr(address, PLACE))


@_primitive(types.int64)
def read_short(context: Native, builder: Native, address: Native) -> Native:
    short = ir.IntType(32)
    return builder.sext(builder.load(builder.inttoptr(address, short.as_pointer())), WORD)


@_primitive(types.int64, types.int64, gives=types.void)
def write_short(context: Native, builder: Native, address: Native, word: Native) -> Native:
    short = ir.IntType(32)
    builder.store(builder.trunc(word, short), builder.inttoptr(address, short.as_pointer()))


@_primitive(types.int64, types.int64)
def raise_by(context: Native, builder: Native, address: Native, by: Native) -> Native:
    """Atomically; what was there before."""
    return builder.atomic_rmw("add", builder.inttoptr(address, PLACE), by, "seq_cst")


@_primitive(types.int64)
def allocate(context: Native, builder: Native, size: Native) -> Native:
    return builder.ptrtoint(context.nrt.allocate(builder, size), WORD)


@_primitive(types.int64, gives=types.void)
def release(context: Native, builder: Native, address: Native) -> Native:
    context.nrt.free(builder, builder.inttoptr(address, ir.IntType(8).as_pointer()))


@_primitive(types.int64, types.int64)
def ask(context: Native, builder: Native, function: Native, words: Native) -> Native:
    """Calls a C function at an address with one."""
    kind = ir.FunctionType(WORD, [WORD])
    return builder.call(builder.inttoptr(function, kind.as_pointer()), [words])


@cache
def c_call(count: int) -> Native:
    """Calls a C function at an address with so many words. Numbers of 32 bits may be among them: each takes a whole
    word, too."""

    @_primitive(types.int64, types.int64)
    def run(context: Native, builder: Native, function: Native, words: Native) -> Native:
        kind = ir.FunctionType(WORD, [WORD] * count)
        return builder.call(builder.inttoptr(function, kind.as_pointer()), _loaded(builder, words, count))

    return run


@cache
def native_call(count: int) -> Native:
    """Calls a function of Numba's at an address with so many words."""

    @_primitive(types.int64, types.int64)
    def run(context: Native, builder: Native, function: Native, words: Native) -> Native:
        status, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(status, [pointer, pointer, *[WORD] * count])
        answers = [builder.bitcast(cgutils.alloca_once(builder, pointer), pointer) for _ in range(2)]
        called = builder.call(
            builder.inttoptr(function, kind.as_pointer()), [*answers, *_loaded(builder, words, count)]
        )
        return builder.sext(called, WORD)

    return run


def _loaded(builder: Native, words: Native, count: int) -> list[Native]:
    first = builder.inttoptr(words, PLACE)
    return [builder.load(builder.gep(first, [ir.Constant(WORD, k)])) for k in range(count)]


compiled = numba.njit(nogil=True)


@compiled
def ask_xla(frame: int, function: int, words: Int64s) -> int:
    """One of XLA's own functions, with words from the third on; its answer is an error, or 0."""
    words[0] = words.nbytes
    words[1] = 0
    answer = ask(read(read(frame + API) + function), words.ctypes.data)
    words[1] = 0  # until here it is in use
    return answer


@compiled
def stream_of(frame: int) -> int:
    """Where XLA wants a GPU to work."""
    words = np.zeros(4, np.int64)
    words[2] = read(frame + CONTEXT)
    ask_xla(frame, GIVE_STREAM, words)
    return words[3]


@compiled
def failure(frame: int, message: int) -> int:
    """An error for XLA; the message ends with a zero."""
    words = np.zeros(4, np.int64)
    words[2], words[3] = message, INTERNAL
    return ask_xla(frame, MAKE_ERROR, words)


@compiled
def is_refused(frame: int, error: int) -> bool:
    """Whether an answer is an error, which is dropped."""
    if error != 0:
        words = np.zeros(3, np.int64)
        words[2] = error
        ask_xla(frame, DROP_ERROR, words)
    return error != 0


@compiled
def threads_of(frame: int) -> int:
    """How many threads XLA has."""
    words = np.zeros(5, np.int64)
    words[2], words[3] = read(frame + CONTEXT), words.ctypes.data + 4 * WORD_BYTES
    return 1 if is_refused(frame, ask_xla(frame, COUNT_THREADS, words)) else words[4]


@compiled
def is_scheduled(frame: int, task: int, job: int) -> bool:
    """Asks XLA to call a function with a job on one of its threads."""
    words = np.zeros(5, np.int64)
    words[2], words[3], words[4] = read(frame + CONTEXT), task, job
    return not is_refused(frame, ask_xla(frame, SCHEDULE, words))


@compiled
def is_question(frame: int, traits: int) -> bool:
    """Whether XLA only asks which version of its interface a handler knows. It is answered with XLA's own: what is used
    here is the same in all of them."""
    asked = read(frame + EXTENSION)
    if asked == 0 or read_short(asked + EXTENSION_TYPE) != ASKS_FOR_METADATA:
        return False
    told, api = read(asked + METADATA), read(frame + API)
    write_short(told + MAJOR_VERSION, read_short(api + API_MAJOR_VERSION))
    write_short(told + MINOR_VERSION, read_short(api + API_MINOR_VERSION))
    write_short(told + TRAITS, traits)
    return True


@compiled
def array_at(frame: int, number: int) -> int:
    """Where an operand is told, or a result after these."""
    operands = read(frame + OPERANDS + NUMBER)
    if number < operands:
        return read(read(frame + OPERANDS + LIST) + WORD_BYTES * number)
    return read(read(frame + RESULTS + LIST) + WORD_BYTES * (number - operands))


@compiled
def rows_of(array: int) -> int:
    """All but its last axis, which every array has that is asked for them."""
    shape = read(array + SHAPE)
    count = 1
    for axis in range(read(array + RANK) - 1):
        count *= read(shape + WORD_BYTES * axis)
    return count


@compiled
def fill(frame: int, recipe: int, count: int, words: int) -> int:
    """Writes the words of a call, but for what each thread has of its own; how many matches there are."""
    matches = rows_of(array_at(frame, 0))
    for k in range(count):
        entry = recipe + ENTRY_BYTES * k
        way, number, factor = read(entry), read(entry + WORD_BYTES), read(entry + 2 * WORD_BYTES)
        word = number
        if way == BY_COUNT:
            word = matches * factor
        elif way == BY_ROWS:
            word = rows_of(array_at(frame, number)) * factor
        elif way == IN_ARRAY:
            word = read(array_at(frame, number) + DATA)
        write(words + WORD_BYTES * k, word)
    return matches


@compiled
def fill_own(job: int, words: int, recipe: int, count: int, low: int, high: int, room: int) -> None:
    """Writes the words of one thread."""
    for k in range(count):
        way, word = read(recipe + ENTRY_BYTES * k), read(job + WORD_BYTES * (HEAD + k))
        if way == FROM:
            word = low
        elif way == UP_TO:
            word = high
        elif way == IN_ROOM:
            word += room
        write(words + WORD_BYTES * k, word)


@compiled
def leave(job: int) -> None:
    """The last one clears up."""
    if raise_by(job + WORD_BYTES * USERS, -1) == 1:
        release(job)


def make_handler(recipe_words: Int64s, room: int, loop: int) -> tuple[Native, Native]:
    """The C function for XLA that runs a compiled loop, and the one for its threads. Each of these takes parts of the
    matches as long as there are any. Nobody waits for a thread that has not begun: it finds nothing left."""
    recipe, count = recipe_words.ctypes.data, len(recipe_words)
    run = native_call(count)

    @compiled
    def work(job: int) -> None:
        parts, matches = read(job + WORD_BYTES * PARTS), read(job + WORD_BYTES * MATCHES)
        words = allocate(WORD_BYTES * count + ALIGNMENT + room)
        space = (words + WORD_BYTES * count + ALIGNMENT) // ALIGNMENT * ALIGNMENT
        part = raise_by(job + WORD_BYTES * NEXT, 1)
        while part < parts:
            fill_own(job, words, recipe, count, matches * part // parts, matches * (part + 1) // parts, space)
            run(loop, words)
            raise_by(job + WORD_BYTES * DONE, 1)
            part = raise_by(job + WORD_BYTES * NEXT, 1)
        release(words)

    def begun(job: int) -> None:
        work(job)
        leave(job)

    task = numba.cfunc("void(int64)", nogil=True)(begun)
    task_address = task.address

    def handler(frame: int) -> int:
        if is_question(frame, 0):
            return 0
        job = allocate(WORD_BYTES * (HEAD + count))
        matches = fill(frame, recipe, count, job + WORD_BYTES * HEAD)
        parts = 1 if matches < 2 * LEAST else min(threads_of(frame), matches // LEAST)
        write(job + WORD_BYTES * NEXT, 0)
        write(job + WORD_BYTES * DONE, 0)
        write(job + WORD_BYTES * USERS, parts)
        write(job + WORD_BYTES * PARTS, parts)
        write(job + WORD_BYTES * MATCHES, matches)
        for _ in range(parts - 1):
            if not is_scheduled(frame, task_address, job):
                leave(job)
        work(job)
        while raise_by(job + WORD_BYTES * DONE, 0) < parts:
            pass
        leave(job)
        return 0

    return numba.cfunc("int64(int64)", nogil=True)(handler), task
