"""Annotations: what people say about the moves of recorded and imported games."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "move_annotations",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("tournament_id", sa.Integer),
        sa.Column("collection_id", sa.Integer),
        sa.Column("game_id", sa.BigInteger, nullable=False),
        sa.Column("ply", sa.Integer, nullable=False),
        sa.Column("annotator", sa.Text, nullable=False),
        sa.Column("mark", sa.Text),
        sa.Column("better", sa.Text),
        sa.Column("score", sa.Double),
        sa.Column("comment", sa.Text),
        sa.Column("added", sa.Double, nullable=False),
        sa.ForeignKeyConstraint(["tournament_id", "game_id"], ["games.tournament_id", "games.id"]),
        sa.ForeignKeyConstraint(["collection_id", "game_id"], ["collected_games.collection_id", "collected_games.id"]),
        sa.CheckConstraint("(tournament_id IS NULL) <> (collection_id IS NULL)"),
        sa.CheckConstraint("mark IN ('!', '?', '!!', '??', '!?', '?!')"),
        sa.CheckConstraint("score BETWEEN -1 AND 1"),
        sqlite_autoincrement=True,
    )
    for owner in ("tournament_id", "collection_id"):
        op.create_index(f"move_annotations_{owner.removesuffix('_id')}", "move_annotations", [owner, "game_id"])
