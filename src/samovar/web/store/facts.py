"""Facts of the site, by their names."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, select

from samovar.web.store.putting import put
from samovar.web.store.schema import facts
from samovar.web.store.store import Store

VALUE = select(facts.c.value).where(facts.c.name == bindparam("name"))


async def recall(store: Store, name: str) -> str | None:
    return await store.first(str, VALUE, name=name)


def keep(connection: Connection, name: str, value: str) -> None:
    put(connection, facts, {"name": name, "value": value}, "value")
