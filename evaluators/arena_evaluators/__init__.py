"""The built-in evaluators."""

from __future__ import annotations

import arena
from arena_evaluators.heuristic import Heuristic, Tuned
from arena_evaluators.linear import Linear
from arena_evaluators.material import Material
from arena_evaluators.metrics import Metrics, MetricsNetwork
from arena_evaluators.neural import Neural
from arena_evaluators.patterns import Patterns
from arena_evaluators.rote import Rote


@arena.hookimpl
def register_evaluators() -> dict[str, type[arena.Evaluator]]:
    return {
        "material": Material,
        "heuristic": Heuristic,
        "linear": Linear,
        "metrics": Metrics,
        "neural": Neural,
        "qmetrics": MetricsNetwork,
        "rote": Rote,
        "patterns": Patterns,
        "tuned": Tuned,
    }
