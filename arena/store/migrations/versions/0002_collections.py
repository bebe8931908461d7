"""Add tables and a view of games imported from PDN files."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

COLLECTED = """
CREATE VIEW v_collected_games AS
SELECT
    collected_games.id AS game,
    collections.name AS collection,
    collected_games.event AS event,
    collected_games.site AS site,
    collected_games.date AS date,
    collected_games.round AS round,
    collected_games.black AS black,
    collected_games.white AS white,
    collected_games.result AS result,
    collected_games.fen AS fen,
    collected_games.plies AS plies,
    collected_games.moves AS moves,
    collected_games.comments AS comments,
    collected_games.file AS file,
    collected_games.number AS number,
    collected_games.collection_id AS collection_id
FROM collected_games
JOIN collections ON collections.id = collected_games.collection_id
"""


def upgrade() -> None:
    op.create_table(
        "collections",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("created", sa.Double, nullable=False),
    )
    op.create_table(
        "collected_games",
        sa.Column("collection_id", sa.Integer, sa.ForeignKey("collections.id"), primary_key=True),
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("file", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("event", sa.Text),
        sa.Column("site", sa.Text),
        sa.Column("date", sa.Text),
        sa.Column("round", sa.Text),
        sa.Column("black", sa.Text),
        sa.Column("white", sa.Text),
        sa.Column("tags", sa.JSON, nullable=False),
        sa.Column("result", sa.Text, nullable=False),
        sa.Column("fen", sa.Text, nullable=False),
        sa.Column("plies", sa.Integer, nullable=False),
        sa.Column("moves", sa.Text, nullable=False),
        sa.Column("boards", sa.LargeBinary, nullable=False),
        sa.Column("comments", sa.Text),
        sa.CheckConstraint("result IN ('1-0', '0-1', '1/2-1/2', '*')"),
        sa.CheckConstraint("length(boards) = 12 * (plies + 1)"),
    )
    op.create_index("collected_games_place", "collected_games", ["collection_id", "file", "number"])
    op.execute(COLLECTED)
