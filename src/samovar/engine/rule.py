"""One function, four ways: `@rule` marks a rule, and this module makes the compiled copies of it.

A rule stays an ordinary Python function: calling it runs plain Python, and debuggers and coverage
see it. `Compiler` copies a rule together with every rule it calls, gives the copies globals of
their own in which rules are compiled functions and tables are arrays, and hands them to Numba.
Nothing here imports Numba before something is to be compiled (0.3 s).

What a rule may use, so that the four ways give the same bytes: integers only, and never beyond 63
bits and a sign (overflow is undefined when compiled, it does not wrap); no allocation, exceptions,
recursion, strings or keyword calls; other rules, `table`s and integer constants by their bare name;
a state's arrays always with all their indices (`state.hand[seat, i]`, never `state.hand[seat]`).
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeGuard, TypeVar, get_args, get_type_hints

import numpy as np
import numpy.typing as npt

from samovar.engine.arrays import as_memory

Rule: TypeAlias = Callable[..., object]
Compiled: TypeAlias = Any  # what Numba makes of a rule; Numba has no types to name it by
Bound: TypeAlias = Mapping[Rule, Rule]  # which rule stands for another one in generic code
F = TypeVar("F", bound=Callable[..., object])
T = TypeVar("T")

PLAIN_VARIABLE = "SAMOVAR_PLAIN"


def is_plain() -> bool:
    """Compiling is switched off (`SAMOVAR_PLAIN=1`): matches and batches then run the rules as
    plain Python."""
    return os.environ.get(PLAIN_VARIABLE, "") not in ("", "0")


def rule(function: F) -> F:
    """Marks a function as part of the rules; the function itself is not changed."""
    function.__samovar_rule__ = True  # type: ignore[attr-defined]
    return function


def is_rule(thing: object) -> TypeGuard[types.FunctionType]:
    return getattr(thing, "__samovar_rule__", False) is True


class Signature(Protocol):
    """The base of the protocols that say what the rules of a game take and do: each has the text of
    one rule, and its parameters as those of `__call__`."""


class PlainSignature(Protocol):
    """The same for functions that are for people: plain Python, never compiled."""


def signatures(kind: type, base: type = Signature) -> dict[str, type]:
    """The rules among the fields of a dataclass, by name: those whose type is a `Signature`, or one
    or None. Or those of another base."""
    hints = get_type_hints(kind)
    return {
        entry.name: protocol
        for entry in fields(kind)
        for protocol in get_args(hints[entry.name]) or (hints[entry.name],)
        if base in getattr(protocol, "__mro__", ())
    }


def parameters(protocol: type) -> tuple[str, ...]:
    """What a rule of this `Signature` takes."""
    return tuple(signature(protocol.__call__).parameters)[1:]


def stand_in(protocol: type) -> Any:
    """A rule by which generic code calls that of the game: `scores: Scores = stand_in(Scores)`. A
    `Compiler` puts the game's own in its place; by itself it does nothing."""

    def unbound(*_: object) -> int:
        raise NotImplementedError(f"{protocol.__name__} stands for a rule of a game; a backend binds it.")

    return rule(unbound)


def table(values: npt.ArrayLike) -> memoryview:
    """A constant table for rules: `T[i]` or `T[i, j]` gives a Python int in plain mode, and a
    constant array's element when compiled."""
    array = np.ascontiguousarray(values, dtype=np.int64)
    for kind in (np.int8, np.int16, np.int32):
        if array.size and np.iinfo(kind).min <= array.min() and array.max() <= np.iinfo(kind).max:
            array = array.astype(kind)
            break
    array.setflags(write=False)
    return as_memory(array)


def always(number: int) -> Any:
    """A rule that says one number, for generic code that asks a game for a size."""
    names = {"__name__": __name__, "NUMBER": number}
    return rule(types.FunctionType((lambda: NUMBER).__code__, names, "always"))  # type: ignore[name-defined] # noqa: F821


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


class Compiler:
    """Copies of rules, all made by one `jit`, each rule once."""

    def __init__(
        self, jit: Callable[[Rule], Compiled], bound: Bound, prefix: str = "", *, tables_as_arrays: bool = True
    ) -> None:
        self._jit = jit
        self._bound = bound
        self._prefix = prefix  # of the copies' names; see `Backend`
        self._tables_as_arrays = tables_as_arrays
        self._done: dict[Rule, Compiled] = {}

    def copy(
        self, function: Callable[..., object], prefix: str = "", named: Mapping[str, object] | None = None
    ) -> Rule:
        """The function with globals of its own: only what its code names (or `named` says), with
        rules made by `jit` and tables as arrays."""
        assert isinstance(function, types.FunctionType)
        names = {**function.__globals__, **(named or {})}
        used: dict[str, object] = {"__name__": function.__module__, "__builtins__": __builtins__}
        used |= {name: self._translate(names[name]) for name in _names(function.__code__) if name in names}
        copied = types.FunctionType(function.__code__, used, function.__name__, function.__defaults__)
        copied.__module__ = function.__module__
        copied.__annotations__ = function.__annotations__
        copied.__qualname__ = prefix + function.__qualname__
        return copied

    def compile(self, function: Rule) -> Compiled:
        if function not in self._done:
            self._done[function] = self._jit(self.copy(function, self._prefix))
        return self._done[function]

    def _translate(self, value: object) -> object:
        if is_rule(value):
            return self.compile(self._bound.get(value, value))
        if isinstance(value, memoryview) and self._tables_as_arrays:
            return np.asarray(value)
        return value


def fingerprint(function: Rule, bound: Bound, named: Mapping[str, object] | None = None) -> str:
    """A hash of all that a compiled copy is made of: its code, the rules it calls, its tables and
    constants.

    Numba's own cache looks only at the file of the outermost function, so it would miss a change in
    a rule of another file.
    """
    seen: set[Rule] = set()
    digest = hashlib.blake2b(digest_size=16)

    def add_code(code: types.CodeType) -> None:
        digest.update(code.co_code)
        digest.update(repr((code.co_names, code.co_varnames)).encode())
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                add_code(constant)
            else:
                digest.update(repr(constant).encode())

    def add_function(function: Rule, named: Mapping[str, object]) -> None:
        assert isinstance(function, types.FunctionType)
        names = {**function.__globals__, **named}
        digest.update(function.__module__.encode())  # code from the cache imports the modules it was made of
        add_code(function.__code__)
        for name in _names(function.__code__):
            if name in names:
                add(names[name])

    def add(value: object) -> None:
        if is_rule(value):
            meant = bound.get(value, value)
            if meant not in seen:
                seen.add(meant)
                add_function(meant, {})
        elif isinstance(value, memoryview):
            digest.update(repr((value.shape, value.format)).encode())
            digest.update(value.tobytes())
        else:
            digest.update(repr(value).encode())

    add_function(bound.get(function, function), named or {})
    return digest.hexdigest()


TRIED_NUMBA = "0.68."  # the versions whose inside is known; pyproject.toml names none above them


def is_tried_numba() -> bool:
    import numba

    return str(numba.__version__).startswith(TRIED_NUMBA)


def flags() -> dict[str, object]:
    """How Numba compiles. Rules allocate nothing, so references to arrays need not be counted:
    that alone made a step of a batch seven times as fast. But this option has no documentation, so
    versions of Numba that were not tried go without it."""
    known = {"error_model": "numpy", "nogil": True}
    return {**known, "no_cfunc_wrapper": True, "_nrt": False} if is_tried_numba() else known


def jit_cpu(function: Rule, is_inlined: bool = False) -> Compiled:
    """An inner rule on the CPU; an inlined one becomes a part of whatever calls it. Overflow and
    division by zero are undefined, as on the GPU; rules avoid both.

    Without wrappers, because Python never calls it; and with all integers as 64 bits, because it
    would be compiled again for every width and every constant it is called with. Together this
    halves the time to compile a game, and `numba_inner.py` takes off two fifths of the rest. All of
    it leans on Numba's inside: with versions that were not tried it is left out.
    """
    import numba

    if not is_tried_numba():
        return numba.njit(**flags())(function)

    from samovar.engine.ways.numba_inner import InnerCompiler

    # Said of every rule, because Numba would else take it over from the caller.
    return widened(
        numba.njit(**flags(), no_cpython_wrapper=True, pipeline_class=InnerCompiler, forceinline=is_inlined)(function)
    )


def widened(compiled: Compiled) -> Compiled:
    """Takes all integers as 64 bits when compiled code calls it."""
    resolve = compiled.get_call_template
    compiled.get_call_template = lambda args, keywords: resolve(tuple(map(_widen, args)), keywords)
    return compiled


def _widen(kind: object) -> object:
    from numba import types as kinds

    return kinds.int64 if isinstance(kind, kinds.Integer) else kind


on_compiling: list[Callable[[str], None]] = []  # told the name of what has to be compiled first


def tell_compiling(name: str) -> None:
    for tell in on_compiling:
        tell(name)


def jit_entry(function: Rule, key: str, name: str = "") -> Compiled:
    """An outer function on the CPU, kept on disk under `key` so that later processes start at
    once."""
    import numba
    from numba.core.caching import FunctionCache

    options = flags()
    compiled = numba.njit(**options)(function)
    # Without that method the cache would not notice a change in another file: better none.
    # Where no directory can be written, there is none either: then every process compiles.
    if hasattr(FunctionCache, "_index_key"):
        with suppress(ImportError, RuntimeError):
            from samovar.engine.ways.kept import KeyedCache

            compiled._cache = in_some_folder(
                lambda: KeyedCache(function, f"{key} {options!r}", lambda: tell_compiling(name))
            )
    return compiled


def in_some_folder(make: Callable[[], T]) -> T:
    """What Numba keeps beside the source or in the home folder. Where neither can be written, a folder for temporary
    files has to do: containers often have users without a home."""
    import numba

    try:
        if not numba.config.CACHE_DIR:
            Path.home()  # Numba would make one of its own, called "~"
        return make()
    except RuntimeError:
        numba.config.CACHE_DIR = str(own_temporary_folder())
        return make()


def own_temporary_folder() -> Path:
    """One of this user's alone: what lies in it is run, so nobody else may put anything there."""
    user = os.getuid() if hasattr(os, "getuid") else "user"  # on Windows everybody has a place for temporary files
    folder = Path(tempfile.gettempdir()) / f"samovar-compiled-{user}"
    try:
        folder.mkdir(0o700, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise RuntimeError(f"{folder} cannot be used.") from error
    if not stat.S_ISDIR(found.st_mode) or (
        hasattr(os, "getuid") and (found.st_uid, found.st_mode & 0o077) != (user, 0)
    ):
        raise RuntimeError(f"{folder} belongs to somebody else.")
    return folder
