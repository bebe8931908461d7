"""Merging annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.store import schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.store.merging.copier import Copier

_CONTENT = ("tournament_id", "collection_id", "game_id", "ply", "annotator", "mark", "better", "score", "comment")


def merge_annotations(copier: Copier, tournaments: Mapping[int, int], collections: Mapping[int, int]) -> None:
    """Copy the annotations that the target does not have, after their games.

    ``tournaments`` and ``collections`` give the target's id of each tournament and collection of the source.
    """
    known = {tuple(row[name] for name in _CONTENT) for row in copier.mine(schema.move_annotations)}
    new = []
    for row in copier.rows(schema.move_annotations):
        moved = {
            **{name: row[name] for name in (*_CONTENT, "added")},
            "tournament_id": tournaments.get(row["tournament_id"]),
            "collection_id": collections.get(row["collection_id"]),
        }
        if tuple(moved[name] for name in _CONTENT) not in known:
            new.append(moved)
    copier.insert(schema.move_annotations, new)
