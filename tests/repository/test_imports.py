"""Who plays or learns by Python pays for nothing of the site."""

import subprocess
import sys

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


def test_the_site_would_be_noticed() -> None:
    assert {"litestar", "sqlalchemy", "samovar.web"} <= loaded_by("import samovar.web.app")
