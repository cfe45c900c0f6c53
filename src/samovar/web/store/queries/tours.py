"""Tours and notes, as they are kept: a tour is a row that is changed by whoever knows its version."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, Text, bindparam, delete, func, insert, select, update

from samovar.web.store.declared import notes, tours
from samovar.web.store.store import Query


class TourRow(NamedTuple):
    data: str  # JSON
    version: int


class NoteRow(NamedTuple):
    id: str
    at: int
    person: str
    name: str
    text: str


class OwnNote(NamedTuple):
    record: str
    at: int
    name: str
    text: str
    created: int


_person = bindparam("person", type_=Text)
DATA = Query(TourRow, select(*tours.c[TourRow._fields]).where(tours.c.id == bindparam("tour")))
OF_CLASS = Query(
    str,
    select(tours.c.id)
    .where(tours.c.of_class == bindparam("of_class"))
    .order_by(tours.c.created.desc(), tours.c.id)
    .limit(1),
)
MADE = Query(
    int,
    select(func.count()).where(tours.c.host == bindparam("host"), tours.c.created > bindparam("since")),
)
LIKE = Query(str, select(tours.c.id).where(tours.c.data.like(bindparam("pattern"))))  # in which somebody is named
NOTES = Query(
    NoteRow,
    select(*notes.c[NoteRow._fields])
    .where(notes.c.record == bindparam("record"))
    .order_by(notes.c.at, notes.c.created, notes.c.id),
)
NOTE = Query(
    NoteRow,
    select(*notes.c[NoteRow._fields]).where(notes.c.record == bindparam("record"), notes.c.id == bindparam("note")),
)
NOTES_OF = Query(
    OwnNote,
    select(*notes.c[OwnNote._fields])
    .where(notes.c.person == _person)
    .order_by(notes.c.created, notes.c.id)
    .limit(bindparam("most")),
)


def make(connection: Connection, tour_id: str, record: str, host: str, of_class: str, data: str, now: int) -> None:
    row = {"id": tour_id, "record": record, "host": host, "of_class": of_class, "version": 0, "data": data}
    connection.execute(insert(tours), {**row, "created": now, "changed": now})


def change(connection: Connection, tour_id: str, version: int, host: str, data: str, now: int) -> bool:
    """Whether it still had this version."""
    same = update(tours).where(tours.c.id == tour_id, tours.c.version == version)
    return connection.execute(same.values(version=version + 1, host=host, data=data, changed=now)).rowcount == 1


def end(connection: Connection, tour_id: str) -> None:
    connection.execute(delete(tours).where(tours.c.id == tour_id))


def write_note(connection: Connection, row: dict[str, str | int]) -> None:
    connection.execute(insert(notes), row)


def remove_note(connection: Connection, note: str) -> None:
    connection.execute(delete(notes).where(notes.c.id == note))


def forget_notes(connection: Connection, person: str) -> None:
    """What somebody wrote beside moves."""
    connection.execute(delete(notes).where(notes.c.person == person))


def take_notes_along(connection: Connection, before: str, person: str) -> None:
    connection.execute(update(notes).where(notes.c.person == before).values(person=person))
