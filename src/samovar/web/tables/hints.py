"""A hint: the best moves of whoever asked, until the position changes. It is kept in the cookie of the browser that
asked, so it stays with the person through the steps of a move, and nobody else has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from samovar.insight.advice import Advised
from samovar.web.tables.table import Table


class Hinted(NamedTuple):
    """A move, the best one first."""

    move: int
    percent: int
    is_close: bool  # to the best one: no worse, as far as can be told


class Hint(NamedTuple):
    """What one seat was told of one state of a table."""

    seat: int
    revision: int
    moves: tuple[Hinted, ...]


def hint_of(table: Table, seat: int, advice: Sequence[Advised]) -> Hint:
    moves = [Hinted(one.move, round(100 * one.share), one.is_close) for one in advice]
    return Hint(seat, table.revision, tuple(moves))


def write_hint(table: Table, hint: Hint) -> str:
    """As it is kept: `TABLE SEAT REVISION MOVE:PERCENT:CLOSE ...`."""
    moves = [f"{one.move}:{one.percent}:{int(one.is_close)}" for one in hint.moves]
    return " ".join([table.id, str(hint.seat), str(hint.revision), *moves])


def read_hint(text: str, table: Table, seat: int | None) -> Hint | None:
    """The hint that was kept, if it is for who looks now, and still holds; None: there is none."""
    try:
        table_id, number, revision, *rest = text.split()
        moves = [[int(part) for part in one.split(":")] for one in rest]
        hint = Hint(int(number), int(revision), tuple(Hinted(move, share, bool(close)) for move, share, close in moves))
    except ValueError:  # none, or one that an earlier version has written
        return None
    if table_id != table.id or hint.seat != seat or seat not in table.actors or not table.settings.hints:
        return None
    legal = table.playing.legal(seat)
    holds = table.still_stands(seat, hint.revision) and all(one.move in legal for one in hint.moves)
    return hint if holds else None


def hinted_texts(table: Table, hint: Hint | None) -> dict[str, int]:
    """The moves as texts, as they are chosen on the board, and their numbers."""
    if hint is None:
        return {}
    return {table.playing.move_text(hint.seat, one.move): number for number, one in enumerate(hint.moves, start=1)}
