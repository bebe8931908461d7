"""The built-in learners."""

from __future__ import annotations

import arena
from arena_learners.lms import LMS
from arena_learners.qboard import QBoard
from arena_learners.qmetrics import QMetrics
from arena_learners.qmodel import QModel
from arena_learners.qmodel_as_written import QModelAsWritten
from arena_learners.regression import Regression
from arena_learners.td import TD
from arena_learners.tdleaf import TDLeaf
from arena_learners.tuning import Tuning


@arena.hookimpl
def register_learners() -> dict[str, type[arena.Learner]]:
    return {
        "lms": LMS,
        "td": TD,
        "qmetrics": QMetrics,
        "qboard": QBoard,
        "qmodel": QModel,
        "qmodel_as_written": QModelAsWritten,
        "regression": Regression,
        "tdleaf": TDLeaf,
        "tuning": Tuning,
    }
