"""Names of the columns of the DataFrames that :class:`arena.store.results.Results` returns."""

from __future__ import annotations

import pandas as pd

from arena.store.positions import SOURCES

STANDINGS = (
    *("rank", "player", "rating", "rating_error", "games", "wins", "draws", "losses", "forfeits"),
    *("win_pct", "win_low", "win_high", "score_pct"),
)
GAMES = (
    *("game", "name", "tournament", "pairing", "round", "opening", "black", "white", "result", "winner"),
    *("termination", "forfeited_by", "reason", "plies", "seed", "moves", "black_code", "white_code"),
)
POSITIONS = tuple(SOURCES)
RATINGS = ("player", "system", "rating", "error", "games")
HEAD_TO_HEAD = ("player", "opponent", "games", "wins", "draws", "losses", "win_pct", "score_pct")
COMPONENTS = ("player", "games", "component", "strong_component", "note")
SUPERIORITY = ("player", "opponent", "pairs", "score_pct", "score_error", "elo", "elo_error", "los", "p_value")
FORFEITS = ("player", "termination", "reason", "games", "example")
VERSIONS = ("player", "version", "code", "games")
LEARNED = ("player", "round", "model", "spec")
ANNOTATIONS = (
    *("annotation", "game", "source", "ply", "side", "move", "annotator"),
    *("mark", "better", "score", "comment", "added"),
)
COLLECTED = (
    *("game", "collection", "event", "site", "date", "round", "black", "white", "result"),
    *("fen", "plies", "moves", "comments", "file", "number"),
)
RUNS = (
    *("id", "run", "learner", "seed", "games", "learned", "checkpoints", "seconds"),
    *("version", "weights", "started"),
)
TOURNAMENTS = ("id", "name", "seed", "players", "games", "planned", "started")
METRICS = ("run", "learner", "seed", "games", "metric", "opponent", "value")
CHECKPOINTS = ("checkpoint", "run", "games", "kind", "model", "seconds", "added")
MODELS = ("hash", "kind", "made_by", "added")


def dated(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return the frame with ``columns`` converted from seconds since the epoch to times (UTC)."""
    return frame.assign(**{name: pd.to_datetime(frame[name].astype(float), unit="s", utc=True) for name in columns})
