"""What numba-cuda-mlir makes of a game for a GPU, run on the CPU: it has no simulator, and a machine without a GPU is
to find what it gets wrong. From its LLVM code on nothing of the GPU's is left but the number of the thread.

    SAMOVAR_CUDA=numba-cuda-mlir python -m samovar.testing.gpu_code [GAME ...]

needs numba-cuda-mlir, but neither a GPU nor CUDA's libraries.
"""

from __future__ import annotations

import ctypes
import re
import sys
import time
from typing import Any

import numpy as np

from samovar.engine.arrays import Rows
from samovar.engine.batch import Batch
from samovar.engine.contract import Game, Options
from samovar.engine.registry import find_game, game_ids
from samovar.engine.ways import turns
from samovar.engine.ways.backend import backend
from samovar.engine.ways.cuda import Cuda, CudaBackend, import_cuda
from samovar.engine.ways.operations import NOTHING, Argument
from samovar.testing.backends import first_difference, play_all

CHIP = (10, 0)  # of chips before it, the code would be that of an LLVM too old for llvmlite
CUDA = (13, 0)
THREAD = "samovar_thread"

# The code without what only a GPU has: its kinds of memory, its way of calling a kernel. A thread is a block of one.
GPU_ONLY = [
    (r"^target (datalayout|triple) = .*$", ""),
    (r"addrspacecast \(ptr addrspace\(4\) (@\w+) to ptr\)", r"\1"),
    (r"addrspace\(4\) ", ""),
    (r"\bptx_kernel ", ""),
    (r"^declare .*@llvm\.nvvm\.read\.ptx\.sreg\..*$", ""),
    (r"call i32 @llvm\.nvvm\.read\.ptx\.sreg\.ctaid\.x\(\)", f"load i32, ptr @{THREAD}"),
    (r"call i32 @llvm\.nvvm\.read\.ptx\.sreg\.ntid\.x\(\)", "add i32 1, 0"),
    (r"call i32 @llvm\.nvvm\.read\.ptx\.sreg\.tid\.x\(\)", "add i32 0, 0"),
]


class OnCpu(CudaBackend):
    """Runs a game's operations by the code made for a GPU, one thread after another."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._made: dict[object, tuple[Any, Any, int]] = {}

    def _load(self) -> Cuda:
        return import_cuda()

    def run(
        self, operation: str, states: Rows, a: Argument = NOTHING, b: Argument = NOTHING, c: Argument = NOTHING
    ) -> None:
        from numba_cuda_mlir.numba_cuda.typing.typeof import typeof

        arguments = (states, a, b, c)
        kinds = tuple(map(typeof, arguments))
        if (operation, kinds) not in self._made:
            self._made[operation, kinds] = self._make(operation, kinds)
        _, thread, kernel = self._made[operation, kinds]
        told = [number for argument in arguments for number in as_told(argument)]
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * len(told))(kernel)
        for number in range(len(states)):
            thread.value = number
            call(*told)

    def _make(self, operation: str, kinds: tuple[object, ...]) -> tuple[Any, Any, int]:
        return make(self._source(operation), operation, kinds)


def make(kernel: object, name: str, kinds: tuple[object, ...]) -> tuple[Any, Any, int]:
    """The code in memory: what keeps it there, where it reads the number of the thread, where it begins."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    code = llvm.parse_assembly(on_cpu(llvm_code(kernel, kinds)))
    code.verify()
    begin = next(function.name for function in code.functions if name in function.name)
    engine = llvm.create_mcjit_compiler(code, llvm.Target.from_default_triple().create_target_machine(opt=1))
    engine.finalize_object()
    thread = ctypes.c_int32.from_address(engine.get_global_value_address(THREAD))
    return engine, thread, engine.get_function_address(begin)


def llvm_code(kernel: object, kinds: tuple[object, ...]) -> str:
    """The LLVM code of a kernel for arguments of these types. By itself the package would go on to PTX, with libraries
    of CUDA's."""
    from numba_cuda_mlir import mlir_compiler, mlir_optimization, tools
    from numba_cuda_mlir._mlir.passmanager import PassManager
    from numba_cuda_mlir.descriptor import mlir_target

    # Asked of a GPU and of its libraries otherwise.
    tools._cached_cc = CHIP
    tools.get_cuda_runtime_version = lambda: CUDA
    mlir_target.ensure_initialized()
    chip = {"chip": tools.format_arch(CHIP)}
    made = mlir_compiler.compile_mlir(kernel, None, kinds, targetoptions=dict(chip))
    with mlir_optimization.context.get_context():
        module = made.metadata["mlir_module"]
        PassManager.parse(mlir_optimization.get_base_pipeline()).run(module.operation)
        made.metadata["mlir_module_optimized"] = str(module)
    code: str = mlir_optimization.get_llvmir(made, chip)
    return code


def on_cpu(code: str) -> str:
    for only, instead in GPU_ONLY:
        code = re.sub(only, instead, code, flags=re.MULTILINE)
    return f"{code}\n@{THREAD} = global i32 0\n"


def as_told(argument: object) -> list[int]:
    """An array as a kernel takes it: where it is, twice, from where on, its shape, and its strides in elements."""
    if isinstance(argument, turns.Turn):
        return [number for array in argument for number in as_told(array)]
    assert isinstance(argument, np.ndarray)
    where = argument.ctypes.data
    return [where, where, 0, *argument.shape, *(stride // argument.itemsize for stride in argument.strides)]


def check_plain_and_gpu_code(game: Game, ready: OnCpu, seats: int, options: Options) -> None:
    plain, made = (play_all(each, game, seats, options, matches=6, moves=24) for each in (backend(game, True), ready))
    assert plain == made, f"plain and numba-cuda-mlir differ, first in result {first_difference(plain, made)}"


STEPPED = ("actor", "observations", "legal_mask", "legal_counts", "rewards", "ended", "legal_moves")


def check_steps(game: Game, ready: OnCpu, size: int = 4, steps: int = 6) -> None:
    """A batch of all variants that is stepped and sent moves: its arrays are the ones a kernel takes together."""
    variants = [{"seats": seats, **options} for seats, options in game.variants()]
    usual, made = (
        Batch(game, size, seed=1, threads=1, variants=variants, encoding="planes", turned=True, rewards="both")
        for _ in range(2)
    )
    made._rules = ready
    for step in range(steps):
        for name in (*STEPPED, *(("legal_factors",) if game.factors else ())):
            one, other = (np.asarray(getattr(batch, name)) for batch in (usual, made))
            if (
                one.ndim > 1 and name.startswith("legal_") and name != "legal_mask"
            ):  # behind the last lies what was there
                listed = np.arange(one.shape[1]) < usual.legal_counts[:, None]
                one, other = one[listed], other[listed]
            assert one.tobytes() == other.tobytes(), f"{name} differs in step {step}"
        moves = usual.random_moves()
        assert moves.tobytes() == made.random_moves().tobytes()
        for batch in (usual, made):
            (batch.step if step % 2 else batch.send)(moves)


def main(ids: list[str]) -> None:
    for game in map(find_game, ids or game_ids()):
        ready = OnCpu(game)
        check_steps(game, ready)
        for seats, options in game.variants():
            begun = time.perf_counter()
            check_plain_and_gpu_code(game, ready, seats, options)
            took = time.perf_counter() - begun
            print(f"{game.id} with {seats} seats {options}: plain = numba-cuda-mlir ({took:.1f} s)", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
