"""What the README says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import typer

import arena

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["arena_greedy.py", "pyproject.toml"])
def test_the_player_of_the_readme_is_the_example(name: str) -> None:
    assert (ROOT / "examples" / "arena_greedy" / name).read_text(encoding="utf-8") in README


def test_the_commands_of_the_readme_exist() -> None:
    from arena.cli.app import app

    group = typer.main.get_command(app)
    known = set(group.commands)
    named = set(re.findall(r"(?:^|`|/)arena ([a-z]+)", README, re.MULTILINE))
    assert named <= set(group.list_commands(typer.Context(group)))
    assert known <= named | set(re.findall(r"`([a-z]+)`", README))


def test_every_exported_name_is_there() -> None:
    for name in arena.__all__:
        assert getattr(arena, name, None) is not None, name
    assert set(re.findall(r"arena\.([A-Z]\w+)", README)) <= set(arena.__all__)
    with pytest.raises(AttributeError, match="Nothing"):
        _ = arena.Nothing


def test_boards_are_read_as_the_readme_says() -> None:
    blob = np.array([[1, 2, 3]], dtype="<u4").tobytes()
    assert '`numpy.frombuffer(blob, "<u4").reshape(-1, 3)`' in README
    assert np.frombuffer(blob, "<u4").reshape(-1, 3).tolist() == [[1, 2, 3]]
