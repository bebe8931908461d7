"""The experiments in ``examples`` can be carried out, and the small ones are those of the page on experiments."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.experiment.plan import ExperimentPlan
from arena.experiment.settings import ExperimentSettings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
EXAMPLES = sorted((ROOT / "examples" / "experiments").glob("*.toml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_can_be_carried_out(path: Path, db: Path) -> None:
    plan = ExperimentPlan(ExperimentSettings.read(path), db)
    assert plan.games > 0
    assert f"examples/experiments/{path.name}" in PAGE


@pytest.mark.parametrize("name", ["small", "sweep"])
def test_the_page_shows_the_small_examples(name: str) -> None:
    text = (ROOT / "examples" / "experiments" / f"{name}.toml").read_text(encoding="utf-8")
    assert f"<!-- file: {name}.toml -->\n```toml\n{text}```" in PAGE
