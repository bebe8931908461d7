"""The built-in learners."""

from __future__ import annotations

import arena
from arena_learners.lms import LMS
from arena_learners.td import TD


@arena.hookimpl
def register_learners() -> dict[str, type[arena.Learner]]:
    return {"lms": LMS, "td": TD}
