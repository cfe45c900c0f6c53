"""Whether two reviews of the same match name the same moments, and how long they take.

    samovar arena memoarrrr --bots medium,hard --matches 100 --records records
    python benchmarks/review.py records/*.json [--seconds 6] [--least 0.9]

Every match is reviewed with two seeds. Printed for each game: in how many matches both name the same three
moments (as a set), how many of the moments they share, how long until the first result and until the end,
and how far apart what they say a moment cost.

`--cores 2` counts the processor's time, shared out among so many cores, instead of the clock: what would be
measured there if nothing else were running.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from samovar.engine.records.record import read_record
from samovar.insight.review import USUAL_SECONDS, Review, Reviewer, reviewing


def timed(path: Path, seed: int, seconds: float) -> tuple[Review, float, float]:
    start = Reviewer.clock()
    first = 0.0
    found = None
    for found in reviewing(path, seed=seed, seconds=seconds):  # noqa: B007
        first = first or Reviewer.clock() - start
    assert found is not None
    return found, first, Reviewer.clock() - start


def compare(path: Path, seconds: float) -> dict[str, Any]:
    reviews = [timed(path, seed, seconds) for seed in (1, 2)]
    one = reviews[0][0]
    moments = [{choice.moves_made for choice in found.moments} for found, *_ in reviews]
    costs = [{choice.moves_made: choice.cost for choice in found.choices} for found, *_ in reviews]
    return {
        "same": moments[0] == moments[1],
        "shared": len(moments[0] & moments[1]) / max(1, *map(len, moments)),
        "first": max(first for _, first, _ in reviews),
        "all": max(whole for *_, whole in reviews),
        "apart": max((abs(costs[0][at] - costs[1][at]) for at in moments[0] | moments[1]), default=0.0),
        "sums": max(abs(p.start - p.cost + p.luck - p.result) for found, *_ in reviews for p in found.players),
        "length": len(one.match.history),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=USUAL_SECONDS)
    parser.add_argument("--least", type=float, default=0.0, help="exit with 1 if fewer matches have the same moments")
    parser.add_argument("--cores", type=int, default=0, help="count the processor's time, shared by so many cores")
    chosen = parser.parse_args()
    if chosen.cores:
        Reviewer.clock = staticmethod(lambda: time.process_time() / chosen.cores)
    found = defaultdict(list)
    for path in chosen.records:
        record = read_record(path)
        row = compare(path, chosen.seconds)
        print(json.dumps({"file": str(path), **row}), file=sys.stderr, flush=True)
        found[record["game"], record["seats"]].append(row)
    print("| game | players | matches | moves | same moments | shared | costs apart | first s | all s, most |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (game, seats), rows in sorted(found.items()):
        mean = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
        most = max(row["all"] for row in rows)
        cells = (game, seats, len(rows), f"{mean['length']:.0f}", f"{100 * mean['same']:.0f} %",
                 f"{100 * mean['shared']:.0f} %", f"{100 * mean['apart']:.1f}",
                 f"{mean['first']:.2f}", f"{most:.1f}")  # fmt: skip
        print("| " + " | ".join(map(str, cells)) + " |")
    same = float(np.mean([row["same"] for rows in found.values() for row in rows]))
    print(f"\nThe same moments in {100 * same:.0f} % of {sum(map(len, found.values()))} matches.")
    if same < chosen.least:
        sys.exit(1)


if __name__ == "__main__":
    main()
