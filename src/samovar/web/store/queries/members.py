"""Who may come in, as it is kept."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, literal, select, update

from samovar.web.store.declared import holders, invitations, members
from samovar.web.store.putting import put
from samovar.web.store.store import Query

OWNER, MEMBER, PUPIL = "owner", "member", "pupil"  # a pupil comes in to one class: `invited_by` says which

ERASED = "erased-"


class MemberRow(NamedTuple):
    person: str
    role: str
    invited_by: str
    since: int
    is_blocked: bool


class InvitationRow(NamedTuple):
    id: str
    role: str
    made_by: str
    created: int
    ends: int
    uses: int


_members = select(*members.c[MemberRow._fields])
_invitations = select(*invitations.c[InvitationRow._fields])
_good = invitations.c.ends > bindparam("now"), invitations.c.uses > 0
# Who was blocked when they were erased is, whatever they have become since.
OF_PERSON = Query(
    MemberRow,
    _members.where(members.c.person.in_((bindparam("person"), bindparam("fingerprint")))).order_by(
        members.c.is_blocked.desc()
    ),
)
ALL = Query(MemberRow, _members.where(members.c.role != PUPIL).order_by(members.c.since, members.c.person))
# Something, if there is anybody who may not go wherever they like on an open site.
BOUND = Query(bool, select(1).where((members.c.role == PUPIL) | members.c.is_blocked).limit(1))
INVITATION = Query(InvitationRow, _invitations.where(invitations.c.id == bindparam("id"), *_good))
INVITATIONS = Query(InvitationRow, _invitations.where(*_good).order_by(invitations.c.created))


def begin(connection: Connection, now: int) -> bool:
    """Whether nobody owns the site yet. Those who have played here before it was closed stay members."""
    known = select(func.count()).select_from(members).where(members.c.role != PUPIL)
    if connection.execute(known).scalar_one() == 0:
        played = select(holders.c.person).distinct().where(holders.c.person.not_like("nobody-%"))
        for (person,) in connection.execute(played).all():
            add(connection, person, MEMBER, "", now)
    owners = select(func.count()).select_from(members).where(members.c.role == OWNER, ~members.c.is_blocked)
    return connection.execute(owners).scalar_one() == 0


def add(connection: Connection, person: str, role: str, invited_by: str, now: int) -> None:
    """Who is there already can become an owner, and a pupil anything, but nobody ceases to be what they are, and who
    is blocked stays so."""
    row = {"person": person, "role": role, "invited_by": invited_by, "since": now}
    if put(connection, members, row):
        return
    known = update(members).where(members.c.person == person)
    if role == OWNER:
        connection.execute(known.values(role=OWNER))
    elif role == MEMBER:
        connection.execute(known.where(members.c.role == PUPIL).values(role=MEMBER, invited_by=invited_by))
    else:
        connection.execute(known.where(members.c.role == PUPIL).values(invited_by=invited_by))


def dismiss(connection: Connection, class_id: str, person: str = "") -> None:
    """The pupils of a class, or one of them, are strangers again; who is blocked stays blocked."""
    pupils = delete(members).where(members.c.role == PUPIL, members.c.invited_by == class_id, ~members.c.is_blocked)
    connection.execute(pupils.where(members.c.person == person) if person else pupils)


def fingerprint(person: str) -> str:
    """By which somebody is known again of whom nothing else is kept."""
    return ERASED + hashlib.sha256(person.encode()).hexdigest()


def forget(connection: Connection, person: str) -> None:
    """Who is blocked stays so, as a fingerprint."""
    if person.startswith(ERASED):
        return
    row = members.c.person == person
    least = {"person": fingerprint(person), "role": MEMBER, "invited_by": "", "since": 0}
    connection.execute(update(members).where(row, members.c.is_blocked).values(least))
    connection.execute(delete(members).where(row))


def invite(connection: Connection, row: dict[str, object]) -> None:
    connection.execute(delete(invitations).where((invitations.c.ends <= row["created"]) | (invitations.c.uses <= 0)))
    put(connection, invitations, row)


def accept(connection: Connection, id: str, person: str, now: int) -> str:
    """The role that somebody has from now on; empty: the invitation is of no use any more. Of two who take its last
    use one is too late."""
    good = (invitations.c.id == id, invitations.c.ends > now, invitations.c.uses > 0)
    used = update(invitations).where(*good).values(uses=invitations.c.uses - 1)
    if connection.execute(used).rowcount != 1:
        return ""
    role, made_by = connection.execute(
        select(invitations.c.role, invitations.c.made_by).where(invitations.c.id == id)
    ).one()
    add(connection, person, role, made_by, now)
    return str(role)


def withdraw(connection: Connection, id: str) -> None:
    connection.execute(delete(invitations).where(invitations.c.id == id))


def block(connection: Connection, person: str, is_blocked: bool, now: int) -> None:
    """Also somebody who was never invited, on an open site. Nobody whom they have invited is blocked with them; their
    invitations are."""
    known = update(members).where(members.c.person == person)
    if connection.execute(known.values(is_blocked=literal(is_blocked))).rowcount == 0 and is_blocked:
        row = {"person": person, "role": MEMBER, "invited_by": "", "since": now, "is_blocked": True}
        put(connection, members, row)
    if not is_blocked and person.startswith(ERASED):  # somebody who is not known otherwise
        connection.execute(delete(members).where(members.c.person == person))
    if is_blocked:
        connection.execute(delete(invitations).where(invitations.c.made_by == person))
