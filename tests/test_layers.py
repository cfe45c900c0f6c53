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
    "json_types",
    "grammar",
    "client",
    "reports",
    "engine",
    "languages",
    "locale",
    "games",
    "pages",
    "lessons",
    "bots",
    "wasm",
    "insight",
    "exact",
    "guest",
    "arena",
    "lab",
    "envs",
    "learn",
    "web",
    "testing",
    "new",
    "bench",
    "terminal",
    "cli",
    "__main__",
]
FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py" and "tests" not in path.parts)


# The files of the engine from the bottom up: each imports only files before it, in functions too.
ENGINE = [
    "arrays",
    "numba_inner",
    "rule",
    "kinds",
    "tokens",
    "chance",
    "unseen",
    "bits",
    "plain",
    "face",
    "heuristics",
    "defaults",
    "validation",
    "contract",
    "kernels",
    "places",
    "operations",
    "rewards",
    "mistakes",
    "watch",
    "backend",
    "installed",
    "members",
    "registry",
    "digest",
    "seat",
    "match",
    "record",
    "fair",
    "insight",
    "mlir",
    "cuda",
    "wasm",
    "batch",
]
# A match makes seats and a seat imagines matches: the lower file names the upper one, for types alone.
TYPES_ALONE = {("seat", "match")}


def imported(path: Path) -> set[str]:
    """What a file imports of samovar, in functions too, relative imports resolved."""
    package = ["samovar", *path.relative_to(SOURCE).parts[:-1]]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            is_package = module in ("samovar", "samovar.engine")
            names = [f"{module}.{name.name}" if is_package else module for name in node.names]
        found |= {name for name in names if name.split(".")[0] == "samovar"}
    return found


def layer(name: str) -> str:
    return name.split(".")[1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down(path: Path) -> None:
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    for name in imported(path):
        assert LAYERS.index(layer(name)) <= LAYERS.index(own), f"{own} imports {name}, which is above it"


def test_the_order_of_the_engine_names_all_its_files() -> None:
    assert sorted(ENGINE) == sorted(path.stem for path in (SOURCE / "engine").glob("[!_]*.py"))


@pytest.mark.parametrize("name", ENGINE)
def test_a_file_of_the_engine_imports_only_those_before_it(name: str) -> None:
    below = ENGINE[: ENGINE.index(name)]
    files = {full.split(".")[2] for full in imported(SOURCE / "engine" / f"{name}.py") if layer(full) == "engine"}
    assert files <= {*below, *(upper for lower, upper in TYPES_ALONE if lower == name)}


def test_what_is_named_for_types_alone_is_not_imported() -> None:
    for lower, upper in TYPES_ALONE:
        tree = ast.parse((SOURCE / "engine" / f"{lower}.py").read_text(encoding="utf-8"))
        guarded = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
        tree.body = [node for node in tree.body if node not in guarded]
        assert f"samovar.engine.{upper}" not in ast.unparse(tree)


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
    text = path.read_text(encoding="utf-8")
    if "@rule" not in text:
        return []
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
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
