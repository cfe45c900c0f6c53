"""SQL stands in one place, `web/store/`."""

import ast
import re
from pathlib import Path

import pytest

import samovar

SOURCE = Path(samovar.__file__).parent
STORE = SOURCE / "web" / "store"
FILES = sorted(path for path in SOURCE.rglob("*.py") if not path.is_relative_to(STORE))
SQL = re.compile(r"\s*(SELECT .* FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE (TABLE|INDEX)) ", re.DOTALL)


def sql_in(source: str) -> list[str]:
    """What is said in SQL, and what is imported to say it."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.match(node.value):
            found.append(node.value)
        elif isinstance(node, ast.Import):
            found += [name.name for name in node.names if is_driver(name.name)]
        elif isinstance(node, ast.ImportFrom) and is_driver(node.module or ""):
            found.append(str(node.module))
    return found


def is_driver(module: str) -> bool:
    return module.split(".")[0] in ("sqlalchemy", "sqlite3", "psycopg", "alembic")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_there_is_no_sql_outside_the_store(path: Path) -> None:
    assert sql_in(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "from sqlalchemy import text",
        "def f():\n    import sqlalchemy.exc",
        "A = 'SELECT a, b FROM tables'",
        "A = f'UPDATE ways SET busy = {0}'",
        "A = '\\n  DELETE FROM ways'",
    ],
)
def test_sql_would_be_noticed(source: str) -> None:
    assert sql_in(source)


def test_sql_is_in_the_store() -> None:
    assert any(sql_in(path.read_text(encoding="utf-8")) for path in STORE.glob("*.py"))
