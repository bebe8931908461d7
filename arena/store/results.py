"""The store as people read it: DataFrames."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import astuple
from itertools import groupby
from typing import TYPE_CHECKING, Any, Self

import pandas as pd
from sqlalchemy import column, func, literal, select, table

from arena.errors import UsageError
from arena.record import points_of
from arena.statistics import pools
from arena.store import comparisons, export, lookup, recorded
from arena.store import learned as learning
from arena.store.database import Database
from arena.store.positions import SOURCES, Positions
from arena.store.schema import (
    collected_games,
    collections,
    games,
    learned,
    models,
    players,
    ratings,
    runs,
    tournament_players,
    tournaments,
)
from arena.store.tournaments import points, shares, stored_tournament

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection, FromClause, Select

    from arena.record import GameRecord
    from arena.store.tournaments import StoredTournament

    Which = str | int | None

STANDINGS = (
    *("rank", "player", "rating", "rating_error", "games", "wins", "draws", "losses", "forfeits"),
    *("win_pct", "win_low", "win_high", "score_pct"),
)
GAMES = (
    *("game", "tournament", "pairing", "round", "opening", "black", "white", "result", "winner"),
    *("termination", "guilty", "plies", "seed", "moves"),
)
POSITIONS = tuple(SOURCES)
RATINGS = ("player", "system", "rating", "error", "games")
HEAD_TO_HEAD = ("player", "opponent", "games", "wins", "draws", "losses", "win_pct", "score_pct")
POOLS = ("player", "games", "pool", "group", "note")
SUPERIORITY = ("player", "opponent", "pairs", "score_pct", "score_error", "elo", "elo_error", "los", "p_value")
LEARNED = ("player", "round", "model", "spec")
COLLECTED = (
    *("game", "collection", "event", "site", "date", "round", "black", "white", "result"),
    *("fen", "plies", "moves", "comments", "file", "number"),
)
RUNS = (
    *("id", "run", "learner", "seed", "games", "learned", "checkpoints", "seconds"),
    *("version", "weights", "started"),
)
METRICS = ("run", "games", "metric", "opponent", "value")
CHECKPOINTS = ("checkpoint", "run", "games", "kind", "model", "seconds", "added")
MODELS = ("hash", "kind", "made_by", "added")

_black, _white = players.alias(), players.alias()
_FLOATS = ("rating", "rating_error", "error", "win_pct", "win_low", "win_high", "score_pct")
"""Columns that may be null in every row, where pandas could not tell that they are numbers."""


class Results:
    """A database opened to read; nothing in it, or beside it, is ever changed.

    Each method narrows to one ``tournament``: its name, its id, or ``"last"``. Without it, the rows of every
    tournament follow one another, never mixed; tables of players are then indexed by the tournaments' names.

    Raises StoreError, in one line, where there is no such database, tournament or run.
    """

    def __init__(self, path_or_url: str | os.PathLike[str]) -> None:
        self._database = Database(path_or_url, write=False)
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

    def game(self, game: int, tournament: Which = None) -> GameRecord:
        """The game of that id, of the last tournament that has it unless one is named. Raises StoreError."""
        return recorded.game(self._database, game, tournament)[1]

    def tournament_of(self, game: int, tournament: Which = None) -> int:
        """The id of the last tournament that has a game of that id, or of the one that is named. Raises StoreError."""
        return recorded.game(self._database, game, tournament)[0]

    def shares(self, tournament: str | int) -> dict[tuple[str, str], tuple[float, float]]:
        """The share of the points of their meeting that two players made, by their specs in alphabetical order."""
        with self._database.engine.connect() as connection:
            return shares(connection, self._id(connection, tournament))

    def points(self, tournament: str | int, player: str) -> dict[int, float | None]:
        """What a player of a tournament of two made of each game by its round; None where somebody forfeited."""
        with self._database.engine.connect() as connection:
            return points(connection, self._id(connection, tournament), player)

    def learned_models(self, tournament: str | int) -> dict[tuple[str, int], str]:
        """The hashes of :meth:`learned`, by player and round."""
        with self._database.engine.connect() as connection:
            return learning.hashes(connection, self._id(connection, tournament))

    def tournaments(self) -> pd.DataFrame:
        """One row per tournament: id, name, seed, number of players, number of games, start (UTC)."""
        here = tournaments.c.id
        seats = select(func.count()).where(tournament_players.c.tournament_id == here).scalar_subquery()
        played = select(func.count()).where(games.c.tournament_id == here).scalar_subquery()
        query = select(*(here, tournaments.c.name, tournaments.c.seed, seats, played, tournaments.c.started)).order_by(
            here
        )
        with self._database.engine.connect() as connection:
            rows = connection.execute(query).all()
        return _dated(pd.DataFrame(rows, columns=["id", "name", "seed", "players", "games", "started"]), "started")

    def collections(self) -> pd.DataFrame:
        """One row per collection of games that others played: id, name, number of games, creation (UTC)."""
        here = collections.c.id
        held = select(func.count()).where(collected_games.c.collection_id == here).scalar_subquery()
        query = select(here, collections.c.name, held, collections.c.created).order_by(here)
        with self._database.engine.connect() as connection:
            rows = connection.execute(query).all()
        return _dated(pd.DataFrame(rows, columns=["id", "name", "games", "created"]), "created")

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
    ) -> Iterator[str]:
        """The PDN of each game of a selection, one in memory at a time: of a tournament (or ``"all"``), of a
        collection (or ``"all"``), of both, or of everything where neither is named.

        ``player`` is part of the spec or name of one of the players, in any case; ``result`` as in PDN.
        """
        return export.pdn(self._database, self.location, export.Selection(tournament, collection, player, result))

    def standings(self, tournament: Which = None) -> pd.DataFrame:
        """One row per player, the best score first.

        Percentages lie in 0-100; win_low and win_high are the Wilson bounds (95 %) of win_pct.
        games = wins + draws + losses, forfeits included; forfeits are the games that the player forfeited.
        Ratings are Davidson's in Elo units, the error half the width of a 95 % interval; null without rated games.
        """
        return self._select(STANDINGS, "v_standings", tournament, ("rank", "player"))

    def games(self, tournament: Which = None) -> pd.DataFrame:
        """One row per game, in schedule order; ``winner`` and ``guilty`` are the player's spec or null."""
        return self._select(GAMES, "v_games", tournament, ("pairing", "round"))

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
        query = (
            select(
                games.c.tournament_id,
                tournaments.c.name,
                *(_black.c.spec, _white.c.spec),
                *(games.c[name] for name in ("round", "result", "guilty")),
            )
            .join(tournaments, tournaments.c.id == games.c.tournament_id)
            .join(_black, _black.c.id == games.c.black_id)
            .join(_white, _white.c.id == games.c.white_id)
            .order_by(games.c.tournament_id, games.c.pairing, games.c.round)
        )
        with self._database.engine.connect() as connection:
            if tournament is not None:
                query = query.where(games.c.tournament_id == self._id(connection, tournament))
            found = connection.execute(query).all()
        parts = [(name, [row[2:] for row in part]) for (_, name), part in groupby(found, key=lambda row: row[:2])]
        rows = [(name, *row) for name, part in parts for row in comparisons.rows(part)]
        frame = pd.DataFrame(rows, columns=["tournament", *SUPERIORITY])
        frame = frame.astype(dict.fromkeys(SUPERIORITY[3:], float))
        return frame[list(SUPERIORITY)] if tournament is not None else frame.set_index("tournament")

    def pools(self, tournament: Which = None) -> pd.DataFrame:
        """One row per player: which ratings can be compared, and which cannot be taken as they stand.

        ``games`` are those that count for ratings. Players of one ``pool`` met, each other or through others; between
        players of one ``group``, points went both ways, directly or through others. How far two players are apart is
        known from results only within a group: beyond it the difference in rating is a guess, between pools it is
        nothing at all. ``note``: ``only wins``, ``only losses``, ``no rated games``, or null. Pools and groups are
        numbered by size, and null for who has no rated games.
        """
        seated = (
            select(tournament_players.c.tournament_id, tournaments.c.name, players.c.spec)
            .join(tournaments, tournaments.c.id == tournament_players.c.tournament_id)
            .join(players, players.c.id == tournament_players.c.player_id)
            .order_by(tournament_players.c.tournament_id, tournament_players.c.seat)
        )
        keys = (games.c.tournament_id, _black.c.spec, _white.c.spec, games.c.result)
        played = (
            select(*keys, func.count())
            .select_from(games)
            .join(_black, _black.c.id == games.c.black_id)
            .join(_white, _white.c.id == games.c.white_id)
            .where(games.c.guilty.is_(None))
            .group_by(*keys)
        )
        with self._database.engine.connect() as connection:
            if tournament is not None:
                key = self._id(connection, tournament)
                seated = seated.where(tournament_players.c.tournament_id == key)
                played = played.where(games.c.tournament_id == key)
            seats, tallies = connection.execute(seated).all(), connection.execute(played).all()
        results = defaultdict(list)
        for key, black, white, result, number in tallies:
            results[key].append((black, white, points_of(black, black, result), number))
        rows = []
        for (key, name), part in groupby(seats, key=lambda seat: seat[:2]):
            found = pools.bases([seat[2] for seat in part], results[key])
            rows += [(name, player, *astuple(basis)) for player, basis in found.items()]
        frame = pd.DataFrame(rows, columns=["tournament", *POOLS]).astype({"pool": "Int64", "group": "Int64"})
        return frame[list(POOLS)] if tournament is not None else frame.set_index("tournament")

    def ratings(self, tournament: Which = None) -> pd.DataFrame:
        """One row per rating system and player that it rated, the best first; forfeits do not count in any of them, and
        who has no other games has no rating."""
        source = (
            select(
                tournaments.c.id.label("tournament_id"),
                tournaments.c.name.label("tournament"),
                players.c.spec.label("player"),
                *(ratings.c[name] for name in ("system", "rating", "error", "games")),
                (-ratings.c.rating).label("place"),
            )
            .select_from(ratings)
            .join(tournaments, tournaments.c.id == ratings.c.tournament_id)
            .join(players, players.c.id == ratings.c.player_id)
        )
        return self._select(RATINGS, source.subquery(), tournament, ("system", "place", "player"))

    def learned(self, tournament: Which = None) -> pd.DataFrame:
        """One row per round of each player that learned while it played: the hash of the model that it played the round
        with, and the spec of what plays that model and learns no more.

        Rounds count from 0 through all stages; the last row of a player is what it came to.
        """
        source = (
            select(
                tournaments.c.id.label("tournament_id"),
                tournaments.c.name.label("tournament"),
                players.c.spec.label("player"),
                learned.c.round,
                learned.c.model_hash.label("model"),
                learned.c.spec,
            )
            .select_from(learned)
            .join(tournaments, tournaments.c.id == learned.c.tournament_id)
            .join(players, players.c.id == learned.c.player_id)
        )
        return self._select(LEARNED, source.subquery(), tournament, ("player", "round"))

    def positions(self, tournament: Which = None, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """One row per board of a game, the last included; move and so on are of the ply to come.

        ``columns`` chooses among the columns of the table and ``tournament``; the text ones (side, fen, move)
        cost by far the most. Scores are in the units, and from the point of view, of the player who moves,
        depths in plies; null where a player reported nothing.
        """
        chosen = tuple(POSITIONS if columns is None else columns)
        if unknown := [name for name in chosen if name not in (*SOURCES, "tournament")]:
            raise UsageError(f"positions have no column {unknown[0]!r}: choose among {', '.join(POSITIONS)}")
        needed = sorted({"tournament_id", "id", "plies", "first", *filter(None, map(SOURCES.get, chosen))})
        query = select(*(games.c[name] for name in needed)).order_by(
            games.c.tournament_id, games.c.pairing, games.c.round
        )
        with self._database.engine.connect() as connection:
            if tournament is not None:
                query = query.where(games.c.tournament_id == self._id(connection, tournament))
            names = connection.execute(select(tournaments.c.id, tournaments.c.name)).all()
            rows = connection.execute(query).all()
        values = list(zip(*rows, strict=True)) or [()] * len(needed)
        boards = Positions(dict(zip(needed, values, strict=True)), dict(names))
        return pd.DataFrame({name: getattr(boards, name)() for name in chosen}, copy=False)

    def runs(self) -> pd.DataFrame:
        """One row per training run, the oldest first.

        ``games`` is how many it is to learn from, ``learned`` how many it has learned from at its last checkpoint,
        ``seconds`` the time that it spent learning until then; ``weights`` is the hash of those that it began with.
        """
        return self._of_run(RUNS, "v_runs", None, ("id",))

    def metrics(self, run: Which = None) -> pd.DataFrame:
        """One row per number measured in training, of one ``run`` (name, id or ``"last"``) or of all.

        ``opponent`` is null for what the learner itself reports of the games since the row before. Else it is the spec
        of the yardstick that the player of the checkpoint met: wins, draws, losses, win_pct, score_pct (0-100).
        """
        return self._of_run(METRICS, "v_run_metrics", run, ("run_id", "games", "opponent", "metric"))

    def checkpoints(self, run: Which = None) -> pd.DataFrame:
        """One row per checkpoint, of one ``run`` or of all: its name in specs, the hash of its model, the time spent
        learning until then, and when it was recorded (UTC)."""
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
            for row in self.learned().query("round > 0").drop_duplicates("model").itertuples()
        }
        made |= self.checkpoints().groupby("model")["checkpoint"].agg(", ".join).to_dict()
        frame["made_by"] = frame["hash"].map(made).astype(object)
        return _dated(frame, "added")[list(MODELS)]

    def uses(self, model: str) -> pd.DataFrame:
        """Where the model of that hash is used, a row for each: what, name, and the spec under which it was used there.

        What: ``checkpoint``, ``tournament``, ``learning`` (a tournament in which a player came to it), or ``run`` (one
        that began with it).
        """
        seated = (
            select(literal("tournament"), tournaments.c.name, players.c.spec)
            .select_from(players)
            .join(tournament_players)
            .join(tournaments)
            .where(players.c.weights == model)
            .order_by(tournaments.c.id)
        )
        met = (
            select(literal("learning"), tournaments.c.name, players.c.spec)
            .select_from(learned)
            .join(tournaments, tournaments.c.id == learned.c.tournament_id)
            .join(players, players.c.id == learned.c.player_id)
            .where(learned.c.model_hash == model)
            .distinct()
            .order_by(tournaments.c.name, players.c.spec)
        )
        begun = select(literal("run"), runs.c.name, runs.c.learner).where(runs.c.weights == model).order_by(runs.c.id)
        with self._database.engine.connect() as connection:
            rows = [tuple(row) for query in (seated, met, begun) for row in connection.execute(query)]
        made = self.checkpoints()
        names = made.loc[made["model"] == model, "checkpoint"]
        rows = [*(("checkpoint", name, name) for name in names), *rows]
        return pd.DataFrame(rows, columns=["what", "name", "spec"])

    def _of_run(self, columns: Sequence[str], view: str, run: Which, order: Sequence[str]) -> pd.DataFrame:
        query: Select[*tuple[Any, ...]] = select(*[column(name) for name in columns]).select_from(table(view))
        query = query.order_by(*[column(name) for name in order])
        with self._database.engine.connect() as connection:
            if run is not None:
                query = query.where(column("run_id") == lookup.run_id(connection, run, self.location))
            frame = pd.DataFrame(connection.execute(query).all(), columns=list(columns))
        floats = {name: float for name in ("seconds", "value") if name in columns}
        return _dated(frame.astype(floats), *({"started", "added"} & set(columns)))

    def _select(
        self, columns: Sequence[str], source: str | FromClause, tournament: Which, order: Sequence[str]
    ) -> pd.DataFrame:
        """``columns`` of a view or query, narrowed and sorted."""
        names = columns if tournament is not None or "tournament" in columns else ("tournament", *columns)
        origin = table(source) if isinstance(source, str) else source
        keys = ("tournament_id", *order)
        query: Select[*tuple[Any, ...]] = select(*[column(name) for name in names]).select_from(origin)
        query = query.order_by(*[column(name) for name in keys])
        with self._database.engine.connect() as connection:
            if tournament is not None:
                query = query.where(column("tournament_id") == self._id(connection, tournament))
            frame = pd.DataFrame(connection.execute(query).all(), columns=list(names))
        frame = frame.astype({name: float for name in names if name in _FLOATS})
        return frame if names is columns else frame.set_index("tournament")

    def _id(self, connection: Connection, which: str | int) -> int:
        return lookup.tournament_id(connection, which, self.location)


def _dated(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """The frame with seconds since the epoch as times (UTC)."""
    return frame.assign(**{name: pd.to_datetime(frame[name].astype(float), unit="s", utc=True) for name in columns})
