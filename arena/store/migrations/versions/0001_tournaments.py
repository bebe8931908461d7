"""Add tables and views of tournaments: players, games, ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

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
    AND ratings.system = 'davidson'
ORDER BY tournament_id, rank, player
"""

GAMES = """
CREATE VIEW v_games AS
SELECT
    games.id AS game,
    tournaments.name AS tournament,
    games.pairing AS pairing,
    games.round AS round,
    games.opening AS opening,
    black.spec AS black,
    white.spec AS white,
    games.result AS result,
    CASE games.result WHEN '1-0' THEN black.spec WHEN '0-1' THEN white.spec END AS winner,
    games.termination AS termination,
    CASE games.guilty WHEN 'black' THEN black.spec WHEN 'white' THEN white.spec END AS guilty,
    games.plies AS plies,
    games.id AS seed,
    games.moves AS moves,
    games.tournament_id AS tournament_id
FROM games
JOIN tournaments ON tournaments.id = games.tournament_id
JOIN players AS black ON black.id = games.black_id
JOIN players AS white ON white.id = games.white_id
"""

HEAD_TO_HEAD = f"""
CREATE VIEW v_head_to_head AS
WITH {SIDES}
SELECT
    players.spec AS player,
    opponents.spec AS opponent,
    COUNT(*) AS games,
    SUM(win) AS wins,
    SUM(draw) AS draws,
    SUM(loss) AS losses,
    100 * CAST(SUM(win) AS DOUBLE PRECISION) / COUNT(*) AS win_pct,
    100 * CAST(SUM(win) + 0.5 * SUM(draw) AS DOUBLE PRECISION) / COUNT(*) AS score_pct,
    tournaments.name AS tournament,
    sides.tournament_id AS tournament_id
FROM sides
JOIN tournaments ON tournaments.id = sides.tournament_id
JOIN players ON players.id = sides.player_id
JOIN players AS opponents ON opponents.id = sides.opponent_id
GROUP BY sides.tournament_id, tournaments.name, players.spec, opponents.spec
ORDER BY tournament_id, player, opponent
"""


def upgrade() -> None:
    op.create_table(
        "tournaments",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("started", sa.Double, nullable=False),
    )
    op.create_table(
        "players",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("spec", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("distribution", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("weights", sa.Text),
    )
    op.create_index(
        "players_identity",
        "players",
        ["spec", "name", "distribution", "version", sa.text("coalesce(weights, '')")],
        unique=True,
    )
    op.create_table(
        "tournament_players",
        sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournaments.id"), primary_key=True),
        sa.Column("player_id", sa.Integer, sa.ForeignKey("players.id"), primary_key=True),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.UniqueConstraint("tournament_id", "seat"),
    )
    seat = ["tournament_players.tournament_id", "tournament_players.player_id"]
    op.create_table(
        "games",
        sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournaments.id"), primary_key=True),
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("pairing", sa.Text, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("opening", sa.Text, nullable=False),
        sa.Column("black_id", sa.Integer, nullable=False),
        sa.Column("white_id", sa.Integer, nullable=False),
        sa.Column("result", sa.Text, nullable=False),
        sa.Column("termination", sa.Text, nullable=False),
        sa.Column("guilty", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("first", sa.Text, nullable=False),
        sa.Column("plies", sa.Integer, nullable=False),
        sa.Column("moves", sa.Text, nullable=False),
        sa.Column("boards", sa.LargeBinary, nullable=False),
        sa.Column("scores", sa.LargeBinary),
        sa.Column("depths", sa.LargeBinary),
        sa.Column("nodes", sa.LargeBinary),
        sa.Column("seconds", sa.LargeBinary),
        sa.Column("pvs", sa.Text),
        sa.Column("started", sa.Double, nullable=False),
        sa.UniqueConstraint("tournament_id", "pairing", "round"),
        sa.ForeignKeyConstraint(["tournament_id", "black_id"], seat),
        sa.ForeignKeyConstraint(["tournament_id", "white_id"], seat),
        sa.CheckConstraint("result IN ('1-0', '0-1', '1/2-1/2')"),
        sa.CheckConstraint("guilty IN ('black', 'white')"),
        sa.CheckConstraint("first IN ('black', 'white')"),
        sa.CheckConstraint("length(boards) = 12 * (plies + 1)"),
        sa.CheckConstraint("length(scores) = 4 * plies"),
        sa.CheckConstraint("length(depths) = 2 * plies"),
        sa.CheckConstraint("length(nodes) = 8 * plies"),
        sa.CheckConstraint("length(seconds) = 4 * plies"),
    )
    op.create_table(
        "ratings",
        sa.Column("tournament_id", sa.Integer, primary_key=True),
        sa.Column("player_id", sa.Integer, primary_key=True),
        sa.Column("system", sa.Text, primary_key=True),
        sa.Column("rating", sa.Double, nullable=False),
        sa.Column("error", sa.Double),
        sa.Column("games", sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(["tournament_id", "player_id"], seat),
    )
    for view in (STANDINGS, GAMES, HEAD_TO_HEAD):
        op.execute(view)
