"""Which package compiles for a GPU, and what of its code can be looked at without one."""

import pytest

from samovar.engine import cuda
from samovar.errors import NoDevice
from samovar.testing.gpu_code import on_cpu

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
    with pytest.raises(NoDevice, match=r"numba-cuda-mlir is not installed.*samovar\[cuda-next\]"):
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
