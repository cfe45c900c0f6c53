"""Builds the packages of a release, installs the wheel alone into an environment of its own, and plays with it: a match
against bots in a terminal that is none, and a move at a table of the site.

`make wheel-test`; `--constraints ''` installs the newest packages instead of those of
constraints.txt.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import release

ROOT = Path(__file__).parent.parent
IS_WINDOWS = sys.platform == "win32"
# Run by the Python of the new environment, with the address of the site.
AT_THE_SITE = """
import sys
from samovar.client import Client
table = Client(sys.argv[1]).make_table("babuschka", chairs=["token", "easy"], options={"first": 0})
seat = table.seats[0]
seat.play(seat.look()["legal"][0]["move"])
assert seat.wait()["revision"] >= 2, "the bot has not answered"
"""
ALL_MOVES = """
import samovar
match, texts = samovar.Match("memoarrrr", 2, seed=1, plain=True), set()
while not match.over:
    texts.update(moves := match.moves(match.actors[0]))
    match.play(match.actors[0], moves[0])
print("\\n".join(sorted(texts)))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--constraints", default=str(ROOT / "constraints.txt"))
    constraints = parser.parse_args().constraints
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = install(build(folder), folder, constraints)
        play_in_terminal(python, folder)
        play_at_site(python, folder)
        write_game(python, folder)
    print("The wheel was installed alone, and played in a terminal and at a site.")


def build(folder: Path) -> Path:
    """It comes out of the source package, so that one is tried, too."""
    release.build(ROOT, folder)
    (wheel,) = folder.glob("samovar_games-*.whl")
    return wheel


def install(wheel: Path, folder: Path, constraints: str) -> Path:
    """The Python of an environment that has the wheel and what it asks for, and nothing else."""
    run(sys.executable, "-m", "venv", str(folder / "venv"))
    python = folder / "venv" / ("Scripts" if IS_WINDOWS else "bin") / "python"
    limits = ["--constraint", constraints] if constraints else []
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", *limits, str(wheel))
    return python


def play_in_terminal(python: Path, folder: Path) -> None:
    """Every move is tried until one is legal, over and over: the match comes to its end."""
    environment = {**os.environ, "SAMOVAR_DATA": str(folder / "terminal")}
    moves = run(python, "-c", ALL_MOVES, cwd=folder)
    command = [python.parent / "samovar", "play", "memoarrrr", "--seats", "2", "--bot", "easy", "--seed", "1"]
    run(*command, cwd=folder, input=moves * 200, env=environment)
    (record,) = (folder / "terminal" / "matches").glob("*.json")
    assert json.loads(record.read_text(encoding="utf-8"))["over"], "the match did not end"


def play_at_site(python: Path, folder: Path) -> None:
    with site(python, folder) as address:
        run(python, "-c", AT_THE_SITE, address, cwd=folder)


def write_game(python: Path, folder: Path) -> None:
    """`samovar new` has its files with it, and what it writes can be played."""
    run(python.parent / "samovar", "new", "wheel_game", "--folder", folder, cwd=folder)
    play = "import samovar; from wheel_game import GAME; samovar.Match(GAME, 3, plain=True).play_random(1)"
    run(python, "-c", play, cwd=folder, env={**os.environ, "PYTHONPATH": str(folder / "wheel_game")})


@contextmanager
def site(python: Path, folder: Path) -> Iterator[str]:
    command = [python.parent / "samovar", "serve", "--port", "0", "--no-browser", "--host", "127.0.0.1"]
    with subprocess.Popen(
        [*command, "--data", folder / "site"], cwd=folder, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout
            line = next(line for line in process.stdout if "http://" in line)
            yield line.split()[-1]
        finally:
            process.send_signal(signal.SIGTERM if IS_WINDOWS else signal.SIGINT)
    assert IS_WINDOWS or process.returncode == 0, "the site did not end cleanly"


def run(*command: str | Path, cwd: Path = ROOT, input: str = "", env: dict[str, str] | None = None) -> str:
    """What it printed; if it failed, its words are shown."""
    done = subprocess.run(command, cwd=cwd, input=input, env=env, capture_output=True, text=True, timeout=600)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    main()
