"""``arena new``: a package with a player, an evaluator or a learner."""

from __future__ import annotations

from typing import Annotated

import typer


def new(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="player, evaluator or learner.")],
    name: Annotated[str, typer.Argument(help="Name of the component in specs, for example greedy.")],
) -> None:
    """Write a complete package with a player, an evaluator or a learner into a new folder.

    The package has code to start from, its entry point, tests that check its contract, and a README.
    """
    from arena import scaffold

    folder = scaffold.create(kind, name)
    print(f"wrote {folder}; install it, test it and use it:\n")
    for line in (f"cd {folder}", "pip install -e '.[test]'", "pytest", scaffold.use(kind, name)):
        print(f"    {line}")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(new)
