"""Operations that XLA calls: what JAX compiles calls them without Python in between.

XLA calls a C function with one pointer, to a *frame*: where the arrays are, and for how many matches. (Its layout is in
`c_api.h`, in the folder that `jax.ffi.include_dir()` names; it is the same in all versions since 0.7.) A `Call` says
which of these arrays an operation takes, and which are the same in every call. The two become a row of *words*, each of
64 bits: this is how Numba hands over arrays, on a CPU and on a GPU. A thread of a CPU is called with the words
themselves, a kernel (`xla_cuda.py`) with a list of where they are.

A handler, the C function, is made by Numba: `handler(serve, call)`.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from samovar.engine.arrays import Array, Int64s
from samovar.engine.contract import Game
from samovar.engine.kinds import RAW
from samovar.engine.rule import Compiled, fingerprint
from samovar.engine.ways import kernels
from samovar.engine.ways.backend import Backend, backend, bound_rules
from samovar.engine.ways.operations import NOTHING
from samovar.engine.ways.pure import Played
from samovar.engine.ways.rewards import reward_units

Native: TypeAlias = Any  # of Numba's inside, which has no types

# How a word is found: as it is, by the number of matches, by the rows of an array, in an array, or in a
# thread's own room.
AS_IT_IS, BY_COUNT, BY_ROWS, IN_ARRAY, IN_ROOM = range(5)
ALIGNMENT = 64

INTERNAL = 13  # the kind of an error
COMMANDS = 1  # what a handler does may become part of a CUDA graph

# The frame, in bytes from its beginning, and what it points to.
EXTENSION, API, CONTEXT = 8, 16, 24
OPERANDS, RESULTS = 40, 80  # each with its number and its list
NUMBER, LIST = 16, 32
DATA, RANK, SHAPE = 24, 32, 40  # of an array
EXTENSION_TYPE, METADATA, ASKS_FOR_METADATA = 8, 24, 1
MAJOR_VERSION, TRAITS = 24, 32  # of the metadata: the version has two numbers of 32 bits
API_VERSION, MAKES_ERROR, GIVES_STREAM = 32, 48, 80  # of the table of XLA's own functions


class Given(NamedTuple):
    """An array that an operation takes: of the call, by its number among operands and results, or one that is the same
    in every call. `columns`: 0 for one number a match."""

    kind: np.dtype[Any]
    columns: int
    source: int | Array
    is_shared: bool = False  # it may have fewer rows than there are matches


@dataclass(frozen=True, eq=False)
class Call:
    """An operation as it is called from outside. `takes` has its three arguments; the matches are `states`."""

    game: Game
    operation: str
    states: int
    takes: tuple[Given | tuple[Given, ...], ...]

    @property
    def given(self) -> tuple[Given | tuple[Given, ...], ...]:
        """All four arguments."""
        nothing = Given(NOTHING.dtype, 0, NOTHING)
        return Given(self.game.state, 0, self.states), *self.takes, *[nothing] * (3 - len(self.takes))

    @cached_property
    def name(self) -> str:
        """Says what is called, and which version of it: XLA's caches on disk keep names."""
        rules = fingerprint(kernels.OPERATIONS[self.operation], bound_rules(self.game))
        made_of = rules, self.words(lambda array: zlib.crc32(array.tobytes())), self.game.state.descr
        digest = hashlib.blake2b(repr(made_of).encode(), digest_size=8).hexdigest()
        return f"samovar.{self.game.id}.{self.operation}.{digest}"

    def words(self, moved: Callable[[Array], int]) -> list[tuple[int, int, int]]:
        """How to find each word: in which way, a number, and a factor (of an array the
        bytes of a row). `moved` tells where an array is that is
        the same in every call."""
        flat = [one for given in self.given for one in ((given,) if isinstance(given, Given) else given)]
        return [word for given in flat for word in _array_words(given, moved)]


def _array_words(given: Given, moved: Callable[[Array], int]) -> list[tuple[int, int, int]]:
    """An array as Numba hands it over: two words for who owns it, its entries and their bytes, its place, its shape, its
    strides."""
    columns = max(given.columns, 1)
    size = given.kind.itemsize
    width = [columns] if given.columns else []
    if isinstance(given.source, int):
        way, which = (BY_ROWS, given.source) if given.is_shared else (BY_COUNT, 0)
        entries, rows = (way, which, columns), (way, which, 1)
        place = (IN_ARRAY, given.source, 0 if given.is_shared else columns * size)
    else:
        entries, rows = (AS_IT_IS, given.source.size, 0), (AS_IT_IS, len(given.source), 0)
        place = (AS_IT_IS, moved(given.source), 0)
    constant = [(AS_IT_IS, number, 0) for number in (*width, columns * size, *[size] * len(width))]
    return [(AS_IT_IS, 0, 0)] * 2 + [entries, (AS_IT_IS, size, 0), place, rows, *constant]


def calls(game: Game, setup: Array, *, encoding: str = RAW, rewards: str, restart: bool) -> dict[str, Call]:
    """What can be called for one variant of a game, by name; arrays by their numbers among operands and results."""
    seats = int(setup["seats"][0])
    units = reward_units(game, seats, rewards)
    flag, small, number = np.dtype(np.bool_), np.dtype(np.int8), np.dtype(np.int32)
    same = Given(setup.dtype, 0, setup)
    keys = Given(number, 2, 2, is_shared=True) if restart else Given(number, 2, np.zeros((1, 2), np.int32))
    after = 3 if restart else 2  # the operands: states, moves, and keys for the next deals
    played = Played(
        setup=same,
        place_unit=Given(units.dtype, seats, units[:1]),
        point_unit=Given(units.dtype, seats, units[1:]),
        restarts=Given(small, 0, np.array([restart], np.int8)),
        keys=keys,
        moves=Given(number, 0, 1),
        ended=Given(flag, 0, after + 1),
        refused=Given(flag, 0, after + 2),
        rewards=Given(np.dtype(np.float32), seats, after + 3),
    )
    observe = "observe" if encoding == RAW else "observe_planes"
    made = (
        Call(game, "begin", 1, (same, Given(number, 2, 0))),
        Call(game, "play", after, (played,)),
        Call(game, "mover", 0, (Given(number, 0, 1),)),
        Call(game, "flags", 0, (Given(flag, game.moves, 1),)),
        Call(game, "listed", 0, (Given(number, game.max_legal, 1), Given(number, 0, 2))),
        Call(game, "chosen", 0, (Given(number, 2, 1, is_shared=True), Given(number, 0, 2))),
        Call(game, observe, 0, (Given(number, 0, 1), Given(small, game.row_size(encoding), 2))),
    )
    return {call.operation.removesuffix("_planes"): call for call in made}


def run_here(call: Call, operands: list[Array], results: list[Array]) -> None:
    """The same on NumPy's arrays, in the calling thread."""
    buffers = [*operands, *results]

    def array(given: Given | tuple[Given, ...]) -> Any:
        if not isinstance(given, Given):
            return type(given)(*map(array, given))
        if not isinstance(given.source, int):
            return given.source
        rows = buffers[given.source].view(given.kind)
        return rows.reshape((-1, given.columns) if given.columns else -1)

    backend(call.game).run(call.operation, *map(array, call.given))


# On a CPU


def native_type(given: Given | tuple[Given, ...]) -> Native:
    """The type of an argument, as Numba names it."""
    from numba import types
    from numba.np.numpy_support import from_dtype

    if isinstance(given, Given):
        return types.Array(from_dtype(given.kind), 2 if given.columns else 1, "C")
    return types.NamedTuple(tuple(map(native_type, given)), type(given))


@dataclass
class OnThread:
    """A call on one thread of a CPU: the compiled loop, and its words."""

    call: Call
    kept: list[Array] = field(default_factory=list)  # arrays whose places the words tell

    def moved(self, array: Array) -> int:
        array = np.ascontiguousarray(array)
        self.kept.append(array)
        return array.ctypes.data

    @cached_property
    def recipe(self) -> tuple[Int64s, int]:
        """The words, and the bytes of the room of a thread."""
        words = self.call.words(self.moved)
        at = 0
        for room in self.backend.scratch():
            words += [(AS_IT_IS, 0, 0)] * 2 + [(AS_IT_IS, len(room), 0), (AS_IT_IS, room.itemsize, 0)]
            words += [(IN_ROOM, at, 0), (AS_IT_IS, len(room), 0), (AS_IT_IS, room.itemsize, 0)]
            at += -(-room.nbytes // ALIGNMENT) * ALIGNMENT
        return np.array(words, np.int64), at

    @property
    def backend(self) -> Backend:
        return backend(self.call.game, plain=False)

    @cached_property
    def address(self) -> int:
        """Of the compiled loop."""
        entry = self.backend.make(kernels.loop, self.call.operation)
        room = tuple(Given(one.dtype, 0, one) for one in self.backend.scratch())
        signature = tuple(map(native_type, (*self.call.given, *room)))
        entry.compile(signature)
        compiled = entry.overloads[signature]
        return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))

    @cached_property
    def handler(self) -> Compiled:
        """The C function for XLA."""
        import numba

        from samovar.engine.ways import xla_inner as inner

        recipe, room = self.recipe
        count, where, function = len(recipe), recipe.ctypes.data, self.address
        run = inner.native_call(count)

        def handler(frame: int) -> int:
            if inner.is_question(frame, 0):
                return 0
            words = np.empty(count, np.int64)
            space = np.empty(room + ALIGNMENT, np.int8)
            inner.fill(frame, words, where, space.ctypes.data)
            run(function, words.ctypes.data)
            return 0

        return numba.cfunc("int64(int64)", nogil=True)(handler)
