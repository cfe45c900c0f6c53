"""Circles: who is in them, what belongs to them, and the link by which people come in."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "circle_members",
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("circle", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("person", "circle", name="pk_circle_members"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_circle_members_circle", "circle_members", ["circle"])
    for name in ("circle", "link"):
        op.add_column("series", sa.Column(name, sa.Text(), nullable=False, server_default=sa.text("''")))
        some = sa.text(f"{name} <> ''")
        op.create_index(f"ix_series_{name}", "series", [name], sqlite_where=some, postgresql_where=some)
