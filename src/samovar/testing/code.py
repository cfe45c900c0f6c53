"""Rules use nothing that one of the four ways could not run: looked up in their source.

What shows in a rule's code is refused as soon as the game is made (`engine/ways/validation.py`); here is the rest.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path

from samovar.engine.contract import RULES, Game
from samovar.engine.ways.validation import check_rules

LOOP = "Write a loop over range(...), and keep numbers in fields of the state."
CONSTANT = "Write a table(...) above the rule."
# What rules cannot do: what its author calls it, and what to do instead.
FORBIDDEN: dict[type[ast.AST], tuple[str, str]] = {
    ast.List: ("a list", CONSTANT),
    ast.Dict: ("a dict", CONSTANT),
    ast.Set: ("a set", CONSTANT),
    ast.ListComp: ("a list", LOOP),
    ast.DictComp: ("a dict", LOOP),
    ast.SetComp: ("a set", LOOP),
    ast.GeneratorExp: ("a generator", LOOP),
    ast.Lambda: ("a lambda", "Write a rule of its own, with @rule above its `def`."),
    ast.FunctionDef: ("a `def`", "Write it beside the rule, with @rule above it."),
    ast.ClassDef: ("a class", "Write it beside the rule."),
    ast.JoinedStr: ("an f-string", "Texts are for `view`, `news` and `move_text`, which are plain Python."),
    ast.Starred: ("a star", "Write the numbers one by one."),
    ast.Try: ("try", "Ask before with `if`; a rule raises nothing."),
    ast.Raise: ("raise", "Leave it out: `apply` gets legal moves only. What must never be so belongs into `faults`."),
    ast.Assert: ("assert", "Write what must never be so into `faults`, which is plain Python."),
    ast.With: ("with", "Leave it out."),
    ast.Yield: ("yield", "Write results into `out`."),
    ast.Import: ("import", "Write it at the head of the file."),
    ast.ImportFrom: ("import", "Write it at the head of the file."),
    ast.Delete: ("del", "Leave it out."),
    ast.Global: ("global", "What changes during a match is a field of the state."),
    ast.Div: ("a division with /, which gives a float", "Write // instead."),
}


def check_rule_code(game: Game) -> None:
    """All rules of a game, and those they call."""
    for function in check_rules(game.name, game.rules, RULES):
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        check_function(tree, Path(function.__code__.co_filename).name, first - 1)


def check_function(tree: ast.FunctionDef, file: str, above: int = 0) -> None:
    """No allocation, integers only, calls by bare name, no recursion; `above`: how many lines of the file lie above
    those that the tree was made of."""
    name = tree.name
    assert not tree.args.defaults, (
        f"{file}, line {above + tree.lineno}: the rule {name} has default arguments. Leave them out: a rule is "
        "given all that it takes."
    )
    for statement in tree.body[1:] if ast.get_docstring(tree) else tree.body:
        for node, line in with_lines(statement):
            if wrong := what_is_wrong(node, name):
                what, remedy = wrong
                raise AssertionError(
                    f"{file}, line {above + line}: {what} in the rule {name}. It would fail or go wrong where the "
                    f"rule is compiled. {remedy}"
                )


def with_lines(tree: ast.AST) -> list[tuple[ast.AST, int]]:
    """All parts of a statement, each with its line; an operator is where its operation is."""
    found: list[tuple[ast.AST, int]] = []
    for node in ast.walk(tree):
        if line := getattr(node, "lineno", 0):
            operators = [inner for inner in ast.iter_child_nodes(node) if not hasattr(inner, "lineno")]
            found += [(part, line) for part in (node, *operators)]
    return found


def what_is_wrong(node: ast.AST, rule: str) -> tuple[str, str] | None:
    """What an author would call it, and the remedy."""
    if type(node) in FORBIDDEN:
        return FORBIDDEN[type(node)]
    if isinstance(node, ast.Constant) and not isinstance(node.value, int):
        if isinstance(node.value, str | bytes):
            return f"the text {node.value!r}", "Rules know integers only: give it a number, a constant by name."
        return repr(node.value), "Rules know integers only: count in halves or hundredths instead."
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name):
            return f"the call {ast.unparse(node)!r}", "Call other rules by their bare name."
        if node.keywords:
            return f"a keyword in the call {ast.unparse(node)!r}", "Give arguments by place."
        if node.func.id == rule:
            return f"the call {ast.unparse(node)!r} of the rule itself", "Write a loop."
    return None
