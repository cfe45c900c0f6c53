"""Everything that functions, classes and values use, written once each."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from samovar.language.grammar import Sentence, Word
from samovar.wasm.script.functions import Def, FunctionWriter, KnownName, Names, number_of, property_of, text_of
from samovar.wasm.script.natives import native_of
from samovar.wasm.script.patterns import pattern_of
from samovar.wasm.script.refused import NoScript

KEPT: Any = type(cache(len))  # what `cache` and `lru_cache` make of a function
HEAD = 'import * as $ from "./{runtime}";\n'


class ScriptModule:
    """A module of JavaScript. `stands_for`: what takes the place of things that are of no use there, in JavaScript."""

    def __init__(self, stands_for: Iterable[tuple[object, str]] = ()) -> None:
        self._stands_for = [*stands_for]
        self._names: dict[int, str] = {}
        self._kept: list[object] = []  # so that no id is given twice
        self._values: list[str] = []  # each after what it is made of
        self._functions: list[str] = []
        self._waiting: list[Callable[[], None]] = []
        self._exports: dict[str, str] = {}
        self._where = ("a value", 0)  # the use that is followed, for what is refused

    def export(self, name: str, thing: object) -> None:
        self._exports[name] = self.reach(thing)
        self._finish()

    def export_function(self, name: str, node: ast.FunctionDef, file: str, names: Mapping[str, str]) -> None:
        """A function that was written by a program: `names` has all that it may use."""

        def known(asked: str) -> KnownName | None:
            text = names.get(asked)
            if text is not None:
                return KnownName(text)
            native = native_of(getattr(__import__("builtins"), asked, None))
            return KnownName(f"$.{native}") if native else None

        writer = FunctionWriter(Names(file, 0, known, lambda *_: None), node)
        inner = writer.inner(lambda default, _: names[default])
        self._functions.append(f"function{'*' if writer.yields else ''} {name}{inner}")
        self._exports[name] = name

    def text(self, runtime: str = "runtime.mjs") -> str:
        exported = [
            f"export {{ {name} }};" if own == name else f"export const {name} = {own};"
            for name, own in self._exports.items()
        ]
        lines = [HEAD.format(runtime=runtime), *self._functions, *self._values, *exported]
        return "\n".join(lines) + "\n"

    def _finish(self) -> None:
        while self._waiting:
            self._waiting.pop()()

    # Things

    def reach(self, thing: object) -> str:
        """A thing as an expression; what has a name of its own is written besides."""
        for known, text in self._stands_for:
            if thing is known:
                return text
        if isinstance(thing, type) and issubclass(thing, BaseException):
            return "$.ValueError"
        if (native := native_of(thing)) is not None:
            return f"$.{native}"
        if thing is None or isinstance(thing, bool):
            return {None: "null", True: "true", False: "false"}[thing]
        if isinstance(thing, int | float) and type(thing) in (int, float):
            return number_of(thing)
        if type(thing) is str:
            return text_of(thing)
        if isinstance(thing, np.integer):
            return number_of(int(thing))
        if id(thing) not in self._names:
            self._write(thing)
        return self._names[id(thing)]

    def _name(self, thing: object, name: str) -> str:
        self._kept.append(thing)
        plain = re.sub(r"\W", "_", name)
        made = f"{plain}${len(self._names)}"
        self._names[id(thing)] = made
        return made

    def _write(self, thing: object) -> None:
        if isinstance(thing, types.FunctionType):
            self._function(thing, self._name(thing, thing.__name__))
        elif isinstance(thing, KEPT):
            name = self._name(thing, "kept_" + thing.__wrapped__.__name__)
            inner = self.reach(thing.__wrapped__)
            self._functions.append(f"function {name}(...args) {{ return $.cached({name}, {inner}, args); }}")
        elif isinstance(thing, type):
            self._class(thing)
        elif isinstance(thing, staticmethod):
            self._names[id(thing)] = self.reach(thing.__func__)
            self._kept.append(thing)
        else:
            text = self._value(thing)
            name = self._name(thing, type(thing).__name__)
            self._values.append(f"const {name} = {text};")

    def _value(self, thing: Any) -> str:  # a line for each kind of thing
        reach = self.reach
        match thing:
            case Markup():
                return f"$.markup({text_of(str(thing))})"
            case Word():
                return f"$.word({text_of(str(thing))}, {self._pairs(thing.forms)})"
            case Sentence():
                blanks = ", ".join(f"[{', '.join(map(reach, blank))}]" for blank in thing.blanks)
                return f"$.sentence({text_of(str(thing))}, {text_of(thing.template)}, [{blanks}])"
            case partial():
                named = ", ".join(f"[{text_of(name)}]: {reach(value)}" for name, value in thing.keywords.items())
                return f"$.part({reach(thing.func)}, [{', '.join(map(reach, thing.args))}], {{{named}}})"
            case re.Pattern():
                return f"$.pattern({', '.join(map(text_of, pattern_of(thing)))})"
            case range():
                return f"$.range({thing.start}, {thing.stop}, {thing.step})"
            case memoryview() | np.ndarray():
                array = np.asarray(thing)
                numbers = ", ".join(map(number_of, array.ravel().tolist()))
                return f"$.grid([{numbers}], {list(array.shape)})"
            case Mapping():
                return f"$.dict({self._pairs(thing)})"
            case set() | frozenset():
                return f"$.set([{', '.join(map(reach, sorted(thing, key=repr)))}])"
            case tuple():
                parts = ", ".join(map(reach, thing))
                return f"$.tuple({parts})" if type(thing) is tuple else f"{reach(type(thing))}({parts})"
            case list():
                return f"[{', '.join(map(reach, thing))}]"
        if dataclasses.is_dataclass(thing):
            parts = ", ".join(reach(getattr(thing, field.name)) for field in dataclasses.fields(thing))
            return f"{reach(type(thing))}({parts})"
        raise NoScript(*self._where, f"a value of the type `{type(thing).__name__}`")

    def _pairs(self, thing: Mapping[Any, Any]) -> str:
        return "[" + ", ".join(f"[{self.reach(key)}, {self.reach(value)}]" for key, value in thing.items()) + "]"

    # Functions

    def _function(self, function: types.FunctionType, name: str) -> None:
        def write() -> None:
            node, names = self._source(function)
            writer = FunctionWriter(names, node)
            defaults = _defaults(function)
            inner = writer.inner(lambda parameter, _: self.reach(defaults[parameter]))
            star = "*" if writer.yields else ""
            if writer.is_simple:
                self._functions.append(f"function{star} {name}{inner}")
                self._values.append(f"$.named({name}, {writer.signature()});")
            else:
                self._functions.append(f"function{star} {name}inner{inner}")
                self._functions.append(
                    f"function {name}(...args) {{ return $.bound(this, {name}inner, {writer.signature()}, args); }}"
                )
                self._values.append(f"{name}.takes_names = true;")

        self._waiting.append(write)

    def _source(self, function: types.FunctionType, base: str = "") -> tuple[Def, Names]:
        code = function.__code__
        node = _nodes(code.co_filename).get((code.co_firstlineno, code.co_name))
        if node is None:
            raise NoScript(code.co_filename, code.co_firstlineno, f"`{code.co_name}`, which has no source of its own,")
        file = _shown(code.co_filename)
        cells = {
            name: cell.cell_contents
            for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
            if name != "__class__"
        }
        scope = {**vars(__import__("builtins")), **function.__globals__, **cells}

        def known(asked: str) -> KnownName | None:
            if asked not in scope:
                return None
            return self._known(scope[asked], asked)

        def member(value: object, asked: str) -> KnownName | None:
            if not isinstance(value, type | types.ModuleType) or not hasattr(value, asked):
                return None
            return self._known(getattr(value, asked), asked)

        self._where = file, code.co_firstlineno
        return node, Names(file, 0, known, member, base)

    def _known(self, value: object, name: str) -> KnownName | None:
        if isinstance(value, types.ModuleType):
            return KnownName("", value)
        try:
            text = self.reach(value)
        except NoScript:
            if isinstance(value, types.BuiltinFunctionType | type):
                return None
            raise
        return KnownName(text, value if isinstance(value, type) else None, _parameters(value))

    # Classes

    def _class(self, kind: type) -> None:
        if kind.__module__ == "builtins":
            raise NoScript(*self._where, f"the type `{kind.__name__}`")
        is_tuple = issubclass(kind, tuple)
        bases = [base for base in kind.__bases__ if base not in (object, tuple) and not _is_typing(base)]
        base = self.reach(bases[0]) if bases else "null"
        name = self._name(kind, kind.__name__)
        self._values.append(
            f"const {name} = $.{'tuple_class' if is_tuple else 'class_of'}({text_of(kind.__name__)}, {base});"
        )
        if is_tuple:
            given: Mapping[str, object] = kind._field_defaults  # type: ignore[attr-defined]
            names: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
            self._fields(name, [(field, given[field]) if field in given else (field,) for field in names])
        elif dataclasses.is_dataclass(kind):
            self._fields(name, [_default(field) for field in dataclasses.fields(kind) if field.init])
        for member, value in vars(kind).items():
            self._member(kind, name, member, value, base)

    def _fields(self, name: str, fields: Iterable[tuple[Any, ...]]) -> None:
        written = []
        for field, *default in fields:
            made = f", () => {self._usual(default[0])}" if default else ""
            written.append(f"[{text_of(property_of(field))}{made}]")
        self._values.append(f"$.fields({name}, [{', '.join(written)}]);")

    def _usual(self, default: object) -> str:
        return f"{self.reach(default.factory)}()" if isinstance(default, _Made) else self.reach(default)

    def _member(self, kind: type, name: str, member: str, value: object, base: str) -> None:
        if isinstance(value, property) and value.fget:
            self._method(name, member, value.fget, "getter", base)
        elif isinstance(value, cached_property):
            self._method(name, member, value.func, "kept_getter", base)
        elif isinstance(value, types.FunctionType):
            if value.__code__.co_filename != sys.modules[kind.__module__].__file__:
                return  # what a dataclass gets by itself
            self._method(name, member, value, "own_method", base)
        elif isinstance(value, staticmethod) and not member.startswith("__"):
            self._waiting.append(
                lambda: self._values.append(
                    f"$.constant({name}, {text_of(property_of(member))}, {self.reach(value.__func__)});"
                )
            )
        elif (
            not member.startswith("_")
            and not _is_slot(value)
            and not (dataclasses.is_dataclass(kind) and member in {field.name for field in dataclasses.fields(kind)})
        ):
            self._waiting.append(
                lambda: self._values.append(f"$.constant({name}, {text_of(property_of(member))}, {self.reach(value)});")
            )

    def _method(self, name: str, member: str, function: Any, kind: str, base: str) -> None:
        def write() -> None:
            node, names = self._source(function, base)
            writer = FunctionWriter(names, node)
            defaults = _defaults(function)
            inner = writer.inner(lambda parameter, _: self.reach(defaults[parameter]), is_method=True)
            star = "*" if writer.yields else ""
            signature = f"{writer.signature(is_method=True)}, {str(writer.is_simple).lower()}"
            shown = text_of(property_of(member))
            self._values.append(f"$.{kind}({name}, {shown}, function{star} {inner}, {signature});")

        self._waiting.append(write)


class _Made(NamedTuple):
    """A default that is made anew for each."""

    factory: Any


def _default(field: dataclasses.Field[Any]) -> tuple[Any, ...]:
    if field.default is not dataclasses.MISSING:
        return field.name, field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.name, _Made(field.default_factory)
    return (field.name,)


def _is_typing(base: type) -> bool:
    return base.__module__ in ("typing", "typing_extensions") or bool(getattr(base, "_is_protocol", False))


def _is_slot(value: object) -> bool:
    return isinstance(value, types.MemberDescriptorType | types.GetSetDescriptorType | classmethod) or type(
        value
    ).__name__ in ("_tuplegetter", "_abc_data", "member_descriptor")


def _parameters(value: object) -> tuple[str, ...] | None:
    """By which names a function or class takes its arguments, if by no others."""
    if isinstance(value, KEPT):
        value = value.__wrapped__
    if isinstance(value, type):
        if issubclass(value, tuple) and hasattr(value, "_fields"):
            return tuple(value._fields)
        if dataclasses.is_dataclass(value):
            return tuple(field.name for field in dataclasses.fields(value) if field.init)
        return None
    if not isinstance(value, types.FunctionType):
        return None
    kinds = inspect.signature(value).parameters.values()
    simple = all(one.kind in (one.POSITIONAL_OR_KEYWORD, one.POSITIONAL_ONLY) for one in kinds)
    return tuple(one.name for one in kinds) if simple else None


def _defaults(function: types.FunctionType) -> dict[str, object]:
    return {
        name: one.default
        for name, one in inspect.signature(function).parameters.items()
        if one.default is not inspect.Parameter.empty
    }


@cache
def _nodes(file: str) -> dict[tuple[int, str], Def]:
    """The functions of a file, by their first line and name."""
    try:
        tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    except OSError:
        return {}
    found: dict[tuple[int, str], Def] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            found[first, node.name] = node
        elif isinstance(node, ast.Lambda):
            found.setdefault((node.lineno, "<lambda>"), node)
    return found


def _shown(file: str) -> str:
    """Its place, from the folder of its package on."""
    parts = Path(file).parts
    return "/".join(parts[parts.index("samovar") :] if "samovar" in parts else parts[-2:])
