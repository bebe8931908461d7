"""Add code hashes of players, and a table of player changes accepted during a tournament."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

IDENTITY: list[str | sa.TextClause] = ["spec", "name", "distribution", "version", sa.text("coalesce(weights, '')")]


def code(colour: str) -> str:
    """SQL for the code hash of a game's player: of the last change before the game, or of the tournament's start."""
    return f"""COALESCE(
        (
            SELECT player_changes.code FROM player_changes
            WHERE player_changes.tournament_id = games.tournament_id
                AND player_changes.player_id = games.{colour}_id AND player_changes.number <= games.changes
            ORDER BY player_changes.number DESC LIMIT 1
        ),
        {colour}.code
    )"""


GAMES = f"""
CREATE VIEW v_games AS
SELECT
    games.id AS game,
    tournaments.name || '/' || (pairings.first + games.round) AS name,
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
    games.reason AS reason,
    games.plies AS plies,
    games.id AS seed,
    games.moves AS moves,
    {code("black")} AS black_code,
    {code("white")} AS white_code,
    pairings.first + games.round AS number,
    games.tournament_id AS tournament_id
FROM games
JOIN tournaments ON tournaments.id = games.tournament_id
JOIN players AS black ON black.id = games.black_id
JOIN players AS white ON white.id = games.white_id
LEFT JOIN pairings ON pairings.tournament_id = games.tournament_id AND pairings.pairing = games.pairing
"""


def upgrade() -> None:
    op.add_column("players", sa.Column("code", sa.Text))
    op.drop_index("players_identity", "players")
    op.create_index("players_identity", "players", [*IDENTITY, sa.text("coalesce(code, '')")], unique=True)
    op.add_column("games", sa.Column("changes", sa.Integer))
    op.create_table(
        "player_changes",
        sa.Column("tournament_id", sa.Integer, primary_key=True),
        sa.Column("player_id", sa.Integer, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("state", sa.JSON, nullable=False),
        sa.Column("accepted", sa.Double, nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id", "player_id"], ["tournament_players.tournament_id", "tournament_players.player_id"]
        ),
    )
    op.execute("DROP VIEW v_games")
    op.execute(GAMES)
