"""The tables, as the newest migration leaves them."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    func,
)

metadata = MetaData()

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("seed", BigInteger, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("version", Text, nullable=False, doc="version of checkers-arena that made it"),
    Column("started", Double, nullable=False, doc="seconds since the epoch"),
    Column(
        "planned",
        BigInteger,
        doc="games that it is to have; at most, until the format or a test has decided; null: unknown",
    ),
)

players = Table(
    "players",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("spec", Text, nullable=False, doc="canonical spec"),
    Column("name", Text, nullable=False, doc="registered name"),
    Column("distribution", Text, nullable=False, doc="what provides it"),
    Column("version", Text, nullable=False, doc="version of the distribution"),
    Column("weights", Text, doc="hash of its weights; null where it has none"),
    Column("code", Text, doc="hash of the code that provides it; null: not recorded by an older version"),
)
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
    Column("position", Integer, nullable=False, doc="place in the list of players, from 0"),
    UniqueConstraint("tournament_id", "position"),
)

pairings = Table(
    "pairings",
    metadata,
    Column("tournament_id", ForeignKey("tournaments.id"), primary_key=True),
    Column("pairing", Text, primary_key=True),
    Column("first", BigInteger, nullable=False, doc="number of its first game in the tournament, from 1"),
)
"""One row per pairing, from the beginning of its stage on: by stage, then alphabetically. A game's number is ``first``
plus its round."""

games = Table(
    "games",
    metadata,
    Column("tournament_id", ForeignKey("tournaments.id"), primary_key=True),
    Column("id", BigInteger, primary_key=True, autoincrement=False, doc="63-bit seed of the game"),
    Column("pairing", Text, nullable=False),
    Column("round", Integer, nullable=False),
    Column("opening", Text, nullable=False),
    Column("black_id", Integer, nullable=False),
    Column("white_id", Integer, nullable=False),
    Column("result", Text, nullable=False),
    Column("termination", Text, nullable=False),
    Column("forfeited_by", Text, doc="side that forfeited"),
    Column("reason", Text, doc="why it forfeited"),
    Column("first", Text, nullable=False, doc="side to move on the first board"),
    Column("plies", Integer, nullable=False),
    Column("moves", Text, nullable=False, doc="PDN move text of each ply, blank-separated"),
    Column("boards", LargeBinary, nullable=False, doc="(plies + 1) x 3 uint32: black, white, kings"),
    Column("scores", LargeBinary, doc="plies x float32; NaN: none"),
    Column("depths", LargeBinary, doc="plies x int16; -1: none"),
    Column("nodes", LargeBinary, doc="plies x int64; -1: none"),
    Column("seconds", LargeBinary, doc="plies x float32; NaN: none"),
    Column("pvs", Text, doc="a line per ply; empty: none"),
    Column("started", Double, nullable=False, doc="seconds since the epoch"),
    Column("changes", Integer, doc="number of the last player change that was accepted before it; null: none"),
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
"""One row per game. Binary columns are little-endian and null where no ply of the game has a value."""

player_changes = Table(
    "player_changes",
    metadata,
    Column("tournament_id", Integer, primary_key=True),
    Column("player_id", Integer, primary_key=True),
    Column("number", Integer, primary_key=True, doc="from 1; players that changed at the same time share it"),
    Column("version", Text, nullable=False, doc="distribution and version that provide the player from then on"),
    Column("code", Text, nullable=False, doc="hash of the code that provides it from then on"),
    Column("state", JSON, nullable=False, doc="what arena.plugins.specs.identity says of it from then on"),
    Column("accepted", Double, nullable=False, doc="seconds since the epoch"),
    ForeignKeyConstraint(
        ["tournament_id", "player_id"], ["tournament_players.tournament_id", "tournament_players.player_id"]
    ),
)
"""One row per player and resumption that went on with another version, code or weights of it."""

ratings = Table(
    "ratings",
    metadata,
    Column("tournament_id", Integer, primary_key=True),
    Column("player_id", Integer, primary_key=True),
    Column("system", Text, primary_key=True),
    Column("rating", Double, nullable=False),
    Column("error", Double, doc="half the width of the 95 % confidence interval; null: unknown"),
    Column("games", Integer, nullable=False),
    Column(
        "place",
        Integer,
        nullable=False,
        server_default="0",
        doc="of the system among those of the tournament, from 0; standings show the first",
    ),
    ForeignKeyConstraint(
        ["tournament_id", "player_id"], ["tournament_players.tournament_id", "tournament_players.player_id"]
    ),
)

collections = Table(
    "collections",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created", Double, nullable=False, doc="seconds since the epoch"),
)

collected_games = Table(
    "collected_games",
    metadata,
    Column("collection_id", ForeignKey("collections.id"), primary_key=True),
    Column("id", BigInteger, primary_key=True, autoincrement=False, doc="63-bit digest of tags, moves and result"),
    Column("file", Text, nullable=False, doc="name of the file it came from"),
    Column("number", Integer, nullable=False, doc="its place in the file, from 1"),
    Column("event", Text, doc="this and the other tags: as they stand in the file; null where it has none"),
    Column("site", Text),
    Column("date", Text),
    Column("round", Text),
    Column("black", Text),
    Column("white", Text),
    Column("tags", JSON, nullable=False, doc="all the other tags"),
    Column("result", Text, nullable=False),
    Column("fen", Text, nullable=False, doc="the first board"),
    Column("plies", Integer, nullable=False),
    Column("moves", Text, nullable=False, doc="PDN move text of each ply, blank-separated"),
    Column("boards", LargeBinary, nullable=False, doc="(plies + 1) x 3 uint32: black, white, kings"),
    Column("comments", Text, doc="a line per board, see arena.store.commentary; null where nothing is said"),
    CheckConstraint("result IN ('1-0', '0-1', '1/2-1/2', '*')"),
    CheckConstraint("length(boards) = 12 * (plies + 1)"),
)
"""One row per game that was read from a PDN file; a game is in a collection once."""
Index("collected_games_place", *(collected_games.c[name] for name in ("collection_id", "file", "number")))

models = Table(
    "models",
    metadata,
    Column("hash", Text, primary_key=True, doc="32 hexadecimal digits of kind and arrays"),
    Column("kind", Text, nullable=False),
    Column("data", LargeBinary, nullable=False, doc="a weights file (safetensors) without provenance"),
    Column("provenance", JSON, nullable=False, doc="what made it first: command, seed, versions, ..."),
    Column("added", Double, nullable=False, doc="seconds since the epoch"),
)
"""One row per model: equal weights of a kind are there once."""

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("learner", Text, nullable=False, doc="canonical spec"),
    Column("distribution", Text, nullable=False, doc="what provides the learner"),
    Column("version", Text, nullable=False, doc="version of the distribution"),
    Column("weights", Text, doc="hash of the weights it began with; null where it had none"),
    Column("seed", BigInteger, nullable=False),
    Column("games", BigInteger, nullable=False, doc="games it is to learn from"),
    Column("settings", JSON, nullable=False),
    Column("arena", Text, nullable=False, doc="version of checkers-arena that began it"),
    Column("started", Double, nullable=False, doc="seconds since the epoch"),
)

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("run_id", ForeignKey("runs.id"), primary_key=True),
    Column("games", BigInteger, primary_key=True, autoincrement=False, doc="games learned from so far"),
    Column("model_hash", ForeignKey("models.hash"), nullable=False),
    Column("player", Text, doc="spec of what plays the model; null: unknown"),
    Column("state", LargeBinary, doc="safetensors of what learning goes on from; null but at the run's last one"),
    Column("seconds", Double, nullable=False, doc="time spent learning so far"),
    Column("added", Double, nullable=False, doc="seconds since the epoch"),
    Column("cpu_seconds", Double, doc="processor time spent learning so far; null: an older version recorded it"),
)
Index("checkpoints_model", checkpoints.c.model_hash)

run_metrics = Table(
    "run_metrics",
    metadata,
    Column("run_id", ForeignKey("runs.id"), primary_key=True),
    Column("games", BigInteger, primary_key=True, autoincrement=False, doc="games learned from so far"),
    Column("opponent", Text, primary_key=True, doc="spec of a baseline; empty: what the learner itself reports"),
    Column("metric", Text, primary_key=True),
    Column("value", Double, nullable=False),
)

learned_models = Table(
    "learned_models",
    metadata,
    Column("tournament_id", Integer, primary_key=True),
    Column("player_id", Integer, primary_key=True),
    Column("round", Integer, primary_key=True, doc="through all stages, from 0; the last row is what it came to"),
    Column("model_hash", ForeignKey("models.hash"), nullable=False, doc="what it plays, or would play, the round with"),
    Column("spec", Text, nullable=False, doc="spec of what plays the model and learns no more"),
    ForeignKeyConstraint(
        ["tournament_id", "player_id"], ["tournament_players.tournament_id", "tournament_players.player_id"]
    ),
)
"""One row per round of each player that learned while it played."""
Index("learned_models_model", learned_models.c.model_hash)

run_games = Table(
    "run_games",
    metadata,
    Column("run_id", ForeignKey("runs.id"), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False, doc="place among the games of the run, from 0"),
    Column("source", Text, nullable=False, doc="file, collection or tournament"),
    Column("game", Text, nullable=False, doc="its number in the file, or its id"),
)
"""The recorded games that a run learned from; games that follow from its seed are not here."""

experiments = Table(
    "experiments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("settings", JSON, nullable=False, doc="content of its file"),
    Column("tournament_id", ForeignKey("tournaments.id"), nullable=False, unique=True),
    Column("version", Text, nullable=False, doc="version of checkers-arena that made it"),
    Column("started", Double, nullable=False, doc="seconds since the epoch"),
)
"""One row per experiment. Its tournament has all games that measure its checkpoints."""

experiment_runs = Table(
    "experiment_runs",
    metadata,
    Column("experiment_id", ForeignKey("experiments.id"), primary_key=True),
    Column("label", Text, primary_key=True, doc="of the learner"),
    Column("seed", BigInteger, primary_key=True, autoincrement=False, doc="training seed"),
    Column("run_id", ForeignKey("runs.id"), nullable=False, unique=True),
    Column("failure", Text, doc="error that stopped the learner; null: none"),
)
"""One row per training run of an experiment."""

experiment_checkpoints = Table(
    "experiment_checkpoints",
    metadata,
    Column("run_id", Integer, primary_key=True),
    Column("games", BigInteger, primary_key=True, autoincrement=False, doc="games learned from so far"),
    Column("player_id", ForeignKey("players.id"), nullable=False, doc="player of the tournament"),
    ForeignKeyConstraint(["run_id", "games"], ["checkpoints.run_id", "checkpoints.games"]),
)
"""One row per checkpoint that an experiment measures. Equal models are one player."""
