"""Fair by proof: a table shows a commitment to its deal before the first move, and the deal and a salt after the last one.

The commitment is the SHA-256 of a line of JSON, so anybody can check it with other tools, too:

    {"game": "babuschka", "options": {...}, "rules": 1, "salt": "...", "seats": 2, "seed": 7}

with the keys in this order, `, ` and `: ` between them, in UTF-8. The salt has 128 random bits: without it nobody can try seeds out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from samovar.engine.contract import Game, Value
from samovar.engine.match import Match
from samovar.engine.record import read_record, replay
from samovar.errors import BadRecord, NotCommitted


def commitment(game: Game, seats: int, options: Mapping[str, Value], seed: int, salt: str) -> str:
    """What is shown of a deal before it is played."""
    return _commitment({"game": game.id, "options": dict(options), "rules": game.version, "salt": salt, "seats": seats, "seed": seed})


def _commitment(deal: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(deal, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def verify(record: dict[str, Any] | str | Path, shown: str | None = None) -> Match:
    """Replays a record and checks that its deal is the one committed to: what the record says, and what the table showed (`shown`)."""
    content = read_record(record) if isinstance(record, str | Path) else record
    match = replay(content, plain=True)
    table = content.get("table") or {}
    salt, told = table.get("salt"), table.get("commitment")
    if not isinstance(salt, str) or not isinstance(told, str):
        raise NotCommitted("This record has no commitment: it was not played at a table of the site, so there is nothing to verify but its moves.")
    found = _commitment({key: content[key] for key in ("game", "options", "rules", "seats", "seed")} | {"salt": salt})
    for commitment_told in (told, shown or told):
        if commitment_told.strip().lower() != found:
            raise BadRecord(
                f"This is not the deal that was committed to: deal and salt give {found}, the commitment was {commitment_told}. "
                f"Do not trust this record."
            )
    return match
