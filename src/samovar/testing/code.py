"""Rules use nothing that one of the four ways could not run: looked up in their source."""

from __future__ import annotations

import ast
import inspect
import textwrap

from samovar.engine.contract import RULES, Game
from samovar.engine.ways.validation import check_rules

FORBIDDEN = (
    *(
        ast.List,
        ast.Dict,
        ast.Set,
        ast.ListComp,
        ast.DictComp,
        ast.SetComp,
        ast.GeneratorExp,
        ast.Lambda,
        ast.JoinedStr,
        ast.Starred,
    ),
    *(ast.Try, ast.Raise, ast.With, ast.Yield, ast.Import, ast.ImportFrom, ast.Assert, ast.Delete, ast.Global, ast.Div),
)


def check_rule_code(game: Game) -> None:
    """All rules of a game, and those they call."""
    for function in check_rules(game.name, game.rules, RULES):
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        check_function(tree, f"{function.__module__}, line {function.__code__.co_firstlineno}")


def check_function(function: ast.FunctionDef, where: str) -> None:
    """No allocation, integers only, calls by bare name, no recursion."""
    assert not function.args.defaults, (
        f"{where}: {function.name} has default arguments; a rule takes all that it is given"
    )
    body = function.body[1:] if ast.get_docstring(function) else function.body
    for node in (node for statement in body for node in ast.walk(statement)):
        assert not isinstance(node, FORBIDDEN), (
            f"{where}: {type(node).__name__} in the rule {function.name}; rules allocate and raise nothing"
        )
        if isinstance(node, ast.Constant):
            assert isinstance(node.value, int), (
                f"{where}: {node.value!r} in the rule {function.name}; rules know integers only"
            )
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name), f"{where}: the rule {function.name} must call by bare name"
            assert not node.keywords, (
                f"{where}: a keyword in a call of the rule {function.name}; give arguments by place"
            )
            assert node.func.id != function.name, f"{where}: the rule {function.name} calls itself; write a loop"
