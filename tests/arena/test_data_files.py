"""The files of a data set are the same bytes wherever they are made, and Croissant's own checker and
Parquet's own reader find in them what was played."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import samovar
from samovar.arena.data import files
from samovar.arena.data.card import BIASES, LIMITS, USES
from samovar.arena.data.files import ARRAYS, COLUMNS, FORMATS, MINARI, PARQUET, RECORDS
from samovar.arena.data.minari import load_minari
from samovar.arena.dataset import CARD, CROISSANT, SHARD, DataPlan, rewards_of, write_dataset
from samovar.arena.outcome import Tournament
from samovar.arena.playing import PlayedMatch, play_match
from samovar.errors import MissingExtra

pytestmark = pytest.mark.research

ORDER = Tournament("connect_four", ("random", "greedy"), 2, 3, 5, {})
MAKE = """
import sys
from pathlib import Path
from samovar.arena.data.minari import load_minari
from samovar.arena.dataset import DataPlan, write_dataset
from samovar.arena.outcome import Tournament
from samovar.arena.playing import play_match
plan = DataPlan(Tournament("connect_four", ("random", "greedy"), 2, 3, 5, {}))
for format in sys.argv[2:]:
    matches = (play_match(planned, record=True) for planned in plan)
    write_dataset(plan, matches, Path(sys.argv[1], format), format=format)
"""


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")


def need_pyarrow() -> None:
    pytest.importorskip("pyarrow", reason="the extra 'data' is not installed")


def played() -> Iterator[PlayedMatch]:
    return (play_match(planned, record=True) for planned in DataPlan(ORDER))


def need_minari() -> None:
    pytest.importorskip("minari", reason="the extra 'data' is not installed")


def written(folder: Path, format: str) -> Path:
    if format in (PARQUET, MINARI):
        need_pyarrow()
    if format == MINARI:
        need_minari()
    write_dataset(DataPlan(ORDER), played(), folder, format=format)
    return folder


def made_elsewhere(folder: Path, seed_of_hashes: str, formats: list[str]) -> dict[str, bytes]:
    environment = {**os.environ, "PYTHONHASHSEED": seed_of_hashes, "SAMOVAR_PLAIN": "1", "TZ": f"UTC{seed_of_hashes}"}
    command = [sys.executable, "-c", MAKE, str(folder), *formats]
    subprocess.run(command, env=environment, check=True, timeout=120)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_two_processes_make_the_same_bytes(tmp_path: Path) -> None:
    need_pyarrow()
    need_minari()
    one, two = (made_elsewhere(tmp_path / seed, seed, list(FORMATS)) for seed in ("1", "2"))
    assert one == two
    assert {name for name in one if name.count("/") == 1} == {
        f"{name}/{file}" for name, form in FORMATS.items() for file in (CARD, CROISSANT, form.name(0))
    }
    assert "minari/data/5/metadata.json" in one  # of three matches with two seats


def test_no_file_says_on_which_system_it_was_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = [written(tmp_path / "here" / name, name) / FORMATS[name].name(0) for name in (RECORDS, ARRAYS)]
    monkeypatch.setattr(sys, "platform", "win32")  # by which zipfile says who made a member
    there = [written(tmp_path / "there" / name, name) / FORMATS[name].name(0) for name in (RECORDS, ARRAYS)]
    assert [path.read_bytes() for path in here] == [path.read_bytes() for path in there]
    assert here[0].read_bytes()[files.OS_BYTE] == 255


def test_a_row_of_parquet_is_a_decision(tmp_path: Path) -> None:
    need_pyarrow()
    from pyarrow import parquet

    rows = parquet.read_table(written(tmp_path / "data", PARQUET) / "decisions-00000.parquet").to_pylist()
    expected = []
    for number, one in enumerate(played()):
        assert one.record is not None
        match = samovar.replay(one.record)
        for step, (seat, move) in enumerate(match.history):
            before = match.at(step)
            row = (number, step, seat, one.outcome.bots[seat], before.observation(seat).tolist(), before.legal(seat))
            row += (move, rewards_of(match)[seat], match.scores[seat], match.places[seat])
            expected.append(dict(zip(COLUMNS, row, strict=True)))
    assert rows == expected


def test_without_their_packages_the_errors_say_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtra, match=r"samovar-games\[data\].*--format arrays"):
        files.find_format(PARQUET)
    monkeypatch.setitem(sys.modules, "minari.dataset.minari_storage", None)
    with pytest.raises(MissingExtra, match=r"Minari.*samovar-games\[data\]"):
        load_minari()


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")  # of mlcroissant's own packages
def test_croissants_own_checker_has_nothing_against_it(
    tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the day of publication is missing, which nobody knows yet. In more than one file."""
    croissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed: it comes with the extra 'dev'")
    monkeypatch.setattr("samovar.arena.dataset.SHARD", 2)
    folder = written(tmp_path / "data", format)
    found = croissant.Dataset(jsonld=str(folder / CROISSANT))
    issues = found.metadata.ctx.issues
    assert not issues.errors
    assert ["datePublished" in warning for warning in issues.warnings] == [True]
    sets = [list(found.records(each.id)) for each in found.metadata.record_sets]
    matches = [samovar.replay(one.record) for one in played() if one.record]
    if format == PARQUET:
        moves = [move for match in matches for _, move in match.history]
        assert [row["rows/move"] for row in sets[0]] == moves
    elif format in (RECORDS, MINARI):
        assert [tuple(row["rows/scores"]) for row in sets[0]] == [match.scores for match in matches]
    else:
        assert sets == []  # NumPy's files are none that Croissant reads


@pytest.mark.parametrize("format", [RECORDS, ARRAYS])
def test_programs_read_the_same_as_people(tmp_path: Path, format: str) -> None:
    folder = written(tmp_path / "data", format)
    told = json.loads((folder / CROISSANT).read_text(encoding="utf-8"))
    card = (folder / CARD).read_text(encoding="utf-8")
    for sentence in (*USES, *LIMITS, *BIASES):
        assert f"- {sentence}" in card
    assert told["rai:dataUseCases"] == list(USES)
    listed = {each["@id"]: each["sha256"] for each in told["distribution"] if "sha256" in each}
    assert listed == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.name not in (CARD, CROISSANT)
    }
    assert len(listed) == 1 < SHARD


def test_minari_opens_it_and_finds_what_each_seat_saw_and_did(tmp_path: Path) -> None:
    need_minari()
    import minari

    data = minari.MinariDataset(written(tmp_path / "set", MINARI) / "data")
    facts = list(data.storage.get_episode_metadata(range(len(data))))
    matches = {one.outcome.number: (one, samovar.replay(one.record)) for one in played() if one.record}
    assert [(fact["match"], fact["seat"]) for fact in facts] == [(k, seat) for k in range(3) for seat in range(2)]
    for fact, episode in zip(facts, data.iterate_episodes(), strict=True):
        one, match = matches[fact["match"]]
        assert fact["bot"] == one.outcome.bots[fact["seat"]]
        mine = [(at, move) for at, (seat, move) in enumerate(match.history) if seat == fact["seat"]]
        assert episode.actions.tolist() == [move for _, move in mine]
        assert episode.rewards.tolist() == [0.0] * (len(mine) - 1) + [rewards_of(match)[fact["seat"]]]
        assert episode.terminations.tolist() == [False] * (len(mine) - 1) + [True]
        assert len(episode.observations["observation"]) == len(mine) + 1
        for row, (at, _) in enumerate(mine):
            before = match.at(at)
            assert episode.observations["observation"][row].tolist() == before.observation(fact["seat"]).tolist()
            legal = np.flatnonzero(episode.observations["action_mask"][row]).tolist()
            assert legal == before.legal(fact["seat"])
        last = {name: rows[-1] for name, rows in episode.observations.items()}
        assert last["observation"].tolist() == match.observation(fact["seat"]).tolist()
        assert last["action_mask"].all()


def test_minari_makes_the_environment_that_the_set_is_of(tmp_path: Path) -> None:
    need_minari()
    import minari

    data = minari.MinariDataset(written(tmp_path / "set", MINARI) / "data")
    table = data.recover_environment(opponent="greedy")
    assert table.spec.id == "samovar/ConnectFour-v0"
    assert table.observation_space == data.observation_space
    assert table.action_space == data.action_space


@pytest.mark.parametrize("format", [PARQUET, MINARI])
def test_the_code_of_their_cards_reads_them(tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(tmp_path / "data", format)
    card = (folder / CARD).read_text(encoding="utf-8")
    code = card.partition("```python\n")[2].partition("```")[0]
    monkeypatch.chdir(folder)
    printed: list[tuple[object, ...]] = []
    exec(compile(code, CARD, "exec"), {"print": lambda *told: printed.append(told)})
    match = samovar.replay(next(played()).record or {})
    assert match.history[0 if format == PARQUET else [seat for seat, _ in match.history].index(0)][1] in printed[0]
    assert printed[1][0] in ("random", "greedy")
