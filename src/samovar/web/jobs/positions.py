"""A record that was played again: its positions, packed so that each can be shown at once and
thousands of them take little room."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from samovar.engine.match import Match
from samovar.engine.records.record import replay
from samovar.engine.registry import find_game
from samovar.json_types import JsonObject

PACK = 256  # positions that are packed together: unpacked in a tenth of a millisecond
SHORT = 2000  # moves that plain rules play in a third of a second; it takes longer to get the compiled ones ready


@dataclass(frozen=True, slots=True)
class RecordPositions:
    game: str
    seats: int
    last: int  # how many moves there are
    packs: tuple[bytes, ...]

    @property
    def size(self) -> int:
        return sum(map(len, self.packs))

    def at(self, moves: int) -> Match:
        """The match as it was after so many moves."""
        game = find_game(self.game)
        states = zlib.decompress(self.packs[moves // PACK])
        start = moves % PACK * game.state.itemsize
        return Match.standing(game, self.seats, states[start : start + game.state.itemsize], plain=True)

    @property
    def states(self) -> list[bytes]:
        """All positions, the deal first."""
        size = find_game(self.game).state.itemsize
        every = b"".join(map(zlib.decompress, self.packs))
        return [every[start : start + size] for start in range(0, len(every), size)]


def play(record: JsonObject) -> RecordPositions:
    """Plays a record that may come from anywhere, which can take seconds; a `SamovarError` says why
    it cannot be played."""
    moves = record.get("moves")
    is_long = isinstance(moves, list) and len(moves) > SHORT
    match = replay(record, plain=None if is_long else True)
    states = match.positions
    packs = tuple(zlib.compress(b"".join(states[start : start + PACK])) for start in range(0, len(states), PACK))
    return RecordPositions(match.game.id, match.seats, len(match.history), packs)
