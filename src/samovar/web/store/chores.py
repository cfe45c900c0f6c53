"""What is written beside the moves, each in a transaction of its own: leases of bots' turns, who
was seen, counts of visits, and what is swept away.

Rows are taken in the order of their keys: no two processes can wait for one another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, TextClause, text

from samovar.web.names import unused_name
from samovar.web.store.database import CALLED
from samovar.web.store.entries import AnyEntry, CutOff, Forget, TakeAlong, write
from samovar.web.store.writer import HOLD, NOW, WRITE

SWEPT_AT_ONCE = 200

ListedTable = tuple[int, str, dict[str, Any], int]  # of a log: number, kind, data, when

RENEW = "UPDATE claims SET until = {now} + :span WHERE table_id = :table_id AND owner = :owner"
RELEASE = (
    "DELETE FROM claims WHERE table_id IN (SELECT table_id FROM claims WHERE owner = :owner ORDER BY table_id{wait})"
)
# Whose connections have ended; unless something between here and there hides how connections are called.
RELEASE_GONE = (
    "DELETE FROM claims WHERE table_id IN (SELECT table_id FROM claims "
    "WHERE :called || owner NOT IN (SELECT application_name FROM pg_stat_activity WHERE application_name IS NOT NULL) "
    "AND EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = :called || :own) ORDER BY table_id{skip})"
)
MARK = (
    "INSERT INTO presence (table_id, seat, seen) VALUES (:table_id, :seat, {now} - :ago) ON CONFLICT (table_id, seat) "
    "DO UPDATE SET seen = excluded.seen WHERE excluded.seen > presence.seen"
)
SAW_END = "UPDATE holders SET saw_end = TRUE WHERE table_id = :table_id AND person = :person AND NOT saw_end"
OVER = (
    "SELECT head, seats, names, seat FROM tables JOIN holders ON holders.table_id = id AND holders.person = :person "
    "WHERE id = :table_id AND status = 'over' AND seat >= 0{wait}"
)
HOLDS = "SELECT 1 FROM holders WHERE table_id = :table_id AND person = :person AND seat >= 0"
SAY_MORE = "UPDATE tables SET head = :number, names = :names WHERE id = :table_id"
CUT = "UPDATE holders SET seat = -1 WHERE table_id = :table_id AND seat = :seat AND person <> :person"
LEAVE = "UPDATE holders SET seat = -1 WHERE table_id = :table_id AND seat = :seat"
HIDE = "UPDATE holders SET is_hidden = :is_hidden WHERE table_id = :table_id AND person = :person"
OWN = "UPDATE results SET person = :person WHERE table_id = :table_id AND person = :before"
CHECK = (
    "INSERT INTO facts (name, value) VALUES ('checked', CAST({now} AS text)) ON CONFLICT (name) DO UPDATE SET "
    "value = excluded.value"
)
COUNT = (
    "INSERT INTO visits (who, count, until) SELECT who, count, {now} + span "
    "FROM unnest(CAST(:who AS text[]), CAST(:count AS int[]), CAST(:span AS bigint[])) AS told(who, count, span) "
    "ORDER BY who "
    "ON CONFLICT (who) DO UPDATE SET "
    "count = CASE WHEN visits.until <= {now} THEN excluded.count ELSE visits.count + excluded.count END, "
    "until = CASE WHEN visits.until <= {now} THEN excluded.until ELSE visits.until END "
    "RETURNING who, count, until - {now} AS span"
)
FORGET_COUNTS = "DELETE FROM visits WHERE who IN (SELECT who FROM visits WHERE until <= {now}{skip})"
STALE = (
    "SELECT id FROM tables WHERE status IN ('waiting', 'cancelled') AND changed < {now} - :waiting "
    "OR status <> 'waiting' AND people = 0 AND changed < {now} - :bots "
    "OR :over > 0 AND status IN ('over', 'cancelled') AND changed < {now} - :over "
    "ORDER BY id LIMIT :limit{skip}"
)
FORGET_SERIES = (
    "DELETE FROM series WHERE closes IS NULL AND kind NOT IN ('class', 'circle') AND created < {now} - :waiting"
)
TOUR_DAYS = 30  # that a tour is kept after its last change
FORGET_TOURS = f"DELETE FROM tours WHERE changed < {{now}} - {TOUR_DAYS * 24 * 3600 * 1000}"
PARTS_OF_TABLES = {
    "tables": "id",
    "entries": "table_id",
    "holders": "table_id",
    "claims": "table_id",
    "presence": "table_id",
    "calls": "table_id",
    "series_tables": "table_id",
    "hands": "table_id",
    "tours": "record",
    "notes": "record",
    "ahead": "table_id",
}

# SQLite locks the whole file at the beginning of a transaction.
LOCKS = {"sqlite": {"wait": "", "skip": ""}, "postgresql": {"wait": " FOR UPDATE", "skip": " FOR UPDATE SKIP LOCKED"}}


def renew(connection: Connection, owner: str, tables: Iterable[str], milliseconds: int) -> None:
    """The turns that this owner still thinks about; those of others are left alone."""
    _execute(connection, RENEW, [{"table_id": table, "owner": owner, "span": milliseconds} for table in sorted(tables)])


def release(connection: Connection, owner: str) -> None:
    _execute(connection, RELEASE, {"owner": owner})


def release_gone(connection: Connection, own: str) -> None:
    """What processes held that have ended. PostgreSQL knows at once: their connections end with them. `own`: the name
    of this one, which must be seen there."""
    _execute(connection, RELEASE_GONE, {"called": CALLED, "own": own})


def mark_seen(connection: Connection, seats: Mapping[tuple[str, int], int]) -> None:
    """How many milliseconds ago each seat was seen."""
    rows = [{"table_id": table, "seat": seat, "ago": ago} for (table, seat), ago in sorted(seats.items())]
    _execute(connection, MARK, rows)


def mark_end_seen(connection: Connection, table: str, person: str) -> None:
    _execute(connection, SAW_END, {"table_id": table, "person": person})


def hide(connection: Connection, table: str, person: str, is_hidden: bool) -> None:
    """Whether a person wants to see this table among theirs."""
    _execute(connection, HIDE, {"table_id": table, "person": person, "is_hidden": is_hidden})


def take_along(connection: Connection, table: str, at: int, before: str, person: str) -> ListedTable | None:
    """At a match that is over: who is known as another from now on, if that one does not sit there,
    too."""
    row = connection.execute(_statement(connection, OVER), {"table_id": table, "person": before}).first()
    if row is None or connection.execute(text(HOLDS), {"table_id": table, "person": person}).first():
        return None
    line = _append(connection, table, row.head + 1, at, TakeAlong(row.seat, before, person), row.names)
    _execute(
        connection,
        HOLD,
        [{"table_id": table, "person": who, "seat": seat} for who, seat in ((before, -1), (person, row.seat))],
    )
    _execute(connection, OWN, {"table_id": table, "person": person, "before": before})
    return line


def cut_off(connection: Connection, table: str, at: int, person: str, key_salt: str) -> ListedTable | None:
    """At a match that is over: nobody but this person holds their chair, and its key is another one."""
    row = connection.execute(_statement(connection, OVER), {"table_id": table, "person": person}).first()
    if row is None:
        return None
    line = _append(connection, table, row.head + 1, at, CutOff(row.seat, person, key_salt), row.names)
    _execute(connection, CUT, {"table_id": table, "seat": row.seat, "person": person})
    return line


def leave_after_end(
    connection: Connection, table: str, at: int, person: str, key_salt: str, name: str
) -> ListedTable | None:
    """Somebody leaves a match that is over; with a name, it is all that is left of them there."""
    row = connection.execute(_statement(connection, OVER), {"table_id": table, "person": person}).first()
    if row is None:
        return None
    names = row.names.split("\n")
    if name and len(names) == row.seats:  # an older Samovar has kept none
        name = names[row.seat] = unused_name(name, [other for seat, other in enumerate(names) if seat != row.seat])
    line = _append(connection, table, row.head + 1, at, Forget(row.seat, key_salt, name), "\n".join(names))
    _execute(connection, LEAVE, {"table_id": table, "seat": row.seat})
    return line


def _append(connection: Connection, table: str, number: int, at: int, entry: AnyEntry, names: str) -> ListedTable:
    """One more entry; the table does not count as changed by it."""
    kind, data = write(entry)
    _execute(connection, SAY_MORE, {"table_id": table, "number": number, "names": names})
    encoded = msgspec.json.encode(data).decode()
    _execute(connection, WRITE, {"table_id": table, "number": number, "kind": kind, "data": encoded, "at": at})
    return number, kind, data, at


def check(connection: Connection) -> None:
    _execute(connection, CHECK)


def count_together(connection: Connection, counts_by_who: Mapping[str, tuple[int, int]]) -> list[tuple[str, int, int]]:
    """Adds what this process counted to what all have counted, and returns that; windows that are
    past are removed."""
    counts, spans = zip(*counts_by_who.values(), strict=True)
    totals = connection.execute(
        _statement(connection, COUNT), {"who": list(counts_by_who), "count": list(counts), "span": list(spans)}
    ).all()
    _execute(connection, FORGET_COUNTS)
    return [(row[0], row[1], row[2]) for row in totals]


def sweep(connection: Connection, waiting: int, bots: int, over: int = 0) -> list[str]:
    """Removes some tables that were left so many milliseconds ago. They are locked first: nobody
    can sit down at what is being removed. `over`: of finished tables; 0: they are kept."""
    _execute(connection, FORGET_SERIES, {"waiting": waiting})
    _execute(connection, FORGET_TOURS)
    stale = connection.execute(
        _statement(connection, STALE), {"waiting": waiting, "bots": bots, "over": over, "limit": SWEPT_AT_ONCE}
    )
    tables = [row.id for row in stale]
    for part, column in PARTS_OF_TABLES.items():
        # Of which evening one was is kept with its results.
        but = "AND NOT EXISTS (SELECT 1 FROM results WHERE table_id = :table)" if part == "series_tables" else ""
        gone = [{"table": table} for table in tables]
        _execute(connection, f"DELETE FROM {part} WHERE {column} = :table {but}", gone)
    return tables


def _execute(connection: Connection, sql: str, values: dict[str, Any] | list[dict[str, Any]] | None = None) -> None:
    if values != []:
        connection.execute(_statement(connection, sql), values)


def _statement(connection: Connection, sql: str) -> TextClause:
    dialect = connection.dialect.name
    return text(sql.format(now=NOW[dialect], **LOCKS[dialect]))
