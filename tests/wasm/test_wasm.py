"""Games for browsers: what `samovar wasm` writes, and what its script says. That all of it gives the same bytes as
Python is for the kit (`samovar.testing.wasm`)."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

import samovar
from samovar.bench import wasm as bench
from samovar.bots import make_bot
from samovar.cli import app
from samovar.engine.match import Match
from samovar.engine.records.record import to_text
from samovar.engine.registry import find_game
from samovar.engine.ways.wasm import compile_wasm
from samovar.errors import NoLinker, SamovarError
from samovar.testing.wasm import find_node, run_node, what_is_missing
from samovar.wasm.facts import facts_of
from samovar.wasm.search import ALL_ENTRIES

HERE = Path(__file__).parent
DRIVER = Path(samovar.__file__).parent / "testing" / "wasm.mjs"
GAME = "connect_four"
MOST_BYTES = 150_000


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a game, as the command writes them."""
    if missing := what_is_missing():
        pytest.skip(missing)
    place = tmp_path_factory.mktemp("wasm") / "new"
    done = CliRunner().invoke(app, ["wasm", GAME, "-o", str(place)])
    assert done.exit_code == 0, done.output
    (place.parent / "said").write_text(done.output)
    return place


def node(script: str, folder: Path) -> dict[str, object]:
    done = subprocess.run(
        [find_node(), HERE / script, folder], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def test_the_command_writes_four_files_and_says_how_large(folder: Path) -> None:
    names = [f"{GAME}.wasm", f"{GAME}.json", "samovar.mjs", "samovar.d.ts"]
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
    said = (folder.parent / "said").read_text()
    for name in names:
        assert f"{(folder / name).stat().st_size:,} bytes" in said
    assert (folder / f"{GAME}.wasm").stat().st_size <= MOST_BYTES


def test_a_module_exports_its_entries_and_imports_nothing(folder: Path) -> None:
    look = (
        "const m = new WebAssembly.Module(require('fs').readFileSync(process.argv[1]));"
        "console.log(JSON.stringify([WebAssembly.Module.exports(m).map((e) => e.name), WebAssembly.Module.imports(m)]))"
    )
    told = subprocess.run([find_node(), "-e", look, folder / f"{GAME}.wasm"], capture_output=True, check=True).stdout
    exports, imports = json.loads(told)
    assert sorted(exports) == sorted([*ALL_ENTRIES, "memory", "__heap_base"])
    assert imports == []


def test_without_a_linker_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NoLinker, match="apt install lld"):
        compile_wasm(find_game(GAME))


def test_facts_name_what_a_page_needs() -> None:
    facts = facts_of(find_game("memoarrrr"))
    assert facts["seats"] == [2, 3, 4]
    assert facts["options"][0]["name"] == "expert"
    assert list(facts["levels"]) == ["easy", "medium", "hard", "expert", "expert-2026"]
    assert sum(part["size"] for part in facts["observation"]) == find_game("memoarrrr").observation_size
    assert json.loads(json.dumps(facts)) == facts


def test_texts_are_told_where_they_are_the_same_in_every_position() -> None:
    game = find_game("matryoshka")
    texts = facts_of(game)["texts"]
    match = Match(game, 3, 1)
    match.play_random(1)
    by_text = {text: move for (_, move), (_, text) in zip(match.history, match.told_history(), strict=True)}
    for text, move in by_text.items():
        assert texts.get(str(move)) == (None if text.startswith("show") else text)


def started(moves: str = "") -> Match:
    match = Match(GAME, 2, 7, first=0)
    for move in moves:
        match.play(match.actors[0], int(move))
    return match


FULL, WON = "000000", "0101010"
SAID_BY_PYTHON = {
    "no such seat": lambda: started().play(2, 0),
    "no seat at all": lambda: started().legal("x"),  # type: ignore[arg-type]
    "not to move": lambda: started().play(1, 0),
    "full column by number": lambda: started(FULL).play(0, 0),
    "no such move": lambda: started().play(0, 99),
    "beyond 32 bits": lambda: started().play(0, 2**32),
    "no move at all": lambda: started().play(0, None),  # type: ignore[arg-type]
    "over": lambda: started(WON).play(1, 0),
    "nothing to undo": lambda: started().undo(),
    "too many": lambda: Match(GAME, 3),
    "bad value": lambda: Match(GAME, rows=9),
    "bad flag": lambda: Match(GAME, rows=True),
    "late first": lambda: Match(GAME, first=2),
    "negative seed": lambda: Match(GAME, seed=-1),
    "short seed": lambda: Match(GAME, seed="abc"),
    "imagined record": lambda: started().imagine(0, 1).record(),
    "no budget": lambda: make_bot("search:0", find_game(GAME), 1),
}


def test_errors_are_those_of_python_and_change_nothing(folder: Path) -> None:
    said = node("said.mjs", folder)
    for name, ask in SAID_BY_PYTHON.items():
        with pytest.raises(SamovarError) as caught:
            ask()
        assert said.pop(name) == [type(caught.value).__name__, str(caught.value)], name
    assert len(said) == 10
    assert set(said.values()) == {True}, said


def test_a_bot_thinks_beside_the_page_and_can_be_stopped(folder: Path) -> None:
    told = node("thinks.mjs", folder)
    assert told["isLegal"]
    assert isinstance(told["ticks"], int)
    assert told["ticks"] >= 5, "the page stood still while the bot was thinking"
    assert isinstance(told["visits"], int)
    assert told["visits"] > 100
    assert told["closed"] == ["BotFailed", "The bot was closed while it was thinking."]
    assert told["notAsked"] == [
        "NotAnActor",
        "Seat 1 may not act now, so its bot has nothing to choose. Ask the bot of a seat that acts.",
    ]


def in_node(folder: Path, records: list[str]) -> list[str]:
    job = {"folder": str(folder), "game": GAME, "what": "record", "matches": [], "records": records}
    replayed: list[str] = run_node(DRIVER, job)["replayed"]
    return replayed


def finished(seed: int | str) -> Match:
    match = Match(GAME, 2, seed)
    match.play_random(3)
    return match


@pytest.mark.parametrize("seed", [5, 2**63 - 1, "0f" * 32])
def test_records_with_texts_and_any_seed_are_replayed(folder: Path, seed: int | str) -> None:
    match = finished(seed)
    record = to_text(
        match.record({"names": ["Ülle", "“\n”"], "lasted": 1e-7, "big": 10**30, "is": {"b": None, "a": True}})
    )
    assert in_node(folder, [record]) == [match.state_bytes.hex()]


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        (lambda text: text.replace('"seed": 5', '"seed": 6'), "its digest does not fit"),
        (lambda text: text[:-9], "it is not JSON"),
        (lambda text: text.replace('"samovar": 1', '"samovar": 2'), "reads format 1"),
        (lambda text: text.replace('"rules": ', '"rules": 9'), "rules version 9"),
        (lambda text: text.replace(GAME, "pig"), "not of connect_four"),
    ],
)
def test_a_record_that_is_none_is_refused(folder: Path, changed: object, complaint: str) -> None:
    text = changed(to_text(finished(5).record()))  # type: ignore[operator]
    with pytest.raises(AssertionError, match=complaint):
        in_node(folder, [text])


def test_files_that_were_not_written_together_are_refused(folder: Path, tmp_path: Path) -> None:
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes() + (b"\0" if path.suffix == ".wasm" else b""))
    with pytest.raises(AssertionError, match="were not written together"):
        in_node(tmp_path, [])


def test_types_declare_what_the_script_exports() -> None:
    scripts = Path(samovar.__file__).parent / "wasm"
    exported, declared = (
        re.findall(r"^export class (\w+)", (scripts / name).read_text(encoding="utf-8"), re.MULTILINE)
        for name in ("samovar.mjs", "samovar.d.ts")
    )
    assert sorted(exported) == sorted(declared)


@pytest.mark.slow
def test_speed_is_measured_beside_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    if missing := what_is_missing():
        pytest.skip(missing)
    monkeypatch.setattr(bench, "ENOUGH_S", 0.05)
    figures = bench.measure_wasm(find_game(GAME))
    ratios = {name: figures.pop(name) for name in ("rules_ratio", "search_ratio")}
    assert all(figure > 1_000 for figure in figures.values())
    assert all(0.01 < ratio < 100 for ratio in ratios.values())
    figures |= ratios
    assert figures["bytes"] <= MOST_BYTES
    head, line = bench.wasm_table({GAME: figures}).splitlines()
    assert head.split()[0] == "thousand/s"
    assert line.split()[-1] == f"{figures['bytes']:,}"
