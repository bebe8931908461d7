"""The pages of docs/schemes agree with the code."""

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
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "schemes").glob("*.md"))}
ALL_PAGES = "\n".join(PAGES.values())
SCHEMES = sorted(PAGES.keys() - {"index", "claims"})
SECTIONS = [
    "What the text says",
    "What we changed, and why",
    "How strong it is",
    "How to see it",
    "What to replace",
]
CLAIMS = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", SCHEMES)
def test_every_scheme_has_the_same_sections_in_the_same_order(page: str) -> None:
    assert re.findall(r"^## (.*)$", PAGES[page], re.MULTILINE) == SECTIONS


def test_the_index_links_to_every_page() -> None:
    linked = set(re.findall(r"\]\(([\w-]+)\.md\)", PAGES["index"]))
    assert linked == PAGES.keys() - {"index"}


def test_docs_name_exactly_the_claim_commands_that_exist() -> None:
    named = set(re.findall(r"arena claims ([a-z-]+)", PAGES["claims"]))
    assert named == CLAIMS


def test_the_index_names_every_built_in_learner() -> None:
    for learner in load().all("learner"):
        if learner.origin.startswith("checkers-arena"):
            assert f"`{learner.name}" in PAGES["index"], learner.name


@pytest.mark.parametrize("text", sorted(set(re.findall(r"(?:arena train |--learner )([a-z][\w:=./+()-]*)", ALL_PAGES))))
def test_learner_specs_in_the_pages_are_valid(text: str) -> None:
    specs.parse("learner", text)


DEFAULTS = re.findall(
    r"^\| (learner|player) `(\w+)` \| `(\w+)` \| `([^`]+)` \| `([^`]+)` \|", PAGES["index"], re.MULTILINE
)


def test_this_file_reads_every_row_of_the_table_of_defaults() -> None:
    assert len(DEFAULTS) == len(re.findall(r"^\| (?:learner|player) `", PAGES["index"], re.MULTILINE))
    assert {name for _, name, *_ in DEFAULTS} == {"lms", "td", "minimax", "qmodel"}


@pytest.mark.parametrize(("kind", "name", "option", "default", "texts"), DEFAULTS)
def test_defaults_that_differ_from_the_texts_are_stated(
    kind: str, name: str, option: str, default: str, texts: str
) -> None:
    """A canonical spec omits options that have their default values."""
    assert specs.parse(kind, f"{name}:{option}={default}").text == name
    assert specs.parse(kind, f"{name}:{option}={texts}").text == f"{name}:{option}={texts}"


@pytest.mark.parametrize(
    ("page", "kind", "name"),
    [
        ("lms", "learner", "lms"),
        ("lms", "player", "lms"),
        ("td", "learner", "td"),
        ("td", "player", "td"),
        ("minimax", "player", "minimax"),
        ("minimax", "evaluator", "heuristic"),
        ("qmodel", "learner", "qmetrics"),
        ("qmodel", "learner", "qboard"),
        ("qmodel", "learner", "qmodel"),
        ("qmodel-as-written", "learner", "qmodel_as_written"),
    ],
)
def test_pages_name_every_option(page: str, kind: str, name: str) -> None:
    prose = re.sub(r"```.*?```", "", PAGES[page], flags=re.DOTALL)
    named = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", prose))))
    missing = {option.name for option in specs.parse(kind, name).registered.options} - named
    assert not missing


def test_each_wish_of_the_report_has_a_command_or_is_marked_as_open() -> None:
    command = typer.main.get_command(cli)
    commands = set(command.list_commands(typer.Context(command)))  # type: ignore[attr-defined]
    _, *rows = re.findall(r"^\| (.+?) \| (.+) \|$", PAGES["minimax"].split("## What we")[0], re.MULTILINE)
    answers = dict(rows)
    for wish, answer in answers.items():
        named = set(re.findall(r"`arena ([\w-]+)", answer))
        assert (named and named <= commands) or answer == "not there yet" or set(wish) == {"-"}, wish
    assert answers["a win probability is shown as the game unfolds"] == "not there yet"


def test_the_worked_example_is_computed_correctly() -> None:
    text = PAGES["lms"]
    weights = np.array(numbers(text, r"w = \(([^)]+)\)"))
    b0, b1 = (np.array([1.0, *numbers(text, rf"{name} = \(([^)]+)\)")]) for name in ("b0", "b1"))
    assert [weights @ b1] == numbers(text, r"V̂\(b1\) = (\S+)\.")
    assert numbers(text, r"assumes V̂\(b0\) = (\S+),") == [8.0]
    assert [weights @ b0] == numbers(text, r"own weights give\s+V̂\(b0\) = (\S+),")


def numbers(text: str, pattern: str) -> list[float]:
    match = re.search(pattern, text)
    assert match, pattern
    return [float(number) for number in match[1].split(",")]


def test_the_number_of_first_boards_is_correct() -> None:
    assert f"{len(first_boards(10_000)):,} boards" in PAGES["qmodel-as-written"]


def anchors(text: str) -> set[str]:
    """Anchors that GitHub makes of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", sorted(PAGES))
def test_links_have_targets(page: str) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", PAGES[page]):
        name, _, anchor = target.partition("#")
        path = ROOT / "docs" / "schemes" / (name or f"{page}.md")
        assert path.exists(), target
        assert not anchor or anchor in anchors(path.read_text(encoding="utf-8")), target
