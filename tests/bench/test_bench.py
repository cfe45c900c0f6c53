"""The comparison with peers: environments that are whole or not there, sides that fail, the table.
Nothing is timed, and no network is used."""

import argparse
import ast
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from samovar.bench import own
from samovar.engine.batch import Batch
from samovar.engine.registry import find_game
from samovar.errors import MissingExtra, UnknownOption
from side_by_side import compare as peers
from side_by_side import environments, ours, peer, sides
from side_by_side.compare import Group, Line, Outcome, Pythons
from side_by_side.environments import MADE, PINS, environment
from side_by_side.sides import Side
from support.documents import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such peers for Windows")

PEER = Path(peer.__file__)


# Environments


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Replaces venv and pip by a script that is given; by default one that makes a Python and
    writes down that it ran."""

    def use(script: str) -> None:
        monkeypatch.setattr(
            environments,
            "steps",
            lambda folder, pins: [[sys.executable, "-c", textwrap.dedent(script), str(folder), str(tmp_path)]],
        )

    use(INSTALL)
    return use


INSTALL = """
import pathlib, sys
folder, notes = map(pathlib.Path, sys.argv[1:])
(folder / "bin").mkdir(parents=True)
(folder / "bin" / "python").write_text("a python")
with open(notes / "runs", "a") as file: file.write("run\\n")
"""


def runs(tmp_path: Path) -> int:
    return len((tmp_path / "runs").read_text().split())


@pytest.mark.usefixtures("install")
def test_environment_is_made_once(tmp_path: Path) -> None:
    python = environment("pgx", tmp_path / "peers")
    assert python.read_text() == "a python"
    assert environment("pgx", tmp_path / "peers") == python
    assert runs(tmp_path) == 1
    assert environment("openspiel", tmp_path / "peers").parents[1] != python.parents[1]
    assert runs(tmp_path) == 2


@pytest.mark.usefixtures("install")
def test_other_pins_are_another_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = environment("pgx", tmp_path)
    monkeypatch.setitem(PINS, "pgx", (*PINS["pgx"], "more==1"))
    assert environment("pgx", tmp_path) != python


@pytest.mark.usefixtures("install")
@pytest.mark.parametrize("marker", [None, "pgx==2.6.0"], ids=["no marker", "marker of other pins"])
def test_half_made_environment_is_made_anew(tmp_path: Path, marker: str | None) -> None:
    home = environment("pgx", tmp_path).parents[1]
    (home / "bin" / "python").write_text("half")
    (home / "rubbish").touch()
    (home / MADE).unlink()
    if marker:
        (home / MADE).write_text(marker)
    assert environment("pgx", tmp_path).read_text() == "a python"
    assert not (home / "rubbish").exists()


@pytest.mark.parametrize("blow", ["SIGKILL", "SIGINT"])
def test_environment_whose_making_was_ended_is_made_anew(
    tmp_path: Path, install: Callable[[str], None], blow: str
) -> None:
    """Another process makes it and is ended in the middle: its lock goes with it, and what it left
    is not taken for an environment."""
    hangs = INSTALL + "import signal; signal.pause()"
    code = f"""
        import sys
        from pathlib import Path
        from side_by_side import environments
        hangs = [sys.executable, "-c", {hangs!r}]
        environments.steps = lambda folder, pins: [[*hangs, str(folder), {str(tmp_path)!r}]]
        environments.environment("pgx", Path({str(tmp_path)!r}))
    """
    other = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": sides.search_path()},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while not (tmp_path / "runs").exists():
            assert other.poll() is None, "the other process ended by itself"
            time.sleep(0.01)
        os.killpg(other.pid, signal.Signals[blow])
    finally:
        other.wait(30)
    homes = [path for path in tmp_path.iterdir() if path.is_dir() and not path.name.endswith(".part")]
    assert homes == []
    if blow == "SIGKILL":
        assert list(tmp_path.glob("*.part")), "the killed process left something, or this test shows nothing"
    assert environment("pgx", tmp_path).read_text() == "a python"
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.usefixtures("install")
def test_of_two_at_once_one_waits_for_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make, inside, together = environments._make, [], threading.Barrier(2)

    def watched(name: str, home: Path) -> None:
        inside.append(name)
        assert len(inside) == 1
        make(name, home)

    monkeypatch.setattr(environments, "_make", watched)
    found: list[Path] = []

    def ask() -> None:
        together.wait(30)
        found.append(environment("pgx", tmp_path))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(found) == 2
    assert found[0] == found[1]
    assert found[0].is_file()
    assert runs(tmp_path) == 1


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (
            "WARNING: Retrying after connection broken by 'NewConnectionError(...)'\nERROR: No matching distribution",
            "cannot be reached",
        ),
        (
            "ERROR: No matching distribution found for pgx==2.6.0\n[notice] A new release of pip",
            "No matching distribution found for pgx==2.6.0",
        ),
    ],
)
def test_environment_that_cannot_be_made(tmp_path: Path, install: Callable[[str], None], told: str, said: str) -> None:
    install(INSTALL + f"print({told!r}, file=sys.stderr); sys.exit(1)")
    with pytest.raises(MissingExtra, match=said) as error:
        environment("pgx", tmp_path)
    assert "--here" in str(error.value)
    assert [path.suffix for path in tmp_path.iterdir() if path.name != "runs"] == [".lock"], (
        "nothing but the lock is left"
    )
    install(INSTALL)
    assert environment("pgx", tmp_path).is_file(), "the same command goes on"


@pytest.mark.usefixtures("install")
def test_folder_of_environments_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MissingExtra, match="--peers-dir"):
        environment("pgx", tmp_path / "file")


def test_environments_are_kept_in_the_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert environments.cache_folder() == tmp_path / "samovar" / "peers"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert environments.cache_folder() == tmp_path / ".cache" / "samovar" / "peers"


def test_steps_are_venv_and_pip_of_the_new_environment() -> None:
    folder = Path("peers") / "pgx"
    venv, pip = environments.steps(folder, ("a==1", "b==2"))
    assert venv == [sys.executable, "-m", "venv", str(folder)]
    assert pip[0] == str(folder / "bin" / "python")
    assert pip[1:4] == ["-m", "pip", "install"]
    assert pip[-2:] == ["a==1", "b==2"]


def test_every_version_is_pinned() -> None:
    assert all("==" in pin for pins in PINS.values() for pin in pins)


# What a failed process said

TRACEBACK = """\
a greeting
Traceback (most recent call last):
  File "a.py", line 1, in <module>
    ^^^^
ValueError: first line of the error.
second line
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TRACEBACK, "ValueError: first line of the error"),
        ("one\ntwo.\n\n", "two"),
        ("ERROR: no\n[notice] new pip\n", "ERROR: no"),
        ("", ""),
    ],
)
def test_complaint(text: str, said: str) -> None:
    assert environments.complaint(text) == said


# The sides of a comparison


class Fake(Side):
    """A side whose first word is what it runs, in place of `peer.py`."""

    @property
    def script(self) -> list[str]:
        return ["-c", textwrap.dedent(self.words[0])]


GOOD = """
import json, os, sys
script, rates, notes, *rest = sys.argv[1:]
notes = open(notes, "a")
print(rates, os.getpid(), *rest, file=notes, flush=True)
print(json.dumps({"ready": {"version": "1"}}), flush=True)
for rate in map(float, rates.split(",")):
    if not sys.stdin.readline(): break
    print("turn of", rates, file=notes, flush=True)
    print(json.dumps({"rate": rate}), flush=True)
"""


def good(tmp_path: Path, rates: str) -> Fake:
    return Fake((GOOD, rates, str(tmp_path / "notes")))


def notes(tmp_path: Path) -> list[str]:
    return (tmp_path / "notes").read_text().splitlines()


HERE = Pythons(None, lambda text: None)


def measured(*lines: Line, rounds: int = 3, on_gpu: bool = False) -> list[Outcome]:
    return peers.measure_group(Group("Group", lines, on_gpu), HERE, rounds, 0.5, lambda text: None)


def test_sides_take_turns_and_the_median_counts(tmp_path: Path) -> None:
    one, two = good(tmp_path, "100,400,200"), good(tmp_path, "10,20,10")
    (outcome,) = measured(Line("a line", one, two, 20))
    assert [note for note in notes(tmp_path) if note.startswith("turn")] == [
        "turn of 100,400,200",
        "turn of 10,20,10",
    ] * 3
    assert (outcome.ours, outcome.peer, outcome.ratio, outcome.low, outcome.high) == (200, 10, 20, 10, 20)
    assert outcome.is_met is True
    assert outcome.reason is None
    assert outcome.peer_facts == {"version": "1"}


def test_side_of_several_lines_plays_once(tmp_path: Path) -> None:
    one, two, three = good(tmp_path, "8,8"), good(tmp_path, "4,4"), good(tmp_path, "2,2")
    first, second = measured(Line("a", one, two, 2.5), Line("b", one, three), rounds=2)
    assert (first.ratio, first.is_met) == (2, False)
    assert (second.ratio, second.is_met) == (4, None)
    assert notes(tmp_path).count("turn of 8,8") == 2


def test_sides_are_held_to_one_core_but_not_on_a_gpu(tmp_path: Path) -> None:
    line = Line("a line", good(tmp_path, "1"), good(tmp_path, "2"))
    measured(line, rounds=1)
    on_core = [note for note in notes(tmp_path) if not note.startswith("turn")]
    core = max(os.sched_getaffinity(0))
    assert all(note.endswith(f"--wait --rounds 1 --seconds 0.5 --core {core}") for note in on_core)
    measured(line, rounds=1, on_gpu=True)
    later = [note for note in notes(tmp_path) if not note.startswith("turn")][len(on_core) :]
    assert len(later) == 2
    assert all(note.endswith("--seconds 0.5") for note in later)


READY = "import json, os, sys; print(json.dumps({'ready': {}}), flush=True); sys.stdin.readline();"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("raise RuntimeError('no such game')", "RuntimeError: no such game"),
        (READY + "raise RuntimeError('out of memory')", "RuntimeError: out of memory"),
        (READY + "os.kill(os.getpid(), 11)", "ended by signal 11"),
        (READY + "print('hello', flush=True)", "answered 'hello'"),
        (READY + "print('[1]', flush=True)", "answered '[1]'"),
        ("import sys; sys.exit(3)", "ended with exit code 3"),
    ],
)
def test_side_that_fails_costs_its_own_lines_only(tmp_path: Path, script: str, reason: str) -> None:
    one, two, bad = good(tmp_path, "6,6"), good(tmp_path, "2,2"), Fake((script,), "a peer")
    first, second = measured(Line("bad", one, bad, 10), Line("good", one, two), rounds=2)
    assert (first.ratio, first.is_met) == (None, None)
    assert first.reason == f"a peer: {reason}"
    assert second.ratio == 3


def test_side_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sides, "READY_S", 0.2)
    (outcome,) = measured(Line("a line", Fake(("import time; time.sleep(600)",)), good(tmp_path, "1")), rounds=1)
    assert outcome.reason == "ours: no answer for 0 s"


def test_environment_that_cannot_be_made_is_tried_once_and_costs_its_own_lines_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def environment(name: str, folder: Path) -> Path:
        tried.append(name)
        if name == "pgx":
            raise MissingExtra("no network")
        return Path(sys.executable)

    monkeypatch.setattr(peers, "environment", environment)
    one = good(tmp_path, "6")
    bad, worse = (Fake((GOOD, rates, str(tmp_path / "notes")), "pgx") for rates in "12")
    fine = Fake((GOOD, "3", str(tmp_path / "notes")), "openspiel")
    group = Group("Group", (Line("bad", one, bad), Line("worse", one, worse), Line("fine", one, fine)))
    outcomes = peers.measure_group(group, Pythons(tmp_path, lambda text: None), 1, 0.5, lambda text: None)
    assert [outcome.reason for outcome in outcomes] == ["pgx: no network", "pgx: no network", None]
    assert outcomes[2].ratio == 2
    assert sorted(tried) == ["openspiel", "pgx"]


def test_interruption_leaves_no_process(tmp_path: Path) -> None:
    def progress(text: str) -> None:
        if "round 2" in text:
            raise KeyboardInterrupt

    group = Group("Group", (Line("a line", good(tmp_path, "1,1"), good(tmp_path, "2,2")),))
    with pytest.raises(KeyboardInterrupt):
        peers.measure_group(group, HERE, 2, 0.5, progress)
    started = [int(note.split()[1]) for note in notes(tmp_path) if not note.startswith("turn")]
    assert len(started) == 2
    for process in started:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_environment_of_a_peer_sees_nothing_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "leak.py").touch()
    script = "import json, leak; print(json.dumps({'ready': {}}), flush=True)"
    alone = sides.Running(Fake((script,)), Path(sys.executable), 1, 0.5, None)
    with pytest.raises(sides.Failed, match="No module named 'leak'"):
        alone.ready()
    alone.stop()
    here = sides.Running(Fake((script,)), None, 1, 0.5, None)
    assert here.ready() == {}
    here.stop()


# What is compared


def test_targets_are_those_that_were_promised() -> None:
    found = peers.groups(["babuschka"], with_gpu=True)
    targets = {f"{group.title}: {line.text}": line.target for group in found for line in group.lines if line.target}
    assert targets == {
        "Connect Four, one core: random play / OpenSpiel in C++": 10,
        "Connect Four, one core: random play / PettingZoo": 1_000,
        "Connect Four, one core: mask, NumPy, step / PettingZoo": 1_000,
        "Connect Four, one core: random play / Pgx, 4,096": 20,
        "PettingZoo adapter, one core: babuschka / connect_four_v3": 5,
        "PettingZoo adapter, one core: babuschka / hanabi_v5": 5,
        "Connect Four on the GPU: random play / Pgx, 4,096": 30,
        "Connect Four on the GPU: random play / Pgx, 65,536": 30,
        "Connect Four on the GPU: random play / Pgx, 1,048,576": 30,
    }
    assert [group.on_gpu for group in found] == [False] * 3 + [True] * 3
    assert len(peers.groups(["babuschka"], with_gpu=False)) == 3


def all_sides() -> list[Side]:
    found = peers.groups(["babuschka", "connect_four"], with_gpu=True)
    return list(dict.fromkeys(side for group in found for line in group.lines for side in (line.ours, line.peer)))


@pytest.mark.parametrize("side", all_sides(), ids=str)
def test_scripts_understand_what_they_are_asked(side: Side) -> None:
    script = ours if side.is_ours else peer
    given = script.read_arguments([*side.words, "--wait", "--rounds", "5", "--seconds", "0.5", "--core", "1"])
    assert (given.wait, given.rounds, given.seconds, given.core) == (True, 5, 0.5, 1)
    assert side.peer in (None, *PINS)


def test_both_sides_of_a_line_have_the_same_batch() -> None:
    for group in peers.groups(["babuschka"], with_gpu=True):
        for line in group.lines:
            if line.peer.words[0] == "pgx":
                us, them = ours.read_arguments(list(line.ours.words)), peer.read_arguments(list(line.peer.words))
                assert us.places == them.batch
                assert us.observed == them.observed
                assert (us.device == "cuda") == (them.device == "gpu")


def test_only_some_lines() -> None:
    found = peers.groups(["babuschka"], with_gpu=False)
    chosen = peers.select(found, "pgx")
    assert [line.text for group in chosen for line in group.lines] == [
        "random play / Pgx, 4,096",
        "observed, too / Pgx, 4,096",
    ]
    assert peers.select(found, "openspiel ADAPTER") == [found[2]]
    assert peers.select(found, "") == found
    with pytest.raises(UnknownOption, match="PettingZoo adapter, one core"):
        peers.select(found, "chess")


# The scripts of the peers


def test_script_of_the_peers_needs_nothing_of_samovar() -> None:
    for node in ast.walk(ast.parse(PEER.read_text(encoding="utf-8"))):
        names = (
            [name.name for name in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
        for name in names:
            assert name.split(".")[0] in sys.stdlib_module_names, f"{name} is imported"


def run_script(*words: str, path: Path | None = None, typed: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PEER), *words, "--seconds", "0.01"]
    home = {**os.environ, "PYTHONPATH": str(path or "")}
    return subprocess.run(command, env=home, input=typed, capture_output=True, text=True, timeout=120, check=False)


def answers(done: subprocess.CompletedProcess[str]) -> tuple[dict[str, object], list[float]]:
    assert done.returncode == 0, done.stderr
    first, *rest = map(json.loads, done.stdout.splitlines())
    return first["ready"], [line["rate"] for line in rest]


FAKE_ENV = """
print("Hello from a library")
class Space:
    def sample(self, mask): return 1
class Env:
    def reset(self, seed=None): self.left = 3
    def agent_iter(self):
        while self.left: yield "seat_0"
    def last(self): return {"action_mask": [0, 1]}, 0, self.left == 1, False, {}
    def action_space(self, agent): return Space()
    def step(self, action):
        assert action == (None if self.left == 1 else 1)
        self.left -= 1
def env(game=None): return Env()
"""


def test_script_answers_in_json_whatever_libraries_print(tmp_path: Path) -> None:
    (tmp_path / "fake_env.py").write_text(FAKE_ENV)
    done = run_script("pettingzoo", "--env", "fake_env", "--rounds", "2", path=tmp_path)
    facts, rates = answers(done)
    assert facts["env"] == "fake_env"
    assert len(rates) == 2
    assert all(rate > 0 for rate in rates)
    assert "Hello from a library" in done.stderr


def test_script_waits_for_its_turn_and_ends_with_its_caller(tmp_path: Path) -> None:
    (tmp_path / "fake_env.py").write_text(FAKE_ENV)
    _, rates = answers(
        run_script("pettingzoo", "--env", "fake_env", "--rounds", "9", "--wait", path=tmp_path, typed="go\ngo\n")
    )
    assert len(rates) == 2


def test_script_says_what_is_not_installed(tmp_path: Path) -> None:
    done = run_script("pettingzoo", "--env", "nowhere_to_be_found")
    assert done.returncode == 1
    assert environments.complaint(done.stderr) == "The package 'nowhere_to_be_found' is not installed for this Python"


class Clock:
    """A second for every look at it."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """On one core its own time counts: the clock on the wall must not be asked."""
    clock = Clock()
    monkeypatch.setattr(
        peer, "time", SimpleNamespace(process_time=clock, perf_counter=lambda: pytest.fail("looked at the wall"))
    )
    return clock


def asked(**given: object) -> argparse.Namespace:
    return argparse.Namespace(core=0, **given)


def test_more_is_played_until_it_lasts_long_enough(clock: Clock) -> None:
    ran: list[int] = []

    def run(count: int) -> float:
        ran.append(count)
        clock.now += count / 100
        return count * 10.0

    def lasted(count: int) -> float:
        return 1 + count / 100

    play = peer.growing(run, 1, asked())
    assert play(5.0) == pytest.approx(ran[-1] * 10 / lasted(ran[-1]))
    assert all(lasted(count) < 5 for count in ran[:-1])
    assert lasted(ran[-1]) >= 5
    before = len(ran)
    play(5.0)
    assert ran[before:] == [ran[before - 1]], "the next round begins where the last one ended"


@pytest.mark.usefixtures("clock")
def test_pettingzoo_counts_moves_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "counted_env.py").write_text(FAKE_ENV)
    monkeypatch.syspath_prepend(tmp_path)
    play, _ = peer.pettingzoo(asked(env="counted_env", game=None))
    assert play(0.5) == 4 * 2, "four matches of two moves, in a second of this clock; stepping with None is no move"


@pytest.mark.usefixtures("clock")
@pytest.mark.research
def test_openspiel_counts_moves_only() -> None:
    """Kuhn poker: two cards are dealt by chance, then two or three moves are made."""
    import pyspiel

    game = pyspiel.load_game("kuhn_poker")
    assert 2 * 200 <= peer.python_matches(game, 200) <= 3 * 200
    play, facts = peer.openspiel(asked(game="connect_four", load=None, loop="python"))
    assert 16 * 7 <= play(0.5) <= 16 * 42
    assert facts["game"] == "connect_four"


@pytest.mark.usefixtures("clock")
@pytest.mark.research
def test_openspiel_counts_its_rollouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer, "MEASURED_MATCHES", 400)
    play, facts = peer.openspiel(asked(game="connect_four", load=None, loop="rollouts"))
    assert 19 < facts["mean_length"] < 24
    assert play(0.5) == pytest.approx(1_000 * facts["mean_length"], rel=0.01), (
        "a thousand matches in a second of this clock"
    )


FAKE_PGX = {
    "pgx/__init__.py": """
import dataclasses, os, jax, jax.numpy as jnp
def check(is_legal):
    if not is_legal: os._exit(7)
class Env:
    def init(self, key): return State(jnp.array([False, True, False, True]), jnp.zeros(3))
    def step(self, state, action, key):
        jax.debug.callback(check, state.legal_action_mask[action])
        return state.replace(observation=state.observation + 1)
@jax.tree_util.register_dataclass
@dataclasses.dataclass
class State:
    legal_action_mask: jax.Array
    observation: jax.Array
    def replace(self, **new): return dataclasses.replace(self, **new)
def make(name): return Env()
""",
    "pgx/experimental.py": """
def auto_reset(step, init): return step
""",
    "pgx-9.dist-info/METADATA": "Metadata-Version: 2.1\nName: pgx\nVersion: 9\n",
}


@pytest.mark.parametrize("form", ["threefry2x32-nth", "rbg-noise"])
@pytest.mark.research
def test_pgx_is_run_from_the_path_alone(tmp_path: Path, form: str) -> None:
    """No environment, no registry: a package on PYTHONPATH is enough."""
    for name, text in FAKE_PGX.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    facts, rates = answers(run_script("pgx", "--batch", "64", "--rounds", "2", "--form", form, path=tmp_path))
    assert (facts["version"], facts["batch"], facts["form"]) == ("9", 64, form)
    assert len(rates) == 2


# Our own sides


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(("what", "moves"), [("steps", 8 * 32), ("batch", None), ("match", None)])
@pytest.mark.slow
def test_our_sides_count_moves(what: str, moves: int | None) -> None:
    given = asked(game="connect_four", places=32, device="cpu", observed=False)
    play, facts = {"steps": ours.steps, "batch": ours.batch, "match": ours.match}[what](given)
    rate = play(0.5)
    if what == "steps":
        assert rate == moves, "eight steps of all matches, in a second of this clock"
    elif what == "batch":
        assert 0.7 * 64 * 32 < rate <= 64 * 32, "a place that waits for its deal makes no move"
    else:
        assert 4 * 7 <= rate <= 4 * 42
    assert facts["game"] == "connect_four"


# The table

OUTCOMES = [
    Outcome("Connect Four, one core", "random play / [Pgx]", 20, 31_900_000, 1_600_000, 19.9, 19.7, 20.1, False),
    Outcome(
        "Connect Four, one core",
        "connect_four / python_tic_tac_toe",
        1000,
        31_900_000,
        489_900,
        6510.2,
        6500,
        6520,
        True,
    ),
    Outcome("Connect Four, one core", "observed", None, 11_000_000, 999, 0.00123, 0.00122, 0.00124, None),
    Outcome("OpenSpiel adapter", "connect_four", None, reason="openspiel: [no] network"),
    Outcome("OpenSpiel adapter", "babuschka", 5, reason="openspiel: [no] network"),
]


def test_table_tells_all_in_80_columns(tmp_path: Path) -> None:
    with open(tmp_path / "screen", "w+", encoding="utf-8") as screen:
        peers.show(OUTCOMES, Console(file=screen, width=80))
        screen.seek(0)
        lines = [line.rstrip() for line in screen]
    words = [line.split() for line in lines]
    assert ["random", "play", "/", "[Pgx]", "31.9", "M", "1.60", "M", "19.9x", "1%", "20x", "NO"] in words
    assert [
        "connect_four",
        "/",
        "python_tic_tac_toe",
        "31.9",
        "M",
        "490",
        "k",
        "6,510x",
        "0%",
        "1,000x",
        "yes",
    ] in words, "it fits into one line"
    assert ["observed", "11.0", "M", "999", "0.0012x", "1%"] in words
    assert ["babuschka", "-", "-", "-", "5x", "-"] in words
    assert lines.count("Connect Four, one core") == lines.count("OpenSpiel adapter") == 1
    assert lines.count("Not measured: openspiel: [no] network") == 1


def test_json_of_the_table() -> None:
    told = json.loads(json.dumps(peers.to_json(OUTCOMES, 7)))
    assert told["rounds"] == 7
    assert told["lines"][0]["is_met"] is False
    assert told["lines"][0]["ratio"] == 19.9
    assert told["lines"][4] == {
        "group": "OpenSpiel adapter",
        "line": "babuschka",
        "target": 5,
        "ours": None,
        "peer": None,
        "ratio": None,
        "low": None,
        "high": None,
        "is_met": None,
        "ours_facts": None,
        "peer_facts": None,
        "reason": "openspiel: [no] network",
    }


@pytest.mark.research
def test_command_takes_the_peers_of_this_python(tmp_path: Path) -> None:
    """`--here`: a package on the path is the peer. This one fails, which makes a line, exit code 1
    and no traceback."""
    (tmp_path / "pgx.py").write_text("raise RuntimeError('the pgx of this Python')")
    command = [
        sys.executable,
        str(ROOT / "benchmarks" / "peers.py"),
        "--here",
        "--rounds",
        "1",
        "--only",
        "random play / Pgx",
        "--json",
    ]
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    home = {
        **os.environ,
        "PYTHONPATH": path,
        "CUDA_VISIBLE_DEVICES": "",
        "XDG_CACHE_HOME": str(tmp_path),
        "PIP_NO_INDEX": "1",
    }
    done = subprocess.run(command, env=home, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, done.stderr
    (line,) = json.loads(done.stdout)["lines"]
    assert line["line"] == "random play / Pgx, 4,096"
    assert line["reason"] == "pgx: RuntimeError: the pgx of this Python"
    assert "round 1 of 1" in done.stderr
    assert "Traceback" not in done.stderr


# Step by step


@pytest.mark.parametrize("way", own.WAYS)
def test_every_legal_move_is_chosen_and_no_other(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    batch = Batch("memoarrrr", 8)
    for _ in range(3):  # to where a match has fewer legal moves than its row has room
        batch.step(batch.random_moves())
    choose = own.WAYS[way](batch)
    chosen: list[set[int]] = [set() for _ in range(batch.size)]
    for _ in range(400):
        for moves, move in zip(chosen, choose(), strict=True):
            moves.add(int(move))
    legal = [set(row[:count]) for row, count in zip(batch.legal_moves, batch.legal_counts, strict=True)]
    assert min(map(len, legal)) < batch.legal_moves.shape[1]
    assert chosen == legal


def test_steps_are_told_of_the_slowest_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    def rate(batch: Batch, way: str, enough_s: float) -> float:
        slow = batch.seats == 3 and batch.options["half_turn"]
        return {"random_moves": 2e6, "lists": 1.8e6, "mask": 6e3}[way] / (2 if slow else 1)

    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    monkeypatch.setattr(own, "PLACES", 2)
    monkeypatch.setattr(own, "step_rate", rate)
    figures = own.measure_steps(find_game("varvitikud"))
    assert figures["slowest"] == "3 seats half_turn=True"
    head, line = own.steps_table({"varvitikud": figures}).splitlines()
    assert dict(zip(head.split()[2:6], line.split()[1:5], strict=True)) == {
        "random_moves": "1,000",
        "lists": "900",
        "mask": "3",
        "lists/mask": "300x",
    }


def test_a_rate_counts_the_moves_of_all_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time goes by only while a step is made, a second for each."""
    now = 0.0
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    monkeypatch.setattr(time, "thread_time", lambda: now)
    batch = Batch("memoarrrr", 5)
    step = batch.step

    def slow_step(moves: object) -> None:
        nonlocal now
        now += 1
        step(moves)

    monkeypatch.setattr(batch, "step", slow_step)
    assert own.step_rate(batch, "random_moves", enough_s=7) == batch.size
