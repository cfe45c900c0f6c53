"""One chair of a match, seen from there: what a bot is handed, and what may leave the process that
knows the truth.

A seat holds a world that was drawn from what the seat knows, and what it saw so far. No deal, no
seed, no history and no earlier state is in it, so its bytes tell nothing that the seat does not
know: two matches which the seat cannot tell apart give the same bytes.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from samovar.engine.arrays import Int8s
from samovar.engine.contract import Event, Game
from samovar.engine.registry import find_game
from samovar.errors import BadSeat

if TYPE_CHECKING:
    from samovar.engine.match import Match

FORMAT = 1
CHECKSUM_BYTES = 4


class Seat:
    """Made by `Match.seat`, or by `from_bytes` in another process; both answer the same."""

    # `Match.standing`. A match makes seats and a seat imagines matches; `match.py`, which is above
    # this file, says here how the latter is done.
    stand: ClassVar[Callable[..., Match]]

    def __init__(self, world: Match, number: int, sights: tuple[int, ...]) -> None:
        self.game = world.game
        self.number = number
        self.seats = world.seats
        self.options = world.options
        self.sights = sights  # what the seat saw in every position so far, the present one last: see `heuristics.py`
        self._world = world

    @property
    def moment(self) -> int:
        """How many moves have been made."""
        return len(self.sights) - 1

    @property
    def opponents(self) -> int:
        """How many seats are of other teams: none where all play together."""
        teams = self.game.teams(self.seats)
        return sum(team != teams[self.number] for team in teams)

    @property
    def view(self) -> Any:
        """What the seat sees, for people."""
        return self._world.view(self.number)

    @property
    def observation(self) -> Int8s:
        """What the seat knows, as numbers."""
        return self._world.observation(self.number)

    @property
    def legal(self) -> list[int]:
        """The legal move numbers, ascending; none when the seat may not act."""
        return self._world.legal(self.number)

    def move_text(self, move: int) -> str:
        return self._world.move_text(self.number, move)

    def reasons(self, move: int) -> tuple[Event, ...]:
        """What speaks for a legal move or against it, by what the game knows to say. It is asked in an imagined
        world: what the seat does not know cannot be told."""
        return self.game.reasons(self._world.state, self.number, move) if self.game.reasons else ()

    def imagine(self, seed: int) -> Match:
        """A match, from here on, that fits all that the seat knows."""
        return self._world.imagine(self.number, seed)

    def to_bytes(self) -> bytes:
        """The seat as it may be sent to a bot: a checksum, a line of JSON, the sights and the
        imagined world."""
        facts = {
            "seat": FORMAT,
            "game": self.game.id,
            "rules": self.game.version,
            "seats": self.seats,
            "options": dict(self.options),
            "number": self.number,
            "moment": self.moment,
        }
        sights = np.array(self.sights, "<i8").tobytes()
        body = json.dumps(facts).encode() + b"\n" + sights + self._world.state_bytes
        return zlib.crc32(body).to_bytes(CHECKSUM_BYTES, "big") + body

    @classmethod
    def from_bytes(cls, data: bytes, *, plain: bool | None = None) -> Seat:
        """The seat that `to_bytes` wrote; `plain` says how the rules of its worlds run."""
        facts, rest = _facts_of(data)
        game = find_game(facts["game"])
        _check_version(game, facts["rules"])
        end = 8 * (facts["moment"] + 1)
        if len(rest) != end + game.state.itemsize:
            raise BadSeat(f"This seat of {game.name} has {len(rest)} bytes of state. Send it again, whole.")
        world = cls.stand(game, facts["seats"], rest[end:], plain=plain, options=facts["options"])
        return cls(world, world.check_seat(facts["number"]), tuple(np.frombuffer(rest[:end], "<i8").tolist()))


def _facts_of(data: bytes) -> tuple[dict[str, Any], bytes]:
    """What the line of JSON says, and what follows it."""
    body = data[CHECKSUM_BYTES:]
    line, _, rest = body.partition(b"\n")
    if zlib.crc32(body).to_bytes(CHECKSUM_BYTES, "big") != data[:CHECKSUM_BYTES] or not line.startswith(b"{"):
        raise BadSeat("These bytes are no seat, or were damaged on their way. Send the seat again.")
    facts: dict[str, Any] = json.loads(line)
    if facts["seat"] != FORMAT:
        raise BadSeat(f"This seat was written in format {facts['seat']}, not {FORMAT}. Use one samovar on both sides.")
    return facts, rest


def _check_version(game: Game, version: int) -> None:
    if version != game.version:
        raise BadSeat(
            f"This seat is of rules {version} of {game.name}, here are rules {game.version}. "
            "Install the same games on both sides."
        )
