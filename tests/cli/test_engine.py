"""``arena engine``: players as engines for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    Run = Callable[..., subprocess.CompletedProcess[str]]


def test_a_player_speaks_the_protocol_on_standard_input_and_output(start: Run) -> None:
    done = start("engine", "m1", stdin="hub\ninit\nnew-game\ngo think\nquit\n")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].startswith("id name=m1 version=")
    assert lines[-4:-2] == ["wait", "ready"]
    assert lines[-2].startswith("info depth=1 score=0.0 nodes=")
    assert lines[-1].startswith("done move=")


def test_an_engine_ends_with_its_input(start: Run) -> None:
    done = start("engine", "random", stdin="ping\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "pong\n", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("engine", "name one engine: the spec of a player, or --checkerboard and a shared library"),
        ("engine m1 --checkerboard x.so", "name one engine: the spec of a player, or --checkerboard and a shared"),
        ("engine human", "human needs a person at a terminal, so it cannot be an engine"),
        ("engine minmax", "no player named 'minmax'; did you mean 'minimax'?"),
        ("engine --checkerboard x.so", "the library 'x.so' cannot be loaded: "),
        ("tournament --players random,engine", "engine needs the option 'command' (command line)"),
        ("tournament --players random,engine:command=./x", "the program './x' does not exist or is not executable"),
    ],
)
def test_bad_words_are_one_line(run: Run, words: str, message: str) -> None:
    done = run(*words.split())
    assert done.returncode == 2
    assert done.stderr.startswith(f"arena: {message}")
    assert done.stderr.count("\n") == 1
