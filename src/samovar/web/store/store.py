"""The database of the site: every table is one append-only log of entries. SQLite in a file, or
PostgreSQL by its URL."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar

import msgspec
from sqlalchemy import Connection, Executable, Row, bindparam, text
from sqlalchemy.exc import DBAPIError

from samovar.errors import StoreError, Taken
from samovar.json_types import JsonObject
from samovar.web import figures
from samovar.web.store import chores
from samovar.web.store.database import Database
from samovar.web.store.entries import Logged, read, write
from samovar.web.store.writer import NOW, Append, Chore, Claim, Job, Writer

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
AnyRow: TypeAlias = Row[Any]  # of any statement: whoever reads it knows its columns

READERS = 4  # threads that read, each with a connection of its own


@dataclass(frozen=True)
class Query(Generic[T_co]):
    """A question, and what each row of the answer is made into: by the thread that reads."""

    row: Callable[..., T_co]
    statement: Executable

    def all(self, connection: Connection, **values: object) -> list[T_co]:
        """For somebody who has a connection at hand."""
        return [self.row(*row) for row in connection.execute(self.statement, values)]


@dataclass(frozen=True, slots=True)
class LogLine:
    """One thing that happened at a table, as it is written: `entries.py` says what it means."""

    number: int  # 0, 1, 2 ... without gaps within a table
    kind: str  # "open", "sit", "move", "say" ...
    data: JsonObject  # JSON
    at: int  # milliseconds since 1970


@dataclass(frozen=True, slots=True)
class Summary:
    """What lists need to know of a table: kept in its row, written with every append."""

    game: str
    seats: int
    status: str  # "waiting", "playing", "over" or "cancelled"
    is_open: bool  # listed for everybody
    actors: int  # bit mask of the seats to act
    bot_turn: bool  # a bot is to move
    free: int  # free chairs
    people: int = 1  # how many persons ever sat there; 0: bots only
    names: str = ""  # by seat, a line each
    due: int | None = None  # when the time of whoever is to act runs out, in milliseconds since 1970


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of a list."""

    table: str
    summary: Summary
    created: int
    changed: int
    seat: int | None  # of the person who asked
    place: int | None = None  # theirs, or their team's, of a match that is over
    teams: int = 0  # so many there were
    success: int | None = None  # where all of them were one


PARTS = tuple(part.name for part in fields(Summary))
parts = attrgetter(*PARTS)

LOAD = text("SELECT number, kind, data, at FROM entries WHERE table_id = :table AND number > :after ORDER BY number")
LATER = text(
    "SELECT number, kind, data, at FROM tables LEFT JOIN entries ON table_id = id AND number > :after "
    "WHERE id = :table ORDER BY number"
)
# Of a log, all but some kinds: a match may have a thousand moves, and to read them is what would take long.
LOAD_KINDS = text(
    "SELECT number, kind, data, at FROM entries WHERE table_id = :table AND kind IN :kinds ORDER BY number"
).bindparams(bindparam("kinds", expanding=True))
HEAD = text("SELECT head FROM tables WHERE id = :table")
STATUS = Query(str, text("SELECT status FROM tables WHERE id = :table"))
# By the link, for anybody: those of a circle are not.
WAITING = Query(
    str,
    text(
        "SELECT id FROM tables WHERE status = 'waiting' AND free > 0 "
        "AND NOT EXISTS (SELECT 1 FROM series_tables WHERE table_id = tables.id) ORDER BY changed DESC, id"
    ),
)
FIRST_DUE = Query(int, text("SELECT due FROM tables WHERE due IS NOT NULL ORDER BY due LIMIT 1"))
DUE = Query(str, text("SELECT id FROM tables WHERE due IS NOT NULL AND due <= :moment ORDER BY due, id"))
LINE = f"SELECT id, {', '.join(PARTS)}, created, changed"
# What runs out first comes first, where it is this person's time.
SOONEST = (
    "CASE WHEN (actors >> holders.seat) & 1 = 1 AND due IS NOT NULL THEN 0 ELSE 1 END, "
    "CASE WHEN (actors >> holders.seat) & 1 = 1 THEN due END"
)
OWN_RESULT = "FROM results WHERE results.table_id = id AND results.seat = holders.seat"
TEAMS = "SELECT count(DISTINCT team) FROM results AS these WHERE these.table_id = {table}"
# Where the person is to act before the others, and what is over last.
TABLES_OF = text(
    f"{LINE}, holders.seat, (SELECT place {OWN_RESULT}) AS place, (SELECT success {OWN_RESULT}) AS success, "
    f"({TEAMS.format(table='id')}) AS teams FROM holders JOIN tables ON tables.id = holders.table_id "
    "WHERE holders.person = :person AND holders.seat >= 0 AND holders.is_hidden = :is_hidden "
    "ORDER BY CASE WHEN status = 'over' THEN 3 WHEN status = 'waiting' THEN 2 "
    "WHEN (actors >> holders.seat) & 1 = 1 THEN 0 ELSE 1 END, "
    f"{SOONEST}, changed DESC, id LIMIT :limit OFFSET :after"
)
# On the first page: those where the person is to act before the others, and what is over last.
CURRENT_TABLES_OF = text(
    f"{LINE}, holders.seat FROM holders JOIN tables ON tables.id = holders.table_id "
    "WHERE holders.person = :person AND holders.seat >= 0 AND NOT holders.saw_end AND NOT holders.is_hidden AND "
    "(due IS NOT NULL OR "
    "changed > CASE WHEN status = 'over' OR people <= 1 AND status = 'playing' THEN :soon ELSE :late END) "
    "ORDER BY CASE WHEN status = 'over' THEN 2 WHEN (actors >> holders.seat) & 1 = 1 THEN 0 ELSE 1 END, "
    f"{SOONEST}, changed DESC, id LIMIT :limit"
)
OPEN_TABLES = text(
    f"{LINE}, NULL AS seat FROM tables WHERE is_open AND status <> 'over' AND "
    "(status = 'playing' OR status = 'waiting' AND free > 0) ORDER BY changed DESC, id LIMIT :limit"
)
BOT_TURNS = (
    "SELECT id FROM tables LEFT JOIN claims ON claims.table_id = id AND claims.number = head AND claims.until > {now} "
    "WHERE bot_turn AND status = 'playing' AND claims.table_id IS NULL AND id > :after ORDER BY id LIMIT :limit"
)
BOT_GAMES = "SELECT DISTINCT game FROM claims JOIN tables ON tables.id = table_id WHERE until > {now} - :span"
WAITING_TABLES_OF = text(
    "SELECT count(*) FROM holders JOIN tables ON tables.id = holders.table_id "
    "WHERE holders.person = :person AND holders.seat >= 0 AND status = 'waiting'"
)
LAST_SEEN = "SELECT seat, {now} - seen AS ago FROM presence WHERE table_id = :table"
COUNT = text("SELECT count(*) FROM tables WHERE status = :status")
KEEP = text("INSERT INTO facts (name, value) VALUES (:name, :value) ON CONFLICT DO NOTHING")
RECALL = text("SELECT value FROM facts WHERE name = :name")


class Store:
    """The logs of all tables. Made by its URL, usable between `open` and `close`, from one event
    loop."""

    def __init__(self, url: str) -> None:
        self._database = Database(url)
        self.exclusive = self._database.exclusive  # this process is the only writer
        self.process = self._database.process  # its name, by which claims know it
        now = NOW[self._database.url.get_backend_name()]
        self._bot_turns, self._bot_games, self._last_seen = (
            text(statement.format(now=now)) for statement in (BOT_TURNS, BOT_GAMES, LAST_SEEN)
        )
        self._open = False

    async def open(self) -> None:
        """Makes or migrates the schema and starts the writer; a StoreError says what to do about
        it."""
        await asyncio.to_thread(self._connect)
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="samovar-reader")
        self._writer = Writer(self._database.writing, PARTS, self._database.explain, asyncio.get_running_loop())
        self._open = True

    async def close(self) -> None:
        """Writes what is queued, then closes."""
        if self._open:
            self._open = False
            await asyncio.to_thread(self._disconnect)

    async def append(
        self,
        table: str,
        entries: Sequence[LogLine],
        summary: Summary,
        holders: Sequence[tuple[str, int]] = (),
        results: Sequence[Mapping[str, object]] = (),
    ) -> None:
        """Returns when it is committed. Taken: another was faster, or numbers are missing. A holder
        with seat -1 has stood up."""
        check_numbers(table, entries)
        first, last = entries[0], entries[-1]
        row = dict(zip(PARTS, parts(summary), strict=True)) | {
            "id": table,
            "before": first.number - 1,
            "head": last.number,
            "created": first.at,
            "changed": last.at,
        }
        lines = [
            {"table_id": table, "number": entry.number, "kind": entry.kind, "data": encode(entry.data), "at": entry.at}
            for entry in entries
        ]
        seats = [{"person": person, "table_id": table, "seat": seat} for person, seat in holders]
        outcome = [dict(result) for result in results]
        await self._written(Append(row, lines, seats, outcome, asyncio.get_running_loop().create_future()))

    async def claim(self, table: str, number: int, owner: str, seconds: float) -> bool:
        """Whether this owner is to think about the bot's turn. A claim ends by the database's
        clock; its owner may renew it before."""
        row = {"table_id": table, "number": number, "owner": owner, "span": round(seconds * 1000)}
        return bool(await self._written(Claim(row, asyncio.get_running_loop().create_future())))

    async def renew(self, tables: Iterable[str], owner: str, seconds: float) -> None:
        """The claims of this owner on these tables last so many seconds from now on."""
        await self.do(chores.renew, owner, list(tables), round(seconds * 1000))

    async def release(self, owner: str) -> None:
        """Ends all claims of this owner: others may take them at once."""
        await self.do(chores.release, owner)

    async def release_gone(self) -> None:
        """Ends the claims of processes that are not connected any more: others may take them at once. For
        PostgreSQL."""
        await self.do(chores.release_gone, self.process)

    async def load(self, table: str, after: int = -1) -> list[LogLine]:
        """The log in order; empty if there is no such table."""
        rows = await self.all(LOAD, table=table, after=after) if can_be_id(table) else ()
        return [read_line(row) for row in rows]

    async def load_later(self, table: str, after: int) -> list[LogLine] | None:
        """The log after this number; None if there is no such table any more."""
        rows = await self.all(LATER, table=table, after=after)
        return [read_line(row) for row in rows if row.number is not None] if rows else None

    async def head(self, table: str) -> int:
        """The number of the last entry; -1 if there is no such table."""
        rows = await self.all(HEAD, table=table) if can_be_id(table) else ()
        return int(rows[0].head) if rows else -1

    async def load_kinds(self, table: str, kinds: Sequence[str]) -> list[LogLine]:
        """The entries of these kinds, in order."""
        return [read_line(row) for row in await self.all(LOAD_KINDS, table=table, kinds=kinds)]

    async def tables_of(self, person: str, limit: int = 50, after: int = 0, *, is_hidden: bool = False) -> list[Listed]:
        """The tables where a person sits, less the first ones: those that wait for them before the
        others, and what is over last. Or those that they have hidden."""
        rows = await self.all(TABLES_OF, person=person, limit=limit, after=after, is_hidden=is_hidden)
        return [listed(row) for row in rows]

    async def current_tables_of(self, person: str, soon: int, late: int, limit: int) -> list[Listed]:
        """Those of them that a person may want to go to now: where something has happened since
        `late`, or since `soon` if it is over and not seen yet, or against bots alone (both in
        milliseconds since 1970). Where time runs, something is going to happen."""
        rows = await self.all(CURRENT_TABLES_OF, person=person, soon=soon, late=late, limit=limit)
        return [listed(row) for row in rows]

    async def mark_end_seen(self, table: str, person: str) -> None:
        """A person has seen how the match of this table ended."""
        await self.do(chores.mark_end_seen, table, person)

    async def open_tables(self, limit: int = 50) -> list[Listed]:
        """The tables that anybody may join or watch, the newest change first."""
        return [listed(row) for row in await self.all(OPEN_TABLES, limit=limit)]

    async def waiting_tables_of(self, person: str) -> int:
        """At how many tables that have not begun a person sits."""
        return int((await self.all(WAITING_TABLES_OF, person=person))[0][0])

    async def bot_turns(self, page: int = 200) -> AsyncIterator[str]:
        """All tables that wait for a bot that no process thinks about."""
        after, count = "", page
        while count == page:
            rows = await self.all(self._bot_turns, after=after, limit=page)
            count = len(rows)
            for row in rows:
                after = row.id
                yield after

    async def bot_games(self, seconds: float) -> list[str]:
        """The games in which bots have lately been thought about, by any process."""
        return [row.game for row in await self.all(self._bot_games, span=round(seconds * 1000))]

    async def count(self, status: str) -> int:
        """How many tables have this status."""
        return int((await self.all(COUNT, status=status))[0][0])

    async def secret(self) -> bytes:
        """32 random bytes, the same for all processes of this database."""
        self._needs_open()
        return self._secret

    async def mark_seen(self, seats: Mapping[tuple[str, int], float]) -> None:
        """These seats, each of a table, have shown so many seconds ago that somebody is there."""
        await self.do(chores.mark_seen, {seat: round(ago * 1000) for seat, ago in seats.items()})

    async def last_seen(self, table: str) -> dict[int, float]:
        """How many seconds ago each seat was seen; those that never were are missing."""
        return {row.seat: row.ago / 1000 for row in await self.all(self._last_seen, table=table)}

    async def count_together(self, counts: Mapping[str, tuple[int, float]]) -> dict[str, tuple[int, float]]:
        """Adds what this process has counted since it last asked, each with the seconds that a
        count holds, to what all have counted. Returns the totals, with the seconds that are left.
        For PostgreSQL: a process that is alone knows it all."""
        counted = {who: (count, round(seconds * 1000)) for who, (count, seconds) in counts.items()}
        rows = await self.do(chores.count_together, counted) if counted else []
        return {who: (count, span / 1000) for who, count, span in rows}

    async def sweep(self, waiting_seconds: float, bots_seconds: float, over_seconds: float = 0.0) -> list[str]:
        """Removes tables that never began, those of bots alone and, unless 0 is said, finished ones, that nothing has
        happened at for so long; some at a time, and returns which."""
        spans = (round(seconds * 1000) for seconds in (waiting_seconds, bots_seconds, over_seconds))
        return await self.do(chores.sweep, *spans)

    async def check(self) -> None:
        """Whether the database can be written to, and has some room left."""
        await asyncio.to_thread(self._database.check_space)
        await self.do(chores.check)

    def _connect(self) -> None:
        try:
            self._database.connect(READERS)
            self._database.bring_up()
            self._secret = self._agree_on_secret()
        except Exception as error:
            self._database.close()
            raise self._database.explain(error) from error

    def _disconnect(self) -> None:
        self._writer.stop()
        self._readers.shutdown()
        self._database.close()

    def _agree_on_secret(self) -> bytes:
        """Of several processes that start together on an empty database, one is the first."""
        with self._database.writing.begin() as connection:
            connection.execute(KEEP, {"name": "secret", "value": secrets.token_hex(32)})
            return bytes.fromhex(connection.execute(RECALL, {"name": "secret"}).scalar_one())

    def _needs_open(self) -> None:
        if not self._open:
            raise StoreError("The store is closed: it is not open yet, or the site is being shut down.")

    async def _written(self, job: Job) -> Any:
        self._needs_open()
        began = time.monotonic()
        self._writer.put(job)
        try:
            return await job.done
        finally:
            figures.DATABASE_SECONDS.observe(time.monotonic() - began, "write")

    async def do(self, chore: Callable[Concatenate[Connection, P], T], *values: P.args, **named: P.kwargs) -> T:
        """Something that is written beside the moves, in a transaction of its own: `chore` gets the
        connection and the values."""

        def work(connection: Connection) -> T:
            return chore(connection, *values, **named)

        done: T = await self._written(Chore(work, asyncio.get_running_loop().create_future()))
        return done

    async def all(self, statement: Executable, **values: object) -> Sequence[AnyRow]:
        """The rows of a question."""
        return await self._in_reader(lambda: self._read(statement, values))

    async def rows(self, query: Query[T], **values: object) -> list[T]:
        """The same, as the query makes them."""
        return await self._in_reader(lambda: [query.row(*row) for row in self._read(query.statement, values)])

    async def first(self, query: Query[T], **values: object) -> T | None:
        """The first of them, if there is any."""
        return next(iter(await self.rows(query, **values)), None)

    async def _in_reader(self, read: Callable[[], T]) -> T:
        self._needs_open()
        began = time.monotonic()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._readers, read)
        finally:
            figures.DATABASE_SECONDS.observe(time.monotonic() - began, "read")

    def _read(self, statement: Executable, values: Mapping[str, object]) -> Sequence[AnyRow]:
        try:
            try:
                return self._read_once(statement, values)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
                return self._read_once(statement, values)  # the server was started anew: so is the connection
        except Exception as error:
            raise self._database.explain(error) from error

    def _read_once(self, statement: Executable, values: Mapping[str, object]) -> Sequence[AnyRow]:
        with self._database.reading.connect() as connection:
            return connection.execute(statement, values).all()


def check_numbers(table: str, entries: Sequence[LogLine]) -> None:
    """The gap inside the append itself; the one before it is found by the database."""
    if not entries:
        raise StoreError(f"There is nothing to append to table {table!r}.")
    numbers = [entry.number for entry in entries]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))) or numbers[0] < 0:
        raise Taken(f"The numbers {numbers} of table {table!r} do not follow one another: nothing was written.")


def new_id() -> str:
    """Nobody can guess it. One that begins with a hyphen looks like an option in a command, so it is drawn again."""
    while (drawn := secrets.token_urlsafe(9)).startswith("-"):
        pass
    return drawn


def can_be_id(table: str) -> bool:
    """PostgreSQL refuses this character instead of not finding it."""
    return "\x00" not in table


def encode(data: JsonObject) -> str:
    """JSON, made at once: what the caller changes later is not in it."""
    try:
        return msgspec.json.encode(data).decode()
    except (TypeError, ValueError) as error:
        raise StoreError(f"An entry must be JSON: {error}") from error


def lines_of(entries: Sequence[Logged]) -> list[LogLine]:
    """As they are written."""
    return [LogLine(logged.number, *write(logged.entry), logged.at) for logged in entries]


def logged_in(table_id: str, line: LogLine) -> Logged:
    """What a line means."""
    return Logged(line.number, read(table_id, line.number, line.kind, line.data), line.at)


def read_line(row: AnyRow) -> LogLine:
    return LogLine(row.number, row.kind, msgspec.json.decode(row.data), row.at)


def listed(row: AnyRow) -> Listed:
    """A line from the columns of LINE."""
    summary = Summary(
        row.game,
        row.seats,
        row.status,
        bool(row.is_open),
        row.actors,
        bool(row.bot_turn),
        row.free,
        row.people,
        row.names,
        row.due,
    )
    return Listed(row.id, summary, row.created, row.changed, row.seat, *of_result(row))


def of_result(row: AnyRow) -> tuple[int | None, int, int | None]:
    """How it came out for the person, in lists that tell it."""
    return getattr(row, "place", None), getattr(row, "teams", 0), getattr(row, "success", None)
