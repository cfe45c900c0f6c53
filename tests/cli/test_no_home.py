"""Users without a home folder, as containers have them, and with one that cannot be written: all works or says in one
sentence what helps."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from samovar.engine import rule
from support.processes import with_helpers
from support.servers import Server

pytestmark = pytest.mark.processes

# What a user has whom the system does not know: no HOME, and nobody by this number.
NAMELESS = """
import os.path, sys
try:
    import pwd
    def nobody(number): raise KeyError(number)
    pwd.getpwuid = nobody
except ImportError:
    pass
assert os.path.expanduser("~") == "~"
from samovar.cli import main
main()
"""
HOMES = ("HOME", "USERPROFILE", "HOMEPATH", "HOMEDRIVE")


def environment(**more: str) -> dict[str, str]:
    bare = {name: value for name, value in with_helpers().items() if name not in (*HOMES, "SAMOVAR_DATA")}
    return {**bare, "SAMOVAR_PLAIN": "1", **more}


def typed(folder: Path, words: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", NAMELESS, *words]
    if "HOME" in more:
        command = [sys.executable, "-m", "samovar", *words]
    return subprocess.run(
        command, cwd=folder, env=environment(**more), input="q\n", capture_output=True, text=True, timeout=120
    )


def no_folder(folder: Path) -> str:
    """In this home nothing can be written, not even by root."""
    (folder / "file").touch()
    return str(folder / "file")


@pytest.mark.parametrize("words", [["--help"], ["games"], ["rules", "memoarrrr"]])
def test_what_keeps_nothing_needs_no_home(tmp_path: Path, words: list[str]) -> None:
    done = typed(tmp_path, words)
    assert (done.returncode, done.stderr) == (0, "")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("words", [["play", "memoarrrr"], ["play", "--resume"], ["serve", "--no-browser"]])
def test_what_keeps_something_says_where_it_could(tmp_path: Path, words: list[str]) -> None:
    done = typed(tmp_path, words)
    assert done.returncode == 2
    assert done.stderr == (
        "samovar: You have no home folder in which anything could be kept. Let SAMOVAR_DATA name a folder that can be "
        "written.\n"
    )
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("words", [["play", "memoarrrr"], ["serve", "--no-browser"]])
def test_a_home_that_cannot_be_written_is_named_with_the_remedy(tmp_path: Path, words: list[str]) -> None:
    home = no_folder(tmp_path)
    done = typed(tmp_path, words, HOME=home, USERPROFILE=home)
    assert done.returncode == 2
    (sentence,) = done.stderr.splitlines()
    assert "SAMOVAR_DATA" in sentence
    assert home in sentence


@pytest.mark.skipif(sys.platform == "win32", reason="there it is written for PowerShell, elsewhere")
def test_completion_that_cannot_be_installed_is_told_with_the_remedy(tmp_path: Path) -> None:
    home = no_folder(tmp_path)
    done = typed(
        tmp_path, ["--install-completion", "bash"], HOME=home, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1"
    )
    assert done.returncode == 2
    (sentence,) = done.stderr.splitlines()
    assert "--show-completion" in sentence
    assert home in sentence


def test_a_match_can_be_kept_elsewhere(tmp_path: Path) -> None:
    done = typed(tmp_path, ["play", "memoarrrr"], SAMOVAR_DATA=str(tmp_path / "kept"))
    assert (done.returncode, done.stderr) == (0, "")
    assert len(list((tmp_path / "kept" / "matches").iterdir())) == 1


def test_a_site_with_a_folder_needs_no_home(tmp_path: Path) -> None:
    server = Server(tmp_path / "data", HOME=no_folder(tmp_path), SAMOVAR_PLAIN="1")
    try:
        server.start()  # until it answers
    finally:
        server.stop()


# What is compiled


def test_what_is_compiled_is_kept_among_temporary_files_where_no_other_folder_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numba

    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(rule.tempfile, "gettempdir", lambda: str(tmp_path))

    def make() -> str:
        if not numba.config.CACHE_DIR:
            raise RuntimeError("no locator available")
        return str(numba.config.CACHE_DIR)

    kept = Path(rule.in_some_folder(make))
    assert kept.parent == tmp_path
    assert kept.is_dir()
    assert rule.in_some_folder(make) == str(kept), "the next finds it"


@pytest.mark.skipif(sys.platform == "win32", reason="there everybody has a place for temporary files")
def test_a_folder_that_others_could_write_to_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule.tempfile, "gettempdir", lambda: str(tmp_path))
    folder = rule.own_temporary_folder()
    folder.chmod(0o777)
    with pytest.raises(RuntimeError, match="belongs to somebody else"):
        rule.own_temporary_folder()
    folder.rmdir()
    (tmp_path / "theirs").mkdir(0o700)
    folder.symlink_to(tmp_path / "theirs")
    with pytest.raises(RuntimeError, match="belongs to somebody else"):
        rule.own_temporary_folder()
