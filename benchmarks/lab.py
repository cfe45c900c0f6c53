"""How long a million random matches take, and how sure they make the advantage of who begins.

    python benchmarks/lab.py [memoarrrr matryoshka ...] [--matches 1000000] [--cores 2] [--seconds 10]

Printed for each game: the seconds, matches a second, and the margin of how often who begins wins, in points. Asked for
are ± 0.1 points within 10 seconds on two cores; with `--seconds` it exits with 1 where it takes longer or is less sure.
Compiling is not counted, which is done once.

`--cores 2` counts the processor's time, shared out among so many cores, instead of the clock: what would be measured
there if nothing else were running.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from samovar.lab.counted import Counting
from samovar.lab.measures import measures
from samovar.lab.order import make_order

GAMES = ("memoarrrr", "matryoshka")
MARGIN = 0.1  # points, asked for


def counted(game: str, matches: int, clock: Callable[[], float]) -> tuple[float, float]:
    """Seconds, and the margin in points."""
    order = make_order(game)
    list(Counting(order.game, order.seats, [*order.variants], seed=1).run(1))  # compiles
    counting = Counting(order.game, order.seats, [*order.variants], seed=2)
    start = clock()
    list(counting.run(matches))
    seconds = clock() - start
    keys = [measure.key for measure in measures(order.seats)]
    begins = counting.found[0].sums.rate(keys.index("begins"))
    assert begins is not None
    return seconds, 100 * begins.margin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--cores", type=int, default=0, help="count the processor's time, shared by so many cores")
    parser.add_argument("--seconds", type=float, help="exit with 1 if a game takes longer or is less sure than asked")
    chosen = parser.parse_args()
    clock = (lambda: time.process_time() / chosen.cores) if chosen.cores else time.perf_counter
    print("| game | matches | seconds | matches a second | who begins wins, ± points |")
    print("|---|---|---|---|---|")
    short = False
    for game in chosen.games:
        seconds, margin = counted(game, chosen.matches, clock)
        print(
            f"| {game} | {chosen.matches:,} | {seconds:.1f} | {chosen.matches / seconds:,.0f} | {margin:.2f} |",
            flush=True,
        )
        short |= chosen.seconds is not None and (seconds > chosen.seconds or margin > MARGIN)
    sys.exit(short)


if __name__ == "__main__":
    main()
