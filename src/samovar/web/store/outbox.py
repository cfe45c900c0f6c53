"""What people who are away are sent, as it is kept: the ways in which they want to be called, and a row for each turn
and way, which is why nobody is called twice for the same. A row waits until it may go out, and is done when it has, or
when there is no need any more.

One process at a time sends on a way: it holds a lease, which ends by itself where the process does. Rows are taken in
the order of their keys: no two processes can wait for one another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    and_,
    bindparam,
    case,
    delete,
    false,
    func,
    insert,
    or_,
    select,
    update,
)

from samovar.web.store.declared import IS_WAITING, calls, holders, letters, people, tables, visits, ways
from samovar.web.store.putting import insert_into, put
from samovar.web.store.store import Query


@dataclass(frozen=True, slots=True)
class Channel:
    """All columns, in their order."""

    id: str
    person: str
    kind: str  # "push", "mail" or "web": an address that takes messages
    target: str
    keys: str  # of a browser, as JSON
    is_confirmed: bool  # only then anything is sent there
    language: str
    created: int  # in milliseconds since 1970, as all moments here
    address: str  # of the site, as they know it
    sent: int = 0
    failed: int = 0
    status: int = 0
    failures: int = 0
    day: int = 0
    count: int = 0
    busy: int = 0


@dataclass(frozen=True)
class Call:
    """All columns, in their order."""

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


class Reachable(NamedTuple):
    """A way to somebody at a table."""

    id: str
    person: str
    created: int
    saw_end: bool


class Claimed(NamedTuple):
    """All that waits on one way, for the process that holds its lease."""

    way: Channel
    profile: str | None  # JSON
    calls: list[Call]
    ends_seen: set[str]  # tables


DAY_MS = 24 * 3600 * 1000
KEPT_MS = 3 * DAY_MS  # ends that were told, and addresses that nobody has confirmed

# Ways

_of = select(ways).where(ways.c.person == bindparam("person")).order_by(ways.c.created, ways.c.id)
_one = select(ways).where(ways.c.id == bindparam("way"))
WAYS_OF, ONE_WAY = Query(Channel, _of), Query(Channel, _one)
PERSONS = Query(str, select(ways.c.person).distinct().where(ways.c.is_confirmed))  # who can be reached


def add_way(connection: Connection, way: Channel, most: int, most_here: int) -> Channel | None:
    """The way as it is now; None: the person, or the site, has too many. The same target twice is one way. A browser
    that has another person in it now is called for that one."""
    own = _ways_of(connection, way.person)
    same = next((one for one in own if (one.kind, one.target) == (way.kind, way.target)), None)
    if same and (same.keys, same.language, same.address) == (way.keys, way.language, way.address):
        return same
    if same:
        remove_way(connection, same.id)
        way = replace(way, id=same.id)  # the links of letters stay good
    elif len(own) >= most or connection.execute(select(func.count()).select_from(ways)).scalar_one() >= most_here:
        return None
    if way.kind == "push":
        _remove_all(connection, ways.c.kind == "push", ways.c.target == way.target)
    is_confirmed = way.is_confirmed or bool(same and same.is_confirmed)
    connection.execute(insert(ways), asdict(way) | {"is_confirmed": is_confirmed})
    return way


def move_ways(connection: Connection, before: str, person: str, most: int) -> None:
    """Somebody is known as another person from now on; what that one has already is not doubled."""
    known = {(way.kind, way.target) for way in _ways_of(connection, person)}
    for way in _ways_of(connection, before):
        if (way.kind, way.target) in known or len(known) >= most:
            remove_way(connection, way.id)
        else:
            known.add((way.kind, way.target))
            connection.execute(update(ways).where(ways.c.id == way.id).values(person=person))


def remove_way(connection: Connection, way_id: str) -> None:
    connection.execute(delete(calls).where(calls.c.way == way_id))
    connection.execute(delete(ways).where(ways.c.id == way_id))


def mark_tried(connection: Connection, way_id: str, failed: int, status: int, failures: int) -> None:
    _change_way(connection, way_id, failed=failed, status=status, failures=failures)


def _ways_of(connection: Connection, person: str) -> list[Channel]:
    return [Channel(*row) for row in connection.execute(_of, {"person": person})]


def _remove_all(connection: Connection, *conditions: ColumnElement[bool]) -> None:
    for way_id in connection.execute(select(ways.c.id).where(*conditions)).scalars().all():
        remove_way(connection, way_id)


def _change_way(connection: Connection, way_id: str, **changes: Any) -> None:
    connection.execute(update(ways).where(ways.c.id == way_id).values(changes))


# Letters: an address is asked once. `who` stands for it, and nobody can read it from there.


def begin_asking(connection: Connection, who: str, now: int, until: int) -> bool:
    """Whether a letter may go there; no other does until then."""
    connection.execute(delete(letters).where(letters.c.until <= now))
    return put(connection, letters, {"who": who, "until": until}) == 1


def take_back_asking(connection: Connection, who: str) -> None:
    connection.execute(delete(letters).where(letters.c.who == who, letters.c.until.is_not(None)))


def confirm(connection: Connection, way_id: str, who: str) -> None:
    _change_way(connection, way_id, is_confirmed=True)
    take_back_asking(connection, who)


def refuse(connection: Connection, target: str, who: str) -> None:
    """Nothing is sent to this address any more, whoever enters it."""
    _remove_all(connection, ways.c.kind == "mail", func.lower(ways.c.target) == target.lower())
    put(connection, letters, {"who": who, "until": None}, "until")


def count_within(connection: Connection, bounds: Sequence[tuple[str, int]], now: int, span: int) -> bool:
    """One more of each of these; whether all are within their bounds."""
    connection.execute(delete(visits).where(visits.c.until <= now))
    adding = insert_into(connection, visits)
    is_past = visits.c.until <= now
    more = adding.on_conflict_do_update(
        index_elements=[visits.c.who],
        set_={
            "count": case((is_past, 1), else_=visits.c.count + 1),
            "until": case((is_past, adding.excluded.until), else_=visits.c.until),
        },
    ).returning(visits.c.count)
    counts = {
        who: connection.execute(more, {"who": who, "count": 1, "until": now + span}).scalar_one()
        for who, _ in sorted(bounds)
    }
    return all(counts[who] <= most for who, most in bounds)


# Calls

NOW, HOUR = bindparam("now", type_=BigInteger), bindparam("hour", type_=BigInteger)


def _called(kind: str, *more: ColumnElement[bool]) -> ColumnElement[bool]:
    same = (calls.c.table_id == tables.c.id, calls.c.way == ways.c.id, calls.c.kind == kind)
    return select(1).where(*same, *more).exists()


_since = calls.c.head >= tables.c.head
_span = tables.c.due - tables.c.changed
_runs_out = and_(tables.c.due > NOW, (tables.c.due - NOW) * 4 < _span, _span >= HOUR)
_is_asked = tables.c.actors.bitwise_rshift(holders.c.seat).bitwise_and(1) == 1
# Tables at which somebody who can be called is to act, or has not seen the end, and where nothing
# was decided since they have changed.
_waits = and_(_is_asked, or_(~_called("turn", _since), and_(_runs_out, ~_called("due", _since))))
_was_not_told = and_(~holders.c.saw_end, tables.c.changed > NOW - bindparam("day", type_=BigInteger), ~_called("end"))
CANDIDATES = Query(
    str,
    select(tables.c.id)
    .distinct()
    .join_from(ways, holders, and_(holders.c.person == ways.c.person, holders.c.seat >= 0))
    .join(tables, tables.c.id == holders.c.table_id)
    .where(ways.c.is_confirmed, tables.c.changed > ways.c.created, tables.c.id > bindparam("after"))
    .where(or_(and_(tables.c.status == "playing", _waits), and_(tables.c.status == "over", _was_not_told)))
    .order_by(tables.c.id)
    .limit(bindparam("limit")),
)
_sits = and_(holders.c.person == ways.c.person, holders.c.table_id == bindparam("table"))
REACHABLE = Query(
    Reachable,
    select(*ways.c["id", "person", "created"], func.coalesce(holders.c.saw_end, false()))
    .outerjoin_from(ways, holders, _sits)
    .where(ways.c.person.in_(bindparam("persons", expanding=True)), ways.c.is_confirmed),
)
# Ways on which something may go out now.
WAITING = Query(
    str,
    select(calls.c.way)
    .distinct()
    .join_from(calls, ways, ways.c.id == calls.c.way)
    .where(IS_WAITING, calls.c.due <= NOW, ways.c.busy <= NOW),
)


def enter(connection: Connection, new: Iterable[Call]) -> None:
    """In the order of their keys. What was to be told of earlier turns of these tables is forgotten."""
    rows = sorted(new, key=lambda call: call.key)
    for call in rows:
        same = (calls.c.table_id == call.table_id, calls.c.way == call.way)
        connection.execute(delete(calls).where(*same, calls.c.turn < call.turn))
    adding = insert_into(connection, calls)
    added = adding.excluded
    merged = {
        "head": case((added.head > calls.c.head, added.head), else_=calls.c.head),
        "is_done": or_(calls.c.is_done, added.is_done),
    }
    statement = adding.on_conflict_do_update(index_elements=list(calls.primary_key.columns), set_=merged)
    connection.execute(statement, [asdict(call) for call in rows])


def claim(connection: Connection, way_id: str, now: int, until: int) -> Claimed | None:
    """None: another process has it in hand, or it is gone."""
    if not connection.execute(update(ways).where(ways.c.id == way_id, ways.c.busy <= now).values(busy=until)).rowcount:
        return None
    way = Channel(*connection.execute(_one, {"way": way_id}).one())
    profile = connection.execute(select(people.c.profile).where(people.c.person == way.person)).scalar()
    held = and_(holders.c.table_id == calls.c.table_id, holders.c.person == way.person)
    waiting = select(calls, holders.c.saw_end).outerjoin_from(calls, holders, held)
    key = calls.c["table_id", "turn", "kind"]
    rows = connection.execute(waiting.where(calls.c.way == way_id, ~calls.c.is_done).order_by(*key)).all()
    return Claimed(way, profile, [Call(*row[:-1]) for row in rows], {row.table_id for row in rows if row.saw_end})


def hold(connection: Connection, way_id: str, due: int) -> None:
    """Nothing goes out there before that moment."""
    early = (calls.c.way == way_id, ~calls.c.is_done, calls.c.due < due)
    connection.execute(update(calls).where(*early).values(due=due))
    _change_way(connection, way_id, busy=0)


def settle(connection: Connection, way_id: str, done: Iterable[Call]) -> None:
    """These need not be told any more."""
    _mark_done(connection, done)
    _change_way(connection, way_id, busy=0)


def mark_sent(connection: Connection, way_id: str, done: Iterable[Call], now: int) -> None:
    _mark_done(connection, done)
    day = now // DAY_MS
    count = case((ways.c.day == day, ways.c.count + 1), else_=1)
    _change_way(connection, way_id, sent=now, failures=0, failed=0, busy=0, count=count, day=day)


def mark_failed(connection: Connection, way_id: str, again: Iterable[tuple[Call, int]], status: int, now: int) -> None:
    """Each is tried again at its moment."""
    for call, due in again:
        _change_call(connection, call, tries=call.tries + 1, due=due)
    _change_way(connection, way_id, failed=now, status=status, failures=ways.c.failures + 1, busy=0)


def clean(connection: Connection, now: int, is_alone: bool) -> None:
    """Ends that were told some days ago, addresses that nobody has confirmed; and where there is no
    other process, the leases of one that has died."""
    before = now - KEPT_MS
    connection.execute(delete(calls).where(calls.c.kind == "end", calls.c.is_done, calls.c.due < before))
    connection.execute(delete(ways).where(~ways.c.is_confirmed, ways.c.created < before))
    if is_alone:
        connection.execute(update(ways).where(ways.c.busy > 0).values(busy=0))


def _mark_done(connection: Connection, done: Iterable[Call]) -> None:
    for call in done:
        _change_call(connection, call, is_done=True)


def _change_call(connection: Connection, call: Call, **changes: Any) -> None:
    key = zip(calls.primary_key.columns, call.key, strict=True)
    connection.execute(update(calls).where(*(column == value for column, value in key)).values(changes))
