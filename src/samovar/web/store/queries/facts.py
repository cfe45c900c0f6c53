"""Facts of the site, by their names."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, select

from samovar.web.store.declared import facts
from samovar.web.store.putting import put
from samovar.web.store.store import Query

VALUE = Query(str, select(facts.c.value).where(facts.c.name == bindparam("name")))


def keep(connection: Connection, name: str, value: str) -> None:
    put(connection, facts, {"name": name, "value": value}, "value")
