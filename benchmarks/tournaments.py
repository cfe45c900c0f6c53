"""How many matches the arena plays a second, `random` against `random` and `expert` against
`expert` at Memoarrrr!, beside another version of samovar in the same run.

    python benchmarks/tournaments.py                  this version alone
    python benchmarks/tournaments.py --before DIR     DIR is the `src` folder of the other one

The two take turns, so that whatever else the machine does hits both. Each time is that of a whole
tournament, processes started and all; a short one before it is not counted, in which what is
missing is compiled.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src"
MATCHES = {"random": 1000, "expert": 4}
ROUNDS = 3

PLAY = """
import sys, time
from samovar.arena.outcome import Tournament
from samovar.arena.tournament import run
bot, matches, seed, workers = sys.argv[1], *map(int, sys.argv[2:])
run(Tournament("memoarrrr", (bot, bot), 2, 2, 1, {}), workers=1)
begun = time.perf_counter()
played = len(run(Tournament("memoarrrr", (bot, bot), 2, matches, seed, {}), workers=workers))
print(played / (time.perf_counter() - begun))
"""


def matches_per_second(source: Path, bot: str, seed: int, workers: int) -> float:
    done = subprocess.run(
        [sys.executable, "-c", PLAY, bot, str(MATCHES[bot]), str(seed), str(workers)],
        env={**os.environ, "PYTHONPATH": str(source)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--before", type=Path, help="the src folder of another version")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    sources = {"here": SOURCE} | ({"before": asked.before} if asked.before else {})
    for bot in MATCHES:
        rates: dict[str, list[float]] = {name: [] for name in sources}
        for number in range(asked.rounds):
            for name in list(sources)[:: 1 if number % 2 else -1]:
                rates[name].append(matches_per_second(sources[name], bot, number, asked.workers))
        line = f"{bot}: " + ", ".join(
            f"{name} {statistics.median(rate):.2f} matches/s ({min(rate):.2f} to {max(rate):.2f})"
            for name, rate in rates.items()
        )
        if asked.before:
            ratios = [here / before for here, before in zip(rates["here"], rates["before"], strict=True)]
            line += f"; ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        print(line, flush=True)


if __name__ == "__main__":
    main()
