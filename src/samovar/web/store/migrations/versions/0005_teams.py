"""Who played with whom, and how well those did who all played together: of every match before, each
seat was for itself."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("results", sa.Column("team", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("results", sa.Column("success", sa.Integer(), nullable=True))
    op.execute("UPDATE results SET team = seat")
