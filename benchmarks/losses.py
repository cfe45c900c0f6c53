"""What a choice costs each level, by which a review says like which level somebody played.

    python benchmarks/losses.py memoarrrr:2 varvitikud:2 matryoshka:3 [--matches 32] [--write]

Each match is one of a level against others of another one, all pairs in turn; its choices are looked at once, at a
glance, which says nearly the same on average as the longer look of a review. Printed for each level: the mean with its
standard error, in hundredths; then how often one level or two neighbours would be said of these very matches, each left
out in turn, and how often that is right. `--write` keeps the figures in the game's folder.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter, defaultdict
from datetime import UTC, datetime

from samovar.bots.registry import make_bot
from samovar.engine.heuristics import LEVEL_NAMES
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.insight.likeness import LevelLoss, likeliest, measured, write_losses
from samovar.insight.review import Reviewer

LEVELS = LEVEL_NAMES[:4]  # master thinks too long for so many matches
Losses = dict[str, list[list[float]]]  # by level, match by match, choice by choice


def played(game: str, levels: list[str], number: int) -> Match:
    match = Match(game, len(levels), 1000 + number)
    bots = [make_bot(level, game, 77 * number + seat) for seat, level in enumerate(levels)]
    while not match.over:
        seat = match.actors[0]
        match.play(seat, bots[seat].choose(match.seat(seat)).move)
    return match


def levels_of(number: int, seats: int) -> list[str]:
    """The one in the first seat, and that of all others."""
    first, other = number, number + 1 + number // len(LEVELS)
    return [LEVELS[(first if seat == 0 else other) % len(LEVELS)] for seat in range(seats)]


def losses(game: str, seats: int, matches: int) -> Losses:
    found: Losses = defaultdict(list)
    for number in range(matches):
        levels = levels_of(number, seats)
        *_, review = Reviewer(played(game, levels, number), (), number, None).run(None, 0)
        for seat, level in enumerate(levels):
            found[level].append([choice.cost for choice in review.choices if choice.seat == seat])
        print(f"{game}: {number + 1} of {matches}", file=sys.stderr, flush=True)
    return found


def figures(found: Losses) -> dict[str, LevelLoss]:
    return {level: measured(found[level]) for level in LEVELS}


def tried(found: Losses) -> Counter[str]:
    """What would be said of each match by the others."""
    said: Counter[str] = Counter()
    for level in LEVELS:
        for number, costs in enumerate(found[level]):
            others = {**found, level: found[level][:number] + found[level][number + 1 :]}
            like = likeliest(figures(others), costs)
            said["nothing" if not like else f"{len(like)} {'right' if level in like else 'wrong'}"] += 1
    return said


def report(game: str, found: Losses) -> None:
    for level, loss in figures(found).items():
        error = loss.spread / math.sqrt(loss.matches)
        print(f"{game} {level}: {100 * loss.mean:.2f} ± {100 * error:.2f}, {loss.matches} matches of {loss.choices}")
    print(f"{game}: {dict(sorted(tried(found).items()))}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", help="GAME:SEATS")
    parser.add_argument("--matches", type=int, default=32)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    for text in chosen.games:
        game, _, seats = text.partition(":")
        found = losses(game, int(seats), chosen.matches)
        report(game, found)
        if chosen.write:
            command = f"python benchmarks/losses.py {text} --matches {chosen.matches} --write"
            write_losses(find_game(game), int(seats), figures(found), command, f"{datetime.now(UTC):%Y-%m-%d}")


if __name__ == "__main__":
    main()
