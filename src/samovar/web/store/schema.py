"""How the tables of the database come into it. Imported only when they must be made or changed: a start should be
fast."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    Column,
    Connection,
    Index,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    TextClause,
    inspect,
    text,
)

from samovar.errors import StoreError
from samovar.web.store.declared import IS_RATED, IS_WAITING, metadata, notifications, results, series, tables

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).parent / "migrations"


def index_some(name: str, rows: TextClause, *columns: Column[Any]) -> None:
    """Of these rows only. To declare it loads the words of both databases, which takes a while."""
    Index(name, *columns, sqlite_where=rows, postgresql_where=rows)


# Every append writes the first three: they hold only the rows that their list is made of.
index_some("ix_tables_open", text("is_open AND status <> 'over'"), tables.c.changed)
index_some("ix_tables_bot", text("bot_turn"), tables.c.status, tables.c.changed)
index_some("ix_tables_due", text("due IS NOT NULL"), tables.c.due)
index_some("ix_calls_due", IS_WAITING, notifications.c.due)
index_some("ix_results_rated", IS_RATED, results.c.game, results.c.ended)
index_some("ix_series_created", text("closes IS NULL"), series.c.created)
index_some("ix_series_circle", text("circle <> ''"), series.c.circle)
index_some("ix_series_link", text("link <> ''"), series.c.link)

# Alembic's own table, as Alembic would make it; apart, so that it is not compared with the rest.
stamp = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32)),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def bring_up(connection: Connection, version: str | None, today: str) -> None:
    """From the version that the database has to today's, within the connection's transaction."""
    if version is None:
        make(connection, today)
    elif version != today:  # another process may have done it while this one waited
        migrate(connection, version, today)


def make(connection: Connection, today: str) -> None:
    """Everything at once in an empty database; a test shows that the migrations lead to the
    same."""
    strangers = set(inspect(connection).get_table_names()) & set(metadata.tables)
    if strangers:
        raise StoreError(
            f"The database holds tables of something else ({', '.join(sorted(strangers))}): give Samovar an empty "
            "database of its own."
        )
    metadata.create_all(connection, checkfirst=False)
    stamp.create(connection, checkfirst=True)
    connection.execute(stamp.insert().values(version_num=today))


def check(version: str | None, today: str) -> None:
    """Refuses a database that a newer Samovar has changed, before anything is done to it."""
    if version is not None and version not in known_versions():
        raise StoreError(
            f"The database was written by a newer Samovar (its schema is {version}, this Samovar knows {today}): "
            "upgrade Samovar."
        )


def known_versions() -> set[str]:
    from alembic.script import ScriptDirectory

    return {script.revision for script in ScriptDirectory.from_config(configuration()).walk_revisions()}


def configuration() -> Config:
    """Of Alembic."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def migrate(connection: Connection, version: str | None, today: str) -> None:
    """All migrations after the version that the database has."""
    from alembic import command

    check(version, today)
    config = configuration()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
