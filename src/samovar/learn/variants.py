"""Which variants of a game are learned, as a terminal says it."""

from __future__ import annotations

from collections.abc import Sequence

from samovar.engine.contract import Game, Options, Value
from samovar.errors import BadLearning, did_you_mean

ALL = "all"


def all_variants(game: Game) -> list[Options]:
    """Every seat count with every combination of switches."""
    return [{"seats": seats, **options} for seats, options in game.variants()]


def find_variants(game: Game, texts: Sequence[str]) -> list[Options]:
    """`all`, or those that fit one of the texts: `seats=2`, `seats=3,expert=true`. One that is named
    several times is played so much more often."""
    found: list[Options] = []
    for text in texts or (ALL,):
        wanted = {} if text == ALL else _parse(game, text)
        fitting = [one for one in all_variants(game) if all(one[name] == value for name, value in wanted.items())]
        if not fitting:
            raise BadLearning(f"No variant of {game.name} fits {text!r}.")
        found += fitting
    return found


def _parse(game: Game, text: str) -> Options:
    switches = {o.name: o for o in game.own_options if not isinstance(o.choices, range)}
    wanted: dict[str, Value] = {}
    for part in text.split(","):
        name, _, value = (word.strip() for word in part.partition("="))
        if name == "seats" and value.isdigit():
            wanted[name] = game.check_seats(int(value))
        elif name in switches:
            option = switches[name]
            wanted[name] = option.value(option.code(option.parse(value)))
        else:
            hint = did_you_mean(name, ("seats", *switches))
            raise BadLearning(f"{part!r} is no part of a variant of {game.name}: it is like seats=2.{hint}")
    return wanted


def usual_variant(game: Game, variants: Sequence[Options]) -> Options:
    """That of `samovar play GAME`, if it is among them, else the first."""
    defaults = {option.name: option.default for option in game.own_options}
    return next((one for one in variants if one.items() <= {"seats": game.seats[0], **defaults}.items()), variants[0])
