"""A whole tournament: checked, played, interrupted, gone on with; in Python and on the command
line."""

import functools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import samovar
from samovar.arena import tournament as arena
from samovar.arena.outcome import Outcome, Tournament
from samovar.arena.plan import TournamentPlan
from samovar.arena.playing import play_match
from samovar.arena.referee import Referee
from samovar.arena.tournament import run
from samovar.cli import main
from samovar.errors import (
    BadOption,
    BadPosition,
    BadTournament,
    SamovarError,
    UnknownBot,
    UnknownGame,
    UnknownOption,
    WrongSeats,
)
from support import nasty_bots

TOURNAMENT = Tournament("connect_four", ("polite", "random"), 2, 6, 3, {})
SAMOVAR = [sys.executable, "-c", "from samovar.cli import main; main()"]


@pytest.fixture(autouse=True)
def _bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nasty_bots.install(tmp_path, monkeypatch)
    monkeypatch.setenv("SAMOVAR_DATA", str(tmp_path / "data"))


def expected(tournament: Tournament) -> list[Outcome]:
    return [play_match(match).outcome for match in TournamentPlan(tournament)]


def interrupt_after(count: int) -> Callable[[int, int], None]:
    def progress(done: int, total: int) -> None:
        if done >= count:
            raise KeyboardInterrupt

    return progress


@pytest.mark.processes
def test_outcomes_are_the_same_with_any_number_of_workers() -> None:
    seen: list[tuple[int, int]] = []
    assert run(TOURNAMENT, workers=2, progress=lambda *done: seen.append(done)) == expected(TOURNAMENT)
    assert seen == [(done, 6) for done in range(7)]
    assert run(TOURNAMENT, workers=1) == expected(TOURNAMENT)


@pytest.mark.processes
def test_bots_that_break_down_lose_and_the_tournament_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "Referee", functools.partial(Referee, allowance=0))
    tournament = replace(TOURNAMENT, bots=("quits", "hangs", "polite"), matches=6)
    outcomes = run(tournament, workers=2, move_limit=1.0)
    assert [outcome.number for outcome in outcomes] == list(range(6))
    for outcome in outcomes:
        assert outcome.forfeit is not None
        assert outcome.bots[outcome.forfeit] != "polite"
    reasons = {outcome.bots[outcome.forfeit or 0]: outcome.reason for outcome in outcomes if "polite" in outcome.bots}
    assert reasons.keys() == {"quits", "hangs"}
    assert "killed" in reasons["quits"]
    assert "1 s" in reasons["hangs"]


@pytest.mark.processes
def test_an_interrupted_tournament_goes_on_where_it_was(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with pytest.raises(KeyboardInterrupt):
        run(TOURNAMENT, file=file, workers=2, progress=interrupt_after(2))
    kept = file.read_bytes()
    assert len(kept.splitlines()) == 3
    seen: list[int] = []
    assert run(TOURNAMENT, file=file, workers=2, progress=lambda done, total: seen.append(done)) == expected(TOURNAMENT)
    assert seen == [2, 3, 4, 5, 6]
    assert file.read_bytes().startswith(kept)
    assert run(TOURNAMENT, file=file) == expected(TOURNAMENT)


@pytest.mark.processes
def test_records_of_all_matches_are_kept_and_replay(tmp_path: Path) -> None:
    tournament = replace(TOURNAMENT, bots=("polite", "throws"), matches=2)
    outcomes = run(tournament, workers=1, records=tmp_path / "new" / "records")
    paths = sorted((tmp_path / "new" / "records").iterdir())
    assert [path.name for path in paths] == ["match-00000.json", "match-00001.json"]
    for path, outcome in zip(paths, outcomes, strict=True):
        assert samovar.replay(path).scores == outcome.scores
        assert len(samovar.replay(path).history) == outcome.length
        table = json.loads(path.read_text())["table"]
        assert table == {
            "match": outcome.number,
            "bots": list(outcome.bots),
            "forfeit": outcome.forfeit,
            "reason": outcome.reason,
        }


WRONG: list[tuple[dict[str, object], type[SamovarError]]] = [
    ({"game": "chess"}, UnknownGame),
    ({"seats": 3}, WrongSeats),
    ({"options": {"first": 5}}, BadOption),
    ({"options": {"plain": True}}, UnknownOption),
    ({"seed": -1}, BadPosition),
    ({"matches": 0}, BadTournament),
    ({"bots": ("random",)}, BadTournament),
    ({"bots": ("random", "nobody")}, UnknownBot),
]


@pytest.mark.parametrize(("change", "error"), WRONG, ids=str)
def test_a_wrong_order_is_refused_before_anything_is_written(
    tmp_path: Path, change: dict[str, object], error: type[SamovarError]
) -> None:
    with pytest.raises(error):
        run(replace(TOURNAMENT, **change), file=tmp_path / "file", records=tmp_path / "records")  # type: ignore[arg-type]
    assert not (tmp_path / "file").exists()
    assert not (tmp_path / "records").exists()


@pytest.mark.parametrize(
    "wrong", [{"workers": 0}, {"move_limit": 0}, {"move_limit": float("nan")}, {"move_limit": 1e9}], ids=str
)
def test_wrong_numbers_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(BadTournament, match=next(iter(wrong)).replace("_", "-")):
        run(TOURNAMENT, **wrong)  # type: ignore[arg-type]


def test_a_folder_for_records_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(BadTournament, match="for records cannot be made"):
        run(TOURNAMENT, records=tmp_path / "taken")


# The command line


def order(*more: str, bots: str = "polite,random") -> list[str]:
    return [*SAMOVAR, "arena", "connect_four", "--bots", bots, "--matches", "6", "--seed", "3", "--workers", "1", *more]


def answered(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_command_prints_json_and_nothing_else(tmp_path: Path) -> None:
    done = answered(order("--json", "--html", str(tmp_path / "page.html"), "--first", "0"))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["game"], told["seats"], told["matches"]) == ("connect_four", 2, 6)
    assert {bot["name"] for bot in told["bots"]} == {"polite", "random"}
    assert "polite" in (tmp_path / "page.html").read_text()
    assert done.stderr == ""
    assert list((tmp_path / "data" / "arena").iterdir()) == []


def test_a_bar_is_shown_to_somebody_who_looks_and_a_file_asked_for_is_kept(tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    command = order("--file", str(tmp_path / "kept.jsonl"))
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, text=True, env={**os.environ, "TERM": "xterm"}
    ) as process:
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 4096):
                shown += chunk
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        assert process.stdout is not None
        assert "polite" in process.stdout.read()
    assert process.returncode == 0
    assert b"6/6" in shown
    assert b"0:00:00" in shown
    assert len((tmp_path / "kept.jsonl").read_text().splitlines()) == 7
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
@pytest.mark.processes
def test_the_same_command_goes_on_after_an_interruption(tmp_path: Path, name: str) -> None:
    """Three matches were written down when it came, and are not played again: the bot counts its
    matches."""
    pipe = nasty_bots.arrange_to_meet(match=3)
    command = order("--json", "--move-limit", "600", bots="meets,random")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        child = int(pipe.read_text())
        (file,) = (tmp_path / "data" / "arena").iterdir()
        # the third match is told by the process that played it, and written by another one
        nasty_bots.wait_for(lambda: file.read_text().count("\n") == 1 + 3)
        process.send_signal(signal.Signals[name])
        try:
            said, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == (130 if name == "SIGINT" else -9)
    assert said == ""
    if name == "SIGINT":
        assert "Interrupted" in errors
        assert str(file) in errors
    assert len(file.read_text().splitlines()) == 1 + 3
    assert nasty_bots.ended(child)
    again = answered(command)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["matches"] == 6
    assert (tmp_path / "begun").stat().st_size == 6 + 1
    assert not file.exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--html", "no/such/folder/page.html"], "page.html' cannot be written"),
        (["--html", "."], "cannot be written"),
        (["--patience", "3"], "no option '--patience'"),
        (["--seats", "4"], "played with 2 seats"),
        (["--bots", "polite"], "Name more of them"),
        (["--bots", "polite,greddy"], "Did you mean 'greedy'"),
        pytest.param(
            ["--ray", "127.0.0.1:1"], "No Ray cluster can be reached at '127.0.0.1:1'", marks=pytest.mark.research
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_is_said_in_one_sentence_before_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], more: list[str], said: str
) -> None:
    monkeypatch.setattr(sys, "argv", order(*more)[len(SAMOVAR) - 1 :])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err
    assert told.err.startswith("samovar: ")
    assert told.err.count("\n") == 1
    assert not (tmp_path / "data").exists()
