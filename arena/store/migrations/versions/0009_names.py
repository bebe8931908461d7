"""Rename ``guilty`` to ``forfeited_by``, ``seat`` to ``position``, and the table ``learned`` to ``learned_models``."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"


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
    CASE games.forfeited_by WHEN 'black' THEN black.spec WHEN 'white' THEN white.spec END AS forfeited_by,
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
    op.execute("DROP VIEW v_games")
    op.alter_column("games", "guilty", new_column_name="forfeited_by")
    op.alter_column("tournament_players", "seat", new_column_name="position")
    op.drop_index("learned_model", "learned")
    op.rename_table("learned", "learned_models")
    op.create_index("learned_models_model", "learned_models", ["model_hash"])
    op.execute(GAMES)
