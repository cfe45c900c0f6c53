"""What is so in most games: the defaults of the contract, so that not every author has to write
them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from samovar.engine.kernels import scores
from samovar.engine.rule import rule

if TYPE_CHECKING:
    from samovar.engine.contract import Game, Value

USUAL_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {"prompt.move": "It is your move.", "prompt.wait": "Please wait.", "prompt.over": "The match is over."},
    "fr": {"prompt.move": "C’est à vous.", "prompt.wait": "Patience.", "prompt.over": "La partie est terminée."},
}
PLACE_BITS = 4
TOLD_ANYWAY = ("prompt", "news")


class Usual(partial[Any]):
    """A default that knows its game. `dataclasses.replace` hands it on to another game, which must
    put itself in."""


@rule
def nothing_hidden(state: Any, seat: int, rng: Any) -> None:
    """`determinize` of a game in which every seat sees everything: the only world that fits is this
    one."""


@rule
def always_sound(state: Any) -> int:
    return 0


@rule
def most_points_win(state: Any, out: Any) -> None:
    """Places by points, ties share. A rule has no room of its own, so for a while the place is kept
    in the lowest bits, below the points."""
    scores(state, out)
    for seat in range(state.seats):
        out[seat] <<= PLACE_BITS
    for seat in range(state.seats):
        out[seat] += 1
        for other in range(state.seats):
            if out[other] >> PLACE_BITS > out[seat] >> PLACE_BITS:
                out[seat] += 1
    for seat in range(state.seats):
        out[seat] &= (1 << PLACE_BITS) - 1


def legal_move(game: Game, state: Any, seat: int, text: str) -> int:
    """The move of a text. It asks the rules: only what the seat may do now has one, so the answer
    tells the seat nothing new."""
    out = [0] * game.max_legal
    count = game.legal(state, seat, out) if (game.actors(state) >> seat) & 1 else 0
    for move in out[:count]:
        if game.move_text(state, seat, move).casefold() == text.casefold():
            return move
    raise ValueError("it is not among the legal moves.")


def usual_position(
    game: Game, *, seats: int | None = None, seed: int = 0, moves: Iterable[str] = (), **options: Value
) -> np.ndarray[Any, Any]:
    """A position that a match came to: a deal and the moves made from there, as texts. Where
    several seats may act, the lowest does."""
    from samovar.engine.match import Match  # it stands on the contract, which stands on this file

    match = Match(game, seats, seed, plain=True, **options)
    for text in moves:
        match.play((*match.actors, 0)[0], text)
    return match.states


def draw_fields(view: Any, words: Mapping[str, str]) -> str:
    """The fields of a view by the names that the words give them: rows of a board one below the
    other, numbers side by side."""
    shown = {entry.name: getattr(view, entry.name) for entry in fields(view) if entry.name not in TOLD_ANYWAY}
    return "\n".join(f"{words.get(name, name)}:{_shown(value)}" for name, value in shown.items())


def _shown(value: Any) -> str:
    if isinstance(value, tuple) and any(isinstance(item, str | tuple) for item in value):
        return "".join(f"\n {_shown(item)}" for item in value)
    return f" {' '.join(map(str, value)) if isinstance(value, tuple) else value}"
