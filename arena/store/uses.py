"""Finding the checkpoints, tournaments and training runs that use a stored model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, column, literal, select, table

from arena.store.schema import learned_models, players, runs, tournament_players, tournaments

if TYPE_CHECKING:
    from sqlalchemy import Connection


def rows(connection: Connection, model: str) -> list[tuple[Any, ...]]:
    """Return what, name and spec of each use of the model with a hash: see :meth:`arena.store.results.Results.uses`."""
    as_checkpoint: Select[Any, Any, Any] = (
        select(literal("checkpoint"), column("checkpoint"), column("checkpoint"))
        .select_from(table("v_checkpoints"))
        .where(column("model") == model)
        .order_by(column("run_id"), column("games"))
    )
    as_player = (
        select(literal("tournament"), tournaments.c.name, players.c.spec)
        .select_from(players)
        .join(tournament_players)
        .join(tournaments)
        .where(players.c.weights == model)
        .order_by(tournaments.c.id)
    )
    as_learned = (
        select(literal("learning"), tournaments.c.name, players.c.spec)
        .select_from(learned_models)
        .join(tournaments, tournaments.c.id == learned_models.c.tournament_id)
        .join(players, players.c.id == learned_models.c.player_id)
        .where(learned_models.c.model_hash == model)
        .distinct()
        .order_by(tournaments.c.name, players.c.spec)
    )
    as_start = select(literal("run"), runs.c.name, runs.c.learner).where(runs.c.weights == model).order_by(runs.c.id)
    queries = (as_checkpoint, as_player, as_learned, as_start)
    return [tuple(row) for query in queries for row in connection.execute(query)]
