"""The source of one function as JavaScript.

Names of Python stay what they are; what every operation of Python asks first (`+` of what?) is in `runtime.mjs`, which
the script knows as `$`.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from samovar.wasm.script.patterns import pattern_of
from samovar.wasm.script.refused import NoScript

Def: TypeAlias = ast.FunctionDef | ast.Lambda
Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
MOST_SAFE = 2**53 - 1  # beyond that a number of JavaScript is a BigInt

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.LShift: "shl", ast.RShift: "shr", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
}  # fmt: skip
COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "$.eq({0}, {1})", ast.NotEq: "!$.eq({0}, {1})", ast.Lt: "$.lt({0}, {1})", ast.Gt: "$.lt({1}, {0})",
    ast.LtE: "$.le({0}, {1})", ast.GtE: "$.le({1}, {0})", ast.In: "$.has({1}, {0})", ast.NotIn: "!$.has({1}, {0})",
    ast.Is: "({0} === {1})", ast.IsNot: "({0} !== {1})",
}  # fmt: skip
CONVERSIONS = {-1: "{}", ord("s"): "$.str({})", ord("r"): "$.repr({})"}
RESERVED_WORDS = (
    "arguments await break case catch class const continue debugger default delete do else enum eval export "
    "extends false finally for function if implements import in instanceof interface let new null package "
    "private protected yield public return static super switch this throw true try typeof undefined var void "
    "while with"
)
RESERVED = frozenset(RESERVED_WORDS.split())
# properties that arrays and objects of JavaScript have already
TAKEN_WORDS = (
    "at concat constructor copyWithin entries every fill filter find findIndex findLast flat flatMap forEach "
    "includes indexOf join keys length map pop prototype push reduce reverse shift slice some sort splice "
    "toString unshift values valueOf with"
)
TAKEN = frozenset(TAKEN_WORDS.split())


class KnownName(NamedTuple):
    """A name that is no local one."""

    text: str  # in JavaScript
    value: object = None  # in this process
    parameters: tuple[str, ...] | None = None  # of a function or class that takes no more than these, by their names


class Names(NamedTuple):
    """Where the names of a function come from."""

    file: str
    line: int  # of the source's first line, less one
    known: Callable[[str], KnownName | None]  # those that are no local ones
    member: Callable[[object, str], KnownName | None]  # what a module or a class has by a name
    base: str = ""  # the class that `super()` is


def text_of(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def number_of(value: int | float) -> str:
    if isinstance(value, float):
        return f"$.float_of({value!r})" if value.is_integer() else repr(value)
    return f"{value}n" if abs(value) > MOST_SAFE else str(value)


def property_of(name: str) -> str:
    return f"{name}_" if name in TAKEN else name


def local(name: str) -> str:
    return f"{name}_" if name in RESERVED or name == "$" else name


class FunctionWriter:
    """Writes a function; one inside another has a writer of its own."""

    def __init__(self, names: Names, node: Def, outer: frozenset[str] = frozenset()) -> None:
        self._names = names
        self._node = node
        arguments = node.args
        self.parameters = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        self.keywords = [one.arg for one in arguments.kwonlyargs]
        self.star = arguments.vararg.arg if arguments.vararg else None
        self.facts = arguments.kwarg.arg if arguments.kwarg else None
        taken = [*self.parameters, *self.keywords, *filter(None, (self.star, self.facts))]
        body = node.body if isinstance(node, ast.FunctionDef) else [ast.Expr(node.body)]
        self._own = {name for statement in body for name in _bound(statement)} - set(taken)
        others = {name for found in _inside(body) if isinstance(found, ast.Nonlocal) for name in found.names}
        self._own -= others
        self._locals = outer | self._own | set(taken)
        self._temporary = 0
        self._comprehended: list[frozenset[str]] = []
        self.yields = any(isinstance(found, ast.Yield | ast.YieldFrom) for found in _inside(body))

    @property
    def is_simple(self) -> bool:
        """Whether arguments by their places are all it takes."""
        return not (self.keywords or self.star or self.facts)

    def defaults(self) -> dict[str, ast.expr]:
        arguments = self._node.args
        by_place = dict(zip(reversed(self.parameters), reversed(arguments.defaults), strict=False))
        named = zip(self.keywords, arguments.kw_defaults, strict=True)
        return by_place | {name: default for name, default in named if default is not None}

    # Functions

    def inner(self, defaults: Callable[[str, ast.expr], str], *, is_method: bool = False) -> str:
        """Parameters and body: what stands behind `function name`."""
        given = self.defaults()
        parameters = self.parameters[1:] if is_method else self.parameters
        ordered = [*parameters, *self.keywords, *filter(None, (self.star, self.facts))]
        written = [
            f"{local(name)} = {defaults(name, given[name])}" if name in given else local(name) for name in ordered
        ]
        body = self.block(self._node.body) if isinstance(self._node, ast.FunctionDef) else self._lambda()
        begin = f"const {local(self.parameters[0])} = this; " if is_method else ""
        own = [local(name) for name in sorted(self._own)] + [f"_{number}" for number in range(self._temporary)]
        declared = f"let {', '.join(own)}; " if own else ""
        return f"({', '.join(written)}) {{ {begin}{declared}{body} }}"

    def _lambda(self) -> str:
        assert isinstance(self._node, ast.Lambda)
        return f"return {self.expr(self._node.body)};"

    def _nested(self, node: Def, name: str = "") -> str:
        """A function in this one, as an expression."""
        writer = FunctionWriter(self._names, node, self._seen())
        star = "*" if writer.yields else ""
        inner = writer.inner(lambda _, default: self.expr(default))
        if writer.is_simple:
            return f"function{star} {name}{inner}".replace("function ()", "function()")
        return f"$.bound_by({writer.signature()}, function{star} {inner})"

    def signature(self, *, is_method: bool = False) -> str:
        """What `$.bound` needs to put arguments in their places."""
        names = self.parameters[1:] if is_method else self.parameters
        return json.dumps([" ".join(names), " ".join(self.keywords), bool(self.star), bool(self.facts)])

    def _seen(self) -> frozenset[str]:
        return self._locals.union(*self._comprehended)

    def _temp(self) -> str:
        self._temporary += 1
        return f"_{self._temporary - 1}"

    def refuse(self, node: ast.AST, what: str) -> NoScript:
        return NoScript(self._names.file, self._names.line + getattr(node, "lineno", 1), what)

    # Statements

    def block(self, statements: Iterable[ast.stmt]) -> str:
        return " ".join(filter(None, map(self._statement, statements)))

    def _statement(self, node: ast.stmt) -> str:
        match node:
            case ast.Return():
                return f"return {self.expr(node.value) if node.value else 'null'};"
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Assert() | ast.Nonlocal():
                return ""
            case ast.Expr():
                return f"{self.expr(node.value)};"
            case ast.Assign():
                return self._assigned(node)
            case ast.AnnAssign():
                return f"{self._put(node.target, self.expr(node.value))};" if node.value else ""
            case ast.AugAssign():
                return self._augmented(node)
            case ast.If():
                more = f" else {{ {self.block(node.orelse)} }}" if node.orelse else ""
                return f"if ({self.test(node.test)}) {{ {self.block(node.body)} }}{more}"
            case ast.For(orelse=[]):
                begin, target = self._each(node.target)
                return f"for (const {target} of $.iter({self.expr(node.iter)})) {{ {begin}{self.block(node.body)} }}"
            case ast.While(orelse=[]):
                return f"while ({self.test(node.test)}) {{ {self.block(node.body)} }}"
            case ast.Break():
                return "break;"
            case ast.Continue():
                return "continue;"
            case ast.FunctionDef(decorator_list=[]):
                return f"{local(node.name)} = {self._nested(node)};"
            case ast.Try(handlers=[handler], orelse=[], finalbody=[]):
                name = local(handler.name) if handler.name else self._temp()
                caught = f"{name} = error$; {self.block(handler.body)}"
                return f"try {{ {self.block(node.body)} }} catch (error$) {{ {caught} }}"
            case ast.Raise(exc=ast.expr() as error):
                return f"throw $.raised({self.expr(error)});"
        raise self.refuse(node, f"`{type(node).__name__.lower()}` here")

    def _each(self, target: ast.expr) -> tuple[str, str]:
        """What a loop begins with, and the name of what comes."""
        name = self._temp() + "i"
        return self._put(target, name) + "; ", name

    def _assigned(self, node: ast.Assign) -> str:
        if len(node.targets) == 1:
            return self._put(node.targets[0], self.expr(node.value)) + ";"
        value = self._temp()
        return f"{value} = {self.expr(node.value)}; " + " ".join(f"{self._put(one, value)};" for one in node.targets)

    def _put(self, target: ast.expr, value: str) -> str:
        match target:
            case ast.Name():
                return f"{self._local(target)} = {value}"
            case ast.Attribute():
                return f"{self.expr(target.value)}.{property_of(target.attr)} = {value}"
            case ast.Subscript():
                return f"$.put({self.expr(target.value)}, {self._index(target.slice)}, {value})"
            case ast.Tuple() | ast.List():
                return self._unpacked(target, value)
        raise self.refuse(target, "this assignment")

    def _unpacked(self, target: ast.Tuple | ast.List, value: str) -> str:
        parts = self._temp()
        starred = [place for place, one in enumerate(target.elts) if isinstance(one, ast.Starred)]
        at = starred[0] if starred else -1
        taken = [f"{parts} = $.unpack({value}, {len(target.elts)}, {at})"]
        for place, one in enumerate(target.elts):
            part = one.value if isinstance(one, ast.Starred) else one
            taken.append(self._put(part, f"{parts}[{place}]"))
        return f"({', '.join(taken)})" if all(isinstance(one, ast.Name) for one in target.elts) else "; ".join(taken)

    def _augmented(self, node: ast.AugAssign) -> str:
        operation = BINARY[type(node.op)]
        value = self.expr(node.value)
        if isinstance(node.target, ast.Name):
            name = self._local(node.target)
            return f"{name} = $.i{operation}({name}, {value});"
        if isinstance(node.target, ast.Subscript):
            thing, index = self._temp(), self._temp()
            begin = f"{thing} = {self.expr(node.target.value)}; {index} = {self._index(node.target.slice)}; "
            return f"{begin}$.put({thing}, {index}, $.i{operation}($.at({thing}, {index}), {value}));"
        if isinstance(node.target, ast.Attribute):
            thing = self._temp()
            name = property_of(node.target.attr)
            return (
                f"{thing} = {self.expr(node.target.value)}; {thing}.{name} = $.i{operation}({thing}.{name}, {value});"
            )
        raise self.refuse(node, "this assignment")

    def _local(self, node: ast.Name) -> str:
        if node.id not in self._seen():
            raise self.refuse(node, f"the assignment to `{node.id}`, which is no local name,")
        return local(node.id)

    # Expressions

    def test(self, node: ast.expr) -> str:
        """What is asked whether it is so."""
        match node:
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return self.expr(node)
            case ast.BoolOp():
                joiner = " && " if isinstance(node.op, ast.And) else " || "
                return f"({joiner.join(map(self.test, node.values))})"
        return f"$.truth({self.expr(node)})"

    def expr(self, node: ast.expr) -> str:
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name():
                return self._name(node)
            case ast.Attribute():
                known = self._member(node)
                return known.text if known else f"$.attr({self.expr(node.value)}, {text_of(property_of(node.attr))})"
            case ast.Subscript():
                return self._subscript(node)
            case ast.Call():
                return self._call(node)
            case ast.BinOp():
                return f"$.{BINARY[type(node.op)]}({self.expr(node.left)}, {self.expr(node.right)})"
            case ast.BoolOp():
                return self._either(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.Compare():
                return self._compared(node)
            case ast.IfExp():
                return f"({self.test(node.test)} ? {self.expr(node.body)} : {self.expr(node.orelse)})"
            case ast.Tuple():
                return f"$.tuple({self._items(node.elts)})"
            case ast.List():
                return f"[{self._items(node.elts)}]"
            case ast.Set():
                return f"$.set([{self._items(node.elts)}])"
            case ast.Dict():
                return self._dict(node)
            case ast.JoinedStr():
                return self._joined(node)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return self._comprehension(node)
            case ast.NamedExpr():
                return f"({self._put(node.target, self.expr(node.value))})"
            case ast.Lambda():
                return f"({self._nested(node)})"
            case ast.Yield():
                return f"(yield {self.expr(node.value) if node.value else 'null'})"
            case ast.YieldFrom():
                return f"(yield* $.iter({self.expr(node.value)}))"
        raise self.refuse(node, f"`{type(node).__name__.lower()}` here")

    def _constant(self, node: ast.Constant) -> str:
        value = node.value
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        if isinstance(value, str):
            return text_of(value)
        if isinstance(value, int | float):
            return number_of(value)
        raise self.refuse(node, f"{value!r}")

    def _name(self, node: ast.Name) -> str:
        if node.id in self._seen():
            return local(node.id)
        return self._known(node).text

    def _known(self, node: ast.Name) -> KnownName:
        known = self._names.known(node.id)
        if known is None:
            raise self.refuse(node, f"`{node.id}`")
        return known

    def _member(self, node: ast.Attribute) -> KnownName | None:
        """Of a module or a class."""
        if not isinstance(node.value, ast.Name) or node.value.id in self._seen():
            return None
        try:
            value = self._known(node.value).value
        except NoScript:
            raise self.refuse(node, f"`{ast.unparse(node)}`") from None
        return self._names.member(value, node.attr)

    def _index(self, node: ast.expr) -> str:
        if isinstance(node, ast.Slice):
            parts = [self.expr(part) if part else "null" for part in (node.lower, node.upper, node.step)]
            return f"$.slice({', '.join(parts)})"
        return self.expr(node)

    def _subscript(self, node: ast.Subscript) -> str:
        return f"$.at({self.expr(node.value)}, {self._index(node.slice)})"

    def _items(self, nodes: Iterable[ast.expr]) -> str:
        return ", ".join(
            f"...$.iter({self.expr(node.value)})" if isinstance(node, ast.Starred) else self.expr(node)
            for node in nodes
        )

    def _dict(self, node: ast.Dict) -> str:
        pairs = (
            f"[{self.expr(key)}, {self.expr(value)}]" if key else f"...$.pairs({self.expr(value)})"
            for key, value in zip(node.keys, node.values, strict=True)
        )
        return f"$.dict([{', '.join(pairs)}])"

    def _joined(self, node: ast.JoinedStr) -> str:
        parts = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(text_of(str(part.value)))
                continue
            assert isinstance(part, ast.FormattedValue)
            value = CONVERSIONS[part.conversion].format(self.expr(part.value))
            asked = self._joined(part.format_spec) if isinstance(part.format_spec, ast.JoinedStr) else ""
            parts.append(f"$.formatted({value}, {asked})" if asked else f"$.str({value})")
        return f"({' + '.join(parts)})" if len(parts) > 1 else "".join(parts) or '""'

    def _either(self, node: ast.BoolOp) -> str:
        text = self.expr(node.values[-1])
        for value in reversed(node.values[:-1]):
            held = self._temp()
            kept, other = (text, held) if isinstance(node.op, ast.And) else (held, text)
            text = f"($.truth({held} = {self.expr(value)}) ? {kept} : {other})"
        return text

    def _unary(self, node: ast.UnaryOp) -> str:
        match node.op:
            case ast.Not():
                return f"!{self.test(node.operand)}"
            case ast.USub():
                value = node.operand
                if isinstance(value, ast.Constant) and type(value.value) is int:
                    return f"-{number_of(value.value)}"
                return f"$.neg({self.expr(value)})"
            case ast.Invert():
                return f"$.inv({self.expr(node.operand)})"
        raise self.refuse(node, "this sign")

    def _compared(self, node: ast.Compare) -> str:
        if len(node.ops) == 1:
            return COMPARED[type(node.ops[0])].format(self.expr(node.left), self.expr(node.comparators[0]))
        parts, left = [], self.expr(node.left)
        for operation, right in zip(node.ops, node.comparators, strict=True):
            held = self._temp()
            parts.append(f"({held} = {self.expr(right)}, {COMPARED[type(operation)].format(left, held)})")
            left = held
        return self._in_order(parts, node.left)

    def _in_order(self, parts: list[str], left: ast.expr) -> str:
        return f"({' && '.join(parts)})"

    def _comprehension(self, node: Comprehension) -> str:
        bound = frozenset(name for one in node.generators for name in _stored(one.target))
        first = self.expr(node.generators[0].iter)
        self._comprehended.append(bound)
        outer, self._temporary = self._temporary, 0
        is_lazy = isinstance(node, ast.GeneratorExp)
        if isinstance(node, ast.DictComp):
            inner = f"found.push([{self.expr(node.key)}, {self.expr(node.value)}]);"
        else:
            inner = f"yield {self.expr(node.elt)};" if is_lazy else f"found$.push({self.expr(node.elt)});"
        inner = inner.replace("found.push", "found$.push", 1)
        for place, one in reversed([*enumerate(node.generators)]):
            for condition in reversed(one.ifs):
                inner = f"if ({self.test(condition)}) {{ {inner} }}"
            begin, target = self._each(one.target)
            iterated = "from$" if place == 0 else self.expr(one.iter)
            inner = f"for (const {target} of $.iter({iterated})) {{ {begin}{inner} }}"
        own = [local(name) for name in sorted(bound)] + [f"_{number}" for number in range(self._temporary)]
        self._temporary = outer
        self._comprehended.pop()
        begin = f"let {', '.join(own)}; "
        if is_lazy:
            return f"(function* (from$) {{ {begin}{inner} }})({first})"
        made = {ast.ListComp: "found$", ast.SetComp: "$.set(found$)", ast.DictComp: "$.dict(found$)"}[type(node)]
        return f"((from$) => {{ {begin}const found$ = []; {inner} return {made}; }})({first})"

    # Calls

    def _call(self, node: ast.Call) -> str:
        called = node.func
        named = [f"[{text_of(one.arg)}]: {self.expr(one.value)}" for one in node.keywords if one.arg]
        spread = [f"...$.facts({self.expr(one.value)})" for one in node.keywords if one.arg is None]
        if self._is_of_patterns(called):
            return self._pattern(node, called.attr)  # type: ignore[attr-defined]
        if isinstance(called, ast.Attribute) and self._member(called) is None:
            return self._method(node, called, [*named, *spread])
        if node.keywords:
            return self._by_name(node, called, [*named, *spread])
        return f"{self.expr(called)}({self._items(node.args)})"

    def _is_of_patterns(self, called: ast.expr) -> bool:
        is_name = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name)
        return is_name and called.value.id not in self._seen() and self._known(called.value).value is re  # type: ignore[attr-defined]

    def _pattern(self, node: ast.Call, name: str) -> str:
        """`re.sub(...)` with a pattern that stands there."""
        pattern = node.args[0]
        if not isinstance(pattern, ast.Constant) or not isinstance(pattern.value, str) or node.keywords:
            raise self.refuse(node, "a pattern that is made while it runs")
        made = ", ".join(map(text_of, pattern_of(re.compile(pattern.value))))
        arguments = self._items(node.args[1:])
        return f"$.method($.pattern({made}), {text_of(name)}{', ' if arguments else ''}{arguments})"

    def _method(self, node: ast.Call, called: ast.Attribute, named: list[str]) -> str:
        arguments = self._items(node.args)
        name = property_of(called.attr)
        if isinstance(called.value, ast.Call) and getattr(called.value.func, "id", "") == "super":
            self_, name = local(self.parameters[0]), text_of(name)
            return f"$.super_by_name({self._names.base}, {self_}, {name}, [{arguments}], {{{', '.join(named)}}})"
        thing = self.expr(called.value)
        if named:
            return f"$.method_by_name({thing}, {text_of(name)}, [{arguments}], {{{', '.join(named)}}})"
        return f"$.method({thing}, {text_of(name)}{', ' if arguments else ''}{arguments})"

    def _by_name(self, node: ast.Call, called: ast.expr, named: list[str]) -> str:
        """Where it is known what is called, its arguments are put in their places here."""
        known = None
        if isinstance(called, ast.Name) and called.id not in self._seen():
            known = self._known(called)
        elif isinstance(called, ast.Attribute):
            known = self._member(called)
        starred = any(isinstance(one, ast.Starred) for one in node.args) or any(
            one.arg is None for one in node.keywords
        )
        if known and known.parameters is not None and not starred:
            return self._placed(node, known)
        return f"$.call_by_name({self.expr(called)}, [{self._items(node.args)}], {{{', '.join(named)}}})"

    def _placed(self, node: ast.Call, known: KnownName) -> str:
        assert known.parameters is not None
        given = dict(zip(known.parameters, node.args, strict=False)) | {
            str(one.arg): one.value for one in node.keywords
        }
        last = max(known.parameters.index(name) for name in given) + 1
        written = (self.expr(given[name]) if name in given else "undefined" for name in known.parameters[:last])
        return f"{known.text}({', '.join(written)})"


def _inside(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes but those of functions and comprehensions within."""
    for node in statements:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.GeneratorExp):
            yield from _inside(ast.iter_child_nodes(node))


def _stored(node: ast.AST) -> Iterator[str]:
    for found in ast.walk(node):
        if isinstance(found, ast.Name) and isinstance(found.ctx, ast.Store):
            yield found.id


def _bound(statement: ast.AST) -> Iterator[str]:
    """The names that a statement makes in its function."""
    if isinstance(statement, ast.FunctionDef):
        yield statement.name
        return
    if isinstance(statement, ast.Lambda):
        return
    if isinstance(statement, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        for found in ast.walk(statement):
            if isinstance(found, ast.NamedExpr):
                yield found.target.id
        return
    if isinstance(statement, ast.ExceptHandler) and statement.name:
        yield statement.name
    if isinstance(statement, ast.Name) and isinstance(statement.ctx, ast.Store):
        yield statement.id
    for child in ast.iter_child_nodes(statement):
        yield from _bound(child)
