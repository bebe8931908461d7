"""What docs/schemes.md names is there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import typer

from arena.cli.app import app as cli
from arena.plugins import specs
from arena.plugins.registry import load
from arena_claims import app
from arena_learners.qmodel_as_written import first_boards

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "schemes.md").read_text(encoding="utf-8")
EXPERIMENTS = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def test_docs_name_exactly_the_claim_commands_that_exist() -> None:
    named = set(re.findall(r"arena claims ([a-z-]+)", DOCUMENT))
    assert named == EXPERIMENTS


def test_every_built_in_learner_is_described() -> None:
    for learner in load().all("learner"):
        if learner.origin.startswith("checkers-arena"):
            assert f"`{learner.name}" in DOCUMENT, learner.name


@pytest.mark.parametrize("text", sorted(set(re.findall(r"(?:arena train |--learner )([a-z][\w:=./+()-]*)", DOCUMENT))))
def test_learners_are_spelled_as_they_are_understood(text: str) -> None:
    specs.parse("learner", text)


DEFAULTS = re.findall(r"^\| (learner|player) `(\w+)` \| `(\w+)` \| `([^`]+)` \| `([^`]+)` \|", DOCUMENT, re.MULTILINE)


def test_the_table_of_defaults_is_read_whole() -> None:
    assert len(DEFAULTS) == len(
        re.findall(r"^\| (?:learner|player) ", section("What they have in common"), re.MULTILINE)
    )
    assert {name for _, name, *_ in DEFAULTS} == {"lms", "td", "minimax", "qmodel"}


@pytest.mark.parametrize(("kind", "name", "option", "default", "texts"), DEFAULTS)
def test_defaults_that_differ_from_the_texts_are_stated(
    kind: str, name: str, option: str, default: str, texts: str
) -> None:
    """A canonical spec leaves defaults out, so it tells whether a value is one."""
    assert specs.parse(kind, f"{name}:{option}={default}").text == name
    assert specs.parse(kind, f"{name}:{option}={texts}").text == f"{name}:{option}={texts}"


def section(heading: str) -> str:
    """The section whose heading begins so, with all below it."""
    (found,) = (part for part in re.split(r"^## ", DOCUMENT, flags=re.MULTILINE) if part.startswith(heading))
    return found


@pytest.mark.parametrize(
    ("heading", "kind", "name"),
    [
        ("LMS", "learner", "lms"),
        ("LMS", "player", "lms"),
        ("TD", "learner", "td"),
        ("TD", "player", "td"),
        ("Minimax", "player", "minimax"),
        ("Minimax", "evaluator", "heuristic"),
        ("Neural", "learner", "qmetrics"),
        ("Neural", "learner", "qboard"),
        ("Neural", "learner", "qmodel"),
        ("Neural", "learner", "qmodel_as_written"),
    ],
)
def test_every_option_is_named(heading: str, kind: str, name: str) -> None:
    prose = re.sub(r"```.*?```", "", section(heading), flags=re.DOTALL)
    named = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", prose))))
    missing = {option.name for option in specs.parse(kind, name).registered.options} - named
    assert not missing


def test_each_wish_of_the_report_is_a_command_or_said_to_be_open() -> None:
    command = typer.main.get_command(cli)
    commands = set(command.list_commands(typer.Context(command)))  # type: ignore[attr-defined]
    _, *rows = re.findall(r"^\| (.+?) \| (.+) \|$", section("Minimax").split("### ")[0], re.MULTILINE)
    answers = dict(rows)
    for wish, answer in answers.items():
        named = set(re.findall(r"`arena ([\w-]+)", answer))
        assert (named and named <= commands) or answer == "not there yet" or set(wish) == {"-"}, wish
    assert answers["a win probability is shown as the game unfolds"] == "not there yet"


def test_the_worked_example_has_the_value_that_its_own_weights_give() -> None:
    text = section("LMS")
    weights = np.array(numbers(text, r"w = \(([^)]+)\)"))
    b0, b1 = (np.array([1.0, *numbers(text, rf"{name} = \(([^)]+)\)")]) for name in ("b0", "b1"))
    assert [weights @ b1] == numbers(text, r"V̂\(b1\) = (\S+)\.")
    assert numbers(text, r"assumes V̂\(b0\) = (\S+),") == [8.0]
    assert [weights @ b0] == numbers(text, r"own weights give\s+V̂\(b0\) = (\S+),")


def numbers(text: str, pattern: str) -> list[float]:
    found = re.search(pattern, text)
    assert found, pattern
    return [float(number) for number in found[1].split(",")]


def test_the_number_of_the_q_models_first_boards_is_stated() -> None:
    assert f"{len(first_boards(10_000)):,} boards" in section("Neural")


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
    from arena_claims.reference import SCHEMES

    table = (ROOT / "results" / "reference" / "schemes.csv").read_text(encoding="utf-8")
    rows = {tuple(line.split(",")[i] for i in (0, 1, 4)) for line in table.splitlines()[1:]}
    goals = {(name, str(s.games), goal.opponent) for name, s in SCHEMES.items() for goal in s.goals}
    assert rows == goals
