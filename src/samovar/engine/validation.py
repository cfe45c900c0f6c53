"""What the author of a game can get wrong and would understand only much later: refused as soon as
the game is made, with the remedy."""

from __future__ import annotations

import dis
from collections.abc import Iterator, Mapping
from types import FunctionType

import numpy as np

from samovar.engine.arrays import StateType
from samovar.engine.rule import is_rule, parameters
from samovar.errors import BrokenGame

NOT_FOR_RULES = (FunctionType, list, dict, set, str, float, np.ndarray)


def check_state_type(state: StateType) -> None:
    """A state is signed integers without holes. Copies leave undefined what lies in a hole, so that
    equal states would have different bytes."""
    if "seats" not in (state.names or ()):
        raise BrokenGame(
            "The state must be a NumPy structured type with a field 'seats', into which `deal` writes how many there "
            "are."
        )
    used = 0
    for name, (kind, offset, *_) in (state.fields or {}).items():
        if kind.base.kind != "i":
            raise BrokenGame(
                f"Field {name!r} of the state is {kind.base}. States are signed integers only: np.int8 to np.int64."
            )
        if offset % kind.base.itemsize:
            raise BrokenGame(f"Field {name!r} of the state is not aligned. Write np.dtype([...], align=True).")
        if offset != used:
            raise BrokenGame(
                f"There is a hole before field {name!r} of the state. Order the fields from large to small."
            )
        used += kind.itemsize
    if hole := state.itemsize - used:
        raise BrokenGame(f"The state ends with {hole} bytes of padding. Widen a field or an array to fill them.")


def check_rules(game: str, rules: Mapping[str, object], wanted: Mapping[str, type]) -> list[FunctionType]:
    """Every rule of the game of this name and all that it calls is marked. Without the mark it runs
    in plain Python, and Numba refuses it in words of its own. All of them."""
    waiting = [check_rule(game, name, function, parameters(wanted[name])) for name, function in rules.items()]
    seen: list[FunctionType] = []
    while waiting:
        function = waiting.pop()
        if function not in seen:
            seen.append(function)
            waiting += called_rules(function, game)
    return seen


def check_rule(game: str, name: str, function: object, wanted: tuple[str, ...]) -> FunctionType:
    if not isinstance(function, FunctionType) or not is_rule(function):
        raise BrokenGame(f"{name!r} of {game} is not a rule. Write @rule above its `def`.")
    taken = function.__code__.co_varnames[: function.__code__.co_argcount]
    if len(wanted) != len(taken):
        raise BrokenGame(f"{name!r} of {game} takes ({', '.join(taken)}). Write def {name}({', '.join(wanted)}).")
    return function


def called_rules(function: FunctionType, game: str) -> Iterator[FunctionType]:
    for name in function.__code__.co_names:
        value: object = function.__globals__.get(name)
        if is_rule(value):
            yield value
        elif isinstance(value, NOT_FOR_RULES) and is_global_of(function, name):
            remedy = (
                "Write @rule above its `def`."
                if isinstance(value, FunctionType)
                else f"Write {name} = table(...), of integers."
            )
            raise BrokenGame(
                f"The rule {function.__name__!r} of {game} uses {name!r}, which is a plain "
                f"{type(value).__name__}. {remedy}"
            )


def is_global_of(function: FunctionType, name: str) -> bool:
    """Whether the name is not just that of an attribute, as a field of the state is."""
    return any(step.opname == "LOAD_GLOBAL" and step.argval == name for step in dis.get_instructions(function))
