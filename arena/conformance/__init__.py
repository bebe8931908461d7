"""Checks of the contracts of players, evaluators and learners.

``arena check`` runs them, and so does a test of a plugin::

    from arena.conformance import parametrize_with_checks

    @parametrize_with_checks("greedy", skip={"same_seed": "it plays by the clock"})
    def test_conforms(check):
        check()

Each check is one test, named after the component and the check.
"""

from arena.conformance.check import Check, Failed, Result, Settings, Skipped
from arena.conformance.suite import Subject, checks_of, found, parametrize_with_checks

__all__ = [
    "Check",
    "Failed",
    "Result",
    "Settings",
    "Skipped",
    "Subject",
    "checks_of",
    "found",
    "parametrize_with_checks",
]
