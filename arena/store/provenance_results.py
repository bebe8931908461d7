"""Origins and uses of models, as DataFrames."""

from __future__ import annotations

import pandas as pd

from arena.store import origins, uses
from arena.store.accuracy_results import AccuracyResults


class ProvenanceResults(AccuracyResults):
    """The part of :class:`arena.Results` that follows models and games to each other."""

    def uses(self, model: str) -> pd.DataFrame:
        """One row per use of the model with the hash ``model``: what, name, spec.

        ``what`` is ``checkpoint``, ``tournament`` (a player entered with the model), ``learning`` (a player learned it
        during the tournament) or ``run`` (a training run started from it). ``name`` is the name of the checkpoint,
        tournament or run; ``spec`` that of the checkpoint, player or learner.
        """
        with self._database.engine.connect() as connection:
            rows = uses.rows(connection, model)
        return pd.DataFrame(rows, columns=["what", "name", "spec"])

    def origins(self, model: str) -> pd.DataFrame:
        """One row per recorded game that the model with the hash ``model`` was made from, the first game first.

        ``made_by`` is the checkpoint, or the tournament, player and round, that made the model with the hash in the
        column ``model``. ``learner``, ``version`` and ``seed`` are those of the run or player, ``start`` is the hash of
        the model that it started from. Rows of that model follow, and so on.

        ``source`` is the collection, tournament or file of the game; ``game`` is its name, or its id in a collection,
        or its number in a file. ``black``, ``white`` and ``result`` are null for games that are not in the database.
        ``times`` counts how often the game was learned from.

        The games that a run plays itself have one row together, with ``times`` their number, no ``game``, and as
        ``source`` the opponents, or ``self``. They follow from ``seed``.

        The frame is empty if the model is imported, shipped or unknown.
        """
        with self._database.engine.connect() as connection:
            rows = origins.of_model(connection, model)
        frame = pd.DataFrame(rows, columns=list(origins.Origin._fields))
        return frame.astype({"seed": "Int64", "times": "int64"})

    def learned_from(self, game: str | int, source: str | None = None) -> pd.DataFrame:
        """One row per model that was made from a game: model (its hash), made_by, start, direct.

        ``game`` names a game of a tournament as in :meth:`game`. With ``source``, it is the id of a game of that
        collection or tournament, or the number of a game of that PDN file.

        ``made_by`` and ``start`` are those of :meth:`origins`. ``direct`` is false for a model whose run or player did
        not learn from the game itself, but started from a model that comes from it.

        Raises StoreError if the tournament or its game does not exist.
        """
        with self._database.engine.connect() as connection:
            what, names, key = origins.source_of(connection, game, source, self.location)
            rows = origins.of_game(connection, what, names, key)
        return pd.DataFrame(rows, columns=list(origins.Descendant._fields)).astype({"direct": bool})
