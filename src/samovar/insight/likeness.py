"""Which level of bots somebody's choices are like: by what they cost on average, beside what those of each level cost.

The figures of a game are in its folder, `losses.json`, by number of seats and for the usual options;
`benchmarks/losses.py` measures and writes them. Without them nothing is said, nor where they do not tell levels apart.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev

import msgspec

from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.errors import BrokenGame

FILE = "losses.json"
DEAREST = 0.05  # what a choice counts for at most: one accident says little about all the others
LEAST_SPREAD = 0.0005
ONE, TWO = 0.8, 0.9  # as likely must be what is said, where all levels are as likely beforehand


class LevelLoss(msgspec.Struct, frozen=True):
    """What a choice costs a level on average, match by match."""

    mean: float
    spread: float  # the standard deviation from match to match
    choices: float  # in a match
    matches: int

    def likelihood(self, mean: float, choices: int) -> float:
        """Of such a mean in a match of so many choices."""
        error = self.spread * math.sqrt(self.choices / choices + 1 / self.matches)
        return math.exp(-(((mean - self.mean) / error) ** 2) / 2) / error


class MeasuredLosses(msgspec.Struct, frozen=True):
    """As the file of a game has them."""

    rules: int
    seats: dict[str, dict[str, LevelLoss]]  # by number of seats and by level, the weakest first
    command: str
    date: str


def mean_loss(costs: Sequence[float]) -> float:
    return fmean(min(cost, DEAREST) for cost in costs)


def measured(matches: Sequence[Sequence[float]]) -> LevelLoss:
    """From what the choices of a level cost, match by match."""
    means = [mean_loss(costs) for costs in matches]
    spread = max(stdev(means), LEAST_SPREAD)
    return LevelLoss(round(fmean(means), 5), round(spread, 5), round(fmean(map(len, matches)), 1), len(matches))


def levels_like(match: Match, costs: Sequence[float]) -> tuple[str, ...]:
    """The level that somebody played like, or two neighbours between which they did; none where that is not clear."""
    is_usual = all(match.options.get(option.name) == option.default for option in match.game.own_options)
    levels = losses_of(match.game).get(str(match.seats), {})
    return likeliest(levels, costs) if is_usual and levels and costs else ()


def likeliest(levels: Mapping[str, LevelLoss], costs: Sequence[float]) -> tuple[str, ...]:
    found = {name: loss.likelihood(mean_loss(costs), len(costs)) for name, loss in levels.items()}
    whole = sum(found.values()) or 1.0
    for groups, wanted in (([(name,) for name in found], ONE), (list(pairwise(found)), TWO)):
        best = max(groups, key=lambda group: sum(found[name] for name in group))
        if sum(found[name] for name in best) / whole >= wanted:
            return best
    return ()


@cache
def losses_of(game: Game) -> dict[str, dict[str, LevelLoss]]:
    """Those that were measured by these rules."""
    path = Path(game.folder) / FILE
    if not game.folder or not path.exists():
        return {}
    try:
        written = msgspec.json.decode(path.read_bytes(), type=MeasuredLosses)
    except msgspec.DecodeError as error:
        raise BrokenGame(
            f"{FILE} of {game.name} cannot be read: {error}. Make it anew with benchmarks/losses.py, or delete it."
        ) from error
    return written.seats if written.rules == game.version else {}


def write_losses(game: Game, seats: int, levels: Mapping[str, LevelLoss], command: str, date: str) -> None:
    """Beside those of other numbers of seats."""
    found = MeasuredLosses(game.version, {**losses_of(game), str(seats): dict(levels)}, command, date)
    text = json.dumps(msgspec.to_builtins(found), indent=1)
    (Path(game.folder) / FILE).write_text(text + "\n", encoding="utf-8")
