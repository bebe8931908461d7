"""Rename in training runs: the learners' option ``trace`` to ``lambda``, and yardsticks to baselines.

Metrics that are shares become percentages, with names that end in ``_pct``.
"""

from __future__ import annotations

import re
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

OURS = "checkers-arena"
LEARNERS = ("td", "qmodel", "regression", "tdleaf")
"""Learners with the option ``trace``."""
METRICS = {
    "lms": {"drawn": ("draw_pct", 100)},
    "tuning": {"draws": ("draw_pct", 100)},
    "regression": {"draws": ("draw_pct", 100)},
    "tdleaf": {"draws": ("draw_pct", 100)},
    "qmodel": {"draws": ("draw_pct", 1)},
    "qmetrics": {"accuracy": ("accuracy_pct", 100), "validation_accuracy": ("validation_accuracy_pct", 100)},
    "qboard": {"accuracy": ("accuracy_pct", 100), "validation_accuracy": ("validation_accuracy_pct", 100)},
    "qmodel_as_written": {
        "wins": ("win_pct", 1),
        "draws": ("draw_pct", 1),
        "losses": ("loss_pct", 1),
        "random_wins": ("random_win_pct", 1),
        "win_draw_rate": ("win_draw_pct", 1),
        "metrics_accuracy": ("metrics_accuracy_pct", 100),
        "labels_above_zero": ("labels_above_zero_pct", 100),
    },
}
"""Learner -> old name of the metric -> new name, and factor of the value."""

runs = sa.table(
    "runs", sa.column("id"), sa.column("learner"), sa.column("distribution"), sa.column("settings", sa.JSON)
)
run_metrics = sa.table(
    "run_metrics", sa.column("run_id"), sa.column("opponent"), sa.column("metric"), sa.column("value")
)
models = sa.table("models", sa.column("hash"), sa.column("provenance", sa.JSON))
_TRACE = re.compile(rf"(?<![\w-])((?:{'|'.join(LEARNERS)})(?::[^\s,]*?)?):trace=")


def renamed(text: str) -> str:
    """Rename the option in a learner's spec, or in a command that contains one."""
    return _TRACE.sub(r"\1:lambda=", text)


def identity(learner: str, state: dict[str, str]) -> dict[str, str]:
    """Return a learner's identity, which a resumed run must have too, with the new names."""
    new = {re.sub(r"^yardstick ", "baseline ", name): value for name, value in state.items()}
    if learner in LEARNERS and "trace" in new:
        new["lambda"] = new.pop("trace")
    if "spec" in new:
        new["spec"] = renamed(new["spec"])
    return new


def settings_of(learner: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a run with the new names."""
    names = {"yardsticks": "baselines", "yardstick_games": "baseline_games"}
    new = {names.get(name, name): value for name, value in settings.items()}
    if isinstance(new.get("identity"), dict):
        new["identity"] = identity(learner, new["identity"])
    if "changes" in new:
        new["changes"] = [{**each, "identity": identity(learner, each["identity"])} for each in new["changes"]]
    return new


def upgrade() -> None:
    connection = op.get_bind()
    for key, spec, distribution, settings in connection.execute(sa.select(*runs.c)).all():
        ours = distribution == OURS
        name = spec.partition(":")[0] if ours else ""
        values: dict[str, Any] = {"learner": renamed(spec) if ours else spec}
        if isinstance(settings, dict):
            values["settings"] = settings_of(name, settings)
        connection.execute(sa.update(runs).where(runs.c.id == key).values(values))
        here = (run_metrics.c.run_id == key) & (run_metrics.c.opponent == "")
        for metric, (new, factor) in METRICS.get(name, {}).items():
            change = {"metric": new, "value": factor * run_metrics.c.value}
            connection.execute(sa.update(run_metrics).where(here, run_metrics.c.metric == metric).values(change))
    for key, provenance in connection.execute(sa.select(*models.c)).all():
        texts = provenance if isinstance(provenance, dict) else {}
        today = {name: renamed(text) if name in ("command", "learner") else text for name, text in texts.items()}
        if today != texts:
            connection.execute(sa.update(models).where(models.c.hash == key).values(provenance=today))
