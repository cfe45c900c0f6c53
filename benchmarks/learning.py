"""How fast networks learn, with profiles of where the time goes: all figures of one machine by one
command.

    python benchmarks/learning.py --speed --out DIR [--games connect_four memoarrrr] [--networks 64x1 512x3 tokens]

Each game has a process of its own. In DIR: `speed.json`, `speed.txt`, and for each game and network
the table of torch's profiler. What fails is told with its traceback, and the rest goes on. CUDA
graphs come last, since a capture that fails can take the process with it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import traceback
from pathlib import Path

GAMES = ("connect_four", "memoarrrr")
NETWORKS = ("64x1", "512x3", "tokens")


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def measure_all(given: argparse.Namespace, game_id: str) -> None:
    """In a process of its own: all networks of one game."""
    from samovar.bench import learning
    from samovar.engine.registry import find_game
    from samovar.learn.run import default_device

    game, device = find_game(game_id), given.device or default_device()
    learners, figures = {}, {}
    for network in given.networks:
        try:
            begin = time.perf_counter()
            learner = learning.make_learner(game, network, device, compile=device == "cuda" and not given.eager)
            learning.warm_up(learner)
            say(f"{game_id} {network}: ready after {time.perf_counter() - begin:.0f} s")
            found = learning.facts(learner, network, device)
            found["without_graph"] = found["moves_per_s"] = round(learning.learning_rate(learner, given.seconds))
            found["parts"] = learning.shares(learning.where_time_goes(learner))
            learners[network], figures[network] = learner, found
            say(learning.learning_table(game_id, found))
            profile(learner, given.out / f"{game_id}-{network.replace(' ', '-')}.txt")
        except Exception:
            traceback.print_exc()
        write(given.out / f"speed-{game_id}.json", figures)
    for network, learner in learners.items() if device == "cuda" else ():
        try:
            learner.capture_playing()
            learner.capture_learning()
            learning.warm_up(learner)
            found = figures[network]
            found["with_graph"] = round(learning.learning_rate(learner, given.seconds))
            found["moves_per_s"] = max(found["with_graph"], found["without_graph"])
            say(f"with a CUDA graph: {learning.learning_table(game_id, found, head=False)}")
        except Exception:
            traceback.print_exc()
        write(given.out / f"speed-{game_id}.json", figures)


def profile(learner, file: Path) -> None:  # type: ignore[no-untyped-def]
    """What torch spends a round on."""
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as watch

    from samovar.bench.learning import round_of

    on_gpu = learner.device.type == "cuda"
    with watch(activities=[ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if on_gpu else [])]) as seen:
        round_of(learner)
        learner.wait()
    order = "self_cuda_time_total" if on_gpu else "self_cpu_time_total"
    try:
        text = seen.key_averages().table(sort_by=order, row_limit=60, max_name_column_width=90)
    except Exception:  # names of columns change from version to version
        text = seen.key_averages().table(row_limit=60, max_name_column_width=90)
    file.write_text(text)


def write(file: Path, figures: object) -> None:
    file.write_text(json.dumps(figures, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--speed", action="store_true", help="measure; there is nothing else to do here yet")
    parser.add_argument("--out", type=Path, default=Path("learned/speed"))
    parser.add_argument("--games", nargs="+", default=GAMES)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--seconds", type=float, default=4, help="for each figure")
    parser.add_argument("--limit", type=float, default=300, help="seconds for a game; what is done by then counts")
    parser.add_argument("--device", choices=["cuda", "cpu"])
    parser.add_argument("--eager", action="store_true", help="do not compile networks")
    parser.add_argument("--only", metavar="GAME", help=argparse.SUPPRESS)  # in a process of its own
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.only:
        measure_all(given, given.only)
        return
    for game_id in given.games:
        command = [sys.executable, __file__, *sys.argv[1:], "--only", game_id]
        try:
            subprocess.run(command, timeout=given.limit, check=False, env={**os.environ, "PYTHONUNBUFFERED": "1"})
        except subprocess.TimeoutExpired:
            say(f"{game_id}: stopped after {given.limit:.0f} s")
    tell(given.out)


def tell(out: Path) -> None:
    from samovar.bench.learning import learning_table

    measured = {file.stem.removeprefix("speed-"): json.loads(file.read_text()) for file in out.glob("speed-*.json")}
    lines = [
        learning_table(game_id, found, head=number == 0)
        for number, (game_id, found) in enumerate(
            (game_id, found) for game_id, by_network in measured.items() for found in by_network.values()
        )
    ]
    write(out / "speed.json", measured)
    (out / "speed.txt").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
