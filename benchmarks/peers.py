"""Ratios of speed beside OpenSpiel, PettingZoo and Pgx, each in an environment of its own, in one run.

    python benchmarks/peers.py [GAME ...] [--json] [--only TEXT] [--rounds 5] [--peers-dir DIR] [--here]

A line that could not be measured makes the exit code 1; a target that was missed does not.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from samovar.cli.shared import make_console
from samovar.engine.registry import find_game, game_ids
from samovar.errors import SamovarError


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("games", nargs="*", metavar="GAME", help="all games by default")
    asked.add_argument("--json", action="store_true", help="one JSON object")
    asked.add_argument("--only", default="", metavar="TEXT", help="only the comparisons with this text in them")
    asked.add_argument("--rounds", type=int, default=5, help="how many times each side of a comparison plays")
    asked.add_argument(
        "--peers-dir", type=Path, metavar="DIR", help="keeps the peers' environments; a folder in ~/.cache by default"
    )
    asked.add_argument("--here", action="store_true", help="take the peers from this Python, make no environments")
    arguments = asked.parse_args()
    if sys.platform == "win32":
        raise SamovarError("There are no such libraries for Windows: run this on Linux or macOS, or in WSL.")
    from side_by_side.compare import compare, show, to_json

    games = [find_game(name).id for name in arguments.games or game_ids()]
    outcomes = compare(
        games,
        arguments.peers_dir,
        here=arguments.here,
        only=arguments.only,
        rounds=arguments.rounds,
        progress=lambda text: print(text, file=sys.stderr, flush=True),
    )
    if arguments.json:
        print(json.dumps(to_json(outcomes, arguments.rounds)))
    else:
        show(outcomes, make_console())
    return int(any(outcome.reason for outcome in outcomes))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SamovarError as error:
        sys.exit(f"error: {error}")
