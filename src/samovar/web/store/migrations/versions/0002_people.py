"""How many people sat at a table, when each seat was last seen, and how often an address came: for
sweeping, for presence, for limits."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("tables", sa.Column("people", sa.Integer(), nullable=False, server_default="1"))
    # A record from elsewhere has nobody either, and a log of one entry.
    op.execute("UPDATE tables SET people = 0 WHERE head > 0 AND id NOT IN (SELECT table_id FROM holders)")
    op.create_index("ix_holders_table_id", "holders", ["table_id"])
    op.create_table(
        "presence",
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seen", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seat", name="pk_presence"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "visits",
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("who", name="pk_visits"),
        sqlite_with_rowid=False,
    )
