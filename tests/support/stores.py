"""What stands in a store: entries and summaries to write, stores to open, and databases of other versions."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, text

from samovar.web.store import database
from samovar.web.store.store import LogLine, Store, Summary

# What Samovar 0.1.0 wrote
DATA = Path(__file__).parents[1] / "data" / "0.1.0"
EXPECTED = json.loads((DATA / "expected.json").read_text())

WAITING = Summary("babuschka", 2, "waiting", is_open=True, actors=0, bot_turn=False, free=1)
PLAYING = replace(WAITING, status="playing", actors=1, free=0)
OVER = replace(WAITING, status="over", free=0)
Work = Callable[[Store], Awaitable[None]]


def entry(number: int, kind: str = "say", at: int | None = None, **data: Any) -> LogLine:
    return LogLine(number, kind, data, number if at is None else at)


@asynccontextmanager
async def opened(*urls: str) -> AsyncIterator[list[Store]]:
    stores = [Store(url) for url in urls]
    try:
        for store in stores:
            await store.open()
        yield stores
    finally:
        for store in stores:
            await store.close()


def run(url: str, work: Work) -> None:
    """In an event loop and a store of its own."""

    async def main() -> None:
        async with opened(url) as (store,):
            await work(store)

    asyncio.run(main())


async def open_and_close(url: str) -> None:
    store = Store(url)
    await store.open()
    await store.close()


async def write(url: str) -> None:
    store = Store(url)
    await store.open()
    await store.append("t", [LogLine(0, "open", {}, 0)], PLAYING)
    await store.close()


async def heads(url: str) -> int:
    store = Store(url)
    await store.open()
    try:
        return await store.head("t")
    finally:
        await store.close()


def with_engine(url: str, work: Callable[[Connection], Any]) -> Any:
    """On a connection of the test's own, committed at the end."""
    if url.startswith("sqlite"):
        Path(url.removeprefix("sqlite:///")).parent.mkdir(exist_ok=True)
    engine: Engine = create_engine(url)
    try:
        with engine.begin() as connection:
            return work(connection)
    finally:
        engine.dispose()


def stamped(number: str) -> Callable[[Connection], Any]:
    return lambda connection: connection.execute(
        text("UPDATE alembic_version SET version_num = :number"), {"number": number}
    )


NEXT = """
from alembic import op
import sqlalchemy as sa

revision, down_revision = "9999", "{before}"

def upgrade():
    op.add_column("tables", sa.Column("place", sa.Text()))
    {then}
"""


def become(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(database, "VERSION", version)


def rows(client, statement, **values):
    return client.blocking_portal.call(lambda: client.app.state.tables.store.all(text(statement), **values))
