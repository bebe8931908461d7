"""Add the view of pairs of games, from which the likelihood of superiority is computed."""

from __future__ import annotations

from statistics import NormalDist

from alembic import op

revision = "0011"
down_revision = "0010"

Z95 = NormalDist().inv_cdf(0.975)

SUPERIORITY = f"""
CREATE VIEW v_superiority AS
WITH
    sides AS (
        SELECT tournament_id, black_id AS player_id, white_id AS opponent_id, round / 2 AS pair,
            CASE result WHEN '1-0' THEN 2 WHEN '1/2-1/2' THEN 1 ELSE 0 END AS half_points
        FROM games WHERE forfeited_by IS NULL
        UNION ALL
        SELECT tournament_id, white_id, black_id, round / 2,
            CASE result WHEN '0-1' THEN 2 WHEN '1/2-1/2' THEN 1 ELSE 0 END
        FROM games WHERE forfeited_by IS NULL
    ),
    pairs AS (
        SELECT tournament_id, player_id, opponent_id, SUM(half_points) AS half_points
        FROM sides
        GROUP BY tournament_id, player_id, opponent_id, pair
        HAVING COUNT(*) = 2
    ),
    totals AS (
        SELECT tournament_id, player_id, opponent_id, COUNT(*) AS pairs,
            SUM(CASE WHEN half_points = 0 THEN 1 ELSE 0 END) AS pairs_0,
            SUM(CASE WHEN half_points = 1 THEN 1 ELSE 0 END) AS pairs_05,
            SUM(CASE WHEN half_points = 2 THEN 1 ELSE 0 END) AS pairs_1,
            SUM(CASE WHEN half_points = 3 THEN 1 ELSE 0 END) AS pairs_15,
            SUM(CASE WHEN half_points = 4 THEN 1 ELSE 0 END) AS pairs_2,
            CAST(SUM(half_points) AS DOUBLE PRECISION) / 4 AS total,
            (CAST(SUM(half_points) AS DOUBLE PRECISION) / 4 + 0.5) / (COUNT(*) + 1) AS mean,
            (CAST(SUM(half_points * half_points) AS DOUBLE PRECISION) / 16 + 0.5) / (COUNT(*) + 1) AS mean_square
        FROM pairs
        GROUP BY tournament_id, player_id, opponent_id
    ),
    errors AS (
        SELECT totals.*, sqrt((mean_square - mean * mean) / (pairs + 1)) AS standard_error FROM totals
    )
SELECT
    players.spec AS player,
    opponents.spec AS opponent,
    errors.pairs AS pairs,
    errors.pairs_0 AS pairs_0,
    errors.pairs_05 AS pairs_05,
    errors.pairs_1 AS pairs_1,
    errors.pairs_15 AS pairs_15,
    errors.pairs_2 AS pairs_2,
    100 * errors.total / errors.pairs AS score_pct,
    100 * {Z95!r} * errors.standard_error AS score_error,
    (errors.mean - 0.5) / errors.standard_error AS z,
    tournaments.name AS tournament,
    errors.tournament_id AS tournament_id
FROM errors
JOIN tournaments ON tournaments.id = errors.tournament_id
JOIN players ON players.id = errors.player_id
JOIN players AS opponents ON opponents.id = errors.opponent_id
ORDER BY tournament_id, player, opponent
"""


def upgrade() -> None:
    op.execute(SUPERIORITY)
