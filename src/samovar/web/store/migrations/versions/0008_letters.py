"""Which addresses were asked whether they want letters, and must not be asked again."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "letters",
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("who", name="pk_letters"),
        sqlite_with_rowid=False,
    )
