"""Windows: what cannot run there says so in one sentence; the games, for researchers, can."""

import json
import subprocess
import sys

import pytest

from support.documents import ROOT

# As on Windows, as far as it can be had here: what only Unix has is gone. Libraries are loaded
# before, as they would load other parts of theirs there.
PRETEND = """
import asyncio, multiprocessing, os, select, subprocess, sys
import rich.console, typer
sys.platform = "win32"
for name in ("fcntl", "resource", "termios", "pwd", "grp"):
    sys.modules[name] = None
for module, name in ((select, "poll"), (os, "killpg"), (os, "setsid"), (os, "fork")):
    delattr(module, name)
"""
PLAY = """
import samovar
match = samovar.Match("memoarrrr", seats=2, seed=1, plain=True)
bot = samovar.make_bot("greedy", match.game, seed=1)
while not match.over:
    match.play(match.actors[0], bot.choose(match.seat(match.actors[0])).move)
samovar.replay(match.record())
print(list(match.places))
"""
COMMANDS = {
    "serve": ["serve"],
    "no command": [],
    "arena": ["arena", "memoarrrr", "--bots", "random,greedy"],
    "sit": ["sit", "http://localhost:8080/table/1", "--program", "true"],
}
# Tells how each command ended, and what it said.
TYPE = """
import contextlib, io, json
from samovar.cli import main
for name, words in json.loads(sys.argv[1]).items():
    sys.argv = ["samovar", *words]
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        try:
            main()
        except SystemExit as end:
            code = end.code
    print(json.dumps([name, code, errors.getvalue()]))
"""


def on_windows(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PRETEND + code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_comparison_with_peers_names_wsl() -> None:
    done = on_windows(
        "import runpy; runpy.run_path(sys.argv[1], run_name='__main__')", str(ROOT / "benchmarks" / "peers.py")
    )
    assert done.returncode == 1
    assert "WSL" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def answers() -> dict[str, tuple[int, str]]:
    """To each of the commands, from one process."""
    done = on_windows(TYPE, json.dumps(COMMANDS))
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {name: (code, said) for name, code, said in lines}


def test_the_games_run_on_windows() -> None:
    done = on_windows(PLAY)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) in ([1, 1], [1, 2], [2, 1])


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_needs_unix_names_wsl(answers: dict[str, tuple[int, str]], name: str) -> None:
    code, said = answers[name]
    assert code == 2
    (sentence,) = said.splitlines()
    assert sentence.startswith("samovar: ")
    assert "WSL" in sentence


@pytest.mark.parametrize("package", ["web", "arena"])
def test_a_package_that_needs_unix_cannot_be_imported(package: str) -> None:
    done = on_windows(f"import samovar.{package}")
    assert done.stderr.splitlines()[-1].startswith("samovar.errors.NotOnWindows: The ")


def test_a_program_that_plays_needs_unix() -> None:
    done = on_windows(
        "import samovar; match = samovar.Match('memoarrrr', plain=True)\n"
        "samovar.make_bot(f'program:{sys.executable}', match.game, seed=1).choose(match.seat(match.actors[0]))"
    )
    assert done.stderr.splitlines()[-1].startswith("samovar.errors.NotOnWindows: A program")
