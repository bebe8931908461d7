"""The store as people read it: DataFrames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import pandas as pd
from sqlalchemy import column, func, select, table

from arena.errors import UsageError, shown
from arena.store import comparisons, export, forfeits, lookup, recorded_games, uses
from arena.store import learning_log as learning
from arena.store.database import Database
from arena.store.decoding import decoded
from arena.store.experiment_results import ExperimentResults
from arena.store.frames import (
    CHECKPOINTS,
    COLLECTED,
    COMPONENTS,
    FORFEITS,
    GAMES,
    HEAD_TO_HEAD,
    LEARNED,
    METRICS,
    MODELS,
    POSITIONS,
    RATINGS,
    RUNS,
    STANDINGS,
    SUPERIORITY,
    TOURNAMENTS,
    VERSIONS,
    dated,
)
from arena.store.positions import SOURCES, Positions
from arena.store.schema import (
    collected_games,
    collections,
    models,
    players,
    ratings,
    tournaments,
)
from arena.store.tournaments import changes_before, played_versions, points, shares, stored_tournament

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy import Connection, FromClause, Select

    from arena.contracts.record import GameRecord
    from arena.store.tournaments import StoredTournament

    Which = str | int | None

_FLOATS = ("rating", "rating_error", "error", "win_pct", "win_low", "win_high", "score_pct")
"""Columns that may be null in every row, where pandas could not tell that they are numbers."""


@decoded
class Results(ExperimentResults):
    """A database opened to read; its content never changes.

    Each method narrows to one ``tournament``: its name, its id, or ``"last"``. Without it, the rows of every
    tournament follow one another, never mixed; tables of players are then indexed by the tournaments' names.

    Raises StoreError, in one line, where there is no such database, tournament or run.
    """

    def __init__(self, path_or_url: str | os.PathLike[str]) -> None:
        self._database = Database(path_or_url, write=False)
        self.database = str(path_or_url)
        """Path or URL as it was given."""
        self.location = self._database.location
        """Path or URL, for messages; without a password."""

    def close(self) -> None:
        """Close the connections to a server; a file is only open while it is read."""
        self._database.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def tournament(self, which: str | int = "last") -> StoredTournament:
        """The settings and players of the tournament of that name or id."""
        with self._database.engine.connect() as connection:
            return stored_tournament(connection, which, self.location)

    def game(self, game: str | int, tournament: Which = None) -> GameRecord:
        """The game of that id, of the last tournament that has it unless one is named. Raises StoreError.

        Wherever a game is named, ``t2/17`` is the 17th game of tournament t2 and ``last`` the game that started last.
        A tournament's games are numbered from 1 by stage, pairing (alphabetically) and round, those that are not
        played yet included, so that a number means the same game from the beginning on.
        """
        return recorded_games.game(self._database, game, tournament)[1]

    def tournament_of(self, game: str | int, tournament: Which = None) -> int:
        """The id of the last tournament that has a game of that name or id, or of the one that is named."""
        return recorded_games.game(self._database, game, tournament)[0]

    def shares(self, tournament: str | int) -> dict[tuple[str, str], tuple[float, float]]:
        """The share of the points of their meeting that two players made, by their specs in alphabetical order."""
        with self._database.engine.connect() as connection:
            return shares(connection, self._id(connection, tournament))

    def points(self, tournament: str | int, player: str) -> dict[int, float | None]:
        """What a player of a tournament of two made of each game by its round; None where somebody forfeited."""
        with self._database.engine.connect() as connection:
            return points(connection, self._id(connection, tournament), player)

    def changes_before(self, tournament: str | int, game: int) -> int:
        """The number of the last change of players that was accepted before a game of a tournament, or 0."""
        with self._database.engine.connect() as connection:
            return changes_before(connection, self._id(connection, tournament), game)

    def model_hashes(self, tournament: str | int) -> dict[tuple[str, int], str]:
        """The hashes of :meth:`learned_models` by player and round."""
        with self._database.engine.connect() as connection:
            return learning.hashes(connection, self._id(connection, tournament))

    def tournaments(self) -> pd.DataFrame:
        """One row per tournament: id, name, seed, number of players, of games, of planned games, start (UTC).

        A tournament with fewer ``games`` than ``planned`` is unfinished. ``planned`` is the most there can be until the
        format or a sequential test has decided; null in tournaments of earlier versions that have such a test.
        """
        query: Select[*tuple[Any, ...]] = select(*[column(name) for name in TOURNAMENTS]).select_from(
            table("v_tournaments")
        )
        with self._database.engine.connect() as connection:
            rows = connection.execute(query.order_by(column("id"))).all()
        return dated(pd.DataFrame(rows, columns=list(TOURNAMENTS)).astype({"planned": "Int64"}), "started")

    def collections(self) -> pd.DataFrame:
        """One row per collection of games that others played: id, name, number of games, creation (UTC)."""
        here = collections.c.id
        held = select(func.count()).where(collected_games.c.collection_id == here).scalar_subquery()
        query = select(here, collections.c.name, held, collections.c.created).order_by(here)
        with self._database.engine.connect() as connection:
            rows = connection.execute(query).all()
        return dated(pd.DataFrame(rows, columns=["id", "name", "games", "created"]), "created")

    def collected(self, collection: str | None = None) -> pd.DataFrame:
        """One row per game that others played, of one collection or of all, in the order of their files.

        Tags are texts as they stand in the file, null where it has none. ``fen`` is the first board, ``comments``
        a line for each board, the first included; where the move that led there is marked (``!``, ``?``, ...) it begins
        with the mark and a tab. Results: ``1-0`` Black, ``0-1`` White, ``1/2-1/2``, ``*`` unknown.
        """
        query: Select[*tuple[Any, ...]] = select(*[column(name) for name in COLLECTED]).select_from(
            table("v_collected_games")
        )
        query = query.order_by(column("collection_id"), column("file"), column("number"))
        with self._database.engine.connect() as connection:
            if collection is not None:
                key = lookup.collection_id(connection, collection, self.location)
                query = query.where(column("collection_id") == key)
            return pd.DataFrame(connection.execute(query).all(), columns=list(COLLECTED))

    def pdn(
        self,
        tournament: Which = None,
        collection: str | None = None,
        player: str | None = None,
        result: str | None = None,
        game: str | int | None = None,
    ) -> Iterator[str]:
        """The PDN of each game of a selection, one in memory at a time: of a tournament (or ``"all"``), of a
        collection (or ``"all"``), of both, or of everything where neither is named.

        ``player`` is part of the spec or name of one of the players, in any case; ``result`` as in PDN;
        ``game`` a single game of a tournament.
        """
        selection = export.Selection(tournament, collection, player, result, game)
        return export.pdn(self._database, self.location, selection)

    def standings(self, tournament: Which = None) -> pd.DataFrame:
        """One row per player, the best score first.

        Percentages lie in 0-100; win_low and win_high are the Wilson bounds (95 %) of win_pct.
        games = wins + draws + losses, forfeits included; forfeits are the games that the player forfeited.
        Ratings are those of the first rating system that the tournament asked for, the error half the width of a 95 %
        interval; null without rated games.
        """
        return self._select(STANDINGS, "v_standings", tournament, ("rank", "player"))

    def games(self, tournament: Which = None, game: str | int | None = None) -> pd.DataFrame:
        """One row per game, in the order of their numbers; or the one ``game``.

        ``winner`` and ``forfeited_by`` are the player's spec or null; ``reason`` says why a game was forfeited.
        ``name`` is the tournament's name and the game's number.
        """
        return self._select(GAMES, "v_games", tournament, ("number", "pairing", "round"), game)

    def forfeits(self, tournament: Which = None) -> pd.DataFrame:
        """One row per player, way to forfeit and last line of the reason, the most frequent first.

        ``games`` counts them; ``example`` is the name of the first of these games, or its id if it has no name.
        """
        return self._rows(FORFEITS, forfeits.rows, tournament)

    def head_to_head(self, tournament: Which = None) -> pd.DataFrame:
        """One row per ordered pair of players that met, from the point of view of ``player``."""
        return self._select(HEAD_TO_HEAD, "v_head_to_head", tournament, ("player", "opponent"))

    def superiority(self, tournament: Which = None) -> pd.DataFrame:
        """One row per ordered pair of players: how sure it is that ``player`` is the better one.

        The unit is the pair of games that share an opening, with the colours swapped; pairs with a forfeit are left
        out. score_error and elo_error are half the widths of 95 % intervals; los is the likelihood of superiority, 0 to
        100; p_value that of no difference, two-sided and adjusted for all pairs of a tournament (Holm). Elo differences
        are infinite after nothing but wins or losses, and errors where the interval is.
        """
        frame = self._rows(SUPERIORITY, comparisons.superiority, tournament)
        return frame.astype(dict.fromkeys(SUPERIORITY[3:], float))

    def components(self, tournament: Which = None) -> pd.DataFrame:
        """One row per player: which ratings can be compared, and which are not reliable.

        ``games``: rated games of the player. ``component``: number of the connected component of the graph of games.
        Players of different components share no opponents, and their ratings cannot be compared at all.
        ``strong_component``: number of the strongly connected component of the graph of scores. Between players of one
        such component, points went both ways, directly or through other players; beyond it, a difference in rating
        comes from the prior. ``note``: ``only wins``, ``only losses``, ``no rated games``, or null. Components are
        numbered by size from 1, and null for players without rated games.
        """
        frame = self._rows(COMPONENTS, comparisons.components, tournament)
        return frame.astype({"component": "Int64", "strong_component": "Int64"})

    def ratings(self, tournament: Which = None) -> pd.DataFrame:
        """One row per rating system and player that it rated: the systems as the tournament names them, the best player
        first. Forfeits do not count in any of them; a player without other games has no rating."""
        source = (
            select(
                tournaments.c.id.label("tournament_id"),
                tournaments.c.name.label("tournament"),
                players.c.spec.label("player"),
                *(ratings.c[name] for name in ("system", "rating", "error", "games")),
                ratings.c.place,
                (-ratings.c.rating).label("worst"),
            )
            .select_from(ratings)
            .join(tournaments, tournaments.c.id == ratings.c.tournament_id)
            .join(players, players.c.id == ratings.c.player_id)
        )
        return self._select(RATINGS, source.subquery(), tournament, ("place", "system", "worst", "player"))

    def learned_models(self, tournament: Which = None) -> pd.DataFrame:
        """One row per round of each player that learned while it played: the hash of the model that it played the round
        with, and the spec of what plays that model and learns no more.

        Rounds count from 0 through all stages; the last row of a player is what it came to.
        """
        return self._select(LEARNED, learning.rounds(), tournament, ("player", "round"))

    def versions(self, tournament: Which = None) -> pd.DataFrame:
        """One row per version of a player that has games: distribution with version, hash of the code
        (null if an older version did not record it), and games.

        A player has several if the tournament was resumed with ``--accept-changed``.
        """
        with self._database.engine.connect() as connection:
            ids = connection.scalars(select(tournaments.c.id).order_by(tournaments.c.id)).all()
            played = [
                stored_tournament(connection, which, self.location)
                for which in (ids if tournament is None else [tournament])
            ]
            rows = [(each.name, *row) for each in played for row in played_versions(connection, each)]
        frame = pd.DataFrame(rows, columns=["tournament", *VERSIONS])
        return frame.set_index("tournament") if tournament is None else frame[list(VERSIONS)]

    def positions(
        self, tournament: Which = None, columns: Sequence[str] | None = None, game: str | int | None = None
    ) -> pd.DataFrame:
        """One row per board of a game, the last included; of all games, or of the one ``game``.

        Move and so on are of the ply to come.

        ``columns`` chooses among the columns of the table and ``tournament``; the text ones (side, fen, move)
        cost by far the most. Scores are in the units, and from the point of view, of the player who moves,
        depths in plies; null where a player reported nothing.
        """
        chosen = tuple(POSITIONS if columns is None else columns)
        if unknown := [name for name in chosen if name not in (*SOURCES, "tournament")]:
            raise UsageError(f"positions have no column {shown(unknown[0])}: choose among {', '.join(POSITIONS)}")
        with self._database.engine.connect() as connection:
            place = key = None
            if game is not None:
                place, key = lookup.game_key(connection, game, tournament, self.location)
            elif tournament is not None:
                place = self._id(connection, tournament)
            boards = Positions.read(connection, chosen, place, key)
        return pd.DataFrame({name: getattr(boards, name)() for name in chosen}, copy=False)

    def runs(self) -> pd.DataFrame:
        """One row per training run, the oldest first.

        ``games`` is how many it is to learn from, ``learned`` how many it has learned from at its last checkpoint,
        ``seconds`` the time that it spent learning until then; ``weights`` is the hash of those that it began with.
        """
        return self._of_run(RUNS, "v_runs", None, ("id",))

    def metrics(self, run: Which = None) -> pd.DataFrame:
        """One row per number measured in training, of one ``run`` (name, id or ``"last"``) or of all (``"all"``).

        ``opponent`` is null for what the learner itself reports of the games since the row before. Else it is the spec
        of the baseline that the player of the checkpoint met: wins, draws, losses, win_pct, score_pct (0-100).
        """
        return self._of_run(METRICS, "v_run_metrics", run, ("run_id", "games", "opponent", "metric"))

    def checkpoints(self, run: Which = None) -> pd.DataFrame:
        """One row per checkpoint, of one ``run`` or of ``"all"``.

        Its name in specs, the hash of its model, the time spent learning until then, and when it was recorded (UTC).
        """
        return self._of_run(CHECKPOINTS, "v_checkpoints", run, ("run_id", "games"))

    def models(self) -> pd.DataFrame:
        """One row per model, the oldest first: hash, kind, made_by, and when it was added (UTC).

        made_by: the checkpoints that it is, or the tournament, player and round in which somebody first came to it;
        null for an imported one.
        """
        query = select(models.c.hash, models.c.kind, models.c.added).order_by(models.c.added, models.c.hash)
        with self._database.engine.connect() as connection:
            frame = pd.DataFrame(connection.execute(query).all(), columns=["hash", "kind", "added"])
        made: dict[Any, str] = {
            row.model: f"{row.Index} ({row.player}, round {row.round})"
            for row in self.learned_models().query("round > 0").drop_duplicates("model").itertuples()
        }
        made |= self.checkpoints().groupby("model")["checkpoint"].agg(", ".join).to_dict()
        frame["made_by"] = frame["hash"].map(made).astype(object)
        return dated(frame, "added")[list(MODELS)]

    def uses(self, model: str) -> pd.DataFrame:
        """Where the model of that hash is used, a row for each: what, name, and the spec under which it was used there.

        What: ``checkpoint``, ``tournament``, ``learning`` (a tournament in which a player came to it), or ``run`` (one
        that began with it).
        """
        with self._database.engine.connect() as connection:
            rows = uses.rows(connection, model)
        return pd.DataFrame(rows, columns=["what", "name", "spec"])

    def _rows(
        self, columns: Sequence[str], rows: Callable[[Connection, int | None], list[Any]], tournament: Which
    ) -> pd.DataFrame:
        """What ``rows`` makes of one tournament or of all: the tournament's name, then ``columns``."""
        with self._database.engine.connect() as connection:
            found = rows(connection, None if tournament is None else self._id(connection, tournament))
        frame = pd.DataFrame(found, columns=["tournament", *columns])
        return frame[list(columns)] if tournament is not None else frame.set_index("tournament")

    def _of_run(self, columns: Sequence[str], view: str, run: Which, order: Sequence[str]) -> pd.DataFrame:
        query: Select[*tuple[Any, ...]] = select(*[column(name) for name in columns]).select_from(table(view))
        query = query.order_by(*[column(name) for name in order])
        with self._database.engine.connect() as connection:
            if run not in (None, "all"):
                query = query.where(column("run_id") == lookup.run_id(connection, run, self.location))
            frame = pd.DataFrame(connection.execute(query).all(), columns=list(columns))
        floats = {name: float for name in ("seconds", "value") if name in columns}
        return dated(frame.astype(floats), *({"started", "added"} & set(columns)))

    def _select(
        self,
        columns: Sequence[str],
        source: str | FromClause,
        tournament: Which,
        order: Sequence[str],
        game: str | int | None = None,
    ) -> pd.DataFrame:
        """``columns`` of a view or query, narrowed and sorted."""
        names = columns if tournament is not None or "tournament" in columns else ("tournament", *columns)
        origin = table(source) if isinstance(source, str) else source
        keys = ("tournament_id", *order)
        query: Select[*tuple[Any, ...]] = select(*[column(name) for name in names]).select_from(origin)
        query = query.order_by(*[column(name) for name in keys])
        with self._database.engine.connect() as connection:
            if game is not None:
                place, key = lookup.game_key(connection, game, tournament, self.location)
                query = query.where(column("tournament_id") == place, column("game") == key)
            elif tournament is not None:
                query = query.where(column("tournament_id") == self._id(connection, tournament))
            frame = pd.DataFrame(connection.execute(query).all(), columns=list(names))
        frame = frame.astype({name: float for name in names if name in _FLOATS})
        return frame if names is columns else frame.set_index("tournament")

    def _id(self, connection: Connection, which: str | int) -> int:
        return lookup.tournament_id(connection, which, self.location)
