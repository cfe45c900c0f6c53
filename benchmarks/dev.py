"""How long a saved file takes to the page of `samovar dev`: python benchmarks/dev.py [memoarrrr ...] [--saves 5]

Printed for each game: the seconds from the save until all boards are drawn anew, the middle and the longest one, after
30 moves by chance. The process that takes over is loaded by then, as it is a few seconds after a save. No file is
changed: one is marked as saved.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import time

from samovar.dev.messages import LetPlay
from samovar.dev.workshop import Workshop

GAMES = ("memoarrrr", "matryoshka", "varvitikud", "babuschka")
MOVES = 30


async def measure(game: str, saves: int) -> list[float]:
    workshop = Workshop(game, "en")
    taken = []
    async with workshop.running():
        await _until(lambda: workshop.checks > 0)  # the kit waits until the next process is loaded
        await workshop.ask(LetPlay("random", MOVES))
        for _ in range(saves):
            await _until(lambda: workshop.checks > 0)
            number, saved = workshop.boards_number, time.perf_counter()
            os.utime(workshop.folder / "__init__.py")
            await _until(lambda number=number: workshop.boards_number > number)
            taken.append(time.perf_counter() - saved)
    return taken


async def _until(is_so) -> None:
    while not is_so():
        await asyncio.sleep(0.01)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("games", nargs="*", default=GAMES)
    asked.add_argument("--saves", type=int, default=5)
    chosen = asked.parse_args()
    os.environ["SAMOVAR_PLAIN"] = "1"
    for game in chosen.games:
        taken = asyncio.run(measure(game, chosen.saves))
        print(
            f"{game}: {statistics.median(taken):.2f} s from the save to the page, at most {max(taken):.2f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
