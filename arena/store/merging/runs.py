"""Merging training runs and experiments."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sqlalchemy import update

from arena.errors import StoreError
from arena.store import schema

if TYPE_CHECKING:
    from arena.store.merging.copier import Copier, Row
    from arena.store.merging.tournaments import Tournaments

    Place = tuple[int, str, int] | None
    """Experiment, label and training seed of a run; None: it belongs to no experiment."""

_LEARNER = ("learner", "distribution", "version", "weights", "seed")


class Runs:
    """Merges the training runs and experiments of two databases, after their tournaments."""

    def __init__(self, copier: Copier, tournaments: Tournaments) -> None:
        self._copier, self._tournaments = copier, tournaments
        self._experiments: dict[int, int] = {}
        """The target's id of each experiment of the source."""

    def merge(self) -> None:
        """Merge all runs and experiments. Raises StoreError if the same run has different checkpoints."""
        copier = self._copier
        for row in copier.rows(schema.experiments):
            tournament = self._tournaments.ids[row["tournament_id"]]
            known = copier.mine(schema.experiments, tournament_id=tournament)
            name = self._tournaments.names[row["name"]]
            moved = {**row, "tournament_id": tournament, "name": name}
            self._experiments[row["id"]] = known[0]["id"] if known else copier.add(schema.experiments, moved)
            candidates = copier.rows(schema.experiment_candidates, experiment_id=row["id"])
            mine = self._experiments[row["id"]]
            copier.copy_new(schema.experiment_candidates, ({**each, "experiment_id": mine} for each in candidates))
        theirs = {row["run_id"]: row for row in copier.rows(schema.experiment_runs)}
        places: dict[int, Place] = {
            row["run_id"]: (row["experiment_id"], row["label"], row["seed"])
            for row in copier.mine(schema.experiment_runs)
        }
        waiting = {row["id"]: row for row in copier.mine(schema.runs)}
        for row in copier.rows(schema.runs):
            member = theirs.get(row["id"])
            place: Place = None
            if member is not None:
                place = self._experiments[member["experiment_id"]], member["label"], member["seed"]
            same = [
                each
                for each in waiting.values()
                if places.get(each["id"]) == place and _identity(each) == _identity(row)
            ]
            if same:
                here = min(same, key=lambda each: (each["name"] != row["name"], each["id"]))
                mine = waiting.pop(here["id"])["id"]
                values = {"games": max(row["games"], here["games"]), "started": min(row["started"], here["started"])}
                copier.change(schema.runs, here, values)
            else:
                mine = copier.add(schema.runs, {**row, "name": copier.free_name(row["name"], schema.runs)})
            self._merge_checkpoints(row, mine)
            if place is not None and member is not None:
                copier.copy_new(schema.experiment_runs, [{**member, "experiment_id": place[0], "run_id": mine}])
                measured = copier.rows(schema.experiment_checkpoints, run_id=row["id"])
                players = self._tournaments.players
                copier.copy_new(
                    schema.experiment_checkpoints,
                    ({**each, "run_id": mine, "player_id": players[each["player_id"]]} for each in measured),
                )

    def _merge_checkpoints(self, row: Row, mine: int) -> None:
        """Copy checkpoints, metrics and sources of a run. Only its last checkpoint keeps the state of the learner."""
        copier, there = self._copier, schema.checkpoints
        known = {each["games"]: each for each in copier.mine(there, run_id=mine)}
        rows = list(copier.rows(there, run_id=row["id"]))
        last = max((each["games"] for each in (*known.values(), *rows)), default=0)
        new = []
        for each in rows:
            here = known.get(each["games"])
            if here is None:
                state = each["state"] if each["games"] == last else None
                new.append({**each, "run_id": mine, "state": state})
            elif here["model_hash"] != each["model_hash"]:
                raise StoreError(
                    f"the run {row['name']!r} has another model in each database after {each['games']} games"
                )
        copier.insert(there, new)
        if new:
            stale = (there.c.run_id == mine) & (there.c.games < last) & there.c.state.is_not(None)
            copier.target.execute(update(there).where(stale).values(state=None))
        metrics = copier.rows(schema.run_metrics, run_id=row["id"])
        copier.copy_new(schema.run_metrics, ({**each, "run_id": mine} for each in metrics))
        collections = {each["name"] for each in copier.rows(schema.collections)}
        names = {old: new for old, new in self._tournaments.names.items() if old not in collections}
        sources = copier.rows(schema.run_games, run_id=row["id"])
        copier.copy_new(
            schema.run_games,
            ({**each, "run_id": mine, "source": names.get(each["source"], each["source"])} for each in sources),
        )


def _identity(row: Row) -> str:
    """Return everything that decides what a run learns."""
    settings = {name: value for name, value in row["settings"].items() if name != "changes"}
    return json.dumps([*(row[name] for name in _LEARNER), settings], sort_keys=True)
