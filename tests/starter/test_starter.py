"""`samovar new`: the package that it writes is a sound game, and what cannot be written is said."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from samovar.errors import NotWritten
from samovar.starter import TEMPLATE, write_game
from samovar.starter.template.tall_pile import GAME
from samovar.testing import worlds
from support.documents import ROOT, blocks
from support.packages import as_installed

SAMOVAR = [sys.executable, "-c", "from samovar.cli import main; main()"]
# What takes minutes where nothing is compiled; `test_worlds_vary` below has the heart of it.
LEFT_OUT = "not proven and not simulator and not compiled and not little_game-2 and not little_game-3"


def files(folder: Path) -> dict[str, str]:
    """The files of a package by name."""
    found = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in found}


def environment(package: Path) -> dict[str, str]:
    """As if the package were installed."""
    as_installed(package)
    return {**os.environ, "PYTHONPATH": str(package), "SAMOVAR_PLAIN": "1", "PYTHONUTF8": "1", "COLUMNS": "100"}


def run(*command: str, env: dict[str, str], cwd: Path) -> str:
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def test_all_files_are_written_by_the_name_of_the_game(tmp_path: Path) -> None:
    package = write_game("little_game", tmp_path)
    assert os.listdir(tmp_path) == ["little_game"]
    written, template = files(package), files(TEMPLATE)
    assert written.keys() == {name.replace("tall_pile", "little_game") for name in template}
    assert {"pyproject.toml", "README.md", "tests/test_kit.py", "little_game/golden/4.txt"} <= written.keys()
    for text in written.values():
        assert "tall" not in text.lower().replace("installing", "").replace("pip install", "")
    assert 'little_game = "little_game:GAME"' in written["pyproject.toml"]
    assert 'name = "samovar-little-game"' in written["pyproject.toml"]
    assert 'name="Little game"' in written["little_game/__init__.py"]
    assert written["little_game/RULES.fr.md"].startswith("# Little game\n")


@pytest.mark.slow
def test_what_is_written_is_found_and_passes_its_tests(tmp_path: Path) -> None:
    """The kit among them, in plain Python and with the most seats."""
    package = write_game("little_game", tmp_path)
    env = environment(package)
    assert "Little game, 2, 3, 4 players" in run(*SAMOVAR, "games", env=env, cwd=tmp_path)
    assert "| 0 | 11 | `hand` |" in run(*SAMOVAR, "rules", "little_game", "--programs", env=env, cwd=tmp_path)
    tested = run(sys.executable, "-m", "pytest", "-p", "no:xdist", "-v", "-k", LEFT_OUT, env=env, cwd=package)
    for test in ("test_rules.py::test_1_4_", "test_nothing_hidden_leaves_the_site[little_game-4]", "test_golden_"):
        assert test in tested
    assert "babuschka" not in tested


def test_the_tutorial_shows_what_is_written(tmp_path: Path) -> None:
    """docs/add-a-game.md has parts of it."""
    package = write_game("my_game", tmp_path)
    titled = {
        block.title: block.text for block in blocks((ROOT / "docs" / "add-a-game.md").read_text(encoding="utf-8"))
    }
    for name in ("knowledge.py", "cards.py", "cards.csv"):
        assert titled[f"my_game/{name}"] in (package / "my_game" / name).read_text(encoding="utf-8")
    kit = (package / "tests" / "test_kit.py").read_text(encoding="utf-8")
    assert kit.replace("  # noqa: F403", "").endswith(titled["tests/test_kit.py"])


def test_worlds_vary(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three cards of twelve meet by chance in some hundreds of deals."""
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    assert worlds.check_variety(GAME, 4, {}, deals=400, pairs=4) > 20


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("My-Game", "Take small letters"),
        ("2048", "Take small letters"),
        ("class", "Take small letters"),
        ("../game", "Take small letters"),
        ("", "Take small letters"),
        ("nul", "on Windows"),
        ("babuschka", "a game 'babuschka' already"),
        ("random", "a module 'random' already"),
        ("kept", "is there already"),
    ],
)
def test_a_name_that_does_not_do_is_refused_and_nothing_is_written(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "kept").mkdir()
    with pytest.raises(NotWritten, match=text):
        write_game(name, tmp_path)
    assert files(tmp_path) == {}
    assert os.listdir(tmp_path) == ["kept"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotWritten, match="no folder"):
        write_game("little_game", tmp_path / "nowhere")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(NotWritten, match="No space left"):
        write_game("little_game", tmp_path)
    assert os.listdir(tmp_path) == []


def test_the_command_says_what_to_do_next(tmp_path: Path) -> None:
    env = {**os.environ, "COLUMNS": "100", "PYTHONUTF8": "1"}
    told = run(*SAMOVAR, "new", "little_game", "--folder", str(tmp_path), env=env, cwd=tmp_path)
    assert f"pip install -e {tmp_path / 'little_game'}" in told
    done = subprocess.run(
        [*SAMOVAR, "new", "Chess"], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
