"""The tables of the newest revision. The ``doc`` of a column gives its meaning, unit and sentinel values.

Times are seconds since 1970-01-01 00:00 UTC. Binary columns hold little-endian numbers. A board is three uint32 masks
(black pieces, white pieces, kings of both sides); bit n - 1 of a mask is square n.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    func,
)

from arena.store.metadata import metadata
from arena.store.people_schema import move_annotations, person_games, saved_games

__all__ = [
    "checkpoints",
    "collected_games",
    "collections",
    "experiment_candidates",
    "experiment_checkpoints",
    "experiment_runs",
    "experiments",
    "games",
    "learned_models",
    "metadata",
    "models",
    "move_annotations",
    "pairings",
    "person_games",
    "player_changes",
    "players",
    "ratings",
    "run_games",
    "run_metrics",
    "runs",
    "saved_games",
    "tournament_players",
    "tournaments",
]

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("seed", BigInteger, nullable=False, doc="seed of the tournament; the seeds of its games follow from it"),
    Column(
        "settings",
        JSON,
        nullable=False,
        doc="settings of the tournament, with the identity of each player at its start",
    ),
    Column("version", Text, nullable=False, doc="version of checkers-arena that created the tournament"),
    Column("started", Double, nullable=False, doc="time of creation, in seconds since the epoch"),
    Column(
        "planned",
        BigInteger,
        doc="number of planned games; an upper bound until the format or a sequential test has decided; null: unknown",
    ),
)

players = Table(
    "players",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("spec", Text, nullable=False, doc="canonical spec"),
    Column("name", Text, nullable=False, doc="registered name of the player's class"),
    Column("distribution", Text, nullable=False, doc="name of the Python distribution that provides the player"),
    Column("version", Text, nullable=False, doc="version of the distribution"),
    Column("weights", Text, doc="hash of the model or models that the player uses; null: none"),
    Column("code", Text, doc="hash of the source code that provides the player; null: recorded by an older version"),
)
"""One row per player identity. A change of spec, version, weights or code makes a new row."""
Index(
    "players_identity",
    players.c.spec,
    players.c.name,
    players.c.distribution,
    players.c.version,
    func.coalesce(players.c.weights, ""),
    func.coalesce(players.c.code, ""),
    unique=True,
)

tournament_players = Table(
    "tournament_players",
    metadata,
    Column("tournament_id", ForeignKey("tournaments.id"), primary_key=True),
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("position", Integer, nullable=False, doc="position in the tournament's list of players, from 0"),
    UniqueConstraint("tournament_id", "position"),
)
"""One row per player of each tournament."""

pairings = Table(
    "pairings",
    metadata,
    Column("tournament_id", ForeignKey("tournaments.id"), primary_key=True),
    Column("pairing", Text, primary_key=True),
    Column("round", Integer, primary_key=True, autoincrement=False, doc="first round of the block, from 0"),
    Column("games", Integer, nullable=False, doc="number of rounds of the block"),
    Column("first", BigInteger, nullable=False, doc="number of the first game of the block in the tournament, from 1"),
)
"""One row per block of consecutive rounds of a pairing. Blocks number the games of a tournament.

When a stage begins, each of its pairings gets a block. When the tournament gets more games of each pairing, each
pairing gets another block. Numbers follow the order in which blocks are added; blocks added together are ordered by
pairing. The number of a game is ``first`` plus the game's round minus the ``round`` of the block.
"""

games = Table(
    "games",
    metadata,
    Column("tournament_id", ForeignKey("tournaments.id"), primary_key=True),
    Column("id", BigInteger, primary_key=True, autoincrement=False, doc="63-bit seed of the game, also its id"),
    Column("pairing", Text, nullable=False, doc="specs of the two players, sorted and joined by ' vs '"),
    Column("round", Integer, nullable=False, doc="number of the game within its pairing, from 0"),
    Column("opening", Text, nullable=False, doc="name of the opening"),
    Column("black_id", Integer, nullable=False, doc="id of the player with the black pieces"),
    Column("white_id", Integer, nullable=False, doc="id of the player with the white pieces"),
    Column("result", Text, nullable=False, doc="1-0: Black won; 0-1: White won; 1/2-1/2: draw"),
    Column("termination", Text, nullable=False, doc="why the game ended: a value of arena.Termination"),
    Column("forfeited_by", Text, doc="side that forfeited: black or white; null: no forfeit"),
    Column("reason", Text, doc="reason of the forfeit in full, such as a traceback; null: no forfeit"),
    Column("first", Text, nullable=False, doc="side to move on the first board: black or white"),
    Column("plies", Integer, nullable=False, doc="number of plies, those of the opening included"),
    Column("moves", Text, nullable=False, doc="PDN move text of each ply, separated by blanks"),
    Column("boards", LargeBinary, nullable=False, doc="(plies + 1) x 3 uint32: black, white, kings"),
    Column("scores", LargeBinary, doc="plies x float32: score that the mover reported, in its own units; NaN: none"),
    Column("depths", LargeBinary, doc="plies x int16: search depth that the mover reported, in plies; -1: none"),
    Column("nodes", LargeBinary, doc="plies x int64: searched nodes that the mover reported; -1: none"),
    Column("seconds", LargeBinary, doc="plies x float32: wall-clock seconds that the mover took; NaN: not measured"),
    Column("pvs", Text, doc="principal variation that the mover reported, one line per ply; empty line: none"),
    Column("started", Double, nullable=False, doc="start of the game, in seconds since the epoch"),
    Column("changes", Integer, doc="number of the last player change accepted before the game; null: no change"),
    UniqueConstraint("tournament_id", "pairing", "round"),
    ForeignKeyConstraint(
        ["tournament_id", "black_id"], ["tournament_players.tournament_id", "tournament_players.player_id"]
    ),
    ForeignKeyConstraint(
        ["tournament_id", "white_id"], ["tournament_players.tournament_id", "tournament_players.player_id"]
    ),
    CheckConstraint("result IN ('1-0', '0-1', '1/2-1/2')"),
    CheckConstraint("forfeited_by IN ('black', 'white')"),
    CheckConstraint("first IN ('black', 'white')"),
    CheckConstraint("length(boards) = 12 * (plies + 1)"),
    CheckConstraint("length(scores) = 4 * plies"),
    CheckConstraint("length(depths) = 2 * plies"),
    CheckConstraint("length(nodes) = 8 * plies"),
    CheckConstraint("length(seconds) = 4 * plies"),
)
"""One row per game. ``scores``, ``depths``, ``nodes``, ``seconds`` and ``pvs`` are null if no ply has a value.

Scores are from the mover's point of view. Plies of the opening have no values.
"""
_RESULTS = ("tournament_id", "black_id", "white_id", "round", "result", "forfeited_by")
Index("games_results", *(games.c[name] for name in _RESULTS))
"""Has all that tables of results need, so that they need not read the games with their moves and boards."""

player_changes = Table(
    "player_changes",
    metadata,
    Column("tournament_id", Integer, primary_key=True),
    Column("player_id", Integer, primary_key=True),
    Column("number", Integer, primary_key=True, doc="number of the change, from 1; players changed together share it"),
    Column("version", Text, nullable=False, doc="new distribution and version, separated by a blank"),
    Column("code", Text, nullable=False, doc="new hash of the source code that provides the player"),
    Column("state", JSON, nullable=False, doc="new identity, as arena.plugins.specs.identity returns it"),
    Column("accepted", Double, nullable=False, doc="time of acceptance, in seconds since the epoch"),
    ForeignKeyConstraint(
        ["tournament_id", "player_id"], ["tournament_players.tournament_id", "tournament_players.player_id"]
    ),
)
"""One row per changed player of each resumption with ``--accept-changed``. The change holds for all later games."""

ratings = Table(
    "ratings",
    metadata,
    Column("tournament_id", Integer, primary_key=True),
    Column("player_id", Integer, primary_key=True),
    Column("system", Text, primary_key=True, doc="spec of the rating system"),
    Column("rating", Double, nullable=False, doc="rating, in the units of the system"),
    Column("error", Double, doc="half the width of the 95 % confidence interval of the rating; null: unknown"),
    Column("games", Integer, nullable=False, doc="number of the player's rated games; forfeits are not rated"),
    Column(
        "place",
        Integer,
        nullable=False,
        server_default="0",
        doc="position of the system in the tournament's list of systems, from 0; standings show system 0",
    ),
    ForeignKeyConstraint(
        ["tournament_id", "player_id"], ["tournament_players.tournament_id", "tournament_players.player_id"]
    ),
)

"""One row per rating system and rated player. Players without rated games have no row."""

collections = Table(
    "collections",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created", Double, nullable=False, doc="time of creation, in seconds since the epoch"),
)
"""One row per collection of games imported from PDN files."""

collected_games = Table(
    "collected_games",
    metadata,
    Column("collection_id", ForeignKey("collections.id"), primary_key=True),
    Column("id", BigInteger, primary_key=True, autoincrement=False, doc="63-bit digest of tags, moves and result"),
    Column("file", Text, nullable=False, doc="name of the PDN file, without its folder"),
    Column("number", Integer, nullable=False, doc="number of the game in the file, from 1"),
    Column("event", Text, doc="text of the tag Event; null: the game has no such tag"),
    Column("site", Text, doc="text of the tag Site, or null"),
    Column("date", Text, doc="text of the tag Date, or null"),
    Column("round", Text, doc="text of the tag Round, or null"),
    Column("black", Text, doc="text of the tag Black, or null"),
    Column("white", Text, doc="text of the tag White, or null"),
    Column("tags", JSON, nullable=False, doc="texts of the other tags by name"),
    Column("result", Text, nullable=False, doc="1-0: Black won; 0-1: White won; 1/2-1/2: draw; *: unknown"),
    Column("fen", Text, nullable=False, doc="FEN of the first board"),
    Column("plies", Integer, nullable=False, doc="number of plies"),
    Column("moves", Text, nullable=False, doc="PDN move text of each ply, separated by blanks"),
    Column("boards", LargeBinary, nullable=False, doc="(plies + 1) x 3 uint32: black, white, kings"),
    Column("comments", Text, doc="one line per board: mark of the last move, a tab, comment; null: no comment or mark"),
    CheckConstraint("result IN ('1-0', '0-1', '1/2-1/2', '*')"),
    CheckConstraint("length(boards) = 12 * (plies + 1)"),
)
"""One row per game read from a PDN file. A collection holds equal games (tags, moves, result) once.

A line of ``comments`` is described in :mod:`arena.store.commentary`.
"""
Index("collected_games_place", *(collected_games.c[name] for name in ("collection_id", "file", "number")))

models = Table(
    "models",
    metadata,
    Column("hash", Text, primary_key=True, doc="hash of kind and arrays: 32 hexadecimal digits"),
    Column("kind", Text, nullable=False, doc="kind of model, such as lms or patterns"),
    Column("data", LargeBinary, nullable=False, doc="weights file (safetensors) without provenance"),
    Column("provenance", JSON, nullable=False, doc="command, seed, versions, ... that produced the model first"),
    Column("added", Double, nullable=False, doc="time of recording, in seconds since the epoch"),
)
"""One row per model. Models of the same kind with equal arrays share a row."""

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("learner", Text, nullable=False, doc="canonical spec of the learner"),
    Column("distribution", Text, nullable=False, doc="name of the Python distribution that provides the learner"),
    Column("version", Text, nullable=False, doc="version of the distribution"),
    Column("weights", Text, doc="hash of the initial model; null: no initial model was given"),
    Column("seed", BigInteger, nullable=False, doc="seed of the run"),
    Column("games", BigInteger, nullable=False, doc="planned number of training games"),
    Column("settings", JSON, nullable=False, doc="settings of the run, with the identity of the learner"),
    Column("arena", Text, nullable=False, doc="version of checkers-arena that created the run"),
    Column("started", Double, nullable=False, doc="time of creation, in seconds since the epoch"),
)
"""One row per training run."""

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("run_id", ForeignKey("runs.id"), primary_key=True),
    Column("games", BigInteger, primary_key=True, autoincrement=False, doc="number of training games so far"),
    Column("model_hash", ForeignKey("models.hash"), nullable=False, doc="hash of the learned model"),
    Column("player", Text, doc="spec of the player that uses the model; null: unknown"),
    Column("state", LargeBinary, doc="state of the learner (safetensors); null: not the last checkpoint of the run"),
    Column("seconds", Double, nullable=False, doc="seconds spent learning so far"),
    Column("added", Double, nullable=False, doc="time of recording, in seconds since the epoch"),
    Column("cpu_seconds", Double, doc="processor seconds spent learning so far; null: recorded by an older version"),
)
"""One row per checkpoint of a training run."""
Index("checkpoints_model", checkpoints.c.model_hash)

run_metrics = Table(
    "run_metrics",
    metadata,
    Column("run_id", ForeignKey("runs.id"), primary_key=True),
    Column("games", BigInteger, primary_key=True, autoincrement=False, doc="number of training games so far"),
    Column("opponent", Text, primary_key=True, doc="spec of the baseline; empty: the learner reported the metric"),
    Column("metric", Text, primary_key=True, doc="name of the metric; a name that ends in _pct is a percentage"),
    Column("value", Double, nullable=False),
)
"""One row per number measured in a training run."""

learned_models = Table(
    "learned_models",
    metadata,
    Column("tournament_id", Integer, primary_key=True),
    Column("player_id", Integer, primary_key=True),
    Column("round", Integer, primary_key=True, doc="round, counted from 0 through all stages"),
    Column("model_hash", ForeignKey("models.hash"), nullable=False, doc="hash of the model used in the round"),
    Column("spec", Text, nullable=False, doc="spec of the frozen player that uses the model"),
    ForeignKeyConstraint(
        ["tournament_id", "player_id"], ["tournament_players.tournament_id", "tournament_players.player_id"]
    ),
)
"""One row per round of each player of a tournament with ``--learning`` that can learn.

The row after the last round holds the model that the player ended with.
"""
Index("learned_models_model", learned_models.c.model_hash)

run_games = Table(
    "run_games",
    metadata,
    Column("run_id", ForeignKey("runs.id"), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False, doc="number of the training game, from 0"),
    Column("source", Text, nullable=False, doc="name of the file, collection or tournament that holds the game"),
    Column("game", Text, nullable=False, doc="number of the game in the file, or its id in the database"),
)
"""One row per recorded game that a run learned from. Games that the run played itself follow from its seed and have
no row."""
Index("run_games_game", run_games.c.game)

experiments = Table(
    "experiments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True, doc="name of the experiment and of its tournament"),
    Column("settings", JSON, nullable=False, doc="settings, by the keys of the experiment's file"),
    Column("tournament_id", ForeignKey("tournaments.id"), nullable=False, unique=True, doc="tournament of its games"),
    Column("version", Text, nullable=False, doc="version of checkers-arena that created the experiment"),
    Column("started", Double, nullable=False, doc="time of creation, in seconds since the epoch"),
)
"""One row per experiment. Its tournament has all games that measure its checkpoints."""

experiment_runs = Table(
    "experiment_runs",
    metadata,
    Column("experiment_id", ForeignKey("experiments.id"), primary_key=True),
    Column("label", Text, primary_key=True, doc="label of the learner"),
    Column("seed", BigInteger, primary_key=True, autoincrement=False, doc="training seed"),
    Column("run_id", ForeignKey("runs.id"), nullable=False, unique=True),
    Column("failure", Text, doc="error that stopped the learner; null: none"),
)
"""One row per training run of an experiment."""

experiment_candidates = Table(
    "experiment_candidates",
    metadata,
    Column("experiment_id", ForeignKey("experiments.id"), primary_key=True),
    Column("label", Text, primary_key=True, doc="label of the candidate, which its training runs have"),
    Column("learner", Text, nullable=False, doc="label of the learner whose option values are chosen"),
    Column("spec", Text, nullable=False, doc="canonical spec of the learner with the option values"),
    Column("position", Integer, nullable=False, doc="position among the candidates of the experiment, from 0"),
    Column("chosen", Boolean, doc="whether the learner has these option values; null: not decided yet"),
)
"""One row per candidate of each sweep of an experiment."""

experiment_checkpoints = Table(
    "experiment_checkpoints",
    metadata,
    Column("run_id", Integer, primary_key=True),
    Column("games", BigInteger, primary_key=True, autoincrement=False, doc="number of training games so far"),
    Column("player_id", ForeignKey("players.id"), nullable=False, doc="player of the tournament"),
    ForeignKeyConstraint(["run_id", "games"], ["checkpoints.run_id", "checkpoints.games"]),
)
"""One row per checkpoint that an experiment measures. Checkpoints with equal models have the same player."""
