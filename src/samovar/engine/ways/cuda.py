"""The operations of `kernels` on a GPU: one kernel for all of them and all games, made from the
same rules as on the CPU.

A match is played in the thread's own memory and copied back at the end: faster, and the only form
in which a record's bytes came out right. With `NUMBA_ENABLE_CUDASIM=1` the kernel runs in Numba's
simulator, and the rules in it as plain Python.

Two packages can compile it, numba-cuda and its successor numba-cuda-mlir: see `cuda_package`.
"""

from __future__ import annotations

import os
import types
from collections.abc import Callable
from copy import copy
from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from samovar.engine.arrays import Array, Rows, StateType
from samovar.engine.bits import count_bits, lowest_bit
from samovar.engine.chance import RNG_WORDS
from samovar.engine.contract import Game
from samovar.engine.rule import Bound, Compiled, Compiler, Rule
from samovar.engine.ways import kernels
from samovar.engine.ways.backend import bound_rules
from samovar.engine.ways.operations import NOTHING, Argument, Operations
from samovar.engine.ways.plain import plain
from samovar.errors import BadBatch, NoDevice

Cuda: TypeAlias = Any  # of Numba's CUDA part, which has no types: its module, its arrays, what a kernel gets

THREADS_A_BLOCK = 128
# Operations that write much to a state: deals, and many moves in a row. Where a state and its legal moves fit, they
# are in the fast memory that the threads of a block share: what a thread has of its own is ordinary memory, and a
# profile showed that lists and shuffled cards written there are what is waited for. On an H200 Memoarrrr! makes 17.8
# billion moves a second instead of 9.3; with as many registers as the compiler likes, 16.1.
IN_FAST_MEMORY = ("deal", "play_random", "play_endless")  # those that were measured and compared there
FAST_BYTES = 48 * 1024  # of a block, as many as a kernel may name
FAST_REGISTERS = 64
LARGE = 1024  # bytes of a state; Värvitikud has 1,448, the others at most 456
REMEDY = (
    "Use device='cpu', or install samovar-games[cuda] or samovar-games[cuda-next] on a machine with an NVIDIA driver."
)


# Where each package has what a program imports of it as `cuda`, and how to know that it is installed: Numba itself
# brings an old form of the first, which serves for the simulator.
NUMBA_CUDA, NUMBA_CUDA_MLIR = "numba-cuda", "numba-cuda-mlir"
MODULES = {NUMBA_CUDA: "numba.cuda", NUMBA_CUDA_MLIR: "numba_cuda_mlir.cuda"}
INSTALLED_AS = {NUMBA_CUDA: "numba_cuda", NUMBA_CUDA_MLIR: "numba_cuda_mlir"}
REDIRECTOR = "_numba_cuda_redirector"  # of numba-cuda: puts it into the place of what Numba brings
PREFERRED = NUMBA_CUDA  # in Värvitikud and Memoarrrr! its successor is slower: `python benchmarks/gpu.py --both`
PACKAGE_VARIABLE = "SAMOVAR_CUDA"


def is_simulated() -> bool:
    from numba import config

    return bool(config.ENABLE_CUDASIM)


def cuda_package() -> str:
    """The package that compiles for the GPU: the one `SAMOVAR_CUDA` names, else one that is installed. The simulator
    is Numba's own."""
    asked = os.environ.get(PACKAGE_VARIABLE, "")
    if asked and asked not in MODULES:
        raise NoDevice(f"{PACKAGE_VARIABLE} is {asked!r}; it can be {' or '.join(MODULES)}.")
    if is_simulated():
        return NUMBA_CUDA
    installed = [package for package, module in INSTALLED_AS.items() if find_spec(module)]
    return asked or (PREFERRED if PREFERRED in installed or not installed else installed[0])


def cuda_version() -> str:
    """The package by name and version; without it, that of Numba, which has a simulator."""
    try:
        return f"{cuda_package()} {metadata.version(cuda_package())}"
    except metadata.PackageNotFoundError:
        return f"numba {metadata.version('numba')}"


@cache
def load_cuda() -> Cuda:
    """The CUDA module of the chosen package, if there is a device to use it on."""
    cuda = import_cuda()
    if not cuda.is_available():
        raise NoDevice(f"No NVIDIA GPU was found. {REMEDY}")
    return cuda


def import_cuda() -> Cuda:
    """The same where only code is to be made."""
    package = cuda_package()
    if not hasattr(np, "row_stack"):  # NumPy 2.5 took it away; numba-cuda still names it
        np.row_stack = np.vstack  # type: ignore[attr-defined, unused-ignore]
    if package == NUMBA_CUDA and find_spec(REDIRECTOR):  # by itself only where .pth files are read: not in PYTHONPATH
        import_module(REDIRECTOR)
    try:
        cuda = import_module(MODULES[package])
        if package == NUMBA_CUDA_MLIR:
            from samovar.engine.ways import mlir

            mlir.prepare()
    except ImportError as error:
        raise NoDevice(f"The package {package} is not installed ({error}). {REMEDY}") from error
    return cuda


# Bound in `CudaBackend`: the module `cuda`, the operation, the sizes of the thread's own arrays, the words of a state
# and of one with its padding, `see` and `carry`.
cuda: Cuda = None
operation: Cuda = None
STATE: Cuda = None
PADDED: Cuda = None
WORD: Cuda = None
WORDS = PADDED_WORDS = SCRATCH = MOVES = SEEN = 0
THREADS = LISTS = 0


def see(value: Cuda) -> Cuda:
    """What the rules get of an array: itself on a GPU, its plain form in the simulator."""
    return value


def carry(target: Cuda, k: int, source: Cuda, i: int) -> None:
    """Copies one state from an array to another as one record: field by field, and what is copied so can stay in
    registers."""
    target[k] = source[i]


def carry_words(target: Cuda, k: int, source: Cuda, i: int) -> None:
    """The same word by word, for large states: as one record these go through more registers than there are, and that
    slows down all that comes between. Small ones are slower for it: on an H200 Memoarrrr! made 7.6 billion moves a
    second instead of 9.6, Matryoshka 6.4 instead of 7.4."""
    there = target.view(WORD)
    here = source.view(WORD)
    for word in range(WORDS):
        there[k * WORDS + word] = here[i * WORDS + word]


def lowest_by_instruction(bits: int) -> Cuda:
    """`lowest_bit` where one instruction counts bits, and threads that look into a table wait for each other."""
    return cuda.popc(~bits & (bits - 1))


def count_by_instruction(bits: int) -> Cuda:
    return cuda.popc(bits)


def kernel(states: Cuda, a: Cuda, b: Cuda, c: Cuda) -> None:
    i = cuda.grid(1)
    if i < states.size:
        own = cuda.local.array(1, STATE)
        rng = cuda.local.array(SCRATCH, np.int64)
        out = cuda.local.array(MOVES, np.int32)
        seen = cuda.local.array(SEEN, np.int8)
        carry(own, 0, states, i)
        operation(see(own)[0], i, see(a), see(b), see(c), see(rng), see(out), see(seen))
        carry(states, i, own, 0)


def reading_kernel(states: Cuda, a: Cuda, b: Cuda, c: Cuda) -> None:
    """The same for what leaves the states as they are."""
    i = cuda.grid(1)
    if i < states.size:
        own = cuda.local.array(1, STATE)
        rng = cuda.local.array(SCRATCH, np.int64)
        out = cuda.local.array(MOVES, np.int32)
        seen = cuda.local.array(SEEN, np.int8)
        carry(own, 0, states, i)
        operation(see(own)[0], i, see(a), see(b), see(c), see(rng), see(out), see(seen))


def fast_kernel(states: Cuda, a: Cuda, b: Cuda, c: Cuda) -> None:
    """The same in the fast memory of a block. Lists of moves lie there entry by entry, each for all threads: so no
    thread waits for another's, whichever entries they write."""
    all_own = cuda.shared.array(THREADS, PADDED)
    lists = cuda.shared.array(LISTS, np.int32)
    i = cuda.grid(1)
    if i < states.size:
        thread = cuda.threadIdx.x
        rng = cuda.local.array(SCRATCH, np.int64)
        seen = cuda.local.array(SEEN, np.int8)
        here = states.view(WORD)
        there = all_own.view(WORD)
        for word in range(WORDS):
            there[thread * PADDED_WORDS + word] = here[i * WORDS + word]
        operation(all_own[thread], i, a, b, c, rng, lists[thread::THREADS], seen)
        for word in range(WORDS):
            here[i * WORDS + word] = there[thread * PADDED_WORDS + word]


def padded(state: StateType) -> StateType:
    """With an odd number of words: the memory of a block has 32 banks, and threads that read the same field of their
    states wait for each other where two of these lie in the same one."""
    assert state.fields
    assert state.names
    words = state.itemsize // state.alignment
    kinds = {name: state.fields[name][:2] for name in state.names}
    return np.dtype(
        {
            "names": list(kinds),
            "formats": [kind for kind, _ in kinds.values()],
            "offsets": [offset for _, offset in kinds.values()],
            "itemsize": (words | 1) * state.alignment,
        },
        align=True,
    )


class CudaBackend(Operations):
    """Runs a game's operations on arrays of states on the device."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.cuda = self._load()
        self._compiler = Compiler(self._jit_device, self._bound(), tables_as_arrays=not is_simulated())
        self._kernels: dict[str, Compiled] = {}
        if cuda_package() == NUMBA_CUDA_MLIR:
            from samovar.engine.ways import mlir

            mlir.allow_local(game.state)

    def _load(self) -> Cuda:
        return load_cuda()

    def _bound(self) -> Bound:
        """The game's rules, and the GPU's own instructions for what it has some for."""
        if is_simulated():
            return bound_rules(self.game)
        own = {lowest_bit: lowest_by_instruction, count_bits: count_by_instruction}
        return {**bound_rules(self.game), **{rule: self._with_cuda(function) for rule, function in own.items()}}

    def _with_cuda(self, function: Rule) -> Rule:
        assert isinstance(function, types.FunctionType)
        return types.FunctionType(function.__code__, {"__name__": __name__, "cuda": self.cuda}, function.__name__)

    def _jit_device(self, function: Rule) -> Compiled:
        return function if is_simulated() else self.cuda.jit(device=True)(function)

    def _kernel(self, operation: str) -> Compiled:
        if operation not in self._kernels:
            asked = {"max_registers": FAST_REGISTERS} if self._is_fast(operation) else {}
            self._kernels[operation] = self.cuda.jit(self._source(operation), **asked)
        return self._kernels[operation]

    def _is_fast(self, operation: str) -> bool:
        """Whether it runs in the fast memory of a block. numba-cuda-mlir has no arrays of records there."""
        if operation not in IN_FAST_MEMORY or is_simulated() or cuda_package() != NUMBA_CUDA:
            return False
        return THREADS_A_BLOCK * (padded(self.game.state).itemsize + 4 * self._longest_list) <= FAST_BYTES

    @property
    def _longest_list(self) -> int:
        """Of legal moves, or of numbers by seat."""
        return max(self.game.max_legal, max(self.game.seats))

    def _source(self, operation: str) -> Rule:
        """The kernel of an operation, before it is compiled."""
        game, threads = self.game, THREADS_A_BLOCK
        named = {
            "operation": kernels.OPERATIONS[operation],
            "cuda": self.cuda,
            "STATE": game.state,
            "SCRATCH": RNG_WORDS,
            "MOVES": self._longest_list,
            "SEEN": game.longest_row,
        }
        if self._is_fast(operation):
            room = {"PADDED": padded(game.state), "THREADS": threads, "LISTS": threads * self._longest_list}
            words = {**_words(game.state), "PADDED_WORDS": padded(game.state).itemsize // game.state.alignment}
            return self._compiler.copy(fast_kernel, f"{game.id}.{operation}.", {**named, **room, **words})
        named |= {
            "see": _see_simulated if is_simulated() else self._jit_device(see),
            "carry": _carry_simulated if is_simulated() else self._jit_device(self._carry()),
        }
        form = reading_kernel if operation in kernels.READING else kernel
        return self._compiler.copy(form, f"{game.id}.{operation}.", named)

    def _carry(self) -> Rule:
        state = self.game.state
        if state.itemsize < LARGE and cuda_package() == NUMBA_CUDA:
            return carry
        return self._compiler.copy(carry_words, named=_words(state))

    def run(
        self, operation: str, states: Rows, a: Argument = NOTHING, b: Argument = NOTHING, c: Argument = NOTHING
    ) -> None:
        """Arrays that are not on the device yet travel there and back."""
        travellers: list[tuple[Array, Cuda]] = []
        self._kernel(operation)[_blocks(states), THREADS_A_BLOCK](
            *(self._there(x, travellers) for x in (states, a, b, c))
        )
        self.cuda.synchronize()
        for here, there in travellers:
            there.copy_to_host(here)

    def prepared(
        self, operation: str, stream: int, states: Rows, turn: Argument, row: Rows, c: Argument
    ) -> Callable[[DeviceArray], None]:
        """An operation for many times, each with another row like this one, for which nobody waits. What is
        always the same is found out once: which code fits so many arrays, and where it runs."""
        travellers: list[tuple[Array, Cuda]] = []
        there, told, first, last = (self._there(x, travellers) for x in (states, turn, row, c))
        if travellers:
            raise BadBatch("What nobody waits for cannot travel back. Give the batch states that are on the device.")
        kernel = self._kernel(operation)
        if is_simulated():  # which knows no streams, and configures a kernel for all who use it
            configured = copy(kernel)[_blocks(states), THREADS_A_BLOCK]
        else:
            placed = self.cuda.external_stream(stream) if stream else 0
            configured = kernel.specialize(there, told, first, last)[_blocks(states), THREADS_A_BLOCK, placed]
        return lambda row: configured(there, told, row.array, last)

    def address(self, operation: str, *sample: Argument) -> int:
        """Of an operation's kernel for arguments like these, as the driver launches it."""
        if is_simulated() or cuda_package() != NUMBA_CUDA:
            raise NoDevice(f"This needs {NUMBA_CUDA} and a GPU; {cuda_package()} does not tell where its kernels are.")
        travellers: list[tuple[Array, Cuda]] = []
        ready = self._kernel(operation).specialize(*(self._there(argument, travellers) for argument in sample))
        (compiled,) = ready.overloads.values()
        return int(compiled._codelibrary.get_cufunc().handle)

    def _there(self, argument: object, travellers: list[tuple[Array, Cuda]]) -> Cuda:
        """An argument as the kernel takes it."""
        if isinstance(argument, tuple):
            return type(argument)(*(self._there(array, travellers) for array in argument))
        if isinstance(argument, np.ndarray):
            there = self.cuda.to_device(argument)
            if argument is not NOTHING:
                travellers.append((argument, there))
            return there
        return argument.array if isinstance(argument, DeviceArray) else argument

    def to_device(self, array: Array) -> DeviceArray:
        return DeviceArray(self.cuda.to_device(array))

    def empty(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> DeviceArray:
        return DeviceArray(self.cuda.device_array(shape, dtype))

    @property
    def free_bytes(self) -> int:
        return 2**62 if is_simulated() else int(self.cuda.current_context().get_memory_info().free)


class DeviceArray:
    """An array in a GPU's memory, into which PyTorch, JAX and CuPy look without a copy: by DLPack
    or the CUDA array interface.

    Numba's own arrays have only the latter. `numpy.asarray` copies it to the host.
    """

    def __init__(self, array: Cuda) -> None:
        self.array = array

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    @property
    def dtype(self) -> StateType:
        dtype: StateType = np.dtype(self.array.dtype)
        return dtype

    def __len__(self) -> int:
        return self.shape[0]

    def reshape(self, shape: tuple[int, ...]) -> DeviceArray:
        """The same numbers, in other rows."""
        return DeviceArray(self.array.reshape(shape))

    def copy(self) -> DeviceArray:
        twin = DeviceArray(load_cuda().device_array(self.shape, self.dtype))
        twin.fill(self)
        return twin

    def fill(self, source: DeviceArray) -> None:
        """Takes over what another array holds."""
        if is_simulated():  # which cannot copy records
            self.array._ary[...] = source.array._ary
        else:
            self.array.copy_to_device(source.array)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        here: Array = self.array.copy_to_host()
        return here if dtype is None else here.astype(dtype)

    @property
    def __cuda_array_interface__(self) -> Cuda:
        return self.array.__cuda_array_interface__

    def __dlpack__(self, **asked: object) -> Cuda:
        return self._strided.__dlpack__(**asked)

    def __dlpack_device__(self) -> Cuda:
        return self._strided.__dlpack_device__()

    @property
    def _strided(self) -> Cuda:
        if is_simulated():
            return self.array._ary
        from cuda.core.utils import StridedMemoryView

        # -1: nobody waits. Every operation but `send` has ended before anybody looks, and that keeps
        # the order of its stream.
        return StridedMemoryView.from_cuda_array_interface(self.array, -1)


def _words(state: StateType) -> dict[str, object]:
    """A state as words, the largest that it is made of."""
    word = np.dtype(f"i{state.alignment}")
    return {"WORD": word, "WORDS": state.itemsize // word.itemsize}


def _blocks(states: Rows) -> int:
    return (len(states) + THREADS_A_BLOCK - 1) // THREADS_A_BLOCK


def _unwrap(value: Cuda) -> Array:
    """The NumPy array inside the simulator's stand-ins."""
    array: Array = value if isinstance(value, np.ndarray) else getattr(value, "_item", value)._ary  # type: ignore[union-attr]
    return array


def _see_simulated(value: Cuda) -> Cuda:
    if isinstance(value, tuple):
        return type(value)(*map(_see_simulated, value))
    return plain(_unwrap(value))


def _carry_simulated(target: Cuda, k: int, source: Cuda, i: int) -> None:
    _unwrap(target)[k] = _unwrap(source)[i]


@cache
def cuda_backend(game: Game) -> CudaBackend:
    """The game's GPU backend, one in a process."""
    return CudaBackend(game)
