"""Experiments, their training runs and checkpoints, and the processor time of checkpoints."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "experiments",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournaments.id"), nullable=False, unique=True),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("started", sa.Double, nullable=False),
    )
    op.create_table(
        "experiment_runs",
        sa.Column("experiment_id", sa.Integer, sa.ForeignKey("experiments.id"), primary_key=True),
        sa.Column("label", sa.Text, primary_key=True),
        sa.Column("seed", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("run_id", sa.Integer, sa.ForeignKey("runs.id"), nullable=False, unique=True),
        sa.Column("failure", sa.Text),
    )
    op.create_table(
        "experiment_checkpoints",
        sa.Column("run_id", sa.Integer, primary_key=True),
        sa.Column("games", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("player_id", sa.Integer, sa.ForeignKey("players.id"), nullable=False),
        sa.ForeignKeyConstraint(["run_id", "games"], ["checkpoints.run_id", "checkpoints.games"]),
    )
    op.add_column("checkpoints", sa.Column("cpu_seconds", sa.Double))
