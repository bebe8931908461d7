"""Reading the database into pandas DataFrames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import pandas as pd
from sqlalchemy import column, func, select, table

from arena.errors import UsageError, shown
from arena.store import comparisons, export, forfeits, frames, lookup, recorded_games
from arena.store import learning_log as learning
from arena.store.annotation_results import AnnotationResults
from arena.store.database import Database
from arena.store.decoding import decoded
from arena.store.notebook import NotebookFrame
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
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from sqlalchemy import Connection, FromClause, Select

    from arena.contracts.record import GameRecord
    from arena.store.tournaments import StoredTournament

    Which = str | int | None

_FLOATS = ("rating", "rating_error", "error", "win_pct", "win_low", "win_high", "score_pct")
"""Numeric columns that may be null in all rows. pandas would give them the type object."""


@decoded
class Results(AnnotationResults):
    """A database open for reading.

    The argument ``tournament`` is the name or the id of a tournament, or ``"last"``. Without it, a method returns the
    rows of all tournaments, one tournament after the other. Tables of players are then indexed by tournament name.

    Tables have rounded numbers in a notebook (:class:`arena.store.notebook.NotebookFrame`).

    Every method raises StoreError if the database, tournament or run does not exist.
    """

    def __init__(self, path_or_url: str | os.PathLike[str]) -> None:
        self._database = Database(path_or_url, write=False)
        self.database = str(path_or_url)
        """Path or URL as given by the caller."""
        self.location = self._database.location
        """Path or URL without a password, for messages."""

    def close(self) -> None:
        """Close the connections to a database server. A file is only open during each call of a method."""
        self._database.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def change_token(self) -> Hashable:
        """Return a value that is different after every change of the database. Reading it costs little."""
        return self._database.change_token

    def tournament(self, which: str | int = "last") -> StoredTournament:
        """Return the settings and players of a tournament."""
        with self._database.engine.connect() as connection:
            return stored_tournament(connection, which, self.location)

    def game(self, game: str | int, tournament: Which = None) -> GameRecord:
        """Return a game. Raises StoreError if it does not exist.

        ``game`` is the id of the game, ``t2/17`` for game 17 of tournament t2, ``t2/last`` for its game that started
        last, or ``last`` for the game of the last tournament that started last. Several tournaments can have games of
        the same id. Without ``tournament``, an id means the game of the last of them.

        The games of a tournament are numbered from 1 by stage, pairing (alphabetically) and round. Games not yet played
        have numbers too, so that the number of a game never changes.
        """
        return recorded_games.game(self._database, game, tournament)[1]

    def first_games(self, tournament: str | int = "last") -> list[tuple[int, str, str]]:
        """Return id, Black's spec and White's spec of the first game on record of each pairing, by pairing."""
        return recorded_games.first_of_pairings(self._database, tournament)

    def tournament_of(self, game: str | int, tournament: Which = None) -> int:
        """Return the id of the tournament of a game; the arguments are those of :meth:`game`."""
        return recorded_games.game(self._database, game, tournament)[0]

    def shares(self, tournament: str | int) -> dict[tuple[str, str], tuple[float, float]]:
        """Return the shares (0-1) of the points that the two players of each pairing scored, which add up to 1.

        Keys are the two specs in alphabetical order. A forfeit counts as a loss.
        """
        with self._database.engine.connect() as connection:
            return shares(connection, self._id(connection, tournament))

    def points(self, tournament: str | int, player: str) -> dict[int, float | None]:
        """Return a player's points (1, 0.5 or 0) by round, in a tournament of two players. A forfeit gives None."""
        with self._database.engine.connect() as connection:
            return points(connection, self._id(connection, tournament), player)

    def changes_before(self, tournament: str | int, game: int) -> int:
        """Return the number of the last player change accepted before the game with the id ``game``, or 0."""
        with self._database.engine.connect() as connection:
            return changes_before(connection, self._id(connection, tournament), game)

    def model_hashes(self, tournament: str | int) -> dict[tuple[str, int], str]:
        """Return the hashes of :meth:`learned_models` by the player's spec and the round."""
        with self._database.engine.connect() as connection:
            return learning.hashes(connection, self._id(connection, tournament))

    def tournaments(self) -> pd.DataFrame:
        """One row per tournament: id, name, seed, numbers of players, games and planned games, time of creation (UTC).

        A tournament with fewer ``games`` than ``planned`` is unfinished. ``planned`` is an upper bound until the format
        or a sequential test has decided. It is null in tournaments of earlier versions with a sequential test.
        """
        query: Select[*tuple[Any, ...]] = select(*[column(name) for name in frames.TOURNAMENTS]).select_from(
            table("v_tournaments")
        )
        with self._database.engine.connect() as connection:
            rows = connection.execute(query.order_by(column("id"))).all()
        frame = pd.DataFrame(rows, columns=list(frames.TOURNAMENTS)).astype({"planned": "Int64"})
        return NotebookFrame(frames.dated(frame, "started"))

    def collections(self) -> pd.DataFrame:
        """One row per collection of imported games: id, name, number of games, time of creation (UTC)."""
        key = collections.c.id
        size = select(func.count()).where(collected_games.c.collection_id == key).scalar_subquery()
        query = select(key, collections.c.name, size, collections.c.created).order_by(key)
        with self._database.engine.connect() as connection:
            rows = connection.execute(query).all()
        return frames.dated(pd.DataFrame(rows, columns=["id", "name", "games", "created"]), "created")

    def collected(self, collection: str | None = None) -> pd.DataFrame:
        """One row per imported game, of one collection or of all, ordered by file and number in the file.

        ``event`` to ``white`` are the texts of the PDN tags, null if the game has no such tag. ``fen`` is the first
        board. ``comments`` has one line per board, the first included. If the move before the board has a mark (``!``,
        ``?``, ...), the line starts with the mark and a tab; then comes the comment. Without comments and marks it is
        null. ``result`` is ``1-0`` (Black won), ``0-1`` (White won), ``1/2-1/2`` or ``*`` (unknown).
        """
        query: Select[*tuple[Any, ...]] = select(*[column(name) for name in frames.COLLECTED]).select_from(
            table("v_collected_games")
        )
        query = query.order_by(column("collection_id"), column("file"), column("number"))
        with self._database.engine.connect() as connection:
            if collection is not None:
                key = lookup.collection_id(connection, collection, self.location)
                query = query.where(column("collection_id") == key)
            return pd.DataFrame(connection.execute(query).all(), columns=list(frames.COLLECTED))

    def pdn(
        self,
        tournament: Which = None,
        collection: str | None = None,
        player: str | None = None,
        result: str | None = None,
        game: str | int | None = None,
    ) -> Iterator[str]:
        """Return an iterator over the PDN texts of the selected games, which are read one by one.

        ``tournament`` and ``collection`` select the games of one tournament and of one collection, ``"all"`` those of
        all. If neither is given, all games are selected. ``player`` is a part of the spec or name of one of the
        players; upper and lower case are equal. ``result`` is a PDN result. ``game`` selects one game of a tournament.
        """
        selection = export.Selection(tournament, collection, player, result, game)
        return export.pdn(self._database, self.location, selection)

    def standings(self, tournament: Which = None) -> pd.DataFrame:
        """One row per player, the best score first.

        ``games`` = ``wins`` + ``draws`` + ``losses``; forfeited games are included. ``forfeits`` is the number of games
        that the player forfeited. Percentages are 0-100. ``win_low`` and ``win_high`` are the bounds of Wilson's 95 %
        interval of ``win_pct``. ``rating`` is that of the tournament's first rating system, ``rating_error`` half the
        width of its 95 % confidence interval; both are null for players without rated games.
        """
        return self._select(frames.STANDINGS, "v_standings", tournament, ("rank", "player"))

    def games(self, tournament: Which = None, game: str | int | None = None) -> pd.DataFrame:
        """One row per game in the order of their numbers, or only the row of ``game``.

        ``name`` is the tournament's name and the game's number: ``t2/17``. ``winner`` and ``forfeited_by`` are specs or
        null. ``reason`` is the reason of a forfeit, else null.
        """
        return self._select(frames.GAMES, "v_games", tournament, ("number", "pairing", "round"), game)

    def forfeits(self, tournament: Which = None) -> pd.DataFrame:
        """One row per player, termination and last line of the reason, the most frequent forfeits first.

        ``games`` is the number of these forfeits, ``example`` the name of the first such game (its id if it has no
        name).
        """
        return self._rows(frames.FORFEITS, forfeits.rows, tournament)

    def head_to_head(self, tournament: Which = None) -> pd.DataFrame:
        """One row per ordered pair of players that played each other, from the point of view of ``player``."""
        return self._select(frames.HEAD_TO_HEAD, "v_head_to_head", tournament, ("player", "opponent"))

    def superiority(self, tournament: Which = None) -> pd.DataFrame:
        """One row per ordered pair of players: the confidence that ``player`` is better than ``opponent``.

        The unit is the pair of games that share an opening with the colours swapped. Pairs with a forfeit do not count.
        ``score_error`` and ``elo_error`` are half the widths of 95 % confidence intervals. ``los`` is the likelihood of
        superiority (0-100). ``p_value`` (0-1) is two-sided, for the hypothesis of equal strength, and adjusted for all
        pairs of players of the tournament (Holm). ``elo`` is infinite if all games were won or all were lost, and
        ``elo_error`` is infinite if the interval is.
        """
        frame = self._rows(frames.SUPERIORITY, comparisons.superiority, tournament)
        return NotebookFrame(frame.astype(dict.fromkeys(frames.SUPERIORITY[3:], float)))

    def components(self, tournament: Which = None) -> pd.DataFrame:
        """One row per player: which ratings can be compared, and which are not reliable.

        - ``games``: number of the player's rated games.
        - ``component``: number of the connected component of the graph of games. Players of different components are
          not linked by any opponents, and their ratings cannot be compared.
        - ``strong_component``: number of the strongly connected component of the graph of scores. Within a strong
          component, each player scored against each other one, directly or through other players. Between strong
          components, a rating difference depends on the prior of the rating system.
        - ``note``: ``only wins``, ``only losses``, ``no rated games``, or null.

        Components are numbered from 1 by size, the largest first. Both numbers are null for players without rated
        games.
        """
        frame = self._rows(frames.COMPONENTS, comparisons.components, tournament)
        return NotebookFrame(frame.astype({"component": "Int64", "strong_component": "Int64"}))

    def ratings(self, tournament: Which = None) -> pd.DataFrame:
        """One row per rating system and rated player: systems in the tournament's order, the best player first.

        Forfeits are not rated. Players without rated games have no row.
        """
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
        return self._select(frames.RATINGS, source.subquery(), tournament, ("place", "system", "worst", "player"))

    def learned_models(self, tournament: Which = None) -> pd.DataFrame:
        """One row per round of each player that learned during the tournament.

        ``model`` is the hash of the model that the player used in the round, ``spec`` a frozen player that uses this
        model. Rounds are counted from 0 through all stages. The last row of a player holds its final model.
        """
        return self._select(frames.LEARNED, learning.rounds(), tournament, ("player", "round"))

    def versions(self, tournament: Which = None) -> pd.DataFrame:
        """One row per version of each player that played a game.

        ``version`` is distribution and version, ``code`` the hash of the source code (null if an older version recorded
        the player), ``games`` the number of games. A player has several versions if the tournament was resumed with
        ``--accept-changed``.
        """
        with self._database.engine.connect() as connection:
            ids = connection.scalars(select(tournaments.c.id).order_by(tournaments.c.id)).all()
            played = [
                stored_tournament(connection, which, self.location)
                for which in (ids if tournament is None else [tournament])
            ]
            rows = [(each.name, *row) for each in played for row in played_versions(connection, each)]
        frame = pd.DataFrame(rows, columns=["tournament", *frames.VERSIONS])
        return frame.set_index("tournament") if tournament is None else frame[list(frames.VERSIONS)]

    def positions(
        self, tournament: Which = None, columns: Sequence[str] | None = None, game: str | int | None = None
    ) -> pd.DataFrame:
        """One row per board of each game, the last included, or of only one ``game``.

        ``ply`` counts from 0. ``side`` is the side to move. ``move``, ``score``, ``depth``, ``nodes`` and ``seconds``
        belong to the next move, and are null on the last board. ``score`` is in the mover's own units and from its
        point of view, ``depth`` in plies. Values that the player did not report are null.

        ``columns`` selects some columns; ``tournament`` is available too. The text columns (side, fen, move) take by
        far the most time. Raises UsageError if a column does not exist.
        """
        chosen = tuple(frames.POSITIONS if columns is None else columns)
        if unknown := [name for name in chosen if name not in (*SOURCES, "tournament")]:
            raise UsageError(
                f"positions have no column {shown(unknown[0])}: choose among {', '.join(frames.POSITIONS)}"
            )
        with self._database.engine.connect() as connection:
            tournament_id = key = None
            if game is not None:
                tournament_id, key = lookup.game_key(connection, game, tournament, self.location)
            elif tournament is not None:
                tournament_id = self._id(connection, tournament)
            boards = Positions.read(connection, chosen, tournament_id, key)
        return pd.DataFrame({name: getattr(boards, name)() for name in chosen}, copy=False)

    def runs(self) -> pd.DataFrame:
        """One row per training run, the oldest first.

        ``games`` is the planned number of training games, ``learned`` the number at the last checkpoint, ``seconds``
        the time spent learning until then. ``weights`` is the hash of the initial model or null. ``started`` is the
        time of creation (UTC).
        """
        return self._of_run(frames.RUNS, "v_runs", None, ("id",))

    def metrics(self, run: Which = None) -> pd.DataFrame:
        """One row per number measured in training, of one ``run`` (name, id or ``"last"``) or of all (``"all"``).

        ``games`` is the number of training games so far. ``opponent`` is null for metrics that the learner reports on
        the games since the last report. Otherwise it is the spec of the baseline that the checkpoint's player played
        against; the metrics are then wins, draws, losses, win_pct and score_pct (0-100).
        """
        return self._of_run(frames.METRICS, "v_run_metrics", run, ("run_id", "games", "opponent", "metric"))

    def checkpoints(self, run: Which = None) -> pd.DataFrame:
        """One row per checkpoint, of one ``run`` or of all (``"all"``).

        ``checkpoint`` is its name in specs, ``games`` the number of training games, ``model`` the hash of the model,
        ``seconds`` the time spent learning until then, ``added`` the time of recording (UTC).
        """
        return self._of_run(frames.CHECKPOINTS, "v_checkpoints", run, ("run_id", "games"))

    def models(self) -> pd.DataFrame:
        """One row per model, the oldest first: hash, kind, made_by, time of recording (UTC).

        ``made_by`` names the checkpoints with this model, or the tournament, player and round in which it was learned
        first. It is null for an imported model.
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
        return frames.dated(frame, "added")[list(frames.MODELS)]

    def _rows(
        self, columns: Sequence[str], rows: Callable[[Connection, int | None], list[Any]], tournament: Which
    ) -> pd.DataFrame:
        """Return the result of ``rows`` for one tournament or for all: the tournament's name, then ``columns``."""
        with self._database.engine.connect() as connection:
            table_rows = rows(connection, None if tournament is None else self._id(connection, tournament))
        frame = pd.DataFrame(table_rows, columns=["tournament", *columns])
        return NotebookFrame(frame[list(columns)] if tournament is not None else frame.set_index("tournament"))

    def _of_run(self, columns: Sequence[str], view: str, run: Which, order: Sequence[str]) -> pd.DataFrame:
        query: Select[*tuple[Any, ...]] = select(*[column(name) for name in columns]).select_from(table(view))
        query = query.order_by(*[column(name) for name in order])
        with self._database.engine.connect() as connection:
            if run not in (None, "all"):
                query = query.where(column("run_id") == lookup.run_id(connection, run, self.location))
            frame = pd.DataFrame(connection.execute(query).all(), columns=list(columns))
        floats = {name: float for name in ("seconds", "value") if name in columns}
        return frames.dated(frame.astype(floats), *({"started", "added"} & set(columns)))

    def _select(
        self,
        columns: Sequence[str],
        source: str | FromClause,
        tournament: Which,
        order: Sequence[str],
        game: str | int | None = None,
    ) -> pd.DataFrame:
        """Return ``columns`` of a view or query, for one tournament or one game, sorted by ``order``."""
        names = columns if tournament is not None or "tournament" in columns else ("tournament", *columns)
        origin = table(source) if isinstance(source, str) else source
        keys = ("tournament_id", *order)
        query: Select[*tuple[Any, ...]] = select(*[column(name) for name in names]).select_from(origin)
        query = query.order_by(*[column(name) for name in keys])
        with self._database.engine.connect() as connection:
            if game is not None:
                tournament_id, key = lookup.game_key(connection, game, tournament, self.location)
                query = query.where(column("tournament_id") == tournament_id, column("game") == key)
            elif tournament is not None:
                query = query.where(column("tournament_id") == self._id(connection, tournament))
            frame = pd.DataFrame(connection.execute(query).all(), columns=list(names))
        frame = frame.astype({name: float for name in names if name in _FLOATS})
        return NotebookFrame(frame if names is columns else frame.set_index("tournament"))

    def _id(self, connection: Connection, which: str | int) -> int:
        return lookup.tournament_id(connection, which, self.location)
