"""A seat on its way to a bot: a checksum, a line of JSON, what the seat saw so far and its imagined world."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from samovar.engine.contract import Game, Value
from samovar.engine.registry import find_game
from samovar.errors import BadSeat
from samovar.json_types import JsonObject

FORMAT = 1
CHECKSUM_BYTES = 4


class SentSeat(NamedTuple):
    game: Game
    seats: int
    options: Mapping[str, Value]
    number: int
    sights: tuple[int, ...]
    state: bytes


def packed(seat: SentSeat) -> bytes:
    facts = {
        "seat": FORMAT,
        "game": seat.game.id,
        "rules": seat.game.version,
        "seats": seat.seats,
        "options": dict(seat.options),
        "number": seat.number,
        "moment": len(seat.sights) - 1,
    }
    body = json.dumps(facts).encode() + b"\n" + np.array(seat.sights, "<i8").tobytes() + seat.state
    return zlib.crc32(body).to_bytes(CHECKSUM_BYTES, "big") + body


def unpacked(data: bytes) -> SentSeat:
    facts, rest = _facts_of(data)
    game = find_game(facts["game"])
    _check_version(game, facts["rules"])
    end = 8 * (facts["moment"] + 1)
    if len(rest) != end + game.state.itemsize:
        raise BadSeat(f"This seat of {game.name} has {len(rest)} bytes of state. Send it again, whole.")
    sights = tuple(np.frombuffer(rest[:end], "<i8").tolist())
    return SentSeat(game, facts["seats"], facts["options"], facts["number"], sights, rest[end:])


def _facts_of(data: bytes) -> tuple[JsonObject, bytes]:
    """What the line of JSON says, and what follows it."""
    body = data[CHECKSUM_BYTES:]
    line, _, rest = body.partition(b"\n")
    if zlib.crc32(body).to_bytes(CHECKSUM_BYTES, "big") != data[:CHECKSUM_BYTES] or not line.startswith(b"{"):
        raise BadSeat("These bytes are no seat, or were damaged on their way. Send the seat again.")
    facts: JsonObject = json.loads(line)
    if facts["seat"] != FORMAT:
        raise BadSeat(f"This seat was written in format {facts['seat']}, not {FORMAT}. Use one samovar on both sides.")
    return facts, rest


def _check_version(game: Game, version: int) -> None:
    if version != game.version:
        raise BadSeat(
            f"This seat is of rules {version} of {game.name}, here are rules {game.version}. "
            "Install the same games on both sides."
        )
