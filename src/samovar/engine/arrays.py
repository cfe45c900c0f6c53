"""The types of arrays and states, each named once.

A *rule* sees arrays through protocols, because it runs on NumPy arrays when it is compiled and on
`memoryview`s when it is plain: what they share is that an index gives an int. Outside rules arrays
are NumPy's, or a GPU's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt


class Ints(Protocol):
    """For rules: a row of whole numbers, a field of a state or room to write in."""

    def __getitem__(self, index: int, /) -> int: ...
    def __setitem__(self, index: int, value: int, /) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[int]: ...


class IntGrid(Protocol):
    """For rules: whole numbers in rows and columns, `grid[row, column]`."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __getitem__(self, index: tuple[int, int], /) -> int: ...
    def __setitem__(self, index: tuple[int, int], value: int, /) -> None: ...


class FloatGrid(Protocol):
    """For the engine's own rules: numbers that are not whole, in rows and columns."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __getitem__(self, index: tuple[int, int], /) -> float: ...
    def __setitem__(self, index: tuple[int, int], value: float, /) -> None: ...


class Rng(Ints, Protocol):
    """For rules: the generator, to hand on to the functions of `chance.py`."""


# A state is a record with a layout of its own in every game, which the contract cannot know: rules
# of a game take its own `State` protocol, generic ones any.
AnyState: TypeAlias = Any
AnyView: TypeAlias = Any  # likewise each game has a dataclass of its own for what people see
StateType: TypeAlias = np.dtype[Any]
States: TypeAlias = npt.NDArray[Any]

Array: TypeAlias = npt.NDArray[Any]  # whatever its numbers are
Flags: TypeAlias = npt.NDArray[np.bool_]
Int8s: TypeAlias = npt.NDArray[np.int8]
Int32s: TypeAlias = npt.NDArray[np.int32]
Int64s: TypeAlias = npt.NDArray[np.int64]
Float32s: TypeAlias = npt.NDArray[np.float32]
Floats: TypeAlias = npt.NDArray[np.float64]


class Rows(Protocol):
    """An array with one row a match: NumPy's, or a `DeviceArray` where a GPU runs the matches."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> StateType: ...
    def __len__(self) -> int: ...


def as_memory(array: Array) -> memoryview:
    """The numbers of an array, read as Python ints; the bytes are the array's own."""
    return memoryview(cast("Any", array))  # which NumPy is a buffer for, but not by its types


def rows_of(grid: IntGrid) -> list[list[int]]:
    """The numbers of a grid, row by row, for plain Python."""
    rows, columns = grid.shape
    return [[grid[row, column] for column in range(columns)] for row in range(rows)]
