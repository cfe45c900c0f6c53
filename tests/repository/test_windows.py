"""Windows, as far as it can be had elsewhere (`support/windows/sitecustomize.py`): all that runs on Linux runs there,
without WSL. The workflow runs the quick tier on a real one."""

import json
import os
import shlex
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from samovar.client import Client
from support.documents import ROOT
from support.processes import TESTS, with_helpers
from support.servers import Server, serving

pytestmark = pytest.mark.processes

WINDOWS = TESTS / "support" / "windows"
# The program is anybody's: it knows nothing of where it is.
PROGRAM = f"program:{shlex.join([sys.executable, '-I', '-S', str(ROOT / 'examples' / 'bots' / 'random_program.py')])}"
# All but modules that need a package which `pip install samovar-games` leaves out.
IMPORT_ALL = """
import importlib, pkgutil, samovar
for package in ("arena", "bots", "cli", "client", "engine", "insight", "lab", "language", "reports", "teach", "web"):
    found = importlib.import_module(f"samovar.{package}")
    for module in pkgutil.walk_packages(found.__path__, f"samovar.{package}."):
        if not module.name.endswith((".mlir", ".cuda", ".changes_postgres")) and ".migrations" not in module.name:
            importlib.import_module(module.name)
"""
PLAY = """
import json, sys, samovar
match = samovar.Match("memoarrrr", seats=2, seed=1, plain=True)
bots = [samovar.make_bot(order, match.game, seed=1) for order in sys.argv[1:]]
while not match.over:
    seat = match.actors[0]
    match.play(seat, bots[seat].choose(match.seat(seat)).move)
for bot in bots:
    bot.close()
samovar.replay(match.record())
print(json.dumps([match.places[0], match.places[1]]))
"""
INTERRUPT = """
from samovar.processes import Child
child = Child("support.patient_worker")
child.start()
child.interrupt()
assert child.ask(b"and now?", 60) == b"and now?"
child.end()
"""


# psycopg refuses the other loop of events that Windows has.
LOOP = """
import asyncio, uvicorn
asyncio.ProactorEventLoop = None
from samovar.web.serve import for_uvicorn
from samovar.web.site import Site
for database in ("postgresql://nowhere/x", "sqlite:///x.db"):
    print(uvicorn.Config("x", **for_uvicorn(Site(database, bytes(32)))).get_loop_factory() is not None)
"""
# What is played does not end: the process does.
ENDLESS = """
from samovar.web.jobs import replay_worker
def endless(record):
    while True:
        pass
replay_worker.RECORD_SECONDS, replay_worker.play = 0.2, endless
replay_worker.play_in_time({})
print("it came to its end")
"""
PATHS = r"""
from samovar.bots.program import split
print(split(r"C:\bots\my_bot.exe 'C:\My Games\x' --fast"))
"""


def environment() -> dict[str, str]:
    known = with_helpers()
    return {**known, "PYTHONPATH": os.pathsep.join([str(WINDOWS), known["PYTHONPATH"]]), "SAMOVAR_PLAIN": "1"}


def on_windows(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120, check=False)


def told(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def test_what_only_unix_has_is_missed_there() -> None:
    """Else all the others could not fail."""
    assert on_windows("-c", "import fcntl").stderr.splitlines()[-1].startswith("ModuleNotFoundError")
    assert told(on_windows("-c", "import os, sys; print(sys.platform, hasattr(os, 'killpg'))")) == "win32 False\n"


def test_every_module_can_be_imported() -> None:
    told(on_windows("-c", IMPORT_ALL))


def test_the_comparison_with_peers_names_wsl() -> None:
    done = on_windows(str(ROOT / "benchmarks" / "peers.py"))
    assert done.returncode == 1
    assert "WSL" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_program_plays_at_a_match() -> None:
    assert json.loads(told(on_windows("-c", PLAY, "greedy", PROGRAM))) in ([1, 1], [1, 2], [2, 1])


def test_an_arena_plays_and_goes_on(tmp_path: Path) -> None:
    words = ["arena", "memoarrrr", "--bots", f"random,{PROGRAM}", "--matches", "2", "--workers", "1", "--json"]
    command = ["-m", "samovar", *words, "--file", str(tmp_path / "outcomes.jsonl")]
    first = on_windows(*command)
    assert json.loads(told(first))
    assert first.stderr.startswith(
        "samovar: this system cannot hide the deals from other programs of yours. Trust program:"
    )
    assert told(on_windows(*command)) == first.stdout


def test_a_process_hears_an_interrupt_without_signals() -> None:
    told(on_windows("-c", INTERRUPT))


def test_postgresql_gets_the_loop_that_it_can_use() -> None:
    assert told(on_windows("-c", LOOP)) == "True\nFalse\n"


def test_a_record_that_takes_too_long_ends_its_process() -> None:
    done = on_windows("-c", ENDLESS)
    assert (done.returncode, done.stdout) == (1, "")


def test_a_backslash_in_a_command_is_one() -> None:
    assert told(on_windows("-c", PATHS)) == "['C:\\\\bots\\\\my_bot.exe', 'C:\\\\My Games\\\\x', '--fast']\n"


@pytest.fixture
def site(tmp_path: Path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o777)  # what Windows says of every folder
    with serving(tmp_path / "data", **environment()) as server:
        yield server


def test_a_site_serves_pages_and_plays_with_a_bot(site: Server) -> None:
    with urllib.request.urlopen(f"{site.address}/", timeout=60) as page:
        assert b"<main" in page.read()
    seat = Client(site.address).make_table("babuschka", chairs=["token", "easy"]).seats[0]
    before = seat.wait()
    seat.play(before["legal"][0]["move"])
    assert seat.wait()["revision"] >= before["revision"] + 2, "the bot has answered"


def test_a_second_site_is_told_that_the_folder_is_taken(site: Server) -> None:
    assert "Another samovar uses" in Server(site.folder, **environment()).refused()
