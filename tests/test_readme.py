"""The README and the pages in ``docs`` name what exists, and the README stays short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

import arena

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("**/*.md"))]


@pytest.mark.parametrize("name", ["arena_greedy.py", "pyproject.toml"])
def test_player_in_the_readme_is_the_example(name: str) -> None:
    assert (ROOT / "examples" / "arena_greedy" / name).read_text(encoding="utf-8") in README


def test_readme_takes_two_minutes_to_read() -> None:
    """A person reads about 240 words a minute (Brysbaert 2019); tables and code are skimmed."""
    prose = re.sub(r"^```.*?^```$|^\|.*?$|^<!--.*?$", "", README, flags=re.DOTALL | re.MULTILINE)
    assert len(prose.split()) <= 480


def test_readme_has_one_test_command() -> None:
    lines = [line for line in README.splitlines() if "pytest" in line]
    assert lines == ["python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/python -m pytest -q"]


def test_commands_in_the_documentation_exist() -> None:
    from arena.cli.app import app

    group = typer.main.get_command(app)
    commands = set(group.list_commands(typer.Context(group)))  # type: ignore[attr-defined]
    for text in [README, *DOCS]:
        assert set(re.findall(r"(?:^|`)arena ([a-z]+)", text, re.MULTILINE)) <= commands


def test_every_command_is_in_the_table_of_commands() -> None:
    from arena.cli.app import app

    group = typer.main.get_command(app)
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    table = "\n".join(re.findall(r"^\|.*\|$", page, re.MULTILINE))
    assert set(group.list_commands(typer.Context(group))) == set(re.findall(r"`arena ([a-z]+)", table))  # type: ignore[attr-defined]


def test_files_of_tests_and_code_in_the_documentation_exist() -> None:
    for text in [README, *DOCS, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")]:
        for path in re.findall(r"\b(?:tests|arena|players|evaluators|learners)/[\w/]+\.pyi?\b", text):
            assert (ROOT / path).exists() or path.endswith("NAME.py"), path


def test_names_of_arena_in_the_documentation_exist() -> None:
    for name in arena.__all__:
        assert getattr(arena, name, None) is not None, name
    for text in [README, *DOCS]:
        assert set(re.findall(r"\barena\.([A-Z]\w+)", text)) <= set(arena.__all__)
    with pytest.raises(AttributeError, match="Nothing"):
        _ = arena.Nothing
