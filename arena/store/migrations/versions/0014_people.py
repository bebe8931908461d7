"""Games of people: facts about finished games, and unfinished games."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "person_games",
        sa.Column("tournament_id", sa.Integer, primary_key=True),
        sa.Column("game_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("side", sa.Text, nullable=False),
        sa.Column("hints", sa.Integer, nullable=False),
        sa.Column("undone", sa.Integer, nullable=False),
        sa.Column("clock", sa.Double),
        sa.Column("increment", sa.Double, nullable=False),
        sa.ForeignKeyConstraint(["tournament_id", "game_id"], ["games.tournament_id", "games.id"]),
        sa.CheckConstraint("side IN ('black', 'white')"),
    )
    op.create_table(
        "saved_games",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.BigInteger, nullable=False, unique=True),
        sa.Column("black", sa.Text, nullable=False),
        sa.Column("white", sa.Text, nullable=False),
        sa.Column("plies", sa.Integer, nullable=False),
        sa.Column("fen", sa.Text, nullable=False),
        sa.Column("saved", sa.Double, nullable=False),
        sa.Column("state", sa.JSON, nullable=False),
        sqlite_autoincrement=True,
    )
