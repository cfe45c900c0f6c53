"""A rule compiled so that a test can call it; the rules it calls are compiled as in a game."""

from typing import Any

import numba

from samovar.engine.rule import Compiler, jit_cpu


def compiled(function: Any, bound: dict[Any, Any] | None = None) -> Any:
    return numba.njit(error_model="numpy")(Compiler(jit_cpu, bound or {}).copy(function))
