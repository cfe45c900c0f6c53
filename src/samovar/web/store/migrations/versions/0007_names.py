"""Names and numbers of people at tables that nobody has touched since 0003: its lists had none for them, and took
matches among people for matches against bots."""

import json
from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

BOT_NAMES = ("Vasilisa", "Emelya", "Marfa", "Ivan", "Snegurka")  # as they were when this was written
SEATING = sa.text(
    "SELECT table_id, kind, data FROM entries WHERE kind IN ('open', 'bot', 'sit', 'name', 'leave') AND table_id IN "
    "(SELECT id FROM tables WHERE names = '') ORDER BY table_id, number"
)


def upgrade() -> None:
    connection = op.get_bind()
    change = sa.text("UPDATE tables SET names = :names, people = :people WHERE id = :id")
    for table_id, entries in groupby(connection.execute(SEATING).all(), attrgetter("table_id")):
        names, people = seated((entry.kind, json.loads(entry.data)) for entry in entries)
        connection.execute(change, {"id": table_id, "names": "\n".join(names), "people": people})


def seated(entries: Iterable[tuple[str, dict[str, Any]]]) -> tuple[list[str], int]:
    """Who sits there, by seat, and on how many chairs a person ever sat."""
    names: list[str] = []
    people = set()
    for kind, data in entries:
        if kind == "open":
            names = [bot_name(seat) if level else "" for seat, level in enumerate(data["levels"])]
            continue
        seat = data["seat"]
        if kind in ("sit", "name"):
            names[seat] = data["name"]
            people.add(seat)
        elif kind == "bot":
            names[seat] = names[seat] or bot_name(seat)
        elif seat in people:
            names[seat] = ""
    return names, len(people)


def bot_name(seat: int) -> str:
    return BOT_NAMES[seat % len(BOT_NAMES)]
