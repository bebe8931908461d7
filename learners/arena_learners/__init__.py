"""The built-in learners."""

from __future__ import annotations

import arena
from arena_learners.lms import LMS
from arena_learners.regression import Regression
from arena_learners.td import TD
from arena_learners.tdleaf import TDLeaf
from arena_learners.tuning import Tuning


@arena.hookimpl
def register_learners() -> dict[str, type[arena.Learner]]:
    return {"lms": LMS, "regression": Regression, "td": TD, "tdleaf": TDLeaf, "tuning": Tuning}
