"""Imports point down only, those of tests to `support`, and rules use nothing that one of the four ways could not
run."""

import ast
import re
from pathlib import Path

import pytest

import samovar
from samovar.testing.code import check_function
from support.documents import ROOT

SOURCE = Path(samovar.__file__).parent
# From the ground up: a room imports from the storeys below, and on its own storey from its left neighbours.
HOUSE = [
    ["errors", "json_types", "processes", "language", "reports"],
    ["engine", "games", "starter"],
    ["bots", "client", "solver", "wasm"],
    ["insight", "teach", "arena", "lab", "envs", "learn"],
    ["web", "testing", "bench", "models", "dev", "cli", "__main__"],
]
WEB = [
    ["problems", "names", "recent", "networks", "site", "base_path", "game_list", "figures", "logs"],
    ["store", "jobs"],
    ["tables", "people"],
    ["drawing", "notifications", "static_site"],
    ["visit", "pages", "api", "server"],
    ["checking", "app", "serve"],
]
FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py" and "tests" not in path.parts)


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


def rooms_of(house: list[list[str]]) -> list[str]:
    return [room for storey in house for room in storey]


def room(path: Path, house: Path) -> str:
    return path.relative_to(house).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down(path: Path) -> None:
    own, order = room(path, SOURCE), rooms_of(HOUSE)
    for name in imported(path):
        assert order.index(layer(name)) <= order.index(own), f"{own} imports {name}, which is above it"


@pytest.mark.parametrize("path", sorted((SOURCE / "web").rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_of_the_site_point_down(path: Path) -> None:
    if path == SOURCE / "web" / "__init__.py":
        return
    own, order = room(path, SOURCE / "web"), rooms_of(WEB)
    for name in modules_imported(path):
        if name.startswith("samovar.web."):
            above = name.split(".")[2]
            assert order.index(above) <= order.index(own), f"{own} imports {name}, which is above it"


def test_every_room_has_a_storey() -> None:
    assert {room(path, SOURCE) for path in FILES} == {*rooms_of(HOUSE)}
    rooms = {room(path, SOURCE / "web") for path in (SOURCE / "web").rglob("*.py")}
    assert rooms == {*rooms_of(WEB), "__init__"}


def test_no_file_imports_itself_by_way_of_others() -> None:
    """In functions and for types alone, too."""
    files = {module_of(path): path for path in FILES}
    arrows = {name: modules_imported(path) & files.keys() - {name} for name, path in files.items()}
    assert not left_in_circles(arrows)


def test_a_circle_is_noticed() -> None:
    assert left_in_circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == {"a", "b", "c", "d"}
    assert left_in_circles({"a": {"b"}, "b": {"c"}, "c": set()}) == set()


def left_in_circles(arrows: dict[str, set[str]]) -> set[str]:
    """What is left when all that imports nothing is taken away, again and again."""
    left = {name: set(below) for name, below in arrows.items()}
    while free := {name for name, below in left.items() if not below & left.keys()}:
        left = {name: below for name, below in left.items() if name not in free}
    return set(left)


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(["samovar", *(parts[:-1] if parts[-1] == "__init__" else parts)])


def modules_imported(path: Path) -> set[str]:
    """The modules that a file imports, or imports something from."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = ["samovar", *path.relative_to(SOURCE).parts[:-1]]
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            inner = {f"{module}.{name.name}" for name in node.names}
            found |= {name for name in inner if name in MODULES} or {module}
    return {name for name in found if name.split(".")[0] == "samovar"}


MODULES = {module_of(path) for path in FILES}


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


TESTS = ROOT / "tests"
IMPORT_OF_A_TEST = re.compile(r"\b(?:from|import) (?:[\w. ]+, *)*(?:\w+\.)*(test_\w+)")
NOT_OF_THE_SOURCE = {"examples", "repository"}  # the games of examples/, and the repository as a whole


def test_no_file_imports_from_a_test() -> None:
    """Nor does a program that a test keeps as text: what is shared is in `support`."""
    folders = (TESTS, ROOT / "benchmarks", ROOT / "docs", ROOT / "tools")
    files = {path: path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py")}
    found = {path.name: IMPORT_OF_A_TEST.findall(text) for path, text in files.items()}
    assert {name: tests for name, tests in found.items() if tests} == {}


def test_beside_tests_there_are_no_helpers() -> None:
    others = {path for path in TESTS.rglob("*.py") if not path.is_relative_to(TESTS / "support")}
    assert [path for path in others if path.name != "conftest.py" and not path.name.startswith("test_")] == []


def test_tests_are_where_the_source_is() -> None:
    for path in TESTS.rglob("test_*.py"):
        own = path.relative_to(TESTS).parts[0].removeprefix("test_")
        assert own in NOT_OF_THE_SOURCE or (SOURCE / own).exists(), f"{path} is a test of nothing in {SOURCE}"
