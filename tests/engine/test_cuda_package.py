"""Which package compiles for a GPU, and what of its code can be looked at without one."""

from importlib.util import find_spec

import pytest

from samovar.engine.ways import cuda
from samovar.errors import NoDevice
from samovar.testing.gpu_code import on_cpu
from support.processes import told_by

BOTH = ("numba_cuda", "numba_cuda_mlir")


@pytest.fixture
def installed(monkeypatch):
    def set_to(*modules: str) -> None:
        monkeypatch.delenv(cuda.PACKAGE_VARIABLE, raising=False)
        monkeypatch.setattr(cuda, "find_spec", lambda name: name in modules)
        monkeypatch.setattr(cuda, "is_simulated", lambda: False)

    return set_to


@pytest.mark.parametrize(
    ("modules", "package"),
    [
        (BOTH, cuda.PREFERRED),
        (("numba_cuda",), "numba-cuda"),
        (("numba_cuda_mlir",), "numba-cuda-mlir"),
        ((), cuda.PREFERRED),
    ],
)
def test_what_is_installed_compiles(installed, modules, package) -> None:
    installed(*modules)
    assert cuda.cuda_package() == package


@pytest.mark.parametrize("package", list(cuda.MODULES))
def test_the_variable_chooses(installed, monkeypatch, package) -> None:
    installed(*BOTH)
    monkeypatch.setenv(cuda.PACKAGE_VARIABLE, package)
    assert cuda.cuda_package() == package


def test_an_unknown_package_is_refused(installed, monkeypatch) -> None:
    installed(*BOTH)
    monkeypatch.setenv(cuda.PACKAGE_VARIABLE, "cupy")
    with pytest.raises(NoDevice, match="numba-cuda or numba-cuda-mlir"):
        cuda.cuda_package()


def test_the_simulator_is_that_of_numba(installed, monkeypatch) -> None:
    installed("numba_cuda_mlir")
    monkeypatch.setattr(cuda, "is_simulated", lambda: True)
    assert cuda.cuda_package() == "numba-cuda"


def test_a_package_that_is_not_there_is_named(installed, monkeypatch) -> None:
    installed("numba_cuda_mlir")
    monkeypatch.setitem(cuda.MODULES, "numba-cuda-mlir", "no_such_module.cuda")
    with pytest.raises(NoDevice, match=r"numba-cuda-mlir is not installed.*samovar-games\[cuda-next\]"):
        cuda.import_cuda()


def test_code_for_a_gpu_reads_its_tables_and_its_thread_on_a_cpu() -> None:
    code = """
@TABLE = internal addrspace(4) constant [1 x i8] c"x"
define ptx_kernel void @kernel() {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %2 = load i8, ptr addrspacecast (ptr addrspace(4) @TABLE to ptr)
  ret void
}
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #0
"""
    import llvmlite.binding as llvm

    llvm.parse_assembly(on_cpu(code)).verify()
    assert not {"addrspace", "ptx", "sreg"} & set(on_cpu(code).replace("(", " ").replace(".", " ").split())


SIGNS = """
import ctypes
import numpy as np
from numba_cuda_mlir.numba_cuda.typing.typeof import typeof
from samovar.engine.ways.cuda import import_cuda
from samovar.testing.gpu_code import as_told, make

def signs(states):
    states[0].wide = states[0].narrow
    states[0].several[1] = states[0].narrow
    states[0].truth = states[0].narrow < 0
    states[0].shifted = (states[0].narrow < 0) << 3

import_cuda()
fields = [("wide", np.int32), ("several", np.int16, (2,)), ("shifted", np.int16)]
fields += [("narrow", np.int8), ("truth", np.int8)]
states = np.zeros(1, np.dtype(fields, align=True))
states["narrow"] = -5
kept, _, begin = make(signs, "signs", (typeof(states),))
told = as_told(states)
ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * len(told))(begin)(*told)
print(states[0])
"""


@pytest.mark.slow
def test_numbers_keep_their_sign_in_states_by_numba_cuda_mlir() -> None:
    if not find_spec("numba_cuda_mlir"):
        pytest.skip("numba-cuda-mlir is not installed: samovar-games[cuda-next]")
    assert told_by(SIGNS, SAMOVAR_CUDA="numba-cuda-mlir") == "(-5, [ 0, -5], 8, -5, 1)"
