"""Games inside `jit(lax.scan)` on a GPU: the same bytes as on the CPU, and steps per second beside Pgx in one run.

    python benchmarks/jax_scan.py [--device cuda | cpu] [--sizes 4096,65536] [--parts bytes,speed,profile] [GAME ...]

`speed`: random play of Connect Four for so many matches at once, deals included. Both sides draw moves in two ways and
with each of JAX's generators: the nth legal move of the mask, as with Pgx; and ours with `random_action`. The best of
each side is compared. `observed`: every position's observation is written, too.

`profile`: what a step is made of, in microseconds, and what XLA made of the loop; with its settings for CUDA graphs.

`bytes`: for every game 64 matches, 1,000 steps, on both devices: records, rewards, ends, observations and masks.

Every part runs in a process of its own; lines come as soon as they are known. Pgx is left out, with a line, where it is
not installed (it needs svgwrite and typing_extensions besides).
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
MODULES = {
    "connect_four": "connect_four",
    **{name: f"samovar.games.{name}" for name in ("babuschka", "matryoshka", "memoarrrr", "varvitikud")},
}
SIZES = (4_096, 65_536, 262_144)
GENERATORS = ("unsafe_rbg", "rbg")  # the fastest of JAX's
STEPS = 500  # of one scan
SECONDS = 0.3
COMMANDS = "--xla_gpu_enable_command_buffer="
FLAGS = {"default": "", "no graphs": COMMANDS, "whole loop": f"{COMMANDS}+WHILE,+CONDITIONAL"}

Run = Callable[[], Any]


def say(*told: object, sep: str = " ") -> None:
    print(*told, sep=sep, flush=True)


def find(name: str) -> Any:
    """A game, also where packages are not installed and only their folders are on the path."""
    sys.path.append(str(HERE.parent.parent / "examples" / "connect_four"))
    return import_module(MODULES[name]).GAME


def measured(run: Run, steps: int) -> float:
    """Steps per second of a program that was compiled before."""
    import jax

    jax.block_until_ready(run())
    best, spent = 0.0, 0.0
    while spent < SECONDS:
        start = time.perf_counter()
        jax.block_until_ready(run())
        took = time.perf_counter() - start
        spent += took
        best = max(best, steps / took)
    return best


def nth_legal(jax: Any, key: Any, mask: Any) -> Any:
    """A legal move, drawn as Pgx's users do it."""
    counts = mask.sum(-1)
    nth = jax.numpy.floor(jax.random.uniform(key, counts.shape) * counts)
    return jax.numpy.argmax(jax.numpy.cumsum(mask, -1) > nth[..., None], axis=-1)


def ours(jax: Any, size: int, generator: str, form: str, observed: bool, unroll: int) -> Run:
    import samovar.envs.jax

    env = samovar.envs.jax.make(find("connect_four"), autoreset=True)
    state = jax.jit(env.init)(jax.random.split(jax.random.key(1), size))
    keys = jax.random.split(jax.random.key(2, impl=generator), STEPS)

    def turn(carried: Any, key: Any) -> Any:
        state, _, ended = carried
        mask = state.legal_action_mask if form == "mask" else None
        action = env.random_action(key, state) if mask is None else nth_legal(jax, key, mask)
        state = env.step(state, action, key)
        return (state, state.observation if observed else 0, ended + state.terminated), None

    first = state, state.observation if observed else 0, jax.numpy.zeros(size, jax.numpy.int32)
    compiled = jax.jit(lambda first, keys: jax.lax.scan(turn, first, keys, unroll=unroll)[0])
    return lambda: compiled(first, keys)


def pgx(jax: Any, size: int, generator: str, form: str, observed: bool, unroll: int) -> Run:
    import pgx
    from pgx.experimental import auto_reset

    environment = pgx.make("connect_four")
    step = jax.vmap(auto_reset(environment.step, environment.init))
    state = jax.jit(jax.vmap(environment.init))(jax.random.split(jax.random.key(1), size))
    keys = jax.random.split(jax.random.key(2, impl=generator), STEPS)

    def turn(carried: Any, key: Any) -> Any:
        state, ended = carried
        for_moves, for_steps = jax.random.split(key)
        state = step(state, nth_legal(jax, for_moves, state.legal_action_mask), jax.random.split(for_steps, size))
        return (state, ended + state.terminated), None

    def play(first: Any, keys: Any) -> Any:
        (state, ended), _ = jax.lax.scan(turn, first, keys, unroll=unroll)
        # What nobody gets need not be computed: then the compiler leaves observations out.
        return (state if observed else state.replace(observation=jax.numpy.zeros_like(state.observation))), ended

    first = state, jax.numpy.zeros(size, jax.numpy.int32)
    compiled = jax.jit(play)
    return lambda: compiled(first, keys)


def speed(jax: Any, asked: argparse.Namespace) -> None:
    sides: dict[str, Any] = {"samovar": ours}
    try:
        import_module("pgx")
        sides["pgx"] = pgx
    except ImportError as error:
        say(f"Pgx is left out: {error}")
    for size in asked.sizes:
        for observed in (False, True):
            best = {}
            for side, make in sides.items():
                forms = [("mask", generator, 1) for generator in GENERATORS]
                if side == "samovar":
                    forms = [("mask", "unsafe_rbg", 1), ("own", "threefry2x32", 1), ("own", "threefry2x32", 10)]
                rates = {}
                for form, generator, unroll in forms:
                    try:
                        run = make(jax, size, generator, form, observed, unroll)
                        rates[form, generator, unroll] = measured(run, STEPS * size)
                    except Exception as error:
                        say(f"  {side} {form} {generator} {unroll}: {type(error).__name__}: {str(error)[:500]}")
                if not rates:
                    continue
                form = max(rates, key=lambda one: rates[one])
                best[side] = rates[form]
                told = ", ".join(f"{one[0]}/{one[1]}/{one[2]} {rate / 1e6:,.1f}" for one, rate in rates.items())
                say(f"  {side:8}{size:>9,} {'observed' if observed else '':9}{told} million steps/s")
            if len(best) == 2:
                ratio = best["samovar"] / best["pgx"]
                say(f"ratio {size:>9,} {'observed' if observed else 'play'}: {ratio:.1f} x Pgx")


def profile(jax: Any, asked: argparse.Namespace) -> None:
    import samovar.envs.jax

    numpy = jax.numpy
    env = samovar.envs.jax.make(find("connect_four"), autoreset=True)

    def both(state: Any, key: Any) -> Any:
        return env.step(state, env.random_action(key, state), key)

    bodies: dict[str, Callable[[Any, Any], Any]] = {
        "step": lambda state, key: env.step(state, numpy.int32(3), key),
        "action": lambda state, key: state.replace(rewards=state.rewards + env.random_action(key, state)[:, None]),
        "both": both,
        "nothing": lambda state, key: state.replace(rewards=state.rewards + key[0]),
    }
    keys = jax.random.split(jax.random.PRNGKey(2), STEPS)
    for size in asked.sizes:
        state = jax.jit(env.init)(jax.random.split(jax.random.key(1), size))
        told = []
        for name, body in bodies.items():
            for unroll in (1, 10):

                def turn(state: Any, key: Any, body: Any = body) -> Any:
                    return body(state, key), None

                compiled = jax.jit(
                    lambda state, keys, turn=turn, unroll=unroll: jax.lax.scan(turn, state, keys, unroll=unroll)[0]
                )
                rate = measured(lambda compiled=compiled, state=state: compiled(state, keys), STEPS)
                told.append(f"{name}/{unroll} {1e6 / rate:.1f}")
                if name == "both" and unroll == 1 and size == asked.sizes[0]:
                    text = compiled.lower(state, keys).compile().as_text()
                    loops = re.findall(r"body=%?([\w.]+)", text)
                    for loop in loops:
                        body_text = re.search(rf"%?{re.escape(loop)} [^\n]*\{{\n(.*?)\n\}}", text, re.DOTALL)
                        lines = body_text.group(1).splitlines() if body_text else []
                        kept = [line.strip()[:160] for line in lines if " get-tuple-element(" not in line]
                        say(f"  loop {loop}:", *kept, sep="\n    ")
        say(f"  {size:>9,} microseconds a step (unroll):", ", ".join(told))


def compare_bytes(jax: Any, asked: argparse.Namespace, name: str) -> bool:
    """64 matches, 1,000 steps on both devices."""
    import numpy as np

    import samovar.envs.jax

    env = samovar.envs.jax.make(find(name), autoreset=True)

    def turn(state: Any, key: Any) -> Any:
        state = env.step(state, env.random_action(key, state), key)
        return state, (state.rewards, state.terminated, state.refused)

    def play(keys: Any, steps: Any) -> Any:
        state, told = jax.lax.scan(turn, env.init(keys), steps)
        return state, told, state.observation, state.legal_action_mask, state.legal_actions, state.current_player

    found = []
    for device in (jax.devices()[0], jax.devices("cpu")[0]):
        start = time.perf_counter()
        with jax.default_device(device):
            keys = jax.random.split(jax.random.key(1), 64), jax.random.split(jax.random.key(2), 1000)
            found.append([np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(play)(*keys))])
        say(f"  {name} on {device.platform}: {time.perf_counter() - start:.1f} s")
    same = [one.tobytes() == other.tobytes() for one, other in zip(*found, strict=True)]
    say(f"bytes {name}: {'the same' if all(same) else f'DIFFERENT {same}'}; {found[0][5].sum()} matches ended")
    return all(same)


def child(*arguments: str, flags: str = "") -> subprocess.Popen[bytes]:
    named = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "PYTHONUNBUFFERED": "1"}
    if flags:
        named["XLA_FLAGS"] = f"{named.get('XLA_FLAGS', '')} {flags}".strip()
    return subprocess.Popen([sys.executable, str(HERE), *arguments], env=named)


def start_jax(device: str) -> Any:
    """JAX, if it has the device."""
    os.environ["JAX_PLATFORMS"] = "cuda,cpu" if device == "cuda" else "cpu"
    import numpy as np

    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack
    import jax

    try:
        first = jax.devices()[0]
    except RuntimeError as error:
        sys.exit(f"JAX finds no device {device!r} here: {error}")
    if device == "cuda" and first.platform != "gpu":
        sys.exit(f"JAX finds no GPU here, only {first}.")
    return jax


def main() -> int:
    asking = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asking.add_argument("games", nargs="*", default=list(MODULES))
    asking.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    asking.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=list(SIZES))
    asking.add_argument("--parts", default="bytes,speed,profile")
    asking.add_argument("--child", help=argparse.SUPPRESS)
    asked = asking.parse_args()
    if asked.child:
        jax = start_jax(asked.device)
        if asked.child in MODULES:
            return int(not compare_bytes(jax, asked, asked.child))
        device, flags = jax.devices()[0].device_kind, os.environ.get("XLA_FLAGS", "")
        say(f"{asked.child}: JAX {jax.__version__} on {device} {flags}")
        {"speed": speed, "profile": profile}[asked.child](jax, asked)
        return 0
    common = ["--device", asked.device, "--sizes", ",".join(map(str, asked.sizes))]
    wrong = 0
    for part in asked.parts.split(","):
        if part == "bytes":
            wrong += sum(one.wait() for one in [child("--child", name, *common) for name in asked.games])
        else:
            for name in FLAGS if part == "profile" and asked.device == "cuda" else ["default"]:
                say(f"== {part}, {name}")
                wrong += child("--child", part, *common, flags=FLAGS[name]).wait()
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
