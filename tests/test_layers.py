"""Imports point down only, and rules use nothing that one of the three ways could not run."""

import ast
from pathlib import Path

import pytest

import samovar
from samovar.testing.code import check_function

SOURCE = Path(samovar.__file__).parent
# From the bottom up: a module may import from its own layer and from those before it.
LAYERS = [
    "errors",
    "client",
    "engine",
    "games",
    "pages",
    "bots",
    "guest",
    "arena",
    "envs",
    "web",
    "testing",
    "bench",
    "terminal",
    "cli",
    "__main__",
]
FILES = sorted(path for path in SOURCE.rglob("*.py") if path.name != "__init__.py" or path.parent != SOURCE)


def imported(path: Path) -> set[str]:
    """The layers of samovar that a file imports from, relative imports resolved."""
    package = ["samovar", *path.relative_to(SOURCE).parts[:-1]]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{module}.{name.name}" if module == "samovar" else module for name in node.names]
        found |= {name for name in names if name.split(".")[0] == "samovar"}
    return found


def layer(name: str) -> str:
    return name.split(".")[1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down(path: Path) -> None:
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    for name in imported(path):
        assert LAYERS.index(layer(name)) <= LAYERS.index(own), f"{own} imports {name}, which is above it"


@pytest.mark.parametrize(
    "path", sorted((SOURCE / "games").rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE))
)
def test_a_game_knows_no_other_game_and_no_numba(path: Path) -> None:
    own = path.relative_to(SOURCE / "games").parts[0]
    for name in imported(path):
        parts = name.split(".")
        assert parts[1] != "games" or len(parts) < 3 or parts[2] == own, f"{own} imports {name}"
    assert "numba" not in path.read_text(encoding="utf-8")


def rules_of(path: Path) -> list[ast.FunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [
        node
        for node in functions
        if any(isinstance(mark, ast.Name) and mark.id == "rule" for mark in node.decorator_list)
    ]


RULES = [(path, function) for path in FILES for function in rules_of(path)]


@pytest.mark.parametrize(
    ("path", "function"), RULES, ids=[f"{path.parent.name}.{path.stem}.{function.name}" for path, function in RULES]
)
def test_rule_allocates_nothing_and_uses_integers_only(path: Path, function: ast.FunctionDef) -> None:
    check_function(function, path.name)


def test_there_are_rules_to_look_at() -> None:
    assert len(RULES) > 100
