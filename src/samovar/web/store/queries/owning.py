"""What owners of a site see of it, and what they did, as it is kept."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, bindparam, case, delete, func, insert, select

from samovar.web.store.declared import IS_WAITING, facts, holders, notifications, owner_log, results, tables
from samovar.web.store.putting import put
from samovar.web.store.store import Query

KEPT_ACTIONS = 1000
ANNOUNCEMENT, RETENTION = "announcement", "retention"  # facts


class SiteCounts(NamedTuple):
    waiting: int
    playing: int
    over: int
    people: int


class TableLine(NamedTuple):
    id: str
    game: str
    status: str
    names: str  # by seat, a line each
    changed: int


class OwnerAction(NamedTuple):
    at: int
    who: str
    action: str
    about: str


def _with_status(status: str) -> object:
    return func.coalesce(func.sum(case((tables.c.status == status, 1), else_=0)), 0)


TALLY = Query(
    SiteCounts,
    select(
        *(_with_status(status) for status in ("waiting", "playing", "over")),  # type: ignore[call-overload]
        select(func.count(holders.c.person.distinct())).scalar_subquery(),
    ).select_from(tables),
)
LATEST = Query(
    TableLine,
    select(*tables.c[TableLine._fields])
    .where(tables.c.people > 0, tables.c.status != "cancelled")
    .order_by(tables.c.changed.desc(), tables.c.id)
    .limit(bindparam("most")),
)
ACTIONS = Query(
    OwnerAction,
    select(*owner_log.c[OwnerAction._fields]).order_by(owner_log.c.at.desc(), owner_log.c.id).limit(bindparam("most")),
)
SAID = Query(str, select(facts.c.value).where(facts.c.name == ANNOUNCEMENT))
KEEPS = Query(int, select(facts.c.value).where(facts.c.name == RETENTION))  # finished tables, so many days
MESSAGES = Query(int, select(func.count()).select_from(notifications).where(IS_WAITING))
# What somebody at the machine wants a running site to do.
ORDERS = Query(
    lambda name, value: (name, value),
    select(facts.c.name, facts.c.value).where(facts.c.name.like("order-%")).order_by(facts.c.name),
)
NAMES = Query(
    lambda person, name: (person, name),
    select(results.c.person, func.max(results.c.name)).where(results.c.person != "").group_by(results.c.person),
)


def note(connection: Connection, id: str, at: int, who: str, action: str, about: str) -> None:
    connection.execute(insert(owner_log), {"id": id, "at": at, "who": who, "action": action, "about": about})
    kept = select(owner_log.c.id).order_by(owner_log.c.id.desc()).limit(KEPT_ACTIONS)
    connection.execute(delete(owner_log).where(owner_log.c.id.not_in(kept)))


def announce(connection: Connection, text: str) -> None:
    """To everybody, until it is something else; an empty text takes it away."""
    put(connection, facts, {"name": ANNOUNCEMENT, "value": text}, "value")


def retain(connection: Connection, days: int) -> None:
    """Finished tables are kept for so many days; 0: for ever."""
    put(connection, facts, {"name": RETENTION, "value": str(days)}, "value")


def order(connection: Connection, name: str, data: str) -> None:
    put(connection, facts, {"name": f"order-{name}", "value": data})


def take_order(connection: Connection, name: str) -> bool:
    """Of several processes one has it."""
    return connection.execute(delete(facts).where(facts.c.name == name)).rowcount == 1
