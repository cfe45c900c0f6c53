"""How often somebody has answered a puzzle before it was solved, and that they have at all: whatever was kept before
was solved, and counts as solved at the first try."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("solved", sa.Column("wrong", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("solved", sa.Column("is_solved", sa.Boolean(), nullable=False, server_default=sa.true()))
