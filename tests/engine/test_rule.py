"""One function, several ways: copies, constants, fingerprints, the cache on disk, plain mode."""

import os
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from samovar.engine.registry import find_game
from samovar.engine.rule import fingerprint, rule, table
from samovar.engine.ways import kernels, stand_ins, turns
from samovar.engine.ways.backend import Backend
from samovar.engine.ways.plain import plain_state
from support.compiled import compiled

STEP = 3
TABLE = table([[1, 2], [3, 4]])


@rule
def inner(x):
    return x * STEP + TABLE[1, 0]


@rule
def outer(x):
    return inner(x) + 1


def test_rule_stays_a_plain_function_and_compiles() -> None:
    fast = compiled(outer)
    assert isinstance(outer, types.FunctionType)
    assert outer(5) == fast(5) == 19


@rule
def other_inner(x):
    return x * 10


def test_bound_rules_stand_for_others_wherever_those_are_called() -> None:
    assert compiled(outer, {inner: other_inner})(5) == 51
    assert outer(5) == 19
    assert fingerprint(outer, {inner: other_inner}) != fingerprint(outer, {})


def _changed(**new: object) -> types.FunctionType:
    """`outer` as it would be if something in its module had changed."""
    names = {**globals(), **new}
    changed_inner = rule(types.FunctionType(new.pop("code", inner.__code__), names))
    return rule(types.FunctionType(outer.__code__, {**names, "inner": changed_inner}))


def test_fingerprint_notices_a_change_in_a_callee_a_constant_and_a_table() -> None:
    same = fingerprint(outer, {})
    assert fingerprint(_changed(), {}) == same
    assert fingerprint(_changed(STEP=4), {}) != same
    assert fingerprint(_changed(TABLE=table([[1, 2], [5, 4]])), {}) != same
    assert fingerprint(_changed(code=(lambda x: x * STEP + TABLE[0, 1]).__code__), {}) != same


def test_table_gives_python_ints_and_cannot_be_written() -> None:
    assert type(TABLE[0, 1]) is int
    with pytest.raises(TypeError):
        TABLE[0, 1] = 5


def test_plain_state_gives_ints_and_refuses_what_does_not_fit() -> None:
    state = plain_state(
        np.zeros(1, np.dtype([("wide", np.int64), ("row", np.int8, (2, 3)), ("small", np.int8)], align=False))
    )
    state.small = 127
    state.row[1, 2] = -5
    assert type(state.small) is int
    assert state.small + 1 == 128
    assert state.row[1, 2] == -5
    with pytest.raises(ValueError, match="invalid value"):
        state.small = 128
    with pytest.raises(ValueError, match="invalid value"):
        state.row[0, 0] = 200


FIRST_USE = (
    "import samovar; m = samovar.Match('connect_four', seed=1); m.play(m.actors[0], 3); print(m.state_bytes.hex())"
)


def _run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_compiled_code_is_kept_on_disk_and_used_by_the_next_process(tmp_path: Path) -> None:
    first = _run(FIRST_USE, NUMBA_CACHE_DIR=str(tmp_path))
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert kept, "nothing was written to the cache"
    watch = "import numba.core.compiler as c; c.compile_extra = None\n"  # compiling anything would now raise
    assert _run(watch + FIRST_USE, NUMBA_CACHE_DIR=str(tmp_path)) == first
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == kept


TWO_GAMES = """
import sys, numpy as np
from samovar.engine.ways.backend import backend
from samovar.engine.registry import find_game
for name in sys.argv[1:]:
    game = find_game(name)
    states, seeds, made = np.zeros(40, game.state), np.arange(40, dtype=np.int64), np.zeros(40, np.int64)
    backend(game).deal(states, game.setup(game.seats[0], game.check_options(game.seats[0], {})), seeds)
    backend(game).play_random(states, seeds, made, 2**40)
    print(name, states.tobytes().hex())
"""


@pytest.mark.slow
def test_games_compiled_in_different_processes_do_not_mix_in_one(tmp_path: Path) -> None:
    """Each game was compiled alone, so that the types of their states got the same number."""

    def states(*names: str) -> set[str]:
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", TWO_GAMES, *names], env=environment, capture_output=True, text=True, check=True
        )
        return set(done.stdout.splitlines())

    alone = states("connect_four") | states("babuschka")
    assert states("connect_four", "babuschka") == alone
    assert states("babuschka", "connect_four") == alone


def test_plain_mode_never_imports_numba_and_gives_the_same_bytes() -> None:
    code = FIRST_USE + "; import sys; assert 'numba' not in sys.modules"
    assert _run(code, SAMOVAR_PLAIN="1") == _run(FIRST_USE)


@pytest.mark.slow
def test_unwritable_cache_still_plays(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    code = "import numba.core.caching as c; c.CacheImpl._locator_classes = []\n" + FIRST_USE
    assert _run(code) == _run(FIRST_USE)


UNKNOWN_NUMBA = """
import sys, numba
numba.__version__ = "0.99.0"
sys.modules["samovar.engine.ways.numba_inner"] = None  # importing it would raise, as it might with that Numba
"""


@pytest.mark.slow
def test_a_numba_that_was_not_tried_compiles_without_its_inside(tmp_path: Path) -> None:
    """Slower to start, the same bytes, kept on disk all the same."""
    assert _run(UNKNOWN_NUMBA + FIRST_USE, NUMBA_CACHE_DIR=str(tmp_path)) == _run(FIRST_USE, SAMOVAR_PLAIN="1")
    assert list(tmp_path.rglob("*.nbc")), "nothing was written to the cache"


def test_only_what_takes_a_turn_is_inlined() -> None:
    """Numba would hand the wish on from a caller to all that it calls, and so make code without end."""
    compiler = Backend(find_game("memoarrrr"), plain=False)._compilers[False]
    taking, others = (
        [compiler.compile(generic).targetoptions["forceinline"] for generic in some]
        for some in (
            (turns.advance_one, turns.offer, turns.is_offered),
            (stand_ins.lowest_seat, turns.next_seed, kernels.observe_one),
        )
    )
    assert all(taking)
    assert not any(others)


@pytest.mark.parametrize(("name", "is_inlined"), [("deal", True), ("play_random", True), ("observe", False)])
def test_random_play_is_compiled_without_calls(name: str, is_inlined: bool) -> None:
    """With calls it took up to 1.7 times as long; other operations are slow to compile without."""
    entry = Backend(find_game("memoarrrr"), plain=False).make(kernels.loop, name)
    operation = entry.py_func.__globals__["operation"]
    legal = operation.py_func.__globals__.get("legal", operation)
    assert [each.targetoptions["forceinline"] for each in (operation, legal)] == [is_inlined] * 2
