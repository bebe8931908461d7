"""The evaluator that judges moves, unless another is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.plugins import specs

if TYPE_CHECKING:
    from arena.plugins.specs import Spec

_NAME = "patterns"
"""Its values are log odds of winning, as :class:`arena.search.loss.Judge` takes them."""


def judging_evaluator() -> Spec:
    """Return the spec of the evaluator with which losses of moves are measured."""
    return specs.parse("evaluator", _NAME)
