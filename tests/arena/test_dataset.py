"""Data sets: what is in them is what was played, the same order gives the same bytes, and the card's
own code reads them."""

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import samovar
from samovar.arena import dataset
from samovar.arena.data.files import ARRAYS, RECORDS
from samovar.arena.dataset import CARD, CROISSANT, DataPlan, in_order, make_dataset, rewards_of, write_dataset
from samovar.arena.outcome import Tournament
from samovar.arena.playing import PlayedMatch, play_match
from samovar.cli import main
from samovar.errors import BadOption, BadTournament, NotWritten, UnknownBot

ORDER = Tournament("connect_four", ("random", "greedy"), 2, 5, 3, {"first": 1})
SAMOVAR = [sys.executable, "-c", "from samovar.cli import main; main()"]


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")


def played(order: Tournament = ORDER) -> Iterator[PlayedMatch]:
    return (play_match(planned, record=True) for planned in DataPlan(order))


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def records_in(folder: Path) -> list[dict]:
    lines = [line for path in sorted(folder.glob("*.gz")) for line in gzip.decompress(path.read_bytes()).splitlines()]
    return [json.loads(line) for line in lines]


def test_bots_take_turns_in_the_seats_and_every_deal_is_another() -> None:
    matches = list(DataPlan(ORDER))
    assert [match.bots for match in matches] == [("random", "greedy"), ("greedy", "random")] * 2 + [
        ("random", "greedy")
    ]
    assert len({match.seed for match in matches}) == len(matches) == 5


def test_records_are_those_of_the_matches_in_files_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataset, "SHARD", 2)
    written = write_dataset(DataPlan(ORDER), played(), tmp_path / "new" / "data")
    assert sorted(content(tmp_path / "new" / "data")) == [
        CARD,
        CROISSANT,
        *(f"records-0000{k}.jsonl.gz" for k in range(3)),
    ]
    records = records_in(tmp_path / "new" / "data")
    assert records == [match.record for match in played()]
    assert all(samovar.replay(record).over for record in records)
    assert (written.matches, written.left_out, written.is_whole) == (5, 0, True)
    assert written.decisions == sum(len(record["moves"]) for record in records)


def test_arrays_say_what_each_seat_knew_and_did(tmp_path: Path) -> None:
    order = replace(ORDER, game="memoarrrr", matches=2)
    write_dataset(DataPlan(order), played(order), tmp_path / "data", format=ARRAYS)
    data = np.load(tmp_path / "data" / "arrays-00000.npz")
    k = 0
    for number, one in enumerate(played(order)):
        assert one.record is not None
        match = samovar.replay(one.record)
        assert data["match_starts"][number] == k
        assert data["rewards"][number].tolist() == rewards_of(match)
        assert (data["places"][number].tolist(), data["scores"][number].tolist()) == (
            list(match.places),
            list(match.scores),
        )
        assert tuple(data["names"][data["bots"][number]]) == one.outcome.bots
        for at, (seat, move) in enumerate(match.history):
            before = match.at(at)
            assert data["observations"][k].tolist() == before.observation(seat).tolist()
            assert data["legal"][data["legal_starts"][k] : data["legal_starts"][k + 1]].tolist() == before.legal(seat)
            assert (data["seats"][k], data["moves"][k]) == (seat, move)
            k += 1
    assert data["match_starts"][-1] == len(data["moves"]) == k
    assert data["observations"].dtype == np.int8


def test_rewards_are_those_of_a_batch() -> None:
    batch = samovar.Batch("memoarrrr", 8, 3, seed=4, restart=False)
    final = np.zeros((8, 3))
    while batch.actors().any():
        batch.step(batch.random_moves())
        final[batch.ended] = batch.rewards[batch.ended]
    for states, rewards in zip(batch.states, final, strict=True):
        match = samovar.Match("memoarrrr", 3, seed=0)
        match.states = states.reshape(1)
        assert rewards_of(match) == pytest.approx(rewards.tolist())


@pytest.mark.parametrize("format", [RECORDS, ARRAYS])
def test_the_same_order_gives_the_same_bytes_however_the_matches_end(
    tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = list(played())
    write_dataset(DataPlan(ORDER), matches, tmp_path / "one", format=format)
    monkeypatch.setattr(time, "time", lambda: 10.0**9)  # on another day
    write_dataset(DataPlan(ORDER), reversed(matches), tmp_path / "two", format=format)
    assert content(tmp_path / "one") == content(tmp_path / "two")
    write_dataset(DataPlan(replace(ORDER, seed=4)), played(replace(ORDER, seed=4)), tmp_path / "three", format=format)
    assert content(tmp_path / "three") != content(tmp_path / "one")


@pytest.mark.parametrize("format", [RECORDS, ARRAYS])
def test_the_code_of_the_card_reads_the_files(tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write_dataset(DataPlan(ORDER), played(), tmp_path / "data", format=format)
    card = (tmp_path / "data" / CARD).read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", card, re.DOTALL)
    assert len(code.splitlines()) == 5
    monkeypatch.chdir(tmp_path / "data")
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, CARD, "exec"), {})
    assert "0" in printed.getvalue()
    assert "# Connect Four: 5 matches" in card
    assert "| options | `columns` 7, `rows` 6, `connect` 4, `first` 1 |" in card
    assert "| `greedy` | 5 |" in card
    assert "interrupted" not in card


def test_the_command_of_the_card_makes_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the same order: bots, options and all."""
    write_dataset(DataPlan(ORDER), played(), tmp_path / "data", format=ARRAYS)
    card = (tmp_path / "data" / CARD).read_text(encoding="utf-8")
    (command,) = re.findall(r"```\n(samovar dataset .*)\n```", card)
    orders: list[tuple[Tournament, str]] = []

    def remember(order: Tournament, folder: Path, *, format: str, **_: object) -> dataset.Written:
        orders.append((order, format))
        return dataset.Written(order, format)

    monkeypatch.setattr(dataset, "make_dataset", remember)
    monkeypatch.setattr(sys, "argv", command.split())
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert orders == [(ORDER, ARRAYS)]


def test_a_match_that_was_forfeited_is_left_out(tmp_path: Path) -> None:
    matches = list(played())
    matches[1] = PlayedMatch(replace(matches[1].outcome, forfeit=0, reason="asleep"), matches[1].record)
    written = write_dataset(DataPlan(ORDER), matches, tmp_path / "data")
    assert [record["table"]["match"] for record in records_in(tmp_path / "data")] == [0, 2, 3, 4]
    assert (written.matches, written.left_out, written.is_whole) == (4, 1, True)
    assert "| left out | 1 matches" in (tmp_path / "data" / CARD).read_text(encoding="utf-8")


def test_an_interruption_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "SHARD", 2)

    def until_somebody_stops_it() -> Iterator[PlayedMatch]:
        yield from islice(played(), 3)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_dataset(DataPlan(ORDER), until_somebody_stops_it(), tmp_path / "data")
    assert len(records_in(tmp_path / "data")) == 3
    assert not list((tmp_path / "data").glob("*.part"))
    assert "the first 3 of 5 matches" in (tmp_path / "data" / CARD).read_text(encoding="utf-8")


def test_what_comes_early_waits() -> None:
    matches = list(played())
    given = [matches[k] for k in (1, 0, 2, 4, 3)]
    assert list(in_order(given)) == matches
    assert [one.outcome.number for one in in_order(given[:1])] == []


def test_what_is_wrong_is_said_before_anything_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with pytest.raises(UnknownBot):
        make_dataset(replace(ORDER, bots=("random", "nobody")), folder)
    with pytest.raises(BadTournament, match="only 1 bots"):
        make_dataset(replace(ORDER, bots=("random",)), folder)
    with pytest.raises(BadOption, match="Did you mean 'parquet'"):
        make_dataset(ORDER, folder, format="parket")
    with pytest.raises(BadTournament, match="worker"):
        make_dataset(ORDER, folder, workers=0)
    assert not folder.exists()
    folder.mkdir()
    (folder / "mine").touch()
    with pytest.raises(NotWritten, match="there already"):
        make_dataset(ORDER, folder)
    with pytest.raises(NotWritten, match="cannot be written"):
        write_dataset(DataPlan(ORDER), played(), folder / "mine" / "deep")
    assert os.listdir(folder) == ["mine"]


@pytest.mark.processes
def test_the_command_writes_and_can_be_interrupted(tmp_path: Path) -> None:
    """One bot alone sits in all seats."""
    command = [*SAMOVAR, "dataset", "connect_four", "--bots", "random", "--first", "0"]
    done = subprocess.run(
        [*command, "--matches", "3", "--out", "few"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("3 matches with ")
    assert {tuple(record["table"]["bots"]) for record in records_in(tmp_path / "few")} == {("random", "random")}
    playing = subprocess.Popen(
        [*command, "--matches", "1000000", "--out", "many"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "many").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1)
    playing.send_signal(signal.SIGINT)
    _, told = playing.communicate(timeout=60)
    assert playing.returncode == 130, told
    assert "Interrupted" in told
    assert "Traceback" not in told
    card = (tmp_path / "many" / CARD).read_text(encoding="utf-8")
    assert f"the first {len(records_in(tmp_path / 'many')):,} of 1,000,000 matches" in card
