"""What the author of a game can get wrong and would understand only much later: refused as soon as
the game is made, with the remedy."""

from __future__ import annotations

import builtins
import dis
import sys
from collections.abc import Collection, Iterator, Mapping
from inspect import CO_VARARGS
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from samovar.engine.arrays import StateType
from samovar.engine.chance import CHANCE, CHANCE_FIELD, roll
from samovar.engine.rule import is_rule, parameters
from samovar.errors import BrokenGame, did_you_mean

NOT_FOR_RULES = (FunctionType, list, dict, set, str, float, np.ndarray)
CHANCE_MODULES = ("random", "secrets", "time", np.random.__name__)  # who replays a match would get another one
BUILT_IN = ("abs", "bool", "int", "len", "max", "min", "range")  # what rules may use of Python's own

# The steps of a function's code that name something, and how far the number of the name is shifted.
_GLOBALS = {"LOAD_GLOBAL": 1}
_ATTRIBUTES = {"LOAD_ATTR": int(sys.version_info >= (3, 12)), "LOAD_METHOD": 0, "STORE_ATTR": 0}


def check_facts(game: str, facts: Any) -> None:
    """Facts are of their types; Python would say so later, in words of its own."""
    seats = facts.seats
    if not isinstance(seats, tuple | list) or not seats or not all(type(n) is int and n > 0 for n in seats):
        raise BrokenGame(
            f"{game} says seats={seats!r}. Write how many can play as a tuple: seats=(2,), or seats=(2, 3, 4)."
        )
    if len(set(seats)) < len(seats):
        raise BrokenGame(f"{game} says seats={seats!r}. Write each number once.")
    words = facts.words
    if not isinstance(words, Mapping) or not all(isinstance(one, Mapping) for one in words.values()):
        raise BrokenGame(f'The words of {game} are no words by language. Write words={{"en": {{"plays": "..."}}}}.')
    for name in ("max_length", "view", "move_text", "faults", "draw"):
        if not callable(given := getattr(facts, name)):
            raise BrokenGame(f"{name!r} of {game} is {given!r}, which is no function. Write def {name}(...).")
    for part in facts.observation:
        if not hasattr(part, "size"):
            raise BrokenGame(
                f'The observation of {game} consists of parts, and {part!r} is none. Write Part("hand", 3, "own '
                'cards").'
            )


def told(kind: str, words: Mapping[str, str], facts: Mapping[str, object]) -> str:
    """The sentence of an event of this kind; why there is none."""
    if (sentence := words.get(kind)) is None:
        raise BrokenGame(f'There are no words for the event {kind!r}. Add {kind!r}: "..." to the words of the game.')
    try:
        return sentence.format(**facts)
    except KeyError as error:
        raise BrokenGame(
            f"The words for the event {kind!r}, {sentence!r}, have the blank {error}, and the event has "
            f"{', '.join(facts) or 'no facts'}. Give the event that fact, or take the blank away."
        ) from error


# Steps that make what rules cannot hold: what its author calls it, and what to do instead.
_LATER = "Write the numbers into fields of the state, or into a table(...) above the rule."
_TEXTS = "Texts are for `view`, `news` and `move_text`, which are plain Python."
_MAKING = {
    dis.opmap[name]: told
    for name, told in {
        "BUILD_LIST": ("a list", _LATER),
        "BUILD_MAP": ("a dict", _LATER),
        "BUILD_CONST_KEY_MAP": ("a dict", _LATER),
        "BUILD_SET": ("a set", _LATER),
        "BUILD_STRING": ("a text", _TEXTS),
        "FORMAT_VALUE": ("a text", _TEXTS),
        "FORMAT_SIMPLE": ("a text", _TEXTS),
        "FORMAT_WITH_SPEC": ("a text", _TEXTS),
        "RAISE_VARARGS": ("an error", "Leave it out; what must never be so belongs into `faults`."),
        "MAKE_FUNCTION": ("a function", "Write it beside the rule, with @rule above it, or write a loop."),
    }.items()
    if name in dis.opmap
}
# as they are written here: their numbers change from one Python to the next
_DIVISION = {
    (step.opcode, step.arg or 0)
    for source in ("a / b", "a /= b")
    for step in dis.get_instructions(compile(source, "", "exec"))
    if step.opname.startswith(("BINARY_", "INPLACE_"))
}


def check_functions(game: Any, rules: Mapping[str, type], plain: Mapping[str, type]) -> None:
    """The state and all functions of a game; the protocols of its rules by name, and of what is for people."""
    check_state_type(game.state)
    used = check_rules(game.name, game.rules, rules)
    check_chance(game.name, game.state, used)
    check_fields(game.name, used, {"state": game.state.names or (), "options": game.setup_type.names or ()})
    check_people(game.name, {name: given for name, given in vars(game).items() if name not in rules}, plain)


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
        if not kind.base.isnative:
            raise BrokenGame(
                f"Field {name!r} of the state has foreign bytes ({kind.base.str}). Write np.{kind.base.name}."
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
    largest = max(kind.base.itemsize for kind, *_ in (state.fields or {}).values())
    if over := state.itemsize % largest:
        raise BrokenGame(
            f"The state has {state.itemsize} bytes, and its largest numbers have {largest}: in an array, the second "
            f"state would not be aligned. Write np.dtype([...], align=True), and widen a field or an array by "
            f"{largest - over} bytes."
        )


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
            check_integers(function, game)
    return seen


def check_integers(function: FunctionType, game: str) -> None:
    """A rule makes nothing but integers. In plain Python anything else works, and is found much later: a float is cut
    off as it is written into a field, a list cannot be compiled."""
    code = function.__code__
    written = code.co_code
    divides = any(bytes(step) in written for step in _DIVISION)  # or may do so: these could be halves of two steps
    if divides or not _MAKING.keys().isdisjoint(written[::2]) or has_other_constants(function):
        for step in dis.get_instructions(function):  # takes ten times as long
            if told := _made(step):
                what, remedy = told
                line = step.positions.lineno if step.positions else code.co_firstlineno
                raise BrokenGame(
                    f"The rule {function.__name__!r} of {game} makes {what} in {Path(code.co_filename).name}, line "
                    f"{line}: rules know integers only. {remedy}"
                )


def has_other_constants(function: FunctionType) -> bool:
    """Texts and floats. What is written above a rule is the first of its constants."""
    constants = function.__code__.co_consts[1 if function.__doc__ else 0 :]
    return any(isinstance(constant, float | complex | str | bytes) for constant in constants)


def _made(step: dis.Instruction) -> tuple[str, str] | None:
    if step.opcode in _MAKING:
        return _MAKING[step.opcode]
    if (step.opcode, step.arg) in _DIVISION:
        return "a float by /", "Write // instead."
    if step.opname == "LOAD_CONST" and isinstance(step.argval, float | complex):
        return f"the float {step.argval!r}", "Count in halves or hundredths instead."
    if step.opname == "LOAD_CONST" and isinstance(step.argval, str | bytes):
        return f"the text {step.argval!r}", "Give it a number, a constant by name."
    return None


def check_chance(game: str, state: StateType, rules: list[FunctionType]) -> None:
    """The field for chance during play is the engine's: whoever read it would know the next throws."""
    if CHANCE_FIELD in (state.names or ()) and state[CHANCE_FIELD] != CHANCE:
        raise BrokenGame(
            f"The field {CHANCE_FIELD!r} of a state is for chance during play. Write ({CHANCE_FIELD!r}, CHANCE), or "
            "give yours another name."
        )
    if roll in rules and CHANCE_FIELD not in (state.names or ()):
        raise BrokenGame(
            f"A rule of {game} calls roll(), but its state has no field ({CHANCE_FIELD!r}, CHANCE). Add it."
        )
    for function in rules:
        if function.__module__ != roll.__module__ and CHANCE_FIELD in attributes_in(function):
            raise BrokenGame(
                f"The rule {function.__name__!r} of {game} uses state.{CHANCE_FIELD}, which tells the next throws. "
                "Call roll(state, n) instead."
            )


def check_rule(game: str, name: str, function: object, wanted: tuple[str, ...]) -> FunctionType:
    if not isinstance(function, FunctionType) or not is_rule(function):
        raise BrokenGame(f"{name!r} of {game} is not a rule. Write @rule above its `def`.")
    taken = function.__code__.co_varnames[: function.__code__.co_argcount]
    if len(wanted) != len(taken):
        raise BrokenGame(f"{name!r} of {game} takes ({', '.join(taken)}). Write def {name}({', '.join(wanted)}).")
    return function


def check_fields(game: str, rules: list[FunctionType], known: Mapping[str, Collection[str]]) -> None:
    """A rule names no field that the record of this parameter (`state`, `options`) does not have: Numba would say so in
    words of its own, and only when the rule is compiled."""
    all_known = set(known["state"])
    for function in rules:
        if not attributes_in(function) <= all_known:  # looked at closely only then: it takes long
            for parameter, name in attributes_of_parameters(function):
                if parameter in known and name not in known[parameter]:
                    raise BrokenGame(
                        f"The rule {function.__name__!r} of {game} uses {parameter}.{name}, and there is no such "
                        f"{'field of the state' if parameter == 'state' else 'option'}."
                        f"{did_you_mean(name, known[parameter])}"
                    )


def attributes_in(function: FunctionType) -> set[str]:
    """All names of attributes, of whatever they are."""
    return _named_in(function.__code__, _ATTRIBUTES)


def _named_in(code: CodeType, steps: Mapping[str, int]) -> set[str]:
    """What `dis` would find, in a tenth of its time: every game is looked through when it is loaded."""
    shifts = {dis.opmap[name]: shift for name, shift in steps.items() if name in dis.opmap}
    found = set()
    extended = 0
    for operation, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument = extended | low
        extended = argument << 8 if operation == dis.EXTENDED_ARG else 0
        if operation in shifts:
            found.add(code.co_names[argument >> shifts[operation]])
    return found


def attributes_of_parameters(function: FunctionType) -> Iterator[tuple[str, str]]:
    """Such as ("state", "turn") for `state.turn`, to read or to write."""
    loaded = ""
    for step in dis.get_instructions(function):
        if step.opname in _ATTRIBUTES and loaded:
            yield loaded, step.argval
        if "LOAD_FAST" in step.opname:  # some load two at once, the last one on top
            loaded = step.argval[-1] if isinstance(step.argval, tuple) else step.argval
        elif step.opname not in ("COPY", "CACHE", "EXTENDED_ARG"):  # a copy of it is looked into by `state.turn += 1`
            loaded = ""


def check_people(game: str, functions: Mapping[str, object], wanted: Mapping[str, type]) -> None:
    """What is for people is no rule, and takes what the contract says: a function that happens to have such a name was
    meant otherwise."""
    for name, function in functions.items():
        if is_rule(function):
            raise BrokenGame(
                f"{name!r} of {game} is a rule, but the contract has a {name!r} that is none. Give your rule another "
                "name, or take @rule away."
            )
        if name in wanted and isinstance(function, FunctionType) and not function.__code__.co_flags & CO_VARARGS:
            taken, given = function.__code__.co_varnames[: function.__code__.co_argcount], parameters(wanted[name])
            if not len(given) <= len(taken) <= len(given) + len(function.__defaults__ or ()):
                raise BrokenGame(
                    f"{name!r} of {game} takes ({', '.join(taken)}), that of the contract ({', '.join(given)}). Write "
                    f"def {name}({', '.join(given)}), or give yours another name."
                )


def called_rules(function: FunctionType, game: str) -> Iterator[FunctionType]:
    for name in sorted(_named_in(function.__code__, _GLOBALS)):  # not those of attributes, as a field of the state is
        value: object = function.__globals__.get(name)
        if is_rule(value):
            yield value
        elif isinstance(value, NOT_FOR_RULES):
            remedy = (
                "Write @rule above its `def`."
                if isinstance(value, FunctionType)
                else f"Write {name} = table(...), of integers."
            )
            raise BrokenGame(
                f"The rule {function.__name__!r} of {game} uses {name!r}, which is a plain "
                f"{type(value).__name__}. {remedy}"
            )
        elif isinstance(value, ModuleType) and (value.__name__ in CHANCE_MODULES or _is_random_of(value, function)):
            raise BrokenGame(
                f"The rule {function.__name__!r} of {game} uses {name!r}, which is Python's. Chance comes from `rng`, "
                "as in below(rng, 6), or from roll(state, 6): see samovar/engine/chance.py."
            )
        elif name not in function.__globals__ and name not in BUILT_IN:
            remedy = (
                f"Of Python's own, rules use {', '.join(BUILT_IN)} alone: write a loop."
                if hasattr(builtins, name)
                else f"There is nothing of that name: define it above GAME.{did_you_mean(name, _usable(function))}"
            )
            raise BrokenGame(f"The rule {function.__name__!r} of {game} uses {name!r}. {remedy}")


def _is_random_of(module: ModuleType, function: FunctionType) -> bool:
    return module.__name__ == np.__name__ and "random" in attributes_in(function)


def _usable(function: FunctionType) -> list[str]:
    """What rules in the same file can use."""
    return [key for key, value in function.__globals__.items() if is_rule(value) or isinstance(value, int | memoryview)]
