"""Templates as quicker Python: Jinja writes a function for each, and this leaves out what would be asked at every turn
there though the answer is always the same. What a template means stays what it was.

- An attribute is looked for in the object at once, and only then where else Jinja looks.
- A macro is a function: called by its own name and without names for its arguments, it is just called. So is a method,
  and what stands in `PLAIN`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, optimizeconst
from jinja2.runtime import Macro
from jinja2.utils import missing
from markupsafe import Markup

markup = cast("Callable[[str], Markup]", partial(str.__new__, Markup))  # without Markup's own questions
PLAIN = frozenset(("_", "each", "kept", "say", "tell"))  # want to know nothing of the template that calls them


class QuickWriter(CodeGenerator):
    """Writes the Python of a template."""

    def visit_Template(self, node: nodes.Template, frame: Any = None) -> None:  # noqa: N802
        self._plain = PLAIN | macros_of(node)
        super().visit_Template(node, frame)

    @optimizeconst
    def visit_Getattr(self, node: nodes.Getattr, frame: Any) -> None:  # noqa: N802
        self.write("(found if (found := getattr((thing := ")
        self.visit(node.node, frame)
        self.write(f"), {node.attr!r}, missing)) is not missing else environment.getattr(thing, {node.attr!r}))")

    @optimizeconst
    def visit_Call(self, node: nodes.Call, frame: Any, forward_caller: bool = False) -> None:  # noqa: N802
        is_named = forward_caller or node.kwargs or node.dyn_args or node.dyn_kwargs
        if is_named or not self._is_plain(node.node):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for argument in node.args:
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")

    def _is_plain(self, called: nodes.Expr) -> bool:
        return isinstance(called, nodes.Getattr) or (isinstance(called, nodes.Name) and called.name in self._plain)


def macros_of(template: nodes.Template) -> frozenset[str]:
    """The names of those that are made there, or come from another template."""
    imported = (name for found in template.find_all(nodes.FromImport) for name in found.names)
    made = (macro.name for macro in template.find_all(nodes.Macro))
    return frozenset([*made, *(name if isinstance(name, str) else name[1] for name in imported)])


def make_macro(environment: Any, function: Any, name: str, arguments: Any, *wants: Any) -> Callable[..., str]:
    """In the place of Jinja's `Macro`: what is called with names, or wants more than its arguments, still is one."""
    if any(wants[:3]):
        return Macro(environment, function, name, arguments, *wants)
    function.__defaults__ = (missing,) * len(arguments)

    def macro(*args: Any, **facts: Any) -> str:
        if facts:
            return Macro(environment, function, name, arguments, *wants)(*args, **facts)
        return markup(function(*args))

    return macro
