"""What docs/schemes.md names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from arena import specs
from arena.plugins import load
from arena_learners.experiments import app

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "schemes.md").read_text(encoding="utf-8")
EXPERIMENTS = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def test_every_experiment_is_described_and_exists() -> None:
    named = set(re.findall(r"arena experiment ([a-z-]+)", DOCUMENT))
    assert named == EXPERIMENTS


def test_every_built_in_learner_is_described() -> None:
    for learner in load().all("learner"):
        if learner.origin.startswith("checkers-arena"):
            assert f"`{learner.name}" in DOCUMENT, learner.name


@pytest.mark.parametrize("text", sorted(set(re.findall(r"(?:arena train |--learner )([a-z][\w:=./+()-]*)", DOCUMENT))))
def test_learners_are_spelled_as_they_are_understood(text: str) -> None:
    specs.parse("learner", text)


def test_links_lead_somewhere() -> None:
    def anchor(heading: str) -> str:
        return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")

    anchors = {anchor(heading) for heading in re.findall(r"^#+ (.*)$", DOCUMENT, re.MULTILINE)}
    for target in re.findall(r"\]\(([^)]+)\)", DOCUMENT):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        else:
            assert (ROOT / "docs" / target).exists(), target


def test_the_rows_of_the_reference_are_on_record() -> None:
    from arena_learners.experiments.reference import SCHEMES

    table = (ROOT / "results" / "reference" / "schemes.csv").read_text(encoding="utf-8")
    rows = {tuple(line.split(",")[i] for i in (0, 1, 4)) for line in table.splitlines()[1:]}
    goals = {(name, str(s.games), goal.opponent) for name, s in SCHEMES.items() for goal in s.goals}
    assert rows == goals
