"""Candidates of the sweeps of experiments."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "experiment_candidates",
        sa.Column("experiment_id", sa.Integer, sa.ForeignKey("experiments.id"), primary_key=True),
        sa.Column("label", sa.Text, primary_key=True),
        sa.Column("learner", sa.Text, nullable=False),
        sa.Column("spec", sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("chosen", sa.Boolean),
    )
