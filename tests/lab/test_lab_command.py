"""`samovar lab` as one types it."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from samovar.cli import main
from samovar.lab import run
from samovar.lab.order import LabOrder
from samovar.lab.run import PLAYING, Findings
from samovar.lab.telling import ToldFindings
from support import outcome_games
from support.lab_findings import made_up


def lab(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """The exit code."""
    monkeypatch.setattr(sys, "argv", ["samovar", "lab", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.fixture
def instead(monkeypatch: pytest.MonkeyPatch) -> list[LabOrder]:
    """Nothing is measured; these are the orders."""
    orders: list[LabOrder] = []

    def measuring(order: LabOrder) -> Iterator[Findings]:
        orders.append(order)
        yield made_up()

    monkeypatch.setattr(run, "measuring", measuring)
    return orders


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nothing"], "There is no game 'nothing'"),
        (["memoarrrr", "--loud"], "Memoarrrr! has no option '--loud'"),
        (["memoarrrr", "--vary", "loud=1,2"], "Memoarrrr! has no option 'loud' to vary"),
        (["memoarrrr", "--vary", "expert=true,perhaps"], "Option 'expert' cannot be 'perhaps'"),
        (["memoarrrr", "--vary", "expert"], "Say which values of 'expert' to compare"),
        (["memoarrrr", "--vary", "expert=true,true"], "Two of the variants are the same"),
        (["--expert", "memoarrrr"], "Name the game before its options"),
        (["memoarrrr", "--matches", "5", "--seconds", "5"], "not both"),
        (["memoarrrr", "--players", ","], "Somebody must play"),
        (["memoarrrr", "--html", "no/such/folder.html"], "cannot be written"),
    ],
)
def test_what_cannot_be_measured_is_told_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert lab(monkeypatch, *words) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert told in error
    assert error.startswith("samovar: ")
    assert error.count("\n") == 1


def test_a_game_for_one_cannot_be_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with outcome_games.installed(tmp_path) as game:
        assert lab(monkeypatch, game.id, "--seats", "1") == 2
    assert "has nobody to play against" in capsys.readouterr().err


def test_options_and_what_is_varied_are_the_games(monkeypatch: pytest.MonkeyPatch, instead: list[LabOrder]) -> None:
    words = ["memoarrrr", "--ordered-stack", "--vary", "expert=true,false", "--vary", "first-reveal-ability=false,true"]
    assert (
        lab(monkeypatch, *words, "--seats", "3", "--pace", "20", "--seed", "9", "--matches", "7", "--workers", "2") == 0
    )
    (order,) = instead
    assert [(each["expert"], each["first_reveal_ability"]) for each in order.variants] == [
        (True, False),
        (True, True),
        (False, False),
        (False, True),
    ]
    assert all(each["ordered_stack"] is True for each in order.variants)
    assert (order.seats, order.pace, order.seed, order.matches, order.workers) == (3, 20.0, 9, 7, 2)


def test_json_is_all_that_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], instead: list[LabOrder]
) -> None:
    assert lab(monkeypatch, "memoarrrr", "--json") == 0
    out, error = capsys.readouterr()
    assert json.loads(out)["game"] == "memoarrrr"
    assert error == ""


def test_reports_speak_a_language_and_programs_read_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], instead: list[LabOrder], tmp_path: Path
) -> None:
    page = tmp_path / "lab.html"
    assert lab(monkeypatch, "memoarrrr", "--lang", "de", "--html", str(page), "--svg", str(tmp_path)) == 0
    assert "Partien: 500 zufällige" in capsys.readouterr().out
    assert '<html lang="de">' in page.read_text(encoding="utf-8")
    assert "Kommt es auf den Platz an?" in (tmp_path / "wins.svg").read_text(encoding="utf-8")
    assert lab(monkeypatch, "memoarrrr", "--json") == lab(monkeypatch, "memoarrrr", "--json", "--lang", "de") == 0
    english, german = capsys.readouterr().out.splitlines()
    assert english == german
    assert lab(monkeypatch, "memoarrrr", "--lang", "tlh") == 2
    assert "There is no language 'tlh' here" in capsys.readouterr().err


def test_files_are_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], instead: list[LabOrder], tmp_path: Path
) -> None:
    page, plots, records = tmp_path / "lab.html", tmp_path / "plots", tmp_path / "records"
    words = ["--html", str(page), "--svg", str(plots), "--records", str(records)]
    assert lab(monkeypatch, "memoarrrr", *words) == 0
    assert str(records / "memoarrrr-longest.json") in capsys.readouterr().out.replace("\n", "")
    assert str(records / "memoarrrr-longest.json") in page.read_text(encoding="utf-8")
    assert (plots / "wins.svg").exists()
    assert (records / "memoarrrr-longest.json").exists()


def test_a_broken_game_stops_only_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def measuring(order: LabOrder) -> Iterator[Findings]:
        if order.game.id == "babuschka":
            raise IndexError("of its rules")
        yield made_up()

    monkeypatch.setattr(run, "measuring", measuring)
    games = ["nothing", "babuschka", "memoarrrr"]
    assert lab(monkeypatch, *games, "--json", "--html", str(tmp_path / "lab.html")) == 2
    out, error = capsys.readouterr()
    told = json.loads(out)["games"]
    assert [each["game"] for each in told] == games
    assert ["error" in each for each in told] == [True, True, False]
    assert "samovar: babuschka: IndexError('of its rules')" in error
    assert [path.name for path in tmp_path.iterdir()] == ["lab-memoarrrr.html"]


def test_ctrl_c_shows_what_there_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    closed = []

    def measuring(order: LabOrder) -> Iterator[Findings]:
        try:
            yield made_up(matches=0, random=0, stage=PLAYING)
            yield made_up(stage=PLAYING)
            raise KeyboardInterrupt
        finally:
            closed.append(order)

    monkeypatch.setattr(run, "measuring", measuring)
    assert lab(monkeypatch, "memoarrrr", "babuschka") == 130
    out = capsys.readouterr().out
    for figure in ToldFindings(made_up()).portrait():
        assert figure.text in out
    assert "stopped when 40 % was done" in out
    assert len(closed) == 1  # the next game is not begun


@pytest.mark.slow
def test_ctrl_c_in_a_terminal() -> None:
    """Somebody watches, and presses it when the first figures are there."""
    watched, terminal = os.openpty()
    command = [sys.executable, "-m", "samovar", "lab", "memoarrrr", "--players", "random", "--random", "100000000"]
    with subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, stderr=terminal, text=True) as process:
        os.close(terminal)
        try:
            seen = ""
            while not re.search(r"Moves +\d", seen):
                seen += os.read(watched, 4096).decode(errors="replace")
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
        finally:
            process.kill()  # else a signal that is not heard would mean to wait for all that was ordered
    os.close(watched)
    assert process.returncode == 130
    told = json.loads(out)
    assert told["stage"] == "counting"
    assert told["variants"][0]["random"] > 0
    assert told["variants"][0]["figures"][0]["low"] > 0
