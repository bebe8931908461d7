"""Let a row of ``pairings`` be a block of rounds, so that a tournament can get more games of each pairing."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def code(colour: str) -> str:
    """The code hash of a player: of the last change accepted before the game, or of the start of the tournament."""
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
    tournaments.name || '/' || (pairings.first + games.round - pairings.round) AS name,
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
    pairings.first + games.round - pairings.round AS number,
    games.tournament_id AS tournament_id
FROM games
JOIN tournaments ON tournaments.id = games.tournament_id
JOIN players AS black ON black.id = games.black_id
JOIN players AS white ON white.id = games.white_id
LEFT JOIN pairings ON pairings.tournament_id = games.tournament_id AND pairings.pairing = games.pairing
    AND pairings.round <= games.round AND games.round < pairings.round + pairings.games
"""

tournaments = sa.table("tournaments", sa.column("id"), sa.column("settings", sa.JSON))
games = sa.table("games", sa.column("tournament_id"), sa.column("round"))
older = sa.table("older_pairings", *(sa.column(name) for name in ("tournament_id", "pairing", "first")))
pairings = sa.table("pairings", *(sa.column(name) for name in ("tournament_id", "pairing", "round", "games", "first")))


def upgrade() -> None:
    op.execute("DROP VIEW v_games")
    op.rename_table("pairings", "older_pairings")
    op.create_table(
        "pairings",
        sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournaments.id"), primary_key=True),
        sa.Column("pairing", sa.Text, primary_key=True),
        sa.Column("round", sa.Integer, primary_key=True),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("first", sa.BigInteger, nullable=False),
    )
    connection = op.get_bind()
    for key, settings in connection.execute(sa.select(tournaments.c.id, tournaments.c.settings)).all():
        query = sa.select(*older.c).where(older.c.tournament_id == key)
        block = {"round": 0, "games": _games(connection, key, settings)}
        rows = [{**row._asdict(), **block} for row in connection.execute(query)]
        if rows:
            connection.execute(sa.insert(pairings), rows)
    op.drop_table("older_pairings")
    op.execute(GAMES)


def _games(connection: sa.Connection, key: int, settings: Any) -> int:
    """The games of each pairing of a tournament: those of its settings, and those on record if they are more."""
    planned = settings.get("games") if isinstance(settings, dict) else None
    last = connection.scalar(sa.select(sa.func.max(games.c.round)).where(games.c.tournament_id == key))
    return max(planned if isinstance(planned, int) else 0, 0 if last is None else last + 1)
