"""Who plays or learns by Python pays for nothing of the site."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

SITE = ["litestar", "sqlalchemy", "alembic", "uvicorn", "uvloop", "httptools", "jinja2", "markdown_it", "samovar.web"]
RESEARCH = """
import samovar
match = samovar.Match("connect_four", seed=1, plain=True)
samovar.replay(match.record(), plain=True)
samovar.make_bot("random", match.game, seed=1).choose(match.seat(match.actors[0]))
samovar.Batch, samovar.errors
"""


def loaded_by(code: str) -> set[str]:
    """The packages of the site that are there after some code."""
    asked = f"; import sys; print(*[name for name in {SITE!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code + asked], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_research_loads_nothing_of_the_site() -> None:
    assert loaded_by(RESEARCH.strip()) == set()


@pytest.mark.parametrize("module", ["samovar.envs.gymnasium", "samovar.envs.pettingzoo", "samovar.arena.tournament"])
def test_what_researchers_import_loads_nothing_of_the_site(module: str) -> None:
    if module.startswith("samovar.envs"):
        pytest.importorskip(module.split(".")[-1])
    assert loaded_by(f"import {module}") == set()


def test_a_backup_loads_nothing_that_shows_pages(tmp_path: Path) -> None:
    """A site that plays beside it needs the processor: to load the rest takes three times as long as all this."""
    with closing(sqlite3.connect(tmp_path / "samovar.db")) as database:
        database.execute("CREATE TABLE tables (id TEXT)")
    order = ["backup", str(tmp_path / "made.backup"), "--data", str(tmp_path)]
    loaded = loaded_by(f"from samovar.cli import app; app({order!r}, standalone_mode=False)")
    assert (tmp_path / "made.backup").exists()
    assert not loaded & {"litestar", "uvicorn", "jinja2", "markdown_it"}


def test_the_site_would_be_noticed() -> None:
    assert {"litestar", "sqlalchemy", "samovar.web"} <= loaded_by("import samovar.web.app")
