"""The tiers of the tests: each test is in one of the three, and what is left out is told."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from textwrap import dedent

import pytest

import samovar
from support.documents import ROOT

TESTS = {
    "test_one.py": """
import pytest
import samovar

GAME = samovar.find_game("memoarrrr")

def test_plain(): pass

@pytest.mark.slow
def test_long(): pass

@pytest.fixture
def postgresql_server(): pass

def test_with_a_server(postgresql_server): pass

@pytest.mark.parametrize(("game", "seats", "options"), [(GAME, *variant) for variant in GAME.variants()])
def test_of_a_variant(game, seats, options): pass

def test_elsewhere(): pytest.skip("there is no moon")
""",
    "test_two.py": """
        import pytest
        import a_package_that_is_not_here

        pytestmark = pytest.mark.browser

        def test_first(): pass

        def test_second(): pass
    """,
    "test_three.py": """
PROGRAM = \'\'\'
import pytest

pytestmark = pytest.mark.processes
\'\'\'

def test_that_has_no_marker(): pass
    """,
}
VARIANTS = len(samovar.find_game("memoarrrr").variants()) - 1  # all but the last


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "support").mkdir()
    for name in ("conftest.py", "support/__init__.py", "support/scopes.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path / name)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    lines = ["[pytest]", f"addopts = {settings['addopts']}", "markers =", *(f"    {it}" for it in settings["markers"])]
    (tmp_path / "pytest.ini").write_text("\n".join(lines))
    for name, text in TESTS.items():
        (tmp_path / name).write_text(dedent(text))
    return tmp_path


def outcome(folder: Path, *words: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("workers", [["-p", "no:xdist"], ["-n", "1"]], ids=["one process", "workers"])
def test_the_quick_tier_says_what_it_left_out_and_why_it_skipped(folder: Path, workers: list[str]) -> None:
    code, text = outcome(folder, "--tier", "quick", *workers)
    assert code == 0, text
    assert "3 passed, 1 skipped" in text
    left_out = {name: int(count) for count, name in re.findall(r"^ *(\d+) (\w+) tests: \S", text, re.MULTILINE)}
    assert left_out == {"browser": 2, "postgres": 1, "slow": 1, "variants": VARIANTS}
    assert re.search(r"^SKIPPED .*there is no moon$", text, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize(("tier", "count"), [("rest", 1 + 1 + VARIANTS), ("browser", 2)])
def test_the_other_tiers_are_what_the_quick_one_left_out(folder: Path, tier: str, count: int) -> None:
    (folder / "a_package_that_is_not_here.py").touch()
    code, text = outcome(folder, "--tier", tier, "-p", "no:xdist")
    assert code == 0, text
    assert f"{count} passed" in text
