"""People as they are kept: a profile, what makes the key of their link, and what goes when they are to be forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, select, update

from samovar.web.store.declared import (
    ahead,
    channels,
    holders,
    invitations,
    members,
    notifications,
    people,
    presence,
    results,
    series,
    solved,
)
from samovar.web.store.putting import put
from samovar.web.store.queries.members import forget as forget_member
from samovar.web.store.store import Query


class PersonRow(NamedTuple):
    profile: str  # JSON
    key_salt: str
    cuts: int


class ProfileRow(NamedTuple):
    person: str
    profile: str  # JSON


_recall = select(*people.c[PersonRow._fields]).where(people.c.person == bindparam("person"))
_some = people.c.person.in_(bindparam("persons", expanding=True))
RECALL = Query(PersonRow, _recall)
WITH_KEY_SALT = Query(str, select(people.c.person).where(people.c.key_salt == bindparam("key_salt")))
PROFILES = Query(ProfileRow, select(*people.c[ProfileRow._fields]).where(_some))
# Those with chairs whose ids are like this.
NAMED_LIKE = Query(str, select(holders.c.person).distinct().where(holders.c.person.like(bindparam("pattern"))))


def keep(connection: Connection, person: str, key_salt: str, profile: str, changed: int) -> None:
    """The salt is for somebody who has none."""
    row = {"person": person, "key_salt": key_salt, "profile": profile, "changed": changed}
    put(connection, people, row, "profile", "changed")


def change(connection: Connection, person: str, key_salt: str, changed: Callable[[str | None], str], at: int) -> str:
    """The profile as `changed` makes it of the one before, which no other process can change meanwhile."""
    profile = changed(connection.execute(_recall.with_for_update(), {"person": person}).scalar())
    keep(connection, person, key_salt, profile, at)
    return profile


def renew(connection: Connection, person: str, key_salt: str, new: str) -> bool:
    """Whether the salt was still this one."""
    spent = update(people).where(people.c.person == person, people.c.key_salt == key_salt).values(key_salt=new)
    return connection.execute(spent).rowcount == 1


def cut_off(connection: Connection, person: str, new: str) -> None:
    connection.execute(update(people).where(people.c.person == person).values(key_salt=new, cuts=people.c.cuts + 1))


def forget(connection: Connection, person: str, name: str, seats: Iterable[tuple[str, int]]) -> None:
    """Where they have played somebody is left, who is called by this name."""
    for table, seat in seats:
        for kept in (presence, ahead):
            connection.execute(delete(kept).where(kept.c.table_id == table, kept.c.seat == seat))
    own_channels = select(channels.c.id).where(channels.c.person == person)
    connection.execute(delete(notifications).where(notifications.c.channel.in_(own_channels)))
    for table_of in (channels, holders, solved):
        connection.execute(delete(table_of).where(table_of.c.person == person))
    connection.execute(update(results).where(results.c.person == person).values(person="", name=name))
    connection.execute(update(series).where(series.c.host == person).values(host=""))
    connection.execute(update(members).where(members.c.invited_by == person).values(invited_by=""))
    connection.execute(delete(invitations).where(invitations.c.made_by == person))
    connection.execute(delete(people).where(people.c.person == person))
    forget_member(connection, person)
