"""Who sits at a table, and who has seen how its match ended: for the list of one's own tables."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("tables", sa.Column("names", sa.Text(), nullable=False, server_default=sa.text("''")))
    op.add_column("holders", sa.Column("saw_end", sa.Boolean(), nullable=False, server_default=sa.false()))
