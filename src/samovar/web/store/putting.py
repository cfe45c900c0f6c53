"""Rows that may be there already, in the words of either database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Table

if TYPE_CHECKING:
    from sqlalchemy.dialects.sqlite import Insert

Values = Mapping[str, object]


def insert_into(connection: Connection, table: Table) -> Insert:
    """That of SQLite stands for both: they have the same methods."""
    made: Insert = import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert(table)
    return made


def put(connection: Connection, table: Table, values: Values | Sequence[Values], *changed: str) -> int:
    """Rows, or these columns of those that are there with the same key; with no columns named, what is there stays as
    it is. How many rows were written."""
    adding = insert_into(connection, table)
    if changed:
        new = {name: adding.excluded[name] for name in changed}
        statement = adding.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=new)
    else:
        statement = adding.on_conflict_do_nothing()
    return connection.execute(statement, values).rowcount
