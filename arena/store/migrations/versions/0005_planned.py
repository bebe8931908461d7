"""Add planned numbers of games, numbers of the games of a tournament, and the views' columns for them and forfeits."""

from __future__ import annotations

from math import ceil, log2
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

TOURNAMENTS = """
CREATE VIEW v_tournaments AS
SELECT
    tournaments.id AS id,
    tournaments.name AS name,
    tournaments.seed AS seed,
    (SELECT COUNT(*) FROM tournament_players WHERE tournament_id = tournaments.id) AS players,
    (SELECT COUNT(*) FROM games WHERE tournament_id = tournaments.id) AS games,
    tournaments.planned AS planned,
    tournaments.started AS started
FROM tournaments
ORDER BY id
"""

GAMES = """
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
    pairings.first + games.round AS number,
    games.tournament_id AS tournament_id
FROM games
JOIN tournaments ON tournaments.id = games.tournament_id
JOIN players AS black ON black.id = games.black_id
JOIN players AS white ON white.id = games.white_id
LEFT JOIN pairings ON pairings.tournament_id = games.tournament_id AND pairings.pairing = games.pairing
"""

METRICS = """
CREATE VIEW v_run_metrics AS
SELECT
    runs.name AS run,
    runs.learner AS learner,
    runs.seed AS seed,
    run_metrics.games AS games,
    run_metrics.metric AS metric,
    NULLIF(run_metrics.opponent, '') AS opponent,
    run_metrics.value AS value,
    run_metrics.run_id AS run_id
FROM run_metrics
JOIN runs ON runs.id = run_metrics.run_id
ORDER BY run_id, games, run_metrics.opponent, metric
"""

tournaments = sa.table("tournaments", sa.column("id"), sa.column("settings", sa.JSON), sa.column("planned"))
seats = sa.table("tournament_players", sa.column("tournament_id"))
games = sa.table("games", sa.column("tournament_id"), sa.column("pairing"), sa.column("round"))
pairings = sa.table("pairings", sa.column("tournament_id"), sa.column("pairing"), sa.column("first"))


def meetings(settings: dict[str, Any], players: int) -> int:
    """Maximum number of pairings of a tournament of an earlier version."""
    match settings.get("format", "round-robin"):
        case "round-robin":
            return players * (players - 1) // 2
        case "swiss":
            rounds: int = settings.get("rounds") or min(ceil(log2(players)) + 1, players - 1)
            return rounds * (players // 2)
        case _:  # gauntlet, knockout
            return players - 1


def upgrade() -> None:
    op.add_column("tournaments", sa.Column("planned", sa.BigInteger))
    op.create_table(
        "pairings",
        sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournaments.id"), primary_key=True),
        sa.Column("pairing", sa.Text, primary_key=True),
        sa.Column("first", sa.BigInteger, nullable=False),
    )
    connection = op.get_bind()
    for key, settings in connection.execute(sa.select(tournaments.c.id, tournaments.c.settings)).all():
        _plan(connection, key, settings)
    op.execute("DROP VIEW v_games")
    op.execute("DROP VIEW v_run_metrics")
    for view in (TOURNAMENTS, GAMES, METRICS):
        op.execute(view)


def _plan(connection: sa.Connection, key: int, settings: dict[str, Any]) -> None:
    """Number the games of a tournament by pairing and round, and set the planned number of games.

    A sequential test may have ended the tournament early. The planned number of games is then left unknown.
    """
    selected = games.c.tournament_id == key
    width = settings.get("games") or (connection.scalar(sa.select(sa.func.max(games.c.round)).where(selected)) or 0) + 1
    known = connection.scalars(sa.select(games.c.pairing).where(selected).distinct().order_by(games.c.pairing))
    rows = [
        {"tournament_id": key, "pairing": pairing, "first": 1 + place * width} for place, pairing in enumerate(known)
    ]
    if rows:
        connection.execute(sa.insert(pairings), rows)
    if "games" in settings and not settings.get("sprt"):
        players = connection.scalar(sa.select(sa.func.count()).where(seats.c.tournament_id == key)) or 0
        planned = meetings(settings, players) * settings["games"]
        connection.execute(sa.update(tournaments).where(tournaments.c.id == key).values(planned=planned))
