"""Add the position of a rating system in the tournament's list of systems. Standings show the first system."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

SIDES = """
    sides AS (
        SELECT tournament_id, black_id AS player_id, white_id AS opponent_id,
            CASE WHEN result = '1-0' THEN 1 ELSE 0 END AS win,
            CASE WHEN result = '1/2-1/2' THEN 1 ELSE 0 END AS draw,
            CASE WHEN result = '0-1' THEN 1 ELSE 0 END AS loss,
            CASE WHEN guilty = 'black' THEN 1 ELSE 0 END AS forfeit
        FROM games
        UNION ALL
        SELECT tournament_id, white_id, black_id,
            CASE WHEN result = '0-1' THEN 1 ELSE 0 END,
            CASE WHEN result = '1/2-1/2' THEN 1 ELSE 0 END,
            CASE WHEN result = '1-0' THEN 1 ELSE 0 END,
            CASE WHEN guilty = 'white' THEN 1 ELSE 0 END
        FROM games
    )"""

# win_low and win_high: Wilson's score interval, with z the 97.5 % point of the normal distribution.
STANDINGS = f"""
CREATE VIEW v_standings AS
WITH {SIDES},
    totals AS (
        SELECT tournament_id, player_id, COUNT(*) AS games, SUM(win) AS wins, SUM(draw) AS draws,
            SUM(loss) AS losses, SUM(forfeit) AS forfeits,
            CAST(COUNT(*) AS DOUBLE PRECISION) AS n, CAST(SUM(win) AS DOUBLE PRECISION) AS w,
            CAST(1.959963984540054 AS DOUBLE PRECISION) AS z
        FROM sides
        GROUP BY tournament_id, player_id
    ),
    rates AS (
        SELECT totals.*, 100 * w / n AS win_pct, 100 * (w + 0.5 * draws) / n AS score_pct,
            z * z / 2 AS shift, z * sqrt(w * (n - w) / n + z * z / 4) AS spread
        FROM totals
    )
SELECT
    RANK() OVER (PARTITION BY seats.tournament_id ORDER BY COALESCE(rates.score_pct, -1) DESC) AS rank,
    players.spec AS player,
    ratings.rating AS rating,
    ratings.error AS rating_error,
    COALESCE(rates.games, 0) AS games,
    COALESCE(rates.wins, 0) AS wins,
    COALESCE(rates.draws, 0) AS draws,
    COALESCE(rates.losses, 0) AS losses,
    COALESCE(rates.forfeits, 0) AS forfeits,
    rates.win_pct AS win_pct,
    100 * (w + (shift - spread)) / (n + z * z) AS win_low,
    100 * (w + (shift + spread)) / (n + z * z) AS win_high,
    rates.score_pct AS score_pct,
    tournaments.name AS tournament,
    seats.tournament_id AS tournament_id
FROM tournament_players AS seats
JOIN tournaments ON tournaments.id = seats.tournament_id
JOIN players ON players.id = seats.player_id
LEFT JOIN rates ON rates.tournament_id = seats.tournament_id AND rates.player_id = seats.player_id
LEFT JOIN ratings ON ratings.tournament_id = seats.tournament_id AND ratings.player_id = seats.player_id
    AND ratings.place = 0
ORDER BY tournament_id, rank, player
"""

tournaments = sa.table("tournaments", sa.column("id"), sa.column("settings", sa.JSON))
ratings = sa.table("ratings", *(sa.column(name) for name in ("tournament_id", "system", "place")))


def upgrade() -> None:
    op.add_column("ratings", sa.Column("place", sa.Integer, nullable=False, server_default="0"))
    connection = op.get_bind()
    for key, settings in connection.execute(sa.select(tournaments.c.id, tournaments.c.settings)).all():
        selected = ratings.c.tournament_id == key
        systems = connection.scalars(sa.select(ratings.c.system).where(selected).distinct().order_by(ratings.c.system))
        for place, system in enumerate(in_order(list(systems), settings)):
            row = selected & (ratings.c.system == system)
            connection.execute(sa.update(ratings).where(row).values(place=place))
    op.execute("DROP VIEW v_standings")
    op.execute(STANDINGS)


def in_order(systems: list[str], settings: Any) -> list[str]:
    """Sort rating systems by their position in the settings, comparing names without options. Others come last."""
    listed = settings.get("ratings", []) if isinstance(settings, dict) else []
    names = [str(text).partition(":")[0].strip() for text in listed] if isinstance(listed, list) else []
    return sorted(systems, key=lambda system: names.index(name) if (name := system.partition(":")[0]) in names else 99)
