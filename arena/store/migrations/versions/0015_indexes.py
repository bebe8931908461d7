"""Indexes and views with which the tables of a million games take seconds."""

from __future__ import annotations

from alembic import op

revision = "0015"
down_revision = "0014"

RESULTS = ["tournament_id", "black_id", "white_id", "round", "result", "forfeited_by"]

# The games of each pair of players are counted first, in the order of the index, and then seen from both sides.
SIDES = """
    counts AS (
        SELECT tournament_id, black_id, white_id, COUNT(*) AS games,
            SUM(CASE WHEN result = '1-0' THEN 1 ELSE 0 END) AS black_wins,
            SUM(CASE WHEN result = '1/2-1/2' THEN 1 ELSE 0 END) AS draws,
            SUM(CASE WHEN result = '0-1' THEN 1 ELSE 0 END) AS white_wins,
            SUM(CASE WHEN forfeited_by = 'black' THEN 1 ELSE 0 END) AS black_forfeits,
            SUM(CASE WHEN forfeited_by = 'white' THEN 1 ELSE 0 END) AS white_forfeits
        FROM games
        GROUP BY tournament_id, black_id, white_id
    ),
    sides AS (
        SELECT tournament_id, black_id AS player_id, white_id AS opponent_id, games, black_wins AS wins, draws,
            white_wins AS losses, black_forfeits AS forfeits
        FROM counts
        UNION ALL
        SELECT tournament_id, white_id, black_id, games, white_wins, draws, black_wins, white_forfeits FROM counts
    )"""

# win_low and win_high: Wilson's score interval, with z the 97.5 % point of the normal distribution.
STANDINGS = f"""
CREATE VIEW v_standings AS
WITH {SIDES},
    totals AS (
        SELECT tournament_id, player_id, CAST(SUM(games) AS INTEGER) AS games, CAST(SUM(wins) AS INTEGER) AS wins,
            CAST(SUM(draws) AS INTEGER) AS draws, CAST(SUM(losses) AS INTEGER) AS losses,
            CAST(SUM(forfeits) AS INTEGER) AS forfeits,
            CAST(SUM(games) AS DOUBLE PRECISION) AS n, CAST(SUM(wins) AS DOUBLE PRECISION) AS w,
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

HEAD_TO_HEAD = f"""
CREATE VIEW v_head_to_head AS
WITH {SIDES},
    totals AS (
        SELECT tournament_id, player_id, opponent_id, CAST(SUM(games) AS INTEGER) AS games,
            CAST(SUM(wins) AS INTEGER) AS wins, CAST(SUM(draws) AS INTEGER) AS draws,
            CAST(SUM(losses) AS INTEGER) AS losses
        FROM sides
        GROUP BY tournament_id, player_id, opponent_id
    )
SELECT
    players.spec AS player,
    opponents.spec AS opponent,
    totals.games AS games,
    totals.wins AS wins,
    totals.draws AS draws,
    totals.losses AS losses,
    100 * CAST(totals.wins AS DOUBLE PRECISION) / totals.games AS win_pct,
    100 * CAST(totals.wins + 0.5 * totals.draws AS DOUBLE PRECISION) / totals.games AS score_pct,
    tournaments.name AS tournament,
    totals.tournament_id AS tournament_id
FROM totals
JOIN tournaments ON tournaments.id = totals.tournament_id
JOIN players ON players.id = totals.player_id
JOIN players AS opponents ON opponents.id = totals.opponent_id
ORDER BY tournament_id, player, opponent
"""


def upgrade() -> None:
    op.create_index("games_results", "games", RESULTS)
    op.create_index("run_games_game", "run_games", ["game"])
    for view, definition in (("v_standings", STANDINGS), ("v_head_to_head", HEAD_TO_HEAD)):
        op.execute(f"DROP VIEW {view}")
        op.execute(definition)
