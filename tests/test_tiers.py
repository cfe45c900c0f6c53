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
from documents import ROOT

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

@pytest.mark.slow
@pytest.mark.rotates
@pytest.mark.parametrize("number", range(5))
def test_in_turn(number): pass

def test_elsewhere(): pytest.skip("there is no moon")
""",
    "test_two.py": """
        import pytest
        import a_package_that_is_not_here

        pytestmark = pytest.mark.browser

        def test_first(): pass

        def test_second(): pass
    """,
}
TURNS = re.compile(r"^ROTATING, MARKED = \d+, \d+", re.MULTILINE)  # fewer here: each share is a run of its own
VARIANTS = len(samovar.find_game("memoarrrr").variants()) - 1  # all but the last


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SAMOVAR_VARIANTS", raising=False)
    for name in ("conftest.py", "scopes.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path)
    conftest = tmp_path / "conftest.py"
    text, count = TURNS.subn("ROTATING, MARKED = 4, 5", conftest.read_text(encoding="utf-8"))
    assert count == 1
    conftest.write_text(text, encoding="utf-8")
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
    assert "2 passed, 1 skipped" in text
    left_out = {name: int(count) for count, name in re.findall(r"^ *(\d+) (\w+) tests: \S", text, re.MULTILINE)}
    assert left_out == {"browser": 2, "postgres": 1, "slow": 1 + 5, "variants": VARIANTS}
    assert re.search(r"^SKIPPED .*there is no moon$", text, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize(("tier", "count"), [("rest", 1 + 1 + 5 + VARIANTS), ("browser", 2)])
def test_the_other_tiers_are_what_the_quick_one_left_out(folder: Path, tier: str, count: int) -> None:
    (folder / "a_package_that_is_not_here.py").touch()
    code, text = outcome(folder, "--tier", tier, "-p", "no:xdist")
    assert code == 0, text
    assert f"{count} passed" in text


@pytest.mark.slow
def test_all_shares_together_have_every_variant_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a_package_that_is_not_here.py").touch()
    names, turns = [], []
    for share in range(1, 5):
        monkeypatch.setenv("SAMOVAR_VARIANTS", f"{share}/4")
        code, text = outcome(folder, "--tier", "rest", "-p", "no:xdist", "-rp")
        assert code == 0, text
        names += re.findall(r"^PASSED .*::(test_of_a_variant.*)$", text, re.MULTILINE)
        turns.append(re.findall(r"^PASSED .*::(test_in_turn.*)$", text, re.MULTILINE))
    assert len(names) == len(set(names)) == VARIANTS
    in_turn = [name for names in turns for name in names]
    assert len(in_turn) == len(set(in_turn)) == 5
    assert max(map(len, turns)) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tier", "name"), [("browser", "test_(?:first|second)"), ("rest", "test_(?:long|with_a_server)")]
)
def test_five_shares_together_have_every_marked_test_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tier: str, name: str
) -> None:
    (folder / "a_package_that_is_not_here.py").touch()
    seen = []
    for share in range(1, 6):
        monkeypatch.setenv("SAMOVAR_VARIANTS", f"{share}/5")
        _, text = outcome(folder, "--tier", tier, "-p", "no:xdist", "-rp")
        seen += re.findall(rf"^PASSED .*::({name})$", text, re.MULTILINE)
    assert len(seen) == len(set(seen)) == 2
