"""A hint in words."""

from __future__ import annotations

from dataclasses import dataclass

from samovar.engine.contract import Game
from samovar.engine.words import words_at
from samovar.web.drawing.scene import TableScene, face_of
from samovar.web.tables.hints import Hint
from samovar.web.tables.table import Table

MOST_REASONS = 3  # for each move


@dataclass(frozen=True)
class HintedMove:
    """A move of a hint in words."""

    number: int  # from 1; the same number is on the board
    text: str
    percent: int
    is_close: bool
    reasons: tuple[str, ...]


def tell_hint(table: Table, hint: Hint, scene: TableScene) -> tuple[HintedMove, ...]:
    """In words, with the reasons that the game knows."""
    match = table.playing
    seat, face = match.seat(hint.seat), face_of(match, hint.seat)
    words = words_at(table.game, scene.language, tuple(one.name for one in scene.people))
    return tuple(
        HintedMove(
            number,
            face.say(scene.view, match.move_text(hint.seat, one.move), words).rstrip("."),
            one.percent,
            one.is_close and number > 1,
            tuple(scene.tell(reason) for reason in seat.reasons(one.move)[:MOST_REASONS]),
        )
        for number, one in enumerate(hint.moves, start=1)
    )


def meaning(game: Game, seats: int) -> str:
    """What the chances of a hint are chances of."""
    if game.is_together(seats):
        return "reach"
    return "win" if len(set(game.teams(seats))) == 2 else "ahead"
