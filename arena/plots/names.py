"""Names of players that people understand."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.store import Results


def checkpoint_names(results: Results, tournament: str | int) -> dict[str, str]:
    """Label, seed and games of the checkpoints that play in an experiment's tournament, by the spec of their player.

    Empty for other tournaments. Of several checkpoints with equal models, it has the first.
    """
    name = results.tournament(tournament).name
    if name not in set(results.experiments()["tournament"]):
        return {}
    found = results.learning_curve(name).dropna(subset=["player"]).drop_duplicates("player")
    return {
        row["player"]: f"{row['label']}, seed {row['seed']}, {row['games']} games" for row in found.to_dict("records")
    }
