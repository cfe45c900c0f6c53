"""Templates as JavaScript: Jinja writes a Python function for each, and `samovar.wasm.script` reads that."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, DependencyFinderVisitor, optimizeconst
from jinja2.meta import find_undeclared_variables

from samovar.wasm.script import NoScript, ScriptModule
from samovar.wasm.script.functions import property_of
from samovar.web.drawing.quick import PLAIN, macros_of
from samovar.web.drawing.render import environment

FILTERS = frozenset(
    [
        "abs",
        "count",
        "e",
        "escape",
        "first",
        "join",
        "last",
        "length",
        "list",
        "map",
        "max",
        "min",
        "percent_of",
        "safe",
        "sort",
        "string",
        "sum",
        "unique",
    ]
)
TESTS = frozenset(["defined", "none"])
GLOBALS = frozenset(
    ["_", "choosers", "dict", "each", "face", "gettext", "kept", "listed", "ngettext", "range", "say", "tell", "words"]
)
# what the Python of a template calls, in `templates.mjs`
NAMES = {
    name: f"$t.{name}"
    for name in [
        "LoopContext",
        "Macro",
        "Markup",
        "Undefined",
        "attribute",
        "concat",
        "environment",
        "escape",
        "filter_of",
        "identity",
        "markup_join",
        "missing",
        "str_join",
        "test_of",
    ]
}


class ScriptWriter(CodeGenerator):
    """Writes the Python of a template so that little is left to be asked."""

    def visit_Template(self, node: nodes.Template, frame: Any = None) -> None:  # noqa: N802
        self._plain = PLAIN | macros_of(node)
        super().visit_Template(node, frame)

    def pull_dependencies(self, nodes: Any) -> None:
        visitor = DependencyFinderVisitor()
        for node in nodes:
            visitor.visit(node)
        for names, known, found, of in (
            (self.filters, FILTERS, visitor.filters, "filter"),
            (self.tests, TESTS, visitor.tests, "test"),
        ):
            for name in sorted(found - names.keys()):
                if name not in known:
                    raise NoScript(str(self.name), 1, f"the {of} `{name}`")
                names[name] = self.temporary_identifier()
                self.writeline(f"{names[name]} = {of}_of({name!r})")

    @optimizeconst
    def visit_Getattr(self, node: nodes.Getattr, frame: Any) -> None:  # noqa: N802
        self.write("attribute(")
        self.visit(node.node, frame)
        self.write(f", {property_of(node.attr)!r})")

    @optimizeconst
    def visit_CondExpr(self, node: nodes.CondExpr, frame: Any) -> None:  # noqa: N802
        self.write("(")
        self.visit(node.expr1, frame)
        self.write(" if ")
        self.visit(node.test, frame)
        self.write(" else ")
        self.visit(node.expr2 or nodes.Const(""), frame)
        self.write(")")

    @optimizeconst
    def visit_Call(self, node: nodes.Call, frame: Any, forward_caller: bool = False) -> None:  # noqa: N802
        if forward_caller or node.kwargs or node.dyn_args or node.dyn_kwargs:
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for argument in node.args:
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")


def export_template(script: ScriptModule, name: str, known_as: str) -> None:
    """The template as a function of a script."""
    own: Environment = environment("en").overlay()
    own.code_generator_class = ScriptWriter
    assert own.loader
    source, _, _ = own.loader.get_source(own, name)
    parsed = own.parse(source, name)
    made = {found.name for found in parsed.find_all(nodes.Name) if found.ctx == "store"}
    if strange := find_undeclared_variables(parsed) - GLOBALS - made:
        raise NoScript(name, _line_of(parsed, strange), f"`{min(strange)}`, which a table does not know,")
    written = own.compile(parsed, name, raw=True)
    root = next(node for node in ast.parse(written).body if isinstance(node, ast.FunctionDef) and node.name == "root")
    root.name = known_as
    script.export_function(known_as, root, name, NAMES)


def _line_of(parsed: nodes.Template, names: set[str]) -> int:
    return min(found.lineno for found in parsed.find_all(nodes.Name) if found.name in names)


@cache
def sentences_of(name: str) -> frozenset[str | tuple[str, str]]:
    """What a template says in the reader's language; two where there is one for one thing and one for many."""
    own = environment("en")
    assert own.loader
    source, _, _ = own.loader.get_source(own, name)
    found = (text for _, _, text in own.extract_translations(source))  # type: ignore[attr-defined]
    return frozenset(_sentence(text if isinstance(text, tuple) else (text, None)) for text in found)


def _sentence(text: tuple[str | None, ...]) -> str | tuple[str, str]:
    """What is filled in stands behind it as None."""
    one, many = text[:2]
    assert one is not None
    return one if many is None else (one, many)
