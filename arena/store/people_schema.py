"""The tables of people: their games and their annotations. :mod:`arena.store.schema` has all tables."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    Table,
    Text,
)

from arena.store.metadata import metadata

person_games = Table(
    "person_games",
    metadata,
    Column("tournament_id", Integer, primary_key=True),
    Column("game_id", BigInteger, primary_key=True, autoincrement=False),
    Column("side", Text, nullable=False, doc="side of the person: black or white"),
    Column("hints", Integer, nullable=False, doc="number of hints and evaluations that the person asked for"),
    Column("undone", Integer, nullable=False, doc="number of plies that the person took back"),
    Column("clock", Double, doc="seconds of each side for the game; null: no clock"),
    Column("increment", Double, nullable=False, doc="seconds that a clock gains after each move"),
    ForeignKeyConstraint(["tournament_id", "game_id"], ["games.tournament_id", "games.id"]),
    CheckConstraint("side IN ('black', 'white')"),
)
"""One row per game that a person played to its end. The game itself is a row of ``games``."""

saved_games = Table(
    "saved_games",
    metadata,
    Column("number", Integer, primary_key=True, doc="number by which the game is resumed; no number is used twice"),
    Column("id", BigInteger, nullable=False, unique=True, doc="seed of the game, and its id once it is over"),
    Column("black", Text, nullable=False, doc="canonical spec of the player with the black pieces"),
    Column("white", Text, nullable=False, doc="canonical spec of the player with the white pieces"),
    Column("plies", Integer, nullable=False, doc="number of plies played"),
    Column("fen", Text, nullable=False, doc="FEN of the current board"),
    Column("saved", Double, nullable=False, doc="time of saving, in seconds since the epoch"),
    Column("state", JSON, nullable=False, doc="everything that the session needs to go on with the game"),
    sqlite_autoincrement=True,
)
"""One row per unfinished game of a person."""

move_annotations = Table(
    "move_annotations",
    metadata,
    Column("id", Integer, primary_key=True, doc="number of the annotation; no number is used twice"),
    Column("tournament_id", Integer, doc="tournament of the game; null: the game is imported"),
    Column("collection_id", Integer, doc="collection of the game; null: the game belongs to a tournament"),
    Column("game_id", BigInteger, nullable=False, doc="id of the game"),
    Column("ply", Integer, nullable=False, doc="number of the move in the game, from 1; 0: the first board"),
    Column("annotator", Text, nullable=False, doc="name of the person"),
    Column("mark", Text, doc="mark of the move: !, ?, !!, ??, !? or ?!; null: none"),
    Column("better", Text, doc="PDN text of a better move; null: none"),
    Column(
        "score",
        Double,
        doc="expected result after the move for the player who made it, -1 (lost) to 1 (won); null: none",
    ),
    Column("comment", Text, doc="text; null: none"),
    Column("added", Double, nullable=False, doc="time of recording, in seconds since the epoch"),
    ForeignKeyConstraint(["tournament_id", "game_id"], ["games.tournament_id", "games.id"]),
    ForeignKeyConstraint(["collection_id", "game_id"], ["collected_games.collection_id", "collected_games.id"]),
    CheckConstraint("(tournament_id IS NULL) <> (collection_id IS NULL)"),
    CheckConstraint("mark IN ('!', '?', '!!', '??', '!?', '?!')"),
    CheckConstraint("score BETWEEN -1 AND 1"),
    sqlite_autoincrement=True,
)
"""One row per annotation of a move. The marks and comments of PDN files are in ``collected_games``."""
Index("move_annotations_tournament", move_annotations.c.tournament_id, move_annotations.c.game_id)
Index("move_annotations_collection", move_annotations.c.collection_id, move_annotations.c.game_id)
