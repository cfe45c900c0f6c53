"""What people who are away are sent, as it is kept: the channels on which they want messages, and a row for each turn
and channel, which is why nobody is told twice of the same. A row waits until it may go out, and is done when it has,
or when there is no need any more.

One process at a time sends on a channel: it holds a lease, which ends by itself where the process does. Rows are taken
in the order of their keys: no two processes can wait for one another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

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

from samovar.web.store.declared import (
    IS_WAITING,
    asked_addresses,
    channels,
    holders,
    notifications,
    people,
    tables,
    visits,
)
from samovar.web.store.putting import insert_into, put
from samovar.web.store.store import Query


@dataclass(frozen=True, slots=True)
class Channel:
    """All columns, in their order."""

    id: str
    person: str
    kind: str  # "push", "mail", "web": an address that takes messages, or "hook": one of a circle
    target: str
    keys: str  # of a browser, or how a circle tells it there, as JSON
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
class Notification:
    """All columns, in their order."""

    table_id: str
    turn: int
    kind: str
    channel: str
    seat: int
    head: int
    due: int
    tries: int = 0
    is_done: bool = False

    @property
    def key(self) -> tuple[str, int, str, str]:
        return self.table_id, self.turn, self.kind, self.channel


class Reachable(NamedTuple):
    """A channel to somebody at a table."""

    id: str
    person: str
    created: int
    saw_end: bool


class Claimed(NamedTuple):
    """All that waits on one channel, for the process that holds its lease."""

    channel: Channel
    profile: str | None  # JSON
    notifications: list[Notification]
    ends_seen: set[str]  # tables


DAY_MS = 24 * 3600 * 1000
KEPT_MS = 3 * DAY_MS  # ends that were told, and addresses that nobody has confirmed

# Channels

_of = select(channels).where(channels.c.person == bindparam("person")).order_by(channels.c.created, channels.c.id)
_one = select(channels).where(channels.c.id == bindparam("channel"))
CHANNELS_OF, ONE_CHANNEL = Query(Channel, _of), Query(Channel, _one)
_some = channels.c.person.in_(bindparam("persons", expanding=True)), channels.c.is_confirmed
OF_PERSONS = Query(str, select(channels.c.id).where(*_some))
PERSONS = Query(str, select(channels.c.person).distinct().where(channels.c.is_confirmed))  # who can be reached


def add_channel(connection: Connection, channel: Channel, most: int, most_here: int) -> Channel | None:
    """The channel as it is now; None: the person, or the site, has too many. The same target twice is one channel. A
    browser that has another person in it now is for that one."""
    own = _channels_of(connection, channel.person)
    same = next((one for one in own if (one.kind, one.target) == (channel.kind, channel.target)), None)
    if same and (same.keys, same.language, same.address) == (channel.keys, channel.language, channel.address):
        return same
    if same:
        remove_channel(connection, same.id)
        channel = replace(channel, id=same.id)  # the links of mails stay good
    elif len(own) >= most or connection.execute(select(func.count()).select_from(channels)).scalar_one() >= most_here:
        return None
    if channel.kind == "push":
        _remove_all(connection, channels.c.kind == "push", channels.c.target == channel.target)
    is_confirmed = channel.is_confirmed or bool(same and same.is_confirmed)
    connection.execute(insert(channels), asdict(channel) | {"is_confirmed": is_confirmed})
    return channel


def move_channels(connection: Connection, before: str, person: str, most: int) -> None:
    """Somebody is known as another person from now on; what that one has already is not doubled."""
    known = {(channel.kind, channel.target) for channel in _channels_of(connection, person)}
    for channel in _channels_of(connection, before):
        if (channel.kind, channel.target) in known or len(known) >= most:
            remove_channel(connection, channel.id)
        else:
            known.add((channel.kind, channel.target))
            connection.execute(update(channels).where(channels.c.id == channel.id).values(person=person))


def remove_channel(connection: Connection, channel_id: str) -> None:
    connection.execute(delete(notifications).where(notifications.c.channel == channel_id))
    connection.execute(delete(channels).where(channels.c.id == channel_id))


def mark_tried(connection: Connection, channel_id: str, failed: int, status: int, failures: int) -> None:
    _change_channel(connection, channel_id, failed=failed, status=status, failures=failures)


def _channels_of(connection: Connection, person: str) -> list[Channel]:
    return [Channel(*row) for row in connection.execute(_of, {"person": person})]


def _remove_all(connection: Connection, *conditions: ColumnElement[bool]) -> None:
    for channel_id in connection.execute(select(channels.c.id).where(*conditions)).scalars().all():
        remove_channel(connection, channel_id)


def _change_channel(connection: Connection, channel_id: str, **changes: object) -> None:
    connection.execute(update(channels).where(channels.c.id == channel_id).values(changes))


# Mail: an address is asked once. `who` stands for it, and nobody can read it from there.


def begin_asking(connection: Connection, who: str, now: int, until: int) -> bool:
    """Whether a mail may go there; no other does until then."""
    connection.execute(delete(asked_addresses).where(asked_addresses.c.until <= now))
    return put(connection, asked_addresses, {"who": who, "until": until}) == 1


def take_back_asking(connection: Connection, who: str) -> None:
    connection.execute(
        delete(asked_addresses).where(asked_addresses.c.who == who, asked_addresses.c.until.is_not(None))
    )


def confirm(connection: Connection, channel_id: str, who: str) -> None:
    _change_channel(connection, channel_id, is_confirmed=True)
    take_back_asking(connection, who)


def refuse(connection: Connection, target: str, who: str) -> None:
    """Nothing is sent to this address any more, whoever enters it."""
    _remove_all(connection, channels.c.kind == "mail", func.lower(channels.c.target) == target.lower())
    put(connection, asked_addresses, {"who": who, "until": None}, "until")


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


# Notifications

NOW, HOUR = bindparam("now", type_=BigInteger), bindparam("hour", type_=BigInteger)


def _called(kind: str, *more: ColumnElement[bool]) -> ColumnElement[bool]:
    same = (
        notifications.c.table_id == tables.c.id,
        notifications.c.channel == channels.c.id,
        notifications.c.kind == kind,
    )
    return select(1).where(*same, *more).exists()


_since = notifications.c.head >= tables.c.head
_span = tables.c.due - tables.c.changed
_runs_out = and_(tables.c.due > NOW, (tables.c.due - NOW) * 4 < _span, _span >= HOUR)
_is_asked = tables.c.actors.bitwise_rshift(holders.c.seat).bitwise_and(1) == 1
# Tables at which somebody who can be called is to act, or has not seen the end, and where nothing
# was decided since they have changed.
_waits = and_(_is_asked, or_(~_called("turn", _since), and_(_runs_out, ~_called("due", _since))))
_has_not_seen = and_(~holders.c.saw_end, tables.c.changed > NOW - bindparam("day", type_=BigInteger), ~_called("end"))
CANDIDATES = Query(
    str,
    select(tables.c.id)
    .distinct()
    .join_from(channels, holders, and_(holders.c.person == channels.c.person, holders.c.seat >= 0))
    .join(tables, tables.c.id == holders.c.table_id)
    .where(channels.c.is_confirmed, tables.c.changed > channels.c.created, tables.c.id > bindparam("after"))
    .where(or_(and_(tables.c.status == "playing", _waits), and_(tables.c.status == "over", _has_not_seen)))
    .order_by(tables.c.id)
    .limit(bindparam("limit")),
)
_sits = and_(holders.c.person == channels.c.person, holders.c.table_id == bindparam("table"))
REACHABLE = Query(
    Reachable,
    select(*channels.c["id", "person", "created"], func.coalesce(holders.c.saw_end, false()))
    .outerjoin_from(channels, holders, _sits)
    .where(channels.c.person.in_(bindparam("persons", expanding=True)), channels.c.is_confirmed),
)
# Channels on which something may go out now.
WAITING = Query(
    str,
    select(notifications.c.channel)
    .distinct()
    .join_from(notifications, channels, channels.c.id == notifications.c.channel)
    .where(IS_WAITING, notifications.c.due <= NOW, channels.c.busy <= NOW),
)


def enter(connection: Connection, new: Iterable[Notification]) -> None:
    """In the order of their keys. What was to be told of earlier turns of these tables is forgotten."""
    rows = sorted(new, key=lambda notification: notification.key)
    for notification in rows:
        same = (notifications.c.table_id == notification.table_id, notifications.c.channel == notification.channel)
        connection.execute(delete(notifications).where(*same, notifications.c.turn < notification.turn))
    adding = insert_into(connection, notifications)
    added = adding.excluded
    merged = {
        "head": case((added.head > notifications.c.head, added.head), else_=notifications.c.head),
        "is_done": or_(notifications.c.is_done, added.is_done),
    }
    statement = adding.on_conflict_do_update(index_elements=list(notifications.primary_key.columns), set_=merged)
    connection.execute(statement, [asdict(notification) for notification in rows])


def claim(connection: Connection, channel_id: str, now: int, until: int) -> Claimed | None:
    """None: another process has it in hand, or it is gone."""
    if not connection.execute(
        update(channels).where(channels.c.id == channel_id, channels.c.busy <= now).values(busy=until)
    ).rowcount:
        return None
    channel = Channel(*connection.execute(_one, {"channel": channel_id}).one())
    profile = connection.execute(select(people.c.profile).where(people.c.person == channel.person)).scalar()
    held = and_(holders.c.table_id == notifications.c.table_id, holders.c.person == channel.person)
    waiting = select(notifications, holders.c.saw_end).outerjoin_from(notifications, holders, held)
    key = notifications.c["table_id", "turn", "kind"]
    rows = connection.execute(
        waiting.where(notifications.c.channel == channel_id, ~notifications.c.is_done).order_by(*key)
    ).all()
    return Claimed(
        channel, profile, [Notification(*row[:-1]) for row in rows], {row.table_id for row in rows if row.saw_end}
    )


def hold(connection: Connection, channel_id: str, due: int) -> None:
    """Nothing goes out there before that moment."""
    early = (notifications.c.channel == channel_id, ~notifications.c.is_done, notifications.c.due < due)
    connection.execute(update(notifications).where(*early).values(due=due))
    _change_channel(connection, channel_id, busy=0)


def settle(connection: Connection, channel_id: str, done: Iterable[Notification]) -> None:
    """These need not be told any more."""
    _mark_done(connection, done)
    _change_channel(connection, channel_id, busy=0)


def mark_sent(connection: Connection, channel_id: str, done: Iterable[Notification], now: int) -> None:
    _mark_done(connection, done)
    day = now // DAY_MS
    count = case((channels.c.day == day, channels.c.count + 1), else_=1)
    _change_channel(connection, channel_id, sent=now, failures=0, failed=0, busy=0, count=count, day=day)


def mark_failed(
    connection: Connection, channel_id: str, again: Iterable[tuple[Notification, int]], status: int, now: int
) -> None:
    """Each is tried again at its moment."""
    for notification, due in again:
        _change_notification(connection, notification, tries=notification.tries + 1, due=due)
    _change_channel(connection, channel_id, failed=now, status=status, failures=channels.c.failures + 1, busy=0)


def clean(connection: Connection, now: int, is_alone: bool) -> None:
    """Ends that were told some days ago, addresses that nobody has confirmed; and where there is no
    other process, the leases of one that has died."""
    before = now - KEPT_MS
    connection.execute(
        delete(notifications).where(
            notifications.c.kind.in_(("end", "opened")), notifications.c.is_done, notifications.c.due < before
        )
    )
    connection.execute(delete(channels).where(~channels.c.is_confirmed, channels.c.created < before))
    if is_alone:
        connection.execute(update(channels).where(channels.c.busy > 0).values(busy=0))


def _mark_done(connection: Connection, done: Iterable[Notification]) -> None:
    for notification in done:
        _change_notification(connection, notification, is_done=True)


def _change_notification(connection: Connection, notification: Notification, **changes: object) -> None:
    key = zip(notifications.primary_key.columns, notification.key, strict=True)
    connection.execute(update(notifications).where(*(column == value for column, value in key)).values(changes))
