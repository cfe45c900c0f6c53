"""Records that several people look at together, and what people have written beside moves."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "tours",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("of_class", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("changed", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tours"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_tours_host", "tours", ["host", "created"])
    op.create_index("ix_tours_of_class", "tours", ["of_class", "created"])
    op.create_index("ix_tours_record", "tours", ["record"])
    op.create_table(
        "notes",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_notes"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_notes_record", "notes", ["record", "at"])
    op.create_index("ix_notes_person", "notes", ["person"])
