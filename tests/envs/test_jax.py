"""Games inside programs that JAX compiles."""

import ctypes
import subprocess
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import samovar
import samovar.envs.jax
from samovar.engine.ways.xla import gpu
from samovar.engine.ways.xla.calls import words_of
from samovar.envs.jax import Env, JaxState
from support import tiny_game

pytestmark = pytest.mark.research

MATCHES = 600  # so many that several threads play
BLIND = tiny_game.GAME


@pytest.fixture(scope="module")
def env() -> Env:
    return samovar.envs.jax.make("connect_four", autoreset=True)


def played(env: Env, steps: int, matches: int = MATCHES) -> Any:
    """Random play within a scan, and what was seen."""

    def turn(state: JaxState, key: Any) -> Any:
        state = env.step(state, env.random_action(key, state), key)
        seen = state.observation, state.legal_action_mask, state.current_player
        return state, (state.rewards, state.terminated, state.refused, seen)

    def play(keys: Any, steps: Any) -> Any:
        return jax.lax.scan(turn, env.init(keys), steps)

    return jax.jit(play)(jax.random.split(jax.random.key(1), matches), jax.random.split(jax.random.key(2), steps))


def bytes_of(tree: Any) -> list[bytes]:
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(tree)]


def test_matches_are_those_of_a_batch() -> None:
    """Key 7 deals what seed 7 does, and from there all arrays are those of a batch, to the end."""
    env = samovar.envs.jax.make("connect_four", columns=4, rows=4)
    batch = samovar.Batch("connect_four", 4, seed=7, restart=False, columns=4, rows=4)
    state = env.init(jnp.stack([jax.random.key(seed) for seed in range(7, 11)]))
    step = jax.jit(env.step)
    for _ in range(17):
        assert np.array_equal(state.current_player, batch.actor)
        assert np.array_equal(state.legal_action_mask, batch.legal_mask)
        here = batch.actor >= 0
        assert np.array_equal(np.asarray(state.observation)[here], batch.observations[here])
        moves = batch.random_moves()
        ended = here & (moves >= 0)
        state = step(state, moves)
        batch.step(moves)
        assert np.asarray(state.records).tobytes() == batch.states.tobytes()
        assert np.array_equal(state.rewards, batch.rewards)
        assert np.array_equal(state.terminated, batch.actor < 0)
    assert state.terminated.all()
    assert ended.shape == (4,)
    assert (state.legal_actions == -1).all()


def test_compiled_and_plain_give_the_same_bytes(env: Env, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    asking = samovar.envs.jax.make("connect_four", autoreset=True)
    assert asking is not env
    told = played(asking, 12)
    monkeypatch.undo()
    state, (rewards, ended, refused, _) = native = played(env, 12)
    assert bytes_of(native) == bytes_of(told)
    assert 0 < ended.sum() < MATCHES
    assert (jnp.abs(rewards).sum(-1) <= 2 * ended).all()
    assert not refused.any()
    assert state.shape == (MATCHES,)


def test_vmap_is_one_call_with_the_same_bytes(env: Env) -> None:
    keys = jax.random.split(jax.random.key(3), 5)

    def twice(key: Any) -> JaxState:
        state = env.step(env.init(key), 3, key)
        return env.step(state, env.random_action(key, state), key)

    (calls,) = [
        [line for line in str(made).splitlines() if "ffi_call[" in line or "target_name" in line]
        for made in [jax.make_jaxpr(jax.vmap(twice))(keys)]
    ]
    assert sum("ffi_call" in line for line in calls) == 4  # one for all matches: deal, step, choose, step
    assert bytes_of(jax.vmap(twice)(keys)) == bytes_of(twice(keys))
    one = jax.tree.map(lambda leaf: leaf[2], jax.vmap(twice)(keys))
    assert bytes_of(one) == bytes_of(twice(keys[2]))


def test_one_key_deals_differently_in_every_match() -> None:
    env = samovar.envs.jax.make(BLIND, autoreset=True)
    state = env.init(jnp.stack([jax.random.key(1)] * 8))
    assert len(set(map(bytes, np.asarray(state.records)))) == 1
    key = jax.random.key(2)
    while not state.terminated.any():
        state = env.step(state, jnp.zeros(8, int), key)
    assert state.terminated.all()
    assert len(set(map(bytes, np.asarray(state.records)))) > 4


def test_an_action_that_is_not_legal_changes_nothing(env: Env) -> None:
    keys = jax.random.split(jax.random.key(1), 4)
    state = env.init(keys)
    after = env.step(state, jnp.array([7, -2, -1, 0]), keys)
    assert after.refused.tolist() == [True, True, False, False]
    assert (after.records == state.records).all(-1).tolist() == [True, True, True, False]
    assert not after.terminated.any()


def test_what_nobody_uses_is_not_computed(env: Env) -> None:
    def program(look: Any) -> str:
        def turn(state: JaxState, key: Any) -> Any:
            look(state)
            return env.step(state, 3, key), state.terminated

        keys = jax.random.split(jax.random.key(1), 8)
        return str(jax.jit(lambda state: jax.lax.scan(turn, state, keys)).lower(env.init(keys)).compile().as_text())

    text = program(lambda state: (state.observation, state.legal_action_mask))
    assert "connect_four.play" in text
    assert "observe" not in text
    assert "flags" not in text


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda env, state: env.step(state, 3), "needs a key"),
        (lambda env, state: env.step(state, 3.0, jax.random.key(1)), "number of a move"),
        (lambda env, state: env.step(state, 3, jax.random.split(jax.random.key(1), 3)), "need as many keys, or one"),
        (lambda env, state: env.init(7), "jax.random.key"),
        (lambda env, state: samovar.envs.jax.make("connect_four", encoding="waves"), "encoding"),
        (lambda env, state: samovar.envs.jax.make("connect_four", rewards="money"), "rewards"),
    ],
)
def test_mistakes_are_told_with_a_remedy(env: Env, ask: Any, says: str) -> None:
    state = env.init(jax.random.split(jax.random.key(1), 4))
    with pytest.raises(samovar.SamovarError, match=says):
        ask(env, state)


@pytest.mark.parametrize("missing", ["sys.modules['jax'] = None", "import jax; del jax.ffi"])
def test_without_jax_or_with_an_old_one_the_remedy_is_told(missing: str) -> None:
    code = f"import sys\n{missing}\nimport samovar.envs.jax"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingExtra" in told.stderr
    assert "'jax>=0.7'" in told.stderr


# A GPU's handler, with a driver and an XLA that only write down what they are asked

Launch = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3)
AskXla = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.POINTER(ctypes.c_int64))
Handler = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p)
STREAM, KERNEL, ERROR = 4242, 1234, 77


@pytest.mark.parametrize("status", [0, 700])
def test_a_gpu_launches_one_thread_for_each_match(env: Env, status: int) -> None:
    call = env._calls["play"]
    constant: list[Any] = []
    words = np.array(words_of(call.arguments, lambda array: constant.append(array) or 10 + len(constant)), np.int64)
    launched: list[Any] = []

    @Launch
    def launch(kernel: int, *told: Any) -> int:
        *sizes, stream, places, _ = told
        rows = (ctypes.c_void_p * len(words)).from_address(places)
        launched.append((kernel, sizes, stream, [ctypes.c_int64.from_address(row).value for row in rows]))
        return status

    @AskXla
    def give_stream(asked: Any) -> int:
        asked[3] = STREAM
        return 0

    @AskXla
    def make_error(asked: Any) -> int:
        launched.append(ctypes.string_at(asked[2]))
        return ERROR

    def address(function: Any) -> int:
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    functions = np.zeros(20, np.int64)
    functions[6], functions[10] = address(make_error), address(give_stream)
    frame, kept = frame_of([(300, 24), (300,), (1, 2)], [(300, 24), (300,), (300,), (300, 2)], functions)
    handler = gpu.make_handler(words, KERNEL, address(launch))
    assert Handler(handler.address)(frame.ctypes.data) == (ERROR if status else 0)
    kernel, sizes, stream, told = launched[0]
    assert (kernel, sizes, stream) == (KERNEL, [3, 1, 1, 128, 1, 1, 0], STREAM)
    assert told[:7] == [0, 0, 300, 24, 1003, 300, 24]  # the states: the first result
    assert told[-14:-7] == [0, 0, 1, 8, 15, 1, 8]  # `b`, which is not used
    assert [place for place in told if 1000 <= place < 1010] == [1003, 1002, 1001, 1004, 1005, 1006]
    assert launched[1:] == ([b"A kernel of Samovar could not be launched."] if status else [])
    assert len(kept) == 9


def frame_of(operands: list[Any], results: list[Any], functions: Any) -> tuple[Any, list[Any]]:
    """A frame as XLA makes it; the arrays lie at 1000, 1001 and so on."""
    kept, arrays = [], []
    for number, shape in enumerate([*operands, *results]):
        sizes = np.array(shape, np.int64)
        arrays.append(np.array([48, 0, 0, 1000 + number, len(shape), sizes.ctypes.data], np.int64))
        kept.append(sizes)
    lists = [
        np.array([array.ctypes.data for array in some], np.int64)
        for some in (arrays[: len(operands)], arrays[len(operands) :])
    ]
    frame = np.zeros(24, np.int64)
    frame[2] = functions.ctypes.data
    frame[7], frame[9] = len(operands), lists[0].ctypes.data
    frame[12], frame[14] = len(results), lists[1].ctypes.data
    return frame, [*kept, (arrays, lists), functions]
