"""Names of players that people understand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.plots import style

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from arena.store import Results


def checkpoint_names(results: Results, tournament: str | int) -> dict[str, str]:
    """Label, seed and games of the checkpoints that play in an experiment's tournament, by the spec of their player.

    Empty for other tournaments. Of several checkpoints with equal models, it has the first.
    """
    name = results.tournament(tournament).name
    if name not in set(results.experiments()["tournament"]):
        return {}
    return names_of(results.measured(name).checkpoints)


def labels(results: Results, tournament: str | int, players: Iterable[str]) -> list[str]:
    """The names of players in a picture: their specs, or the checkpoints of an experiment."""
    names = checkpoint_names(results, tournament)
    return [style.label(names.get(player, player)) for player in players]


def names_of(checkpoints: pd.DataFrame) -> dict[str, str]:
    """See :func:`checkpoint_names`; ``checkpoints`` has the columns player, label, seed and games."""
    found = checkpoints.drop_duplicates("player")
    return {
        row["player"]: f"{row['label']}, seed {row['seed']}, {row['games']} games" for row in found.to_dict("records")
    }
