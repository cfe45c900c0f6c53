"""GPU against CPU: the same matches, byte for byte, and moves per second of random play on both, in
one run.

    python benchmarks/gpu.py [--both] [--matches 100000] [--places 1000000] [--json FILE] [GAME ...]

For every game, seat count and variant: `--matches` matches are dealt and played to the end on both
devices and compared byte for byte; then `--places` matches are played side by side on the GPU for
as many moves as fill some tenths of a second, deals included, and the same on one core.

With `--both`, the GPU's part of that with numba-cuda and with numba-cuda-mlir, side by side, and how long they compile.
All compile at once, a process for each game and package; they measure one after another.

With `--steps N`, instead: N steps of a batch on both devices, moves by lists and turned to the seat,
observations as planes, legal moves told as parts, rewards by place and points; every array must be
the same on both. For each seat count, and for all variants in one batch, whose moves are sent.

With `--send`, instead: microseconds of `step()`, of `send()` with moves from outside and with those in
`moves_in`, and of a CUDA graph that holds `send()`, each for batches of several sizes. All moves are
legal, and what was sent must leave the same bytes as what was stepped.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from samovar.bench import PLACES, batch_rate
from samovar.engine.batch import Batch
from samovar.engine.contract import Game
from samovar.engine.registry import find_game, game_ids
from samovar.engine.ways.cuda import MODULES, PACKAGE_VARIABLE, cuda_backend, cuda_version

SEED = 20_000


def are_identical(game: Game, seats: int, options: dict[str, Any], matches: int) -> tuple[bool, int]:
    """Whether both devices give the same bytes for the same matches, and how many moves that
    were."""
    ends = []
    for device in ("cpu", "cuda"):
        batch = Batch(game, matches, seats, SEED, device=device, **options)
        lengths = batch.play_random()
        ends.append([np.asarray(array) for array in (batch.states, lengths)])
    (states, lengths), (gpu_states, gpu_lengths) = ends
    return states.tobytes() == gpu_states.tobytes() and lengths.tobytes() == gpu_lengths.tobytes(), int(lengths.sum())


STEPPED = ("actor", "observations", "legal_mask", "legal_moves", "legal_counts", "rewards", "ended", "legal_factors")


def compare_steps(game: Game, seats: int | None, matches: int, steps: int) -> list[str]:
    """The arrays of a batch that differ between the devices in any of so many steps; without seats, of
    all variants."""
    wishes: dict[str, Any] = {"encoding": "planes", "turned": True, "rewards": "both"}
    if seats is None:
        wishes["variants"] = [{"seats": seats, **options} for seats, options in game.variants()]
    cpu, gpu = (Batch(game, matches, seats, SEED, device=device, **wishes) for device in ("cpu", "cuda"))
    names = [name for name in STEPPED if name != "legal_factors" or game.factors]
    differ: set[str] = set()
    for _ in range(steps):
        counts = cpu.legal_counts
        for name in names:
            one, other = (np.asarray(getattr(batch, name)) for batch in (cpu, gpu))
            if name in ("legal_moves", "legal_factors"):  # behind the last legal move lies what was there before
                counted = np.arange(game.max_legal) < counts[:, None]
                one, other = one[counted], other[counted]
            if one.tobytes() != other.tobytes():
                differ.add(name)
        moves = cpu.random_moves()
        cpu.step(moves)
        (gpu.step if seats else gpu.send)(moves)
    gpu.settle()
    return sorted(differ)


def main_of_steps(games: list[str], matches: int, steps: int) -> int:
    differ = False
    for game in map(find_game, games):
        for seats in (*game.seats, None):
            begun = time.perf_counter()
            found = compare_steps(game, seats, matches, steps)
            differ = differ or bool(found)
            told = f"DIFFER: {', '.join(found)}" if found else "all arrays identical"
            kind = f"{seats} seats" if seats else "all variants"
            row = f"{game.id:<14}{kind}, {matches:,} matches, {steps} steps: {told}"
            print(f"{row} ({time.perf_counter() - begun:.0f} s)", flush=True)
    return int(differ)


SENDS = 200  # of each way
SEND_SIZES = (1_024, 16_384, 65_536)


def first_legal(batch: Batch) -> Callable[[], Any]:
    """What chooses moves on the device: the first legal one of every match, in an array of its own. Very little work,
    so that what is measured is the step. Without PyTorch it is done on the host, and measured with it."""
    try:
        import torch
    except ImportError:
        return lambda: np.asarray(batch.legal_moves)[:, 0].astype(np.int64)
    legal = torch.from_dlpack(batch.legal_moves)
    return lambda: legal[:, 0].long()


def step_ways(batch: Batch) -> dict[str, Callable[[], None]]:
    """The ways to make a step, each with the move chosen anew on the device."""
    choose = first_legal(batch)
    ways = {"step": lambda: batch.step(choose()), "send(moves)": lambda: batch.send(choose())}
    try:
        import torch

        place, legal = torch.from_dlpack(batch.moves_in), torch.from_dlpack(batch.legal_moves)

        def send() -> None:
            place.copy_(legal[:, 0])
            batch.send(stream=torch.cuda.current_stream().cuda_stream if torch.cuda.is_available() else 0)

        send()  # compiled and loaded, and all memory is there: nothing of that may happen in a capture
        batch.settle()
        ways["send()"] = send
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            send()
        ways["graph"] = graph.replay
    except Exception as error:
        print(f"  no CUDA graph: {type(error).__name__}: {error}", flush=True)
    return ways


def time_sends(game: Game, size: int) -> dict[str, tuple[float, float]]:
    """Microseconds that a step takes until it is done, and until the host is free again, by way."""
    measured, ends = {}, {}
    for way in ("step", "send(moves)", "send()", "graph"):
        batch = Batch(game, size, game.seats[0], SEED, device="cuda")
        _ = batch.observations
        step = step_ways(batch).get(way)
        if step is None:
            continue
        batch.reset(SEED)  # what was tried before is forgotten
        _ = batch.observations
        for _ in range(20):
            step()
        batch.settle()
        begun = time.perf_counter()
        for _ in range(SENDS):
            step()
        free = time.perf_counter() - begun
        batch.settle()
        done = time.perf_counter() - begun
        measured[way] = 1e6 * done / SENDS, 1e6 * free / SENDS
        ends[way] = np.asarray(batch.states).tobytes()
    for way, end in ends.items():
        if end != ends["step"]:
            print(f"  DIFFERENT BYTES after {way}", flush=True)
    return measured


def main_of_sends(games: list[str]) -> int:
    print(f"{'game':<14}{'matches':>8}   microseconds a step until it is done (until the host is free)", flush=True)
    for game in map(find_game, games):
        for size in SEND_SIZES:
            begun = time.perf_counter()
            cells = [f"{way} {done:,.0f} ({free:,.0f})" for way, (done, free) in time_sends(game, size).items()]
            print(f"{game.id:<14}{size:>8}   {'   '.join(cells)}   ({time.perf_counter() - begun:.0f} s)", flush=True)
    return 0


def compile_all(game: Game) -> dict[str, Any]:
    """How long what is measured here takes to compile, and what a thread of it needs."""
    begun = time.perf_counter()
    batch = Batch(game, 1, game.seats[0], SEED, device="cuda")
    batch.play_random(limit=1)
    batch.play_endless(1)
    seconds = time.perf_counter() - begun
    kernel = cuda_backend(game)._kernel("play_endless")
    try:
        needs = [max(needed().values()) for needed in (kernel.get_regs_per_thread, kernel.get_local_mem_per_thread)]
    except Exception as error:  # the simulator knows nothing of it; what was compiled is measured all the same
        print(f"What a thread needs is not known: {type(error).__name__}: {error}", flush=True)
        needs = [0, 0]
    return {"compile_s": seconds, "registers": needs[0], "local_bytes": needs[1]}


@contextmanager
def turn(path: str | None) -> Iterator[None]:
    """Waits until no other process that has this file measures."""
    if not path:
        yield
        return
    with open(path, "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def name_of(game: Game, options: dict[str, Any]) -> str:
    """The options that are not as usual."""
    unusual = (f"{name}={str(value).lower()}" for name, value in options.items() if value != _default(game, name))
    return ", ".join(unusual) or "-"


def main_of_both(games: list[str], matches: int, places: int, json_path: str | None) -> int:
    """Each child is this file, for one game and package."""
    with tempfile.TemporaryDirectory() as folder:
        children = {}
        for package in MODULES:
            for game in games:
                told = Path(folder, f"{package}.{game}.json")
                line = [sys.executable, __file__, game, "--matches", str(matches), "--places", str(places)]
                line += ["--gpu-only", "--turn", str(Path(folder, "turn")), "--json", str(told)]
                environment = {**os.environ, PACKAGE_VARIABLE: package}
                children[package, game] = told, subprocess.Popen(line, env=environment)
        codes = {which: child.wait() for which, (_, child) in children.items()}
        found = {
            which: json.loads(told.read_text(encoding="utf-8"))
            for which, (told, _) in children.items()
            if told.exists()
        }
    for which, code in codes.items():
        if which not in found:
            print(f"{' and '.join(which)}: nothing measured (exit {code})")
    old, new = MODULES
    print(f"{'game':<14}{'seats':>6}  {'variant':<52}{'identical':>12}{old:>12} M/s{new:>17} M/s{'ratio':>8}")
    for game in map(find_game, games):
        sides = [found.get((package, game.id), {"rows": []}) for package in (old, new)]
        for number, (seats, options) in enumerate(game.variants()):
            rows = [side["rows"][number] if number < len(side["rows"]) else None for side in sides]
            same = "/".join("-" if row is None else "yes" if row["identical"] else "NO" for row in rows)
            first, second = (row["gpu"] / 1e6 if row else 0.0 for row in rows)
            ratio = second / first if first else 0.0
            which = f"{game.id:<14}{seats:>6}  {name_of(game, options):<52}{same:>12}"
            print(f"{which}{first:>16.0f}{second:>21.0f}{ratio:>8.2f}")
        for side in sides:
            if side["rows"]:
                needs = f"{side['registers']} registers, {side['local_bytes']} bytes of local memory a thread"
                print(f"{game.id:<14}{side['package']}: compiled in {side['compile_s']:.0f} s; {needs}")
    if json_path:
        told = [{"game": game, **side} for (_, game), side in found.items()]
        Path(json_path).write_text(json.dumps(told, indent=1), encoding="utf-8")
    return 0 if len(found) == len(children) and not any(codes.values()) else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=game_ids())
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--places", type=int, default=1_000_000)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--send", action="store_true")
    parser.add_argument("--both", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("--gpu-only", action="store_true", help="no rate of the CPU")
    parser.add_argument("--turn", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.both:
        return main_of_both(arguments.games, arguments.matches, arguments.places, arguments.json)
    print(cuda_version(), flush=True)
    if arguments.steps:
        return main_of_steps(arguments.games, arguments.matches, arguments.steps)
    if arguments.send:
        return main_of_sends(arguments.games)
    told: dict[str, Any] = {"package": cuda_version(), "rows": []}
    head = f"{'game':<14}{'seats':>6}  {'variant':<52}{'identical':>10}{'GPU M/s':>10}{'CPU M/s':>9}{'ratio':>8}"
    for game in map(find_game, arguments.games):
        needs = compile_all(game)
        told |= needs
        with turn(arguments.turn):
            print(f"{game.id}, {cuda_version()}: {json.dumps(needs)}\n{head}", flush=True)
            for seats, options in game.variants():
                row = compare(game, seats, options, arguments)
                told["rows"].append(row)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(told, file, indent=1)
    return 0 if all(row["identical"] for row in told["rows"]) else 1


def compare(game: Game, seats: int, options: dict[str, Any], asked: argparse.Namespace) -> dict[str, Any]:
    """One variant on both devices."""
    begun = time.perf_counter()
    same, moves = are_identical(game, seats, options, asked.matches)
    gpu = batch_rate(Batch(game, asked.places, seats, SEED, device="cuda", **options))
    cpu = 0.0 if asked.gpu_only else batch_rate(Batch(game, PLACES, seats, SEED, threads=1, **options))
    row = (
        f"{game.id:<14}{seats:>6}  {name_of(game, options):<52}{'yes' if same else 'NO':>10}"
        f"{gpu / 1e6:>10.0f}{cpu / 1e6:>9.2f}{gpu / cpu if cpu else 0:>8.0f}"
    )
    print(f"{row}   ({time.perf_counter() - begun:.0f} s)", flush=True)
    facts = {"game": game.id, "seats": seats, "options": options, "matches": asked.matches}
    return {**facts, "moves": moves, "identical": same, "gpu": gpu, "cpu": cpu}


def _default(game: Game, name: str) -> Any:
    return next(option.default for option in game.options if option.name == name)


if __name__ == "__main__":
    sys.exit(main())
