"""Add tables and views of training runs, metrics, checkpoints and models."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

RUNS = """
CREATE VIEW v_runs AS
SELECT
    runs.id AS id,
    runs.name AS run,
    runs.learner AS learner,
    runs.seed AS seed,
    runs.games AS games,
    COALESCE(MAX(checkpoints.games), 0) AS learned,
    COUNT(checkpoints.games) AS checkpoints,
    COALESCE(MAX(checkpoints.seconds), 0) AS seconds,
    runs.version AS version,
    runs.weights AS weights,
    runs.started AS started
FROM runs
LEFT JOIN checkpoints ON checkpoints.run_id = runs.id
GROUP BY runs.id, runs.name, runs.learner, runs.seed, runs.games, runs.version, runs.weights, runs.started
ORDER BY id
"""

METRICS = """
CREATE VIEW v_run_metrics AS
SELECT
    runs.name AS run,
    run_metrics.games AS games,
    run_metrics.metric AS metric,
    NULLIF(run_metrics.opponent, '') AS opponent,
    run_metrics.value AS value,
    run_metrics.run_id AS run_id
FROM run_metrics
JOIN runs ON runs.id = run_metrics.run_id
ORDER BY run_id, games, run_metrics.opponent, metric
"""

CHECKPOINTS = """
CREATE VIEW v_checkpoints AS
SELECT
    runs.name || '@' || checkpoints.games AS checkpoint,
    runs.name AS run,
    checkpoints.games AS games,
    models.kind AS kind,
    checkpoints.model_hash AS model,
    checkpoints.seconds AS seconds,
    checkpoints.added AS added,
    checkpoints.run_id AS run_id
FROM checkpoints
JOIN runs ON runs.id = checkpoints.run_id
JOIN models ON models.hash = checkpoints.model_hash
ORDER BY run_id, games
"""


def upgrade() -> None:
    op.create_table(
        "models",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("provenance", sa.JSON, nullable=False),
        sa.Column("added", sa.Double, nullable=False),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("learner", sa.Text, nullable=False),
        sa.Column("distribution", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("weights", sa.Text),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("games", sa.BigInteger, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("arena", sa.Text, nullable=False),
        sa.Column("started", sa.Double, nullable=False),
    )
    op.create_table(
        "checkpoints",
        sa.Column("run_id", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True),
        sa.Column("games", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("model_hash", sa.Text, sa.ForeignKey("models.hash"), nullable=False),
        sa.Column("player", sa.Text),
        sa.Column("state", sa.LargeBinary),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("added", sa.Double, nullable=False),
    )
    op.create_index("checkpoints_model", "checkpoints", ["model_hash"])
    op.create_table(
        "run_metrics",
        sa.Column("run_id", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True),
        sa.Column("games", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("opponent", sa.Text, primary_key=True),
        sa.Column("metric", sa.Text, primary_key=True),
        sa.Column("value", sa.Double, nullable=False),
    )
    op.create_table(
        "run_games",
        sa.Column("run_id", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
    )
    for view in (RUNS, METRICS, CHECKPOINTS):
        op.execute(view)
