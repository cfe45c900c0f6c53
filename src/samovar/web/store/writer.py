"""The one thread that writes: it takes all that is queued into one transaction, so that many
players share the price of a commit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from sqlalchemy import Connection, Dialect, Engine, text
from sqlalchemy.exc import InterfaceError, OperationalError

from samovar.errors import Taken

Row = dict[str, Any]
MOST = 500  # jobs in one transaction


def insert(table: str, columns: str) -> str:
    names = columns.split()
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})"


# Text, not the declared tables: a start that only opens the database need not load them.
WRITE = insert("entries", "table_id number kind data at")
HOLD = f"{insert('holders', 'person table_id seat')} ON CONFLICT (person, table_id) DO UPDATE SET seat = excluded.seat"
RESULT = (
    insert("results", "table_id seat game seats person name level team place score success is_rated ended")
    + " ON CONFLICT DO NOTHING"
)
CLAIM = (
    "INSERT INTO claims (table_id, number, owner, until) VALUES (:table_id, :number, :owner, {now} + :span) "
    "ON CONFLICT (table_id) DO UPDATE SET number = excluded.number, owner = excluded.owner, until = excluded.until "
    "WHERE claims.number < excluded.number OR claims.number = excluded.number AND (claims.owner = excluded.owner OR "
    "claims.until <= {now})"
)
# Milliseconds of the clock that all processes share.
NOW = {
    "sqlite": "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
    "postgresql": "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
}


class Statements:
    """The statements in the words of the driver. Handed over as they are: SQLAlchemy's care for
    every parameter took a third of the writer's time."""

    def __init__(self, dialect: Dialect, parts: Sequence[str]) -> None:
        """`parts` of a table's row are written anew with every append."""

        def driver(sql: str) -> str:
            return str(text(sql).compile(dialect=dialect))

        changes = ", ".join(f"{name} = :{name}" for name in (*parts, "head", "changed"))
        self.create = driver(insert("tables", f"id {' '.join(parts)} head created changed") + " ON CONFLICT DO NOTHING")
        self.advance = driver(f"UPDATE tables SET {changes} WHERE id = :id AND head = :before")
        self.write, self.hold, self.result = driver(WRITE), driver(HOLD), driver(RESULT)
        self.claim = driver(CLAIM.format(now=NOW[dialect.name]))


@dataclass(eq=False)
class Append:
    """Entries of one table's log, with the row that lists read, who sits where, and how the match
    came out."""

    row: Row
    entries: Sequence[Row]
    holders: Sequence[Row]
    results: Sequence[Row]
    done: asyncio.Future[Any]

    @property
    def creates(self) -> bool:
        """Whether these are the first entries of a new table."""
        return bool(self.row["before"] < 0)

    @property
    def turn(self) -> tuple[int, str]:
        """Every process takes the rows in this order: no two can wait for one another."""
        return (0 if self.creates else 1, self.row["id"])


@dataclass(eq=False)
class Claim:
    """A bot's turn for one owner."""

    row: Row
    done: asyncio.Future[Any]

    @property
    def turn(self) -> tuple[int, str]:
        """After all appends."""
        return (2, self.row["table_id"])


@dataclass(eq=False)
class Chore:
    """Anything else that is written, in a transaction of its own: what is wrong with it, or holds
    it up, is no move's trouble."""

    work: Callable[[Connection], Any]
    done: asyncio.Future[Any]

    @property
    def turn(self) -> tuple[int, str]:
        """Last, in the order in which they came."""
        return (3, "")


Shared = Append | Claim  # what may stand in one transaction
Job = Shared | Chore
Outcome = object  # what the caller gets: a value, or an exception that is raised there


class Writer:
    """`explain` makes the exception that the caller gets from the one the database gave."""

    def __init__(
        self,
        engine: Engine,
        parts: Sequence[str],
        explain: Callable[[Exception], Exception],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._engine, self._explain, self._loop = engine, explain, loop
        self._statements = Statements(engine.dialect, parts)
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        # It ends with the process if nobody ends it before: what is not acknowledged may be lost.
        self._thread = threading.Thread(target=self._work, name="samovar-writer", daemon=True)
        self._thread.start()

    def put(self, job: Job) -> None:
        self._queue.put(job)

    def stop(self) -> None:
        """Returns when all that was queued before is written."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        going = True
        while going:
            going, jobs = self._take()
            shared = [job for job in jobs if not isinstance(job, Chore)]
            if shared:
                self._tell(shared, self._outcomes(shared))
            for job in jobs:
                if isinstance(job, Chore):
                    self._tell([job], [self._outcome(job)])

    def _tell(self, jobs: Sequence[Job], outcomes: Sequence[Outcome]) -> None:
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            self._loop.call_soon_threadsafe(settle, jobs, outcomes)

    def _take(self) -> tuple[bool, list[Job]]:
        """All that waits, in the order of the rows; False: it is the last."""
        jobs: list[Job] = []
        job = self._queue.get()
        with suppress(Empty):
            while job is not None:
                jobs.append(job)
                if len(jobs) == MOST:
                    break
                job = self._queue.get_nowait()
        jobs.sort(key=lambda job: job.turn)  # stable: the order of two appends to one table remains
        return job is not None, jobs

    def _outcome(self, chore: Chore) -> Outcome:
        try:
            with self._engine.begin() as connection:
                return chore.work(connection)
        except Exception as error:
            return self._explain(error)

    def _outcomes(self, jobs: Sequence[Shared]) -> list[Outcome]:
        """All in one transaction; if one is wrong, each half in its own, down to the one that is
        wrong: no other shares its fate."""
        try:
            return self._write(jobs)
        except (OperationalError, InterfaceError) as error:
            # of the disk or the server, not of a job; even the commit may have failed: no second
            # try
            return [self._explain(error) for _ in jobs]
        except Exception as error:
            if len(jobs) == 1:
                return [self._explain(error)]
            half = len(jobs) // 2
            return self._outcomes(jobs[:half]) + self._outcomes(jobs[half:])

    def _write(self, jobs: Sequence[Shared]) -> list[Outcome]:
        with self._engine.begin() as connection:
            return write_together(connection, self._statements, jobs)


def write_together(connection: Connection, sql: Statements, jobs: Sequence[Shared]) -> list[Outcome]:
    """What each job's caller gets; Taken if any append does not fit."""
    appends = [job for job in jobs if isinstance(job, Append)]
    guarded(connection, sql.create, [job.row for job in appends if job.creates])
    guarded(connection, sql.advance, [job.row for job in appends if not job.creates])
    execute(connection, sql.write, [row for job in appends for row in job.entries])
    execute(connection, sql.hold, [row for job in appends for row in job.holders])
    execute(connection, sql.result, [row for job in appends for row in job.results])
    return [None if isinstance(job, Append) else execute(connection, sql.claim, [job.row]) == 1 for job in jobs]


def guarded(connection: Connection, statement: str, rows: list[Row]) -> None:
    """Each row must find its place: the table's head is where the append says it is."""
    if execute(connection, statement, rows) != len(rows):
        raise Taken("Somebody else wrote to this table first: load its log again.")


def execute(connection: Connection, statement: str, rows: list[Row]) -> int:
    """How many rows of the database it touched."""
    return connection.exec_driver_sql(statement, rows).rowcount if rows else 0


def settle(jobs: Sequence[Job], outcomes: Sequence[Outcome]) -> None:
    """Tells all callers, in the loop's thread; one that has gone away is passed over."""
    for job, outcome in zip(jobs, outcomes, strict=True):
        if job.done.done():
            continue
        if isinstance(outcome, Exception):
            job.done.set_exception(outcome)
        else:
            job.done.set_result(outcome)
