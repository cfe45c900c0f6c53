"""The command line as a person uses it: processes, keyboards, interruptions."""

import inspect
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from itertools import cycle
from pathlib import Path
from unittest.mock import patch

import pytest
from typer.main import get_command

import samovar
from samovar.cli import app, main
from samovar.engine.words import words_in
from samovar.language.languages import LANGUAGES

SAMOVAR = [sys.executable, "-c", "from samovar.cli import main; main()"]


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "SAMOVAR_DATA": str(tmp_path),
        "LANG": "C.UTF-8",
        "LC_ALL": "",
        "COLUMNS": "100",
        "PYTHONUNBUFFERED": "1",
        "PYTHONUTF8": "1",
    }


def run(home: dict[str, str], *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SAMOVAR, *arguments], env=home, input=typed, capture_output=True, text=True, timeout=120, check=False
    )


def run_here(home: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """The same in this process, which need not start: for what nobody types into or interrupts."""
    code: object = 0
    with (
        patch.dict(os.environ, home, clear=True),
        patch.object(sys, "argv", ["samovar", *arguments]),
        redirect_stdout(StringIO()) as out,
        redirect_stderr(StringIO()) as errors,
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code
    return subprocess.CompletedProcess(arguments, int(str(code or 0)), out.getvalue(), errors.getvalue())


def saves(home: dict[str, str]) -> list[Path]:
    return sorted((Path(home["SAMOVAR_DATA"]) / "matches").glob("*.json"))


def test_games_lists_all_without_importing_numba(home: dict[str, str]) -> None:
    code = "import sys; sys.argv = ['samovar', 'games']\nfrom samovar.cli import app\n"
    code += "try: app()\nexcept SystemExit: pass\nassert 'numba' not in sys.modules, 'numba was imported'"
    done = subprocess.run(
        [sys.executable, "-c", code], env=home, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    for game_id in samovar.game_ids():
        assert re.search(rf"^{game_id}\b", done.stdout, re.MULTILINE)
    assert "--half-turn" in done.stdout


@pytest.mark.parametrize(
    ("game_id", "language", "word"),
    [("babuschka", "en", "the goal"), ("babuschka", "et", "eesmärk"), ("connect_four", "et", "mängu eesmärk")],
)
def test_rules_are_shown_in_the_language_asked_for_or_in_english(
    home: dict[str, str], game_id: str, language: str, word: str
) -> None:
    done = run_here(home, "rules", game_id, "--lang", language)
    assert done.returncode == 0, done.stderr
    assert "**1.1**" in done.stdout
    assert word in done.stdout.lower()


@pytest.mark.parametrize(
    ("game_id", "language"),
    [(game_id, "en") for game_id in samovar.game_ids()]
    + [*zip(samovar.game_ids(), cycle(LANGUAGES[1:]), strict=False)],  # each of them somewhere
)
def test_whole_match_in_the_terminal(home: dict[str, str], game_id: str, language: str) -> None:
    """A person who always types the last legal move; wrong input and ? on the way."""
    from rich.console import Console

    from samovar.cli.terminal import TerminalMatch

    match = samovar.Match(game_id, seed=3, plain=True)
    path = Path(home["SAMOVAR_DATA"]) / "match.json"
    typed: list[str] = []

    def ask(prompt: str) -> str:
        told = match.view(0).prompt.tell(words_in(match.game, language), lambda seat: f"seat {seat}")
        assert told.split() == (path.with_suffix(".txt").read_text(encoding="utf-8").split())[-len(told.split()) :], (
            "what is asked must be said"
        )
        if len(typed) < 3:
            typed.append(["?", "nonsense", ""][len(typed)])
            return typed[-1]
        typed.append(match.moves(0)[-1])
        return typed[-1]

    with open(path.with_suffix(".txt"), "w", encoding="utf-8", buffering=1) as screen:
        TerminalMatch(match, 0, language, path, Console(file=screen, width=80), ask).play()
    shown = path.with_suffix(".txt").read_text(encoding="utf-8")
    assert match.over
    assert "nonsense" in shown
    assert str(path.name) in shown.replace("\n", "")
    again = samovar.replay(path)
    assert again.over
    assert again.state_bytes == match.state_bytes


def test_leaving_saves_and_resume_goes_on(home: dict[str, str]) -> None:
    first = run(home, "play", "babuschka", "--seed", "5", "--first", "0", "--patience", "7", typed="c1-c2\nq\n")
    assert first.returncode == 0, first.stderr
    assert "samovar play --resume" in first.stdout
    (path,) = saves(home)
    before = samovar.replay(path)
    assert before.history[0] == (0, before.game.parse_move(before.state, 0, "c1-c2"))
    assert before.options["patience"] == 7
    second = run(home, "play", "--resume", "babuschka", typed="e1-e2\n")
    assert second.returncode == 0, second.stderr
    after = samovar.replay(path)
    assert after.history[: len(before.history)] == before.history
    assert len(after.history) > len(before.history)
    assert saves(home) == [path]


@pytest.mark.processes
def test_interrupt_and_kill_lose_nothing(home: dict[str, str]) -> None:
    for stop, code in ((signal.SIGINT, 0), (signal.SIGKILL, -signal.SIGKILL)):
        game = subprocess.Popen(
            [*SAMOVAR, "play", "babuschka", "--seed", "5", "--first", "0"],
            env=home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert game.stdin is not None
        known = set(saves(home))
        game.stdin.write("c1-c2\n")
        game.stdin.flush()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            new = [path for path in saves(home) if path not in known]
            if new and len(json.loads(new[0].read_text())["moves"]) >= 2:
                break
            time.sleep(0.05)
        game.send_signal(stop)
        _, err = game.communicate(timeout=30)
        assert game.returncode == code, err
        assert "Traceback" not in err
        assert len(samovar.replay(new[0]).history) >= 2


def test_replay_shows_every_move_from_a_seat(home: dict[str, str]) -> None:
    match = samovar.Match("memoarrrr", seats=3, seed=4, plain=True)
    match.play_random(4)
    path = Path(home["SAMOVAR_DATA"]) / "record.json"
    path.write_text(json.dumps(match.record()))
    done = run_here(home, "replay", str(path), "--player", "2")
    assert done.returncode == 0, done.stderr
    assert run_here(home, "replay", str(path), "--seat", "1").stdout == done.stdout, "programs count seats from 0"
    assert "Players are counted from 1" in run_here(home, "replay", str(path), "--player", "0").stderr
    assert done.stdout.count(f" of {len(match.history)}: ") == len(match.history)
    assert "player 2 (you)" in done.stdout
    french = run_here(home, "replay", str(path), "--lang", "fr")
    assert "La partie est terminée" in french.stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["play", "babushka"], "Did you mean 'babuschka'"),
        (["play", "babuschka", "--seats", "3"], "2 or 4 seats"),
        (["play", "babuschka", "--expert"], "no option '--expert'"),
        (["play", "babuschka", "--patiense", "9"], "Did you mean '--patience'?"),
        (["play", "babuschka", "--palyer=2"], "Did you mean '--player'?"),
        (["lab", "matryoshka", "--vary", "long_colums=cap"], "Did you mean 'long-columns'?"),
        (["play", "babuschka", "--patience", "0"], "1 to 1000"),
        (["play", "babuschka", "--patience"], "needs a value"),
        (["play", "babuschka", "nonsense"], "not understood"),
        (["play", "babuschka", "--seat", "7"], "seats are 0 to 1"),
        (["play", "matryoshka", "--long-columns=short"], "extend, cap"),
        (["play", "--resume", "babuschka"], "no unfinished game of babuschka"),
        (["rules", "chess"], "Known: "),
        (["rules", "babuschka", "--lang", "tlh"], ", ".join(LANGUAGES)),
        (["replay", "nowhere.json"], "cannot be opened"),
        (["bench", "chess"], "Known: "),
    ],
)
def test_wrong_use_is_told_in_a_sentence(home: dict[str, str], arguments: list[str], text: str) -> None:
    done = run_here(home, *arguments)
    assert done.returncode == 2
    assert text in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
    assert not saves(home)


def test_options_are_understood_in_every_spelling() -> None:
    from samovar.cli import parse_options

    game = samovar.find_game("memoarrrr")
    assert parse_options(game, ["--expert", "--no-ordered-stack", "--first", "1"]) == {
        "expert": True,
        "ordered_stack": False,
        "first": 1,
    }
    assert parse_options(game, ["--expert", "false", "--first=random"]) == {"expert": False, "first": None}
    assert parse_options(samovar.find_game("matryoshka"), ["--long_columns=cap"]) == {"long_columns": "cap"}


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_letters_that_cannot_be_written_stop_nothing(home: dict[str, str], encoding: str) -> None:
    """As in files on Windows."""
    typed = [*SAMOVAR, "games"]
    ran = subprocess.run(typed, env={**home, "PYTHONIOENCODING": encoding}, capture_output=True, check=True)
    assert ("V?rvitikud" if encoding == "ascii" else "V\xe4rvitikud").encode(encoding) in ran.stdout
    assert ran.stderr == b""


# Help


def every_command(group=None, name="samovar"):
    group = group or get_command(app)
    for own, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from every_command(command, f"{name} {own}")
        else:
            yield f"{name} {own}", command


@pytest.mark.parametrize(("name", "command"), [*every_command()], ids=lambda one: one if isinstance(one, str) else "")
def test_a_command_says_in_one_line_what_it_does_and_gives_an_example_that_it_understands(name, command):
    does, *rest = inspect.cleandoc(command.help).split("\n\n")
    assert len(does.splitlines()) == 1  # else the list of commands has lines that end early
    assert len(does) <= 88
    assert all(len(paragraph.splitlines()) == 1 for paragraph in rest), "a terminal breaks lines itself"
    if name in ("samovar games", "samovar mcp"):  # they take nothing
        return
    example = re.fullmatch(r"Example: `(.*)`", rest[-1])[1]
    assert example.startswith(f"{name} ")
    known = {flag for option in command.params for flag in (*option.opts, *option.secondary_opts)}
    known |= {f"--{option.name}" for game in samovar.game_ids() for option in samovar.find_game(game).options}
    assert set(re.findall(r" (--[a-z-]+)", example)) <= known
