"""Calls as they are kept: a row for each turn and way, which is why nobody is called twice for the
same. A row waits until it may go out, and is done when it has, or when there is no need any more.

One process at a time sends on a way: it holds a lease, which ends by itself where the process does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, TextClause, bindparam, text

from samovar.web.notifications import ways
from samovar.web.notifications.ways import ALL, DAY_MS, Way
from samovar.web.people.people import Profile

PAGE = 500  # tables that are read at once

CALLED = "EXISTS (SELECT 1 FROM calls WHERE calls.table_id = tables.id AND calls.way = ways.id AND calls.kind = '{}')"
SINCE = CALLED[:-1] + " AND calls.head >= tables.head)"
RUNS_OUT = (
    "tables.due > :now AND (tables.due - :now) * 4 < tables.due - tables.changed "
    "AND tables.due - tables.changed >= :hour"
)
# Tables at which somebody who can be called is to act, or has not seen the end, and where nothing
# was decided since they have changed.
CANDIDATES = text(
    "SELECT DISTINCT tables.id FROM ways JOIN holders ON holders.person = ways.person AND holders.seat >= 0 "
    "JOIN tables ON tables.id = holders.table_id "
    "WHERE ways.is_confirmed AND tables.changed > ways.created AND tables.id > :after AND ("
    "tables.status = 'playing' AND (tables.actors >> holders.seat) & 1 = 1 "
    f"AND (NOT {SINCE.format('turn')} OR {RUNS_OUT} AND NOT {SINCE.format('due')}) "
    "OR tables.status = 'over' AND NOT holders.saw_end AND tables.changed > :now - :day "
    f"AND NOT {CALLED.format('end')}) "
    "ORDER BY tables.id LIMIT :limit"
)
REACHABLE = text(
    "SELECT ways.id, ways.person, ways.created, COALESCE(holders.saw_end, FALSE) AS saw_end FROM ways "
    "LEFT JOIN holders ON holders.person = ways.person AND holders.table_id = :table "
    "WHERE ways.person IN :persons AND ways.is_confirmed"
).bindparams(bindparam("persons", expanding=True))
PASSED = text("DELETE FROM calls WHERE table_id = :table_id AND way = :way AND turn < :turn")
ENTER = text(
    "INSERT INTO calls (table_id, turn, kind, way, seat, head, due, tries, is_done) VALUES (:table_id, :turn, :kind, "
    ":way, :seat, :head, :due, :tries, :is_done) ON CONFLICT (table_id, turn, kind, way) DO UPDATE SET "
    "head = CASE WHEN excluded.head > calls.head THEN excluded.head ELSE calls.head END, "
    "is_done = (calls.is_done OR excluded.is_done)"
)
WAITING = text(
    "SELECT DISTINCT calls.way FROM calls JOIN ways ON ways.id = calls.way "
    "WHERE NOT calls.is_done AND calls.due <= :now AND ways.busy <= :now"
)
LEASE = text("UPDATE ways SET busy = :until WHERE id = :way AND busy <= :now")
FREE = text("UPDATE ways SET busy = 0 WHERE id = :way")
FREE_ALL = text("UPDATE ways SET busy = 0 WHERE busy > 0")
CLAIMED_WAY = text(f"SELECT {ALL} FROM ways WHERE id = :way")
PROFILE = text("SELECT profile FROM people WHERE person = :person")
CLAIMED = text(
    "SELECT calls.table_id, turn, kind, way, calls.seat, head, due, tries, is_done, saw_end FROM calls LEFT JOIN "
    "holders ON holders.table_id = calls.table_id AND holders.person = :person WHERE way = :way AND NOT is_done "
    "ORDER BY calls.table_id, turn, kind"
)
HOLD = text("UPDATE calls SET due = :due WHERE way = :way AND NOT is_done AND due < :due")
KEY = "table_id = :table_id AND turn = :turn AND kind = :kind AND way = :way"
DONE = text(f"UPDATE calls SET is_done = TRUE WHERE {KEY}")
AGAIN = text(f"UPDATE calls SET tries = :tries, due = :due WHERE {KEY}")
SENT = text(
    "UPDATE ways SET sent = :now, failures = 0, failed = 0, busy = 0, "
    "count = CASE WHEN day = :day THEN count + 1 ELSE 1 END, day = :day WHERE id = :way"
)
FAILED = text("UPDATE ways SET failed = :now, status = :status, failures = failures + 1, busy = 0 WHERE id = :way")
FORGET = text("DELETE FROM calls WHERE kind = 'end' AND is_done AND due < :before")
FORGET_UNCONFIRMED = text("DELETE FROM ways WHERE NOT is_confirmed AND created < :before")


@dataclass(frozen=True)
class Call:
    table_id: str
    turn: int
    kind: str
    way: str
    seat: int
    head: int
    due: int
    tries: int = 0
    is_done: bool = False

    @property
    def key(self) -> tuple[str, int, str, str]:
        return self.table_id, self.turn, self.kind, self.way


@dataclass(frozen=True)
class Claim:
    """All that waits on one way, for the process that holds its lease."""

    way: Way
    profile: Profile
    calls: list[Call]
    ends_seen: set[str]  # tables


def enter(connection: Connection, calls: Iterable[Call]) -> None:
    """In the order of their keys: no two processes can wait for one another. What was to be told of
    earlier turns of these tables is forgotten."""
    rows = [asdict(call) for call in sorted(calls, key=lambda call: call.key)]
    connection.execute(PASSED, rows)
    connection.execute(ENTER, rows)


def claim(connection: Connection, way_id: str, now: int, until: int) -> Claim | None:
    """None: another process has it in hand, or it is gone."""
    if not connection.execute(LEASE, {"way": way_id, "now": now, "until": until}).rowcount:
        return None
    way = Way(*connection.execute(CLAIMED_WAY, {"way": way_id}).one())
    profile = connection.execute(PROFILE, {"person": way.person}).scalar()
    rows = connection.execute(CLAIMED, {"way": way_id, "person": way.person}).all()
    return Claim(
        way,
        msgspec.json.decode(profile, type=Profile) if profile else Profile(),
        [Call(*row[:-1]) for row in rows],
        {row.table_id for row in rows if row.saw_end},
    )


def hold(connection: Connection, way_id: str, due: int) -> None:
    """Nothing goes out there before that moment."""
    _execute(connection, HOLD, {"way": way_id, "due": due})
    _execute(connection, FREE, {"way": way_id})


def settle(connection: Connection, way_id: str, done: Sequence[Call]) -> None:
    """These need not be told any more."""
    _execute(connection, DONE, _keys(done))
    _execute(connection, FREE, {"way": way_id})


def mark_sent(connection: Connection, way_id: str, done: Sequence[Call], now: int) -> None:
    _execute(connection, DONE, _keys(done))
    _execute(connection, SENT, {"way": way_id, "now": now, "day": now // DAY_MS})


def mark_failed(connection: Connection, way_id: str, again: Sequence[tuple[Call, int]], status: int, now: int) -> None:
    """Each is tried again at its moment."""
    rows = [{**_key(call), "tries": call.tries + 1, "due": due} for call, due in again]
    _execute(connection, AGAIN, rows)
    _execute(connection, FAILED, {"way": way_id, "now": now, "status": status})


def drop(connection: Connection, way_id: str) -> None:
    """A browser that does not take messages any more."""
    ways.remove(connection, way_id)


def clean(connection: Connection, now: int, *, is_alone: bool) -> None:
    """Ends that were told some days ago, addresses that nobody has confirmed; and where there is no
    other process, the leases of one that has died."""
    _execute(connection, FORGET, {"before": now - 3 * DAY_MS})
    _execute(connection, FORGET_UNCONFIRMED, {"before": now - 3 * DAY_MS})
    if is_alone:
        _execute(connection, FREE_ALL, {})


def _key(call: Call) -> dict[str, Any]:
    return dict(zip(("table_id", "turn", "kind", "way"), call.key, strict=True))


def _keys(calls: Sequence[Call]) -> list[dict[str, Any]]:
    return [_key(call) for call in calls]


def _execute(connection: Connection, statement: TextClause, values: dict[str, Any] | list[dict[str, Any]]) -> None:
    if values != []:
        connection.execute(statement, values)
