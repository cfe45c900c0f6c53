"""All that is kept of a person, as one file that they can take along, and what happens when they want
none of it kept."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from functools import partial

import msgspec

from samovar.json_types import JsonObject
from samovar.web import problems
from samovar.web.people.circles import Circles
from samovar.web.people.clubs import Clubs
from samovar.web.people.people import Known, People
from samovar.web.people.tours import Tours
from samovar.web.store.queries import outbox, puzzles, results, tours
from samovar.web.store.queries import people as people_kept
from samovar.web.store.store import Listed, LogLine, Store
from samovar.web.tables.chairs import COMPANION
from samovar.web.tables.forgetting import kept_record
from samovar.web.tables.series import with_proof
from samovar.web.tables.tables import Tables

PAGE = 50
MOST_TABLES = 10_000  # in a file
MOST_PUZZLES = 10_000
MOST_NOTES = 10_000
OF_CHANNELS = ("kind", "target", "is_confirmed", "language", "created")  # what a file tells of them
# Of a log, all but the moves: who sat where, what was said, and the record at its end. A match may have a thousand
# moves, and to read them is what would take long.
KINDS = ("sit", "leave", "forget", "come", "along", "cut", "say", "end")


async def lines_of(store: Store, person: str) -> AsyncIterator[Listed]:
    """All tables of a person, hidden ones, too."""
    for is_hidden in (False, True):
        after, count = 0, PAGE
        while count == PAGE:
            page = await store.tables_of(person, PAGE, after, is_hidden=is_hidden)
            after, count = after + len(page), len(page)
            for line in page:
                yield line


async def export(tables: Tables, people: People, person: str) -> AsyncIterator[bytes]:
    """Piece by piece, as JSON: between two matches all others have their turn. Of a match that goes on there is
    nothing in it but who plays."""
    store = tables.store
    channels = await store.rows(outbox.CHANNELS_OF, person=person)
    facts = {
        "profile": await people.profile(person),
        "ways": [{name: getattr(channel, name) for name in OF_CHANNELS} for channel in channels],
        "circles": [
            {"name": circle.name, "called": circle.name_of(person), "owns": circle.host == person}
            for _, circle in await Circles(tables).of_person(person)
        ],
        "results": [one._asdict() for one in await store.rows(results.ALL, person=person, most=MOST_TABLES)],
        "puzzles": [solved._asdict() for solved in await store.rows(puzzles.ALL, person=person, most=MOST_PUZZLES)],
        "tours": await Tours(tables).told_of(person),
        "notes": [one._asdict() for one in await store.rows(tours.NOTES_OF, person=person, most=MOST_NOTES)],
    }
    yield msgspec.json.encode(facts)[:-1] + b',"tables":['
    for number, line in enumerate(await first_lines(store, person)):
        yield b",\n" * (number > 0) + msgspec.json.encode(await table_facts(tables, person, line))
    yield b"]}\n"


async def first_lines(store: Store, person: str) -> list[Listed]:
    """All at once, so that none is told twice because it has changed meanwhile."""
    lines: list[Listed] = []
    async for line in lines_of(store, person):
        if len(lines) == MOST_TABLES:
            break
        lines.append(line)
    return lines


async def table_facts(tables: Tables, person: str, line: Listed) -> JsonObject:
    summary = line.summary
    log = await tables.store.load_kinds(line.table, KINDS)
    facts = {
        "table": line.table,
        "game": summary.game,
        "status": summary.status,
        "names": summary.names.split("\n"),
        "seat": line.seat,
        "opened": line.created,
        "changed": line.changed,
        "remarks": remarks_of(person, log),
    }
    try:
        if summary.status == "over":
            return {**facts, "record": await record_of(tables, person, line, log)}
        ahead = await tables.moves_ahead.lines_of(line.table, line.seat) if line.seat is not None else []
        return {**facts, "moves_ahead": ahead} if ahead else facts
    except problems.Problem:  # others still play the same cards, or it cannot be read any more
        return facts


async def record_of(tables: Tables, person: str, line: Listed, log: Sequence[LogLine]) -> JsonObject:
    """As it stands in the log. Only a match that ended before records were kept there is played again."""
    record = kept_record(log)
    if record is None:
        return await tables.record(line.table, person)
    return with_proof(record, await tables.check_record(line.table, person))


def remarks_of(person: str, lines: Sequence[LogLine]) -> list[JsonObject]:
    """What a person has said at a table, on whichever chair they sat then."""
    before = {line.data["before"] for line in lines if line.kind == "along" and line.data["person"] == person}
    holders: dict[int, set[str]] = {}
    remarks = []
    for line in lines:
        data = line.data
        if line.kind == "sit":
            holders[data["seat"]] = {data["person"]}
        elif line.kind in ("leave", "forget"):
            holders.pop(data["seat"], None)
        elif line.kind in ("come", "along", "cut") and data.get("person"):
            holders.setdefault(data["seat"], set()).add(data["person"])
        elif line.kind == "say" and holders.get(data["seat"], set()) & {person, *before}:
            remarks.append({"at": line.at, "text": data["text"]})
    return remarks


async def companions_of(store: Store, device: str) -> list[str]:
    """Who else has a chair in a browser that several people share."""
    return await store.rows(people_kept.NAMED_LIKE, pattern=f"{device}{COMPANION}%") if device else []


async def at_each(lines: Iterable[Listed], action: Callable[[Listed], Awaitable[None]]) -> None:
    """Something at all of these tables, but for those that cannot be opened any more, by anybody."""
    for line in lines:
        try:
            await action(line)
        except (problems.Busy, problems.Broken):
            raise
        except problems.Problem:
            continue


async def cut_off(tables: Tables, people: People, persons: Sequence[str]) -> Known:
    """All other devices lose a person's chairs, and the keys that anybody has noted of them open
    nothing any more. `persons`: they themselves, then those who share this browser with them."""
    for person in persons:
        lines = [line async for line in lines_of(tables.store, person)]
        await at_each(lines, partial(tables.cut_off_at, person))
    return await people.cut_off(persons[0])


async def delete(tables: Tables, people: People, person: str, name: str) -> list[str]:
    """Leaves all tables of a person; whoever looks at one of them reads this name instead of theirs.
    Returns which tables it was."""
    lines = [line async for line in lines_of(tables.store, person)]
    await at_each(lines, lambda line: tables.forget_person(line, person, name))
    await Clubs(tables).replace_person(person, f"nobody-{secrets.token_hex(8)}", name)
    await Circles(tables).forget(person, name)
    await Tours(tables).forget(person)
    await people.forget(person, name, [(line.table, line.seat) for line in lines if line.seat is not None])
    return [line.table for line in lines]
