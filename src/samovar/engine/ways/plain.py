"""States for plain Python: the fields of a structured array as Python ints, in and out.

NumPy's own scalars would wrap at 8 bits where compiled code computes with 64. Here every read is a
Python int, and a write that does not fit its field raises, so plain mode also finds overflows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from samovar.engine.arrays import AnyState, States, StateType, as_memory
from samovar.engine.rule import rule


class PlainState:
    """One element of a structured array; fields are attributes. Made by `plain_state`, one class
    per dtype."""

    __slots__ = ("_fields", "array")

    array: States

    def __init__(self, array: States) -> None:
        self.array = array
        self._fields = Fields(array)


class Fields(dict[str, memoryview]):
    """The fields of a state by name, each made when it is first asked for: few who look at a state
    need all of it."""

    __slots__ = ("_array",)

    def __init__(self, array: States) -> None:
        self._array = array

    def __missing__(self, name: str) -> memoryview:
        column = self._array[name]
        memory = self[name] = as_memory(column if column.ndim == 1 else column[0])
        return memory


def _scalar(name: str) -> property:
    def get(self: PlainState) -> int:
        value: int = self._fields[name][0]
        return value

    def put(self: PlainState, value: int) -> None:
        self._fields[name][0] = value

    return property(get, put)


def _array(name: str) -> property:
    return property(lambda self: self._fields[name])


@cache
def _type_of(dtype: StateType) -> type[PlainState]:
    names = dtype.names or ()
    body: dict[str, property] = {name: _array(name) if dtype[name].shape else _scalar(name) for name in names}
    return type("PlainState", (PlainState,), {"__slots__": (), **body})


def plain_state(array: States) -> PlainState:
    """The first element of a structured array, to read and write; the bytes are the array's own."""
    return _type_of(array.dtype)(array[:1])


def make_clear(dtype: StateType) -> Callable[[AnyState], None]:
    """A rule that zeroes a state of this type, field by field: written out here because rules have
    no loop over fields."""
    lines = ["def clear(state):"]
    for name in dtype.names or ():
        shape = dtype[name].shape
        for depth, size in enumerate(shape):
            lines.append("    " * (depth + 1) + f"for i{depth} in range({size}):")
        index = ", ".join(f"i{depth}" for depth in range(len(shape)))
        lines.append("    " * (len(shape) + 1) + (f"state.{name}[{index}] = 0" if shape else f"state.{name} = 0"))
    names: dict[str, Callable[[AnyState], None]] = {}
    exec(compile("\n".join(lines), __file__, "exec"), {"__name__": __name__}, names)
    return rule(names["clear"])


@rule
def copy_plain(states: list[PlainState], source: int, target: int) -> None:
    """`kernels.copy_record` for plain states."""
    states[target].array[:] = states[source].array


def plain(value: object) -> Any:
    """An argument of a kernel as plain Python sees it: states as a list of `PlainState`, numbers
    in a memoryview, a `Turn` of these."""
    if isinstance(value, tuple):
        return type(value)(*map(plain, value))
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.names:
        return [plain_state(value[i : i + 1]) for i in range(len(value))]
    return as_memory(value)
