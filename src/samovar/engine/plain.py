"""States for plain Python: the fields of a structured array as Python ints, in and out.

NumPy's own scalars would wrap at 8 bits where compiled code computes with 64. Here every read is a Python int, and a write that does not fit
its field raises, so plain mode also finds overflows.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np


class PlainState:
    """One element of a structured array; fields are attributes. Made by `plain_state`, one class per dtype."""

    __slots__ = ("_fields", "array")

    array: np.ndarray[Any, Any]

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array
        self._fields: dict[str, memoryview] = {}
        for name in array.dtype.names or ():
            column = array[name]
            self._fields[name] = memoryview(column if column.ndim == 1 else column[0])


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
def _type_of(dtype: np.dtype[Any]) -> type[PlainState]:
    names = dtype.names or ()
    body: dict[str, Any] = {name: _array(name) if dtype[name].shape else _scalar(name) for name in names}
    return type("PlainState", (PlainState,), {"__slots__": (), **body})


def plain_state(array: np.ndarray[Any, Any]) -> PlainState:
    """The first element of a structured array, to read and write; the bytes are the array's own."""
    return _type_of(array.dtype)(array[:1])


def plain(value: Any) -> Any:
    """Any argument of a kernel as plain Python sees it: states as a list of `PlainState`, numbers in a memoryview."""
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.names:
        return [plain_state(value[i : i + 1]) for i in range(len(value))]
    return memoryview(value)
