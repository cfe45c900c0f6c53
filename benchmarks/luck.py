"""How much shorter intervals are with luck taken out: plain, in paired deals, luck-free.

    python benchmarks/luck.py [GAME:SEATS:MATCHES ...] [--bots search:100,greedy] [--seed 34]

The bots play a tournament as `samovar arena` plays one; the last of them has the seats that are left. `share` is how
often the first left the second behind, ties half; behind it half the 95 % interval in the three ways, and the ratios
of what is luck-free to the other two.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import NamedTuple

os.environ.setdefault("SAMOVAR_THREADS", "1")

from samovar.arena.outcome import Outcome, Tournament
from samovar.arena.plan import TournamentPlan
from samovar.arena.playing import play_match
from samovar.arena.ratings import standings
from samovar.arena.shares import ShareOfPair

TABLES = ("memoarrrr:2:300", "varvitikud:2:300", "matryoshka:3:300", "babuschka:2:300")
SEED = 34  # by which nothing was chosen


class LuckRow(NamedTuple):
    table: str
    matches: int
    share: ShareOfPair
    seconds: float


def measured(table: str, bots: list[str], seed: int) -> LuckRow:
    game, seats, matches = table.split(":")
    everybody = (*bots, *[bots[-1]] * (int(seats) - len(bots)))
    tournament = Tournament(game, everybody, int(seats), int(matches), seed, {})
    began = time.perf_counter()
    outcomes: list[Outcome] = [play_match(planned).outcome for planned in TournamentPlan(tournament)]
    (pair,) = (pair for pair in standings(tournament, outcomes).pairs if {pair.a, pair.b} == {*bots[:2]})
    return LuckRow(table, len(outcomes), pair.share, time.perf_counter() - began)


def told(row: LuckRow) -> str:
    ways = [way for way in (row.share.plain, row.share.paired, row.share.luck_free) if way is not None]
    plain, paired, *free = [100 * (way.margin or 0) for way in ways]
    cells = [row.table, str(row.matches), f"{100 * (row.share.paired.share or 0):.1f}", f"{plain:.1f}", f"{paired:.1f}"]
    for margin in free:
        cells += [
            f"{100 * (ways[-1].share or 0):.1f}",
            f"{margin:.1f}",
            f"{margin / paired:.2f}",
            f"{margin / plain:.2f}",
        ]
    return "| " + " | ".join([*cells, f"{row.seconds:.0f} s"]) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=TABLES, metavar="GAME:SEATS:MATCHES")
    parser.add_argument("--bots", default="search:100,greedy")
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args()
    print("| table | matches | share % | plain ± | paired ± | luck-free % | ± | to paired | to plain | took |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for table in asked.tables:
        print(told(measured(table, asked.bots.split(","), asked.seed)), flush=True)


if __name__ == "__main__":
    main()
