"""What numba-cuda-mlir, the successor of numba-cuda, lacks for states. Imported late, with it.

It has no local arrays of records, cannot shift a truth value, and a signed number stored in a wider
field of a record loses its sign (all in 0.6.0). This leans on the inside of that package:
`pyproject.toml` allows the versions it was tried with.
"""

from __future__ import annotations

import operator
from functools import cache
from typing import Any

from numba_cuda_mlir import cuda, types
from numba_cuda_mlir._mlir import ir
from numba_cuda_mlir._mlir.dialects import memref
from numba_cuda_mlir.extending import lower_builtin, refresh_registries
from numba_cuda_mlir.lowering import record
from numba_cuda_mlir.lowering.math import lshift_cg
from numba_cuda_mlir.lowering_utilities import convert
from numba_cuda_mlir.numba_cuda.np.numpy_support import from_dtype

from samovar.engine.arrays import StateType

ALIGNMENT = 8


@cache
def prepare() -> None:
    """Numbers stored in states keep their sign: states have no unsigned fields; a truth value is one bit, and 1. And
    such a bit can be shifted."""
    record.convert = lambda value, kind: convert(value, kind, signed=getattr(value, "type", None) != _bit())
    lower_builtin(operator.lshift, types.Boolean, types.Integer)(lshift_cg)
    refresh_registries()


def _bit() -> Any:
    return ir.IntegerType.get_signless(1)


@cache
def allow_local(state: StateType) -> None:
    """`cuda.local.array(1, state)` works in kernels."""

    @lower_builtin(cuda.local.array, types.Number, types.DType(from_dtype(state)))  # type: ignore[untyped-decorator, unused-ignore]
    def local_state(builder: Any, target: Any, args: object, named: object) -> None:
        with builder.alloca_insertion_point():
            room = ir.MemRefType.get([state.itemsize], ir.IntegerType.get_signless(8))
            builder.store_var(target, memref.alloca(room, [], [], alignment=ALIGNMENT))

    refresh_registries()
