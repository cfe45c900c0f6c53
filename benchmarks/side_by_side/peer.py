"""Random play in a peer's own environment, measured. Nothing of samovar is imported, and the file
runs alone:

    python peer.py openspiel [--game NAME] [--loop rollouts | python]
    python peer.py pettingzoo [--env MODULE] [--game NAME]
    python peer.py pgx [--game NAME] [--batch N] [--device cpu | gpu] [--observed]

The answer is lines of JSON: first what is measured, {"ready": {...}}, then one {"rate": moves per
second} for each round. With `--wait` a round begins when a line comes in, so that two processes can
take turns. `ours.py` answers in the same way.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import sys
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any, TypeAlias

# Plays for about so many seconds; answers the moves per second.
Play = Callable[[float], float]
Ready = tuple[Play, dict[str, object]]
Library: TypeAlias = Any  # of a peer that is not installed here

SEED = 1
MEASURED_MATCHES = 50_000
# Which of JAX's generators, and how a legal move is drawn with it: the nth of them, or that with
# the highest noise.
FORMS = tuple(f"{generator}-{draw}" for generator in ("threefry2x32", "rbg", "unsafe_rbg") for draw in ("nth", "noise"))


def openspiel(asked: argparse.Namespace) -> Ready:
    """Whole matches one after another. Uniformly random play has no faster loop in `pyspiel` than
    the rollouts of its C++ search."""
    pyspiel = load("pyspiel")
    if asked.load:
        load(asked.load)
    game = pyspiel.load_game(asked.game)
    facts = {"version": version("open_spiel"), "game": asked.game, "loop": asked.loop}
    if asked.loop == "python":
        return growing(lambda matches: python_matches(game, matches), 16, asked), facts
    length = mean_length(pyspiel, game)

    def rollouts(count: int) -> float:
        """One simulation at the root: so many random matches from the beginning, all in C++."""
        evaluator = pyspiel.RandomRolloutEvaluator(count, SEED)
        pyspiel.MCTSBot(game, evaluator, 2.0, 1, 1, False, SEED, False).mcts_search(game.new_initial_state())
        return count * length

    return growing(rollouts, 1_000, asked), {**facts, "mean_length": round(length, 2)}


def mean_length(pyspiel: Library, game: Library) -> float:
    """Rollouts do not say how many moves they made: random bots, who play the same matches, do."""
    bots = [pyspiel.make_uniform_random_bot(player, SEED + player) for player in range(game.num_players())]
    played = 0
    for number in range(MEASURED_MATCHES):
        state = game.new_initial_state()
        pyspiel.evaluate_bots(state, bots, number)
        played += state.move_number()
    return played / MEASURED_MATCHES


def python_matches(game: Library, matches: int) -> int:
    """The loop of a Python user; what chance does is no move."""
    choose = random.Random(SEED)
    played = 0
    for _ in range(matches):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(choose.choices(outcomes, chances)[0])
            else:
                state.apply_action(choose.choice(state.legal_actions()))
                played += 1
    return played


def pettingzoo(asked: argparse.Namespace) -> Ready:
    """The loop of PettingZoo's documentation, for any environment: theirs, and ours."""
    environment = load(asked.env).env(*([asked.game] if asked.game else []))
    environment.reset(seed=SEED)

    def matches(count: int) -> int:
        played = 0
        for _ in range(count):
            environment.reset()
            for agent in environment.agent_iter():
                observation, _, termination, truncation, _ = environment.last()
                if termination or truncation:
                    action = None
                else:
                    action = environment.action_space(agent).sample(observation["action_mask"])
                    played += 1
                environment.step(action)
        return played

    return growing(matches, 4, asked), {"version": version("pettingzoo"), "env": asked.env, "game": asked.game}


def pgx(asked: argparse.Namespace) -> Ready:
    """One compiled loop over the whole batch. Of several ways to draw moves the fastest on this
    machine is taken."""
    os.environ["JAX_PLATFORMS"] = "cuda" if asked.device == "gpu" else "cpu"
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the GPU is shared with who takes turns with us
    jax = load("jax")
    try:
        device = jax.devices()[0].device_kind
    except (RuntimeError, AssertionError):
        sys.exit(f"JAX has no device {asked.device!r} here.")
    environment = load("pgx").make(asked.game)
    tried = {name: pgx_play(jax, environment, name, asked) for name in ([asked.form] if asked.form else FORMS)}
    rates = {name: play(asked.seconds / 4) for name, play in tried.items()}
    best = max(rates, key=lambda name: rates[name])
    facts = {
        "version": version("pgx"),
        "jax": jax.__version__,
        "game": asked.game,
        "batch": asked.batch,
        "device": str(device),
        "form": best,
    }
    return tried[best], {**facts, "observed": asked.observed}


def pgx_play(jax: Library, environment: Library, form: str, asked: argparse.Namespace) -> Play:
    numpy = jax.numpy
    generator, draw = form.split("-")
    step = jax.vmap(load("pgx.experimental").auto_reset(environment.step, environment.init))

    def any_move(key: Library, mask: Library) -> Library:
        if draw == "noise":
            return jax.random.categorical(key, numpy.where(mask, 0.0, -numpy.inf))
        counts = mask.sum(-1)
        nth = numpy.floor(jax.random.uniform(key, counts.shape) * counts)
        return numpy.argmax(numpy.cumsum(mask, -1) > nth[:, None], axis=-1)

    def advance(_: Library, carried: Library) -> Library:
        key, state = carried
        key, for_moves, for_steps = jax.random.split(key, 3)
        return key, step(state, any_move(for_moves, state.legal_action_mask), jax.random.split(for_steps, asked.batch))

    def run(steps: int, key: Library, state: Library) -> Library:
        key, state = jax.lax.fori_loop(0, steps, advance, (key, state))
        # What nobody gets need not be computed: then the compiler leaves observations out.
        return key, state if asked.observed else state.replace(observation=numpy.zeros_like(state.observation))

    compiled = jax.jit(run)
    key = jax.random.key(SEED, impl=generator)
    carried = [key, jax.jit(jax.vmap(environment.init))(jax.random.split(key, asked.batch))]

    def moves(steps: int) -> float:
        carried[:] = jax.block_until_ready(compiled(steps, *carried))
        return float(steps * asked.batch)

    moves(1)  # compiled here
    return growing(moves, 4, asked)


def growing(run: Callable[[int], float], count: int, asked: argparse.Namespace) -> Play:
    """Plays more and more until a run lasts long enough to be believed; the next round begins
    there. `run` answers the moves it made.

    On one core its time is counted, not that on the clock: what else the machine does then matters
    less.
    """
    now = time.perf_counter if asked.core is None else time.process_time

    def play(seconds: float) -> float:
        nonlocal count
        while True:
            start = now()
            moves = run(count)
            spent = now() - start
            if spent >= seconds:
                return moves / spent
            count += int(count * min(1.2 * seconds / max(spent, 1e-9) - 1, 9)) + 1

    return play


def answer(asked: argparse.Namespace, prepare: Callable[[argparse.Namespace], Ready]) -> None:
    """Gets ready and plays the rounds. Libraries greet on stdout, which is for the answers:
    greetings go to stderr."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if asked.core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {asked.core})
    play, facts = prepare(asked)
    play(asked.seconds / 4)
    print(json.dumps({"ready": facts}), file=answers, flush=True)
    for _ in range(asked.rounds):
        if asked.wait and not sys.stdin.readline():
            return
        print(json.dumps({"rate": play(asked.seconds)}), file=answers, flush=True)


def add_rounds(parser: argparse.ArgumentParser) -> None:
    """The options of everything that is measured."""
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="how long a round lasts at least")
    parser.add_argument("--core", type=int, help="the only core to use; any by default")
    parser.add_argument("--wait", action="store_true", help="begin a round when a line comes in")


def load(name: str) -> Library:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        sys.exit(f"The package {error.name!r} is not installed for this Python.")


def version(package: str) -> str:
    return metadata.version(package)


def read_arguments(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Random play of a library, in moves per second.")
    peers = parser.add_subparsers(dest="peer", required=True)
    one = peers.add_parser("openspiel", help=openspiel.__doc__)
    one.add_argument("--game", default="connect_four")
    one.add_argument("--load", help="a module that registers the game")
    one.add_argument("--loop", choices=["rollouts", "python"], default="rollouts")
    two = peers.add_parser("pettingzoo", help=pettingzoo.__doc__)
    two.add_argument("--env", default="pettingzoo.classic.connect_four_v3", help="the module with the function `env`")
    two.add_argument("--game", help="what `env` is called with")
    three = peers.add_parser("pgx", help=pgx.__doc__)
    three.add_argument("--game", default="connect_four")
    three.add_argument("--batch", type=int, default=4_096)
    three.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    three.add_argument("--form", choices=FORMS, help="how moves are drawn; the fastest by default")
    three.add_argument("--observed", action="store_true", help="keep the observations")
    for each in (one, two, three):
        add_rounds(each)
    return parser.parse_args(words)


if __name__ == "__main__":
    arguments = read_arguments()
    answer(arguments, {"openspiel": openspiel, "pettingzoo": pettingzoo, "pgx": pgx}[arguments.peer])
