"""Descriptions of options, read from the docstrings of constructors."""

from __future__ import annotations

import pytest

from arena.plugins.descriptions import descriptions


def described(docstring: str | None) -> dict[str, str]:
    class Player:
        def __init__(self) -> None: ...

    Player.__init__.__doc__ = docstring
    return descriptions(Player)


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        (None, {}),
        ("Nothing about options.", {}),
        ("``depth``: plies.", {"depth": "plies"}),
        ("``depth``: plies. ``rate``: step; ``l2``: prior.", {"depth": "plies", "rate": "step", "l2": "prior"}),
        ("``nodes``, ``seconds``: limits.", {"nodes": "limits", "seconds": "limits"}),
        ("``depth``: plies,\n    or ``a``.\n\n    ``a``: rate.", {"depth": "plies, or a", "a": "rate"}),
        ("Makes a player.\n\n    ``lambda_``: λ; none: 1.", {"lambda_": "λ; none: 1"}),
    ],
)
def test_descriptions_begin_with_names_in_backticks_and_a_colon(
    docstring: str | None, expected: dict[str, str]
) -> None:
    assert described(docstring) == expected


def test_classes_without_a_constructor_have_no_descriptions() -> None:
    assert descriptions(type("Bare", (), {})) == {}


def test_inherited_constructors_have_their_descriptions() -> None:
    class Base:
        def __init__(self, depth: int = 1) -> None:
            """``depth``: plies."""

    assert descriptions(type("Derived", (Base,), {})) == {"depth": "plies"}
