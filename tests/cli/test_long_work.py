"""Long work: it says that it lives, and Ctrl+C ends it with what there is so far."""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import samovar
from samovar.cli import main
from samovar.cli.machines import tell_busy
from samovar.engine.rule import jit_entry
from samovar.solver.report import SolverQuestion, answer
from support.kuhn_game import kuhn

DEAF = """
import hashlib
from samovar.cli.interruption import heed_interrupts
heed_interrupts()
while True:
    try:
        print("at work", flush=True)
        hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)
    except KeyboardInterrupt:
        pass  # it came a moment too early
"""  # an hour outside of Python, which hears nothing meanwhile


def started(command, **environment):
    return subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.processes
def test_an_interrupt_is_heeded_where_python_does_not_hear_it():
    process = started([sys.executable, "-c", DEAF])
    assert process.stdout.readline() == "at work\n"
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
    process.kill()
    _, errors = process.communicate()
    assert process.returncode == 130
    assert errors == "\nsamovar: interrupted.\n"


@pytest.mark.processes
def test_an_interrupted_tournament_shows_the_table_of_what_was_played(tmp_path):
    command = [sys.executable, "-c", "from samovar.cli import main; main()", "arena", "memoarrrr"]
    command += ["--bots", "random,greedy", "--matches", "1000000", "--workers", "1"]
    process = started(command, SAMOVAR_DATA=str(tmp_path), SAMOVAR_PLAIN="1", COLUMNS="100")
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None and lines_of(tmp_path) < 5:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    shown, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "greedy" in shown
    assert "random" in shown
    assert "Interrupted. What was played is in" in errors
    assert lines_of(tmp_path) >= 5


def test_an_interrupted_command_says_so(monkeypatch, capsys):
    def interrupted(game):
        raise KeyboardInterrupt

    monkeypatch.setattr("samovar.cli.tables.find_game", interrupted)
    monkeypatch.setattr(sys, "argv", ["samovar", "rules", "babuschka"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 130
    assert capsys.readouterr().err == "samovar: interrupted.\n"


def lines_of(folder: Path) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in folder.glob("arena/*.jsonl"))


def test_an_interrupted_bound_is_told_by_the_matches_so_far(monkeypatch):
    told = []

    def tell(text):
        told.append(text)
        if text.startswith("5 of"):
            raise KeyboardInterrupt

    monkeypatch.setattr("samovar.solver.respond.play", lambda rules, players, seed: np.array([0.5, -0.5]))
    asked = SolverQuestion(samovar.find_game("memoarrrr"), "greedy", 2, {}, 1, 1, 100, 0)
    found = answer(asked, False, tell)
    assert found["interrupted"]
    assert found["matches"] == 4, "whole deals: every player has played them"
    assert len(json.dumps(found))
    assert told[0].startswith("1 of 100 matches")


def test_exact_answers_tell_what_they_are_at(monkeypatch):
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    told = []
    found = answer(SolverQuestion(kuhn(), "greedy", 2, {}, 1, 1, 1, 0), True, told.append)
    assert not found["interrupted"]
    assert any("positions after" in text for text in told)
    assert any("greedy has answered" in text for text in told)


@pytest.mark.parametrize(("load", "is_told"), [(0.1, False), (100.0, True)])
def test_a_busy_machine_is_named_where_speed_is_measured(monkeypatch, capsys, load, is_told):
    monkeypatch.setattr(os, "getloadavg", lambda: (load, load, load))
    tell_busy()
    assert ("busy (load 100.0" in capsys.readouterr().err) == is_told


def test_what_must_be_compiled_first_is_told_by_name(monkeypatch):
    told = []
    monkeypatch.setattr("samovar.engine.rule.on_compiling", told)  # restored afterwards
    names = []
    told.append(names.append)
    entry = jit_entry(lambda number: number + 1, secrets.token_hex(), "Heaps")
    assert entry(1) == 2
    assert entry(2) == 3
    assert names == ["Heaps"]
