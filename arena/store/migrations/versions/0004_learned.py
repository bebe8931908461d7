"""Add a table of the models that players learn during a tournament."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "learned",
        sa.Column("tournament_id", sa.Integer, primary_key=True),
        sa.Column("player_id", sa.Integer, primary_key=True),
        sa.Column("round", sa.Integer, primary_key=True),
        sa.Column("model_hash", sa.Text, sa.ForeignKey("models.hash"), nullable=False),
        sa.Column("spec", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id", "player_id"], ["tournament_players.tournament_id", "tournament_players.player_id"]
        ),
    )
    op.create_index("learned_model", "learned", ["model_hash"])
