"""The database of the site: every table is one append-only log of entries. SQLite in a file, or PostgreSQL by its URL."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

import msgspec
from sqlalchemy import Row, TextClause, text

from samovar.errors import StoreError, Taken
from samovar.web.database import Database
from samovar.web.writer import Append, Claim, Job, Writer

READERS = 4  # threads that read, each with a connection of its own


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened at a table."""

    number: int  # 0, 1, 2 ... without gaps within a table
    kind: str  # "open", "sit", "move", "say" ...
    data: dict[str, Any]  # JSON
    at: int  # milliseconds since 1970


@dataclass(frozen=True, slots=True)
class Summary:
    """What lists need to know of a table: kept in its row, written with every append."""

    game: str
    seats: int
    status: str  # "waiting", "playing" or "over"
    is_open: bool  # listed for everybody
    actors: int  # bit mask of the seats to act
    bot_turn: bool  # a bot is to move
    free: int  # free chairs


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of a list."""

    table: str
    summary: Summary
    created: int
    changed: int
    seat: int | None  # of the person who asked


PARTS = tuple(part.name for part in fields(Summary))
parts = attrgetter(*PARTS)

LOAD = text("SELECT number, kind, data, at FROM entries WHERE table_id = :table AND number > :after ORDER BY number")
HEAD = text("SELECT head FROM tables WHERE id = :table")
LINE = "SELECT id, game, seats, status, is_open, actors, bot_turn, free, created, changed"
TABLES_OF = text(
    f"{LINE}, holders.seat FROM holders JOIN tables ON tables.id = holders.table_id "
    "WHERE holders.person = :person AND holders.seat >= 0 ORDER BY changed DESC, id LIMIT :limit"
)
OPEN_TABLES = text(
    f"{LINE}, NULL AS seat FROM tables WHERE is_open AND status <> 'over' AND (status = 'playing' OR free > 0) ORDER BY changed DESC, id LIMIT :limit"
)
BOT_TURNS = text("SELECT id, head FROM tables WHERE bot_turn AND status = 'playing' ORDER BY changed, id LIMIT :limit")
COUNT = text("SELECT count(*) FROM tables WHERE status = :status")
CHECK = text("SELECT name FROM facts LIMIT 1")
KEEP = text("INSERT INTO facts (name, value) VALUES (:name, :value) ON CONFLICT DO NOTHING")
RECALL = text("SELECT value FROM facts WHERE name = :name")


class Store:
    """The logs of all tables. Made by its URL, usable between `open` and `close`, from one event loop."""

    def __init__(self, url: str) -> None:
        self._database = Database(url)
        self.exclusive = self._database.exclusive  # this process is the only writer
        self._open = False

    async def open(self) -> None:
        """Makes or migrates the schema and starts the writer; a StoreError says what to do about it."""
        await asyncio.to_thread(self._connect)
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="samovar-reader")
        self._writer = Writer(self._database.writing, self._database.explain, asyncio.get_running_loop())
        self._open = True

    async def close(self) -> None:
        """Writes what is queued, then closes."""
        if self._open:
            self._open = False
            await asyncio.to_thread(self._disconnect)

    async def append(self, table: str, entries: Sequence[Entry], summary: Summary, holders: Sequence[tuple[str, int]] = ()) -> None:
        """Returns when it is committed. Taken: another was faster, or numbers are missing. A holder with seat -1 has stood up."""
        check_numbers(table, entries)
        first, last = entries[0], entries[-1]
        row = dict(zip(PARTS, parts(summary), strict=True)) | {
            "id": table,
            "before": first.number - 1,
            "head": last.number,
            "created": first.at,
            "changed": last.at,
        }
        lines = [{"table_id": table, "number": entry.number, "kind": entry.kind, "data": encode(entry.data), "at": entry.at} for entry in entries]
        seats = [{"person": person, "table_id": table, "seat": seat} for person, seat in holders]
        await self._written(Append(row, lines, seats, asyncio.get_running_loop().create_future()))

    async def claim(self, table: str, number: int, owner: str, seconds: float) -> bool:
        """Whether this owner is to think about the bot's turn. A claim ends by the database's clock; its owner may renew it before."""
        row = {"table_id": table, "number": number, "owner": owner, "span": round(seconds * 1000)}
        return bool(await self._written(Claim(row, asyncio.get_running_loop().create_future())))

    async def load(self, table: str, after: int = -1) -> list[Entry]:
        """The log in order; empty if there is no such table."""
        rows = await self._all(LOAD, table=table, after=after)
        return [Entry(row.number, row.kind, msgspec.json.decode(row.data), row.at) for row in rows]

    async def head(self, table: str) -> int:
        """The number of the last entry; -1 if there is no such table."""
        rows = await self._all(HEAD, table=table)
        return int(rows[0].head) if rows else -1

    async def tables_of(self, person: str, limit: int = 50) -> list[Listed]:
        """The tables where a person sits, the newest change first."""
        return [listed(row) for row in await self._all(TABLES_OF, person=person, limit=limit)]

    async def open_tables(self, limit: int = 50) -> list[Listed]:
        """The tables that anybody may join or watch, the newest change first."""
        return [listed(row) for row in await self._all(OPEN_TABLES, limit=limit)]

    async def bot_turns(self, limit: int = 200) -> list[tuple[str, int]]:
        """The tables that wait for a bot, with their heads; those that wait longest first."""
        return [(row.id, row.head) for row in await self._all(BOT_TURNS, limit=limit)]

    async def count(self, status: str) -> int:
        """How many tables have this status."""
        return int((await self._all(COUNT, status=status))[0][0])

    async def secret(self) -> bytes:
        """32 random bytes, the same for all processes of this database."""
        self._needs_open()
        return self._secret

    async def check(self) -> None:
        """Whether the database answers."""
        await self._all(CHECK)

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
        self._writer.put(job)
        return await job.done

    async def _all(self, statement: TextClause, **values: Any) -> Sequence[Row[Any]]:
        self._needs_open()
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, statement, values)

    def _read(self, statement: TextClause, values: dict[str, Any]) -> Sequence[Row[Any]]:
        try:
            with self._database.reading.connect() as connection:
                return connection.execute(statement, values).all()
        except Exception as error:
            raise self._database.explain(error) from error


def check_numbers(table: str, entries: Sequence[Entry]) -> None:
    """The gap inside the append itself; the one before it is found by the database."""
    if not entries:
        raise StoreError(f"There is nothing to append to table {table!r}.")
    numbers = [entry.number for entry in entries]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))) or numbers[0] < 0:
        raise Taken(f"The numbers {numbers} of table {table!r} do not follow one another: nothing was written.")


def encode(data: dict[str, Any]) -> str:
    """JSON, made at once: what the caller changes later is not in it."""
    try:
        return msgspec.json.encode(data).decode()
    except (TypeError, ValueError) as error:
        raise StoreError(f"An entry must be JSON: {error}") from error


def listed(row: Row[Any]) -> Listed:
    """A line from the columns of LINE."""
    summary = Summary(row.game, row.seats, row.status, bool(row.is_open), row.actors, bool(row.bot_turn), row.free)
    return Listed(row.id, summary, row.created, row.changed, row.seat)
