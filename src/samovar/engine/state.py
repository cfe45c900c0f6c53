"""A state, declared once: the annotations of a class are both the record's layout and what types see.

```python
class State(GameState):
    hand: Annotated[IntGrid, np.int8, MAX_SEATS, HAND]  # cards by seat; each seat sees its own
    pile: Annotated[Ints, np.int8, CARDS]  # from the top; hidden
    seats: Int8
    turn: Int8
```

Fields go from large numbers to small ones. Nobody makes an object of the class: rules get a record with
these fields, compiled or plain.
"""

from __future__ import annotations

from collections.abc import Iterable
from inspect import get_annotations
from typing import Annotated, Any, ClassVar, Self, TypeAlias, cast

import numpy as np

from samovar.engine.arrays import States, StateType
from samovar.engine.ways.plain import plain_state
from samovar.errors import BrokenGame

Int8: TypeAlias = Annotated[int, np.int8]
Int16: TypeAlias = Annotated[int, np.int16]
Int32: TypeAlias = Annotated[int, np.int32]
Int64: TypeAlias = Annotated[int, np.int64]


class GameState:
    """The base of a game's `State`. NumPy takes the class for its type: `np.zeros(5, State)`."""

    dtype: ClassVar[StateType]
    array: States

    def __init_subclass__(cls) -> None:
        kinds = get_annotations(cls, eval_str=True)
        cls.dtype = fill_up([_field(name, kind) for name, kind in kinds.items()])

    @classmethod
    def of(cls, states: States) -> Self:
        """The first of some states, as rules see it in plain Python; its bytes are those of the array."""
        return cast("Self", plain_state(states))

    @classmethod
    def blank(cls) -> Self:
        """A state of zeros, to be laid out; `array` has it in an array of one."""
        return cls.of(np.zeros(1, cls.dtype))


def _field(name: str, kind: Any) -> tuple[Any, ...]:
    number, *shape = getattr(kind, "__metadata__", (None,))
    if number is None:
        raise BrokenGame(
            f"Field {name!r} of the state does not say how large its numbers are. Write {name}: Int8, or "
            f"{name}: Annotated[Ints, np.int8, HOW_MANY]."
        )
    return (name, number, tuple(shape)) if shape else (name, number)


def fill_up(fields: Iterable[tuple[Any, ...]]) -> StateType:
    """The type of a state with these fields. Its end may be uneven, which it must not be: then there is
    a field `filler` more, always 0."""
    state = np.dtype([*fields], align=True)
    used = sum(kind.itemsize for kind, *_ in (state.fields or {}).values())
    return state if used == state.itemsize else np.dtype([*fields, ("filler", np.int8, (state.itemsize - used,))])
