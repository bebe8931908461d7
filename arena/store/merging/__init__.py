"""Copies everything of another database into this one, without doubling what both have.

Both have a tournament if its identity is the same: a hash of its seed, its settings and the identities of its players.
Two tournaments of the same name are also the same if one grew from the other, by more players or games. The tournament
of an experiment is identified by the settings of the experiment and by its fixed opponents, because its other players
are added one by one. A training run is identified by its learner, seed and settings, collections by name, and models by
hash. The games of people are added to the tournament that holds them; they are known by their ids. An annotation is
added unless its game has one with the same content.

A game, checkpoint or learned model that both have must be the same in both. Otherwise StoreError is raised, and the
caller rolls the transaction back. A tournament, run or experiment whose name belongs to another identity gets the next
free name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.store import schema
from arena.store.merging.annotations import merge_annotations
from arena.store.merging.copier import Copier
from arena.store.merging.runs import Runs
from arena.store.merging.tournaments import Tournaments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge changed."""

    added: Mapping[str, int]
    """Number of new rows by table; tables without new rows are left out."""
    renamed: Sequence[tuple[str, str, str]]
    """Table, old name and new name of each tournament (with its experiment) and run that was renamed."""
    joined: Sequence[int]
    """Ids of the tournaments whose games now come from both databases, so that they must be rated again."""


def merge(source: Connection, target: Connection) -> Merged:
    """Copy ``source`` into ``target``, within a transaction of the caller.

    Raises StoreError if both have the same thing with different content.
    """
    copier = Copier(source, target)
    copier.copy_new(schema.models, copier.rows(schema.models))
    tournaments = Tournaments(copier)
    tournaments.merge()
    Runs(copier, tournaments).merge()
    collections: dict[int, int] = {}
    for row in copier.rows(schema.collections):
        known = copier.mine(schema.collections, name=row["name"])
        key = known[0]["id"] if known else copier.add(schema.collections, {**row, "id": None})
        games = copier.rows(schema.collected_games, collection_id=row["id"])
        copier.copy_new(schema.collected_games, ({**each, "collection_id": key} for each in games))
        collections[row["id"]] = key
    merge_annotations(copier, tournaments.ids, collections)
    finished = {row["game_id"] for row in copier.mine(schema.person_games)}
    left_out = finished | {row["id"] for row in copier.mine(schema.saved_games)}
    saved = (row for row in copier.rows(schema.saved_games) if row["id"] not in left_out)
    copier.insert(schema.saved_games, ({**row, "number": None} for row in saved))
    return Merged({name: number for name, number in copier.added.items() if number}, copier.renamed, tournaments.joined)
