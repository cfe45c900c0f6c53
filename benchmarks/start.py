"""How long one waits: for the first page after `samovar serve`, and for a bot's first move on a
machine that has never compiled anything.

python benchmarks/start.py
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def site(**environment: str) -> Iterator[tuple[str, float]]:
    """A site of its own; says where it is, and when it was started."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "samovar",
            "serve",
            "--no-browser",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--data",
            folder,
        ]
        began = time.perf_counter()
        process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
        try:
            yield f"http://127.0.0.1:{port}", began
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def get(address: str) -> bytes:
    until = time.perf_counter() + 60
    while True:
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                return bytes(answer.read())
        except OSError:
            if time.perf_counter() > until:
                raise
            time.sleep(0.01)


def post(address: str, content: Any) -> Any:
    request = urllib.request.Request(address, json.dumps(content).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def first_page() -> float:
    with site() as (address, began):
        get(f"{address}/")
        return time.perf_counter() - began


def first_bot_move(game: str, cache: str, level: str) -> tuple[float, float]:
    """From making a table where only bots sit until the first move is there; and the next one."""
    with site(NUMBA_CACHE_DIR=cache, SAMOVAR_BOT_PAUSE="0") as (address, _):
        get(f"{address}/")
        facts = {entry["game"]: entry for entry in json.loads(get(f"{address}/api/games"))}
        began = time.perf_counter()
        table = post(f"{address}/api/tables", {"game": game, "chairs": [level] * facts[game]["seats"][0]})["table"]
        times = []
        with urllib.request.urlopen(f"{address}/api/tables/{table}/events", timeout=120) as stream:
            while len(times) < 2:
                line = stream.readline().strip()
                if line and json.loads(line)["moment"] > len(times):
                    times.append(time.perf_counter() - began)
        return times[0], times[1] - times[0]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--level", default="expert")
    asked.add_argument("--rounds", type=int, default=3)
    arguments = asked.parse_args()
    pages = sorted(first_page() for _ in range(arguments.rounds))
    print(f"first page after `samovar serve`: {', '.join(f'{seconds:.2f}' for seconds in pages)} s", flush=True)
    print(f"a bot's first move ({arguments.level}), made as soon as the site is up:", flush=True)
    for game in GAMES:
        with tempfile.TemporaryDirectory() as cache:
            new, after = first_bot_move(game, cache, arguments.level)
            print(f"  {game:12} new machine {new:5.1f} s (the next one {after:4.1f} s)", end="", flush=True)
        usual, _ = first_bot_move(game, os.environ.get("NUMBA_CACHE_DIR", ""), arguments.level)
        print(f", machine that knows the game {usual:4.1f} s", flush=True)


if __name__ == "__main__":
    main()
