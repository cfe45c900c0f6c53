"""What is to be measured: checked before anything is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from samovar.engine.chance import check_seed
from samovar.engine.contract import Game, Value
from samovar.engine.registry import find_game
from samovar.errors import BadLab

USUAL_PLAYERS = ("random", "easy", "medium")
USUAL_RANDOM = 100_000
USUAL_MATCHES = 100
USUAL_PACE = 15.0  # seconds a turn
MOST_VARIANTS = 12
MOST_RANDOM = 100_000_000
MOST_MATCHES = 1_000_000
DAY = 86_400
RANDOM = "random"


@dataclass(frozen=True)
class LabOrder:
    """`players` from the weakest to the strongest: neighbours meet each other, and the last one plays the matches
    that are looked at. Random players are counted by the engine, which is many times as fast."""

    game: Game
    seats: int
    variants: tuple[dict[str, Value], ...]  # the first is what the others are compared with
    players: tuple[str, ...] = USUAL_PLAYERS
    random: int = USUAL_RANDOM  # matches of each variant by chance
    matches: int = USUAL_MATCHES  # of each variant by the last of the players, and by each two neighbours
    seconds: float | None = None  # instead: as many as can be played in this time
    seed: int = 0
    pace: float = USUAL_PACE
    device: str = "cpu"
    cluster: str | None = None  # the address of a Ray cluster that plays
    workers: int | None = None

    @property
    def thinkers(self) -> tuple[str, ...]:
        return tuple(name for name in self.players if name != RANDOM)


def make_order(
    game: str | Game,
    seats: int | None = None,
    options: Mapping[str, Value] | None = None,
    vary: Mapping[str, Sequence[Value]] | None = None,
    players: Sequence[str] = USUAL_PLAYERS,
    *,
    random: int = USUAL_RANDOM,
    matches: int = USUAL_MATCHES,
    seconds: float | None = None,
    seed: int = 0,
    pace: float = USUAL_PACE,
    device: str = "cpu",
    cluster: str | None = None,
    workers: int | None = None,
    most: int = MOST_VARIANTS,
) -> LabOrder:
    """Every choice of what is varied is a variant; there may be so many at most."""
    game = find_game(game) if isinstance(game, str) else game
    seats = game.check_seats(game.seats[0] if seats is None else seats)
    if len(set(game.teams(seats))) < 2:
        raise BadLab(
            f"{game.name} with {seats} {'player' if seats == 1 else 'players'} has nobody to play against: who wins, "
            "and how surely, cannot be measured. Take a game with opponents."
        )
    varied = dict(vary or {})
    for name, values in varied.items():
        if not values:
            raise BadLab(f"No values of {name!r} are named. Name some: --vary {name}=a,b.")
    number = prod(map(len, varied.values()))
    if number > most:
        raise BadLab(f"{number} variants are too many at once; {most} can be compared. Vary less.")
    variants = tuple(
        game.check_options(seats, {**(options or {}), **dict(zip(varied, choice, strict=True))})
        for choice in product(*varied.values())
    )
    if len({repr(variant) for variant in variants}) < len(variants):
        raise BadLab("Two of the variants are the same. Name each value once.")
    if not players:
        raise BadLab("Somebody must play: --players medium, or --players random.")
    if not 0 <= random <= MOST_RANDOM:
        raise BadLab(f"There can be 0 to {MOST_RANDOM} random matches, not {random}.")
    if random == 0 and set(players) == {RANDOM}:
        raise BadLab("No match would be played. Take players that think, or random matches: --random 100000.")
    if not 1 <= matches <= MOST_MATCHES:
        raise BadLab(f"There can be 1 to {MOST_MATCHES} matches, not {matches}.")
    if seconds is not None and not 0 < seconds <= DAY:
        raise BadLab(f"The lab can measure for up to {DAY} seconds, and more than none, not {seconds:g}.")
    if not 0 < pace <= DAY:
        raise BadLab(f"A turn cannot take {pace:g} seconds. Give a number above 0 as --pace.")
    if device not in ("cpu", "cuda"):
        raise BadLab(f"There is no device {device!r}: cpu or cuda.")
    return LabOrder(
        game, seats, variants, tuple(dict.fromkeys(players)), random, matches, seconds, check_seed(seed), pace, device,
        cluster, workers,
    )  # fmt: skip
