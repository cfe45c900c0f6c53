"""Whom spectators have muted. They sit nowhere, so it stands in their own cookie and in no log: a word for each table,
with a bit for each player, of the last tables."""

from __future__ import annotations

import re

MUTED = "muted"  # where it is in the cookie
MOST_TABLES = 5
NOBODY: frozenset[int] = frozenset()
WORD = re.compile(r"([\w-]{12}):([0-9]{1,3})", re.ASCII)


def muted_at(kept: str, table_id: str) -> frozenset[int]:
    bits = int(dict(WORD.findall(kept)).get(table_id, 0))
    return frozenset(seat for seat in range(bits.bit_length()) if bits >> seat & 1)


def with_muted(kept: str, table_id: str, seat: int, is_muted: bool) -> str:
    before = muted_at(kept, table_id)
    seats = before | {seat} if is_muted else before - {seat}
    others = [word for word in kept.split() if not word.startswith(f"{table_id}:")]
    return " ".join([*others, f"{table_id}:{sum(1 << one for one in seats)}"][-MOST_TABLES:])
