"""People as they want to be known, how they are called, how their matches ended, and tables that are
dealt the same cards."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("tables", sa.Column("due", sa.BigInteger(), nullable=True))
    due = sa.text("due IS NOT NULL")
    op.create_index("ix_tables_due", "tables", ["due"], sqlite_where=due, postgresql_where=due)
    op.add_column("holders", sa.Column("is_hidden", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "people",
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("nonce", sa.Text(), nullable=False),
        sa.Column("profile", sa.Text(), nullable=False),
        sa.Column("changed", sa.BigInteger(), nullable=False),
        sa.Column("cuts", sa.Integer(), nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("person", name="pk_people"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_people_nonce", "people", ["nonce"])
    op.create_table(
        "ways",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("keys", sa.Text(), nullable=False),
        sa.Column("is_confirmed", sa.Boolean(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("sent", sa.BigInteger(), nullable=False),
        sa.Column("failed", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("busy", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ways"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_ways_person", "ways", ["person"])
    op.create_table(
        "calls",
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("way", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("head", sa.Integer(), nullable=False),
        sa.Column("due", sa.BigInteger(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("is_done", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "turn", "kind", "way", name="pk_calls"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_calls_way", "calls", ["way"])
    waiting = sa.text("NOT is_done")
    op.create_index("ix_calls_due", "calls", ["due"], sqlite_where=waiting, postgresql_where=waiting)
    op.create_table(
        "results",
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("is_rated", sa.Boolean(), nullable=False),
        sa.Column("ended", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seat", name="pk_results"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_results_person", "results", ["person", "ended"])
    rated = sa.text("is_rated")
    op.create_index("ix_results_rated", "results", ["game", "ended"], sqlite_where=rated, postgresql_where=rated)
    op.create_table(
        "hands",
        sa.Column("device", sa.Text(), nullable=False),
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("device", "table_id", name="pk_hands"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_hands_table_id", "hands", ["table_id"])
    op.create_table(
        "series",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("tables", sa.Integer(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("closes", sa.BigInteger(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_series"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_series_host", "series", ["host", "created"])
    gathering = sa.text("closes IS NULL")
    op.create_index("ix_series_created", "series", ["created"], sqlite_where=gathering, postgresql_where=gathering)
    op.create_table(
        "series_tables",
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("series", sa.Text(), nullable=False),
        sa.Column("deal", sa.Integer(), nullable=False),
        sa.Column("company", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", name="pk_series_tables"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_series_tables_series", "series_tables", ["series", "deal"])
