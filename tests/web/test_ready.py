"""`samovar compile`: what a site's processes do afterwards compiles nothing, also where nothing can be written."""

import json
import os
import subprocess
import sys

import pytest

from samovar.engine.heuristics import LEVEL_NAMES
from samovar.engine.ways.kept import ReadyMade

# As the site's own processes do it; says which games had to be compiled.
PLAY = """
import json, sys
from samovar.bots.bot_worker import Make, Think
from samovar.engine.match import Match
from samovar.engine.rule import on_compiling
from samovar.insight.advice_worker import AdvisingHost, Advise
from samovar.insight.review import reviewing
compiled = []
on_compiling.append(compiled.append)
if "--shut" in sys.argv:
    from samovar.engine.ways import kept
    kept.os.access = lambda path, mode: False
    kept.KeyedCache.save_overload = None  # nothing may be written
match = Match("connect_four", seed=2, plain=True)
match.play_random(1, limit=3)
seat, host = match.seat(match.actors[0]).to_bytes(), AdvisingHost()
for level in json.loads(sys.argv[1]):
    assert host.carry_out(Think(Make(level, "connect_four", 1), seat)).answer
assert host.carry_out(Advise(seat, 1)).advice
match.play_random(1)
[*reviewing(match.record(), looks=2)]
print(json.dumps(compiled))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("compiled")


def compiled_by(folder, *words):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "SAMOVAR_PLAIN": "", "SAMOVAR_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *words], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.slow
def test_after_samovar_compile_nothing_is_compiled(folder):
    play = ["-c", PLAY, json.dumps(LEVEL_NAMES)]
    assert compiled_by(folder, "-m", "samovar", "compile", "connect_four") == "All is compiled."
    kept = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert json.loads(compiled_by(folder, *play)) == []
    assert json.loads(compiled_by(folder, *play, "--shut")) == []  # as in an image that cannot be written
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == kept


@pytest.mark.slow
def test_without_it_something_is(tmp_path):
    assert "Connect Four" in json.loads(compiled_by(tmp_path, "-c", PLAY, '["easy"]'))


def test_only_a_folder_that_is_there_and_cannot_be_written_is_taken_as_it_is(tmp_path, monkeypatch):
    locator = object.__new__(ReadyMade)
    locator._cache_path = str(tmp_path / "new")
    with pytest.raises(OSError, match="is none"):
        locator.ensure_cache_path()
    locator._cache_path = str(tmp_path)
    with pytest.raises(OSError, match="is none"):
        locator.ensure_cache_path()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    locator.ensure_cache_path()
