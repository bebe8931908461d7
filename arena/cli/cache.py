"""``arena cache``: compiled kernels and endgame tables that later commands use again."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.options import Csv, Json
from arena.errors import ArenaError, UnknownName, UsageError, message_of

if TYPE_CHECKING:
    from pathlib import Path

    from arena.plugins.specs import Spec

group = typer.Typer(
    name="cache", help="List, remove and make compiled kernels and endgame tables.", no_args_is_help=True
)


@group.command()
def info(json: Json = False, csv: Csv = False) -> None:
    """List the kernels and tables: their number, size, last use and folder.

    An entry of the kernels is a function that was compiled for certain types of arguments.
    """
    import pandas as pd

    from arena.cli.output import layout_of, print_frame

    layout = layout_of(json, csv)
    rows = [_row(what, folder) for what, folder in _folders().items()]
    print_frame(pd.DataFrame(rows, columns=["what", "entries", "megabytes", "last_used", "folder"]), layout)


@group.command()
def clear(
    kernels: Annotated[bool, typer.Option("--kernels", help="Remove only the kernels.")] = False,
    tables: Annotated[bool, typer.Option("--tables", help="Remove only the endgame tables.")] = False,
) -> None:
    """Remove compiled kernels and endgame tables.

    Commands make them again when they need them.
    """
    wanted = {"kernels": kernels, "tables": tables}
    for what, folder in _folders().items():
        if wanted[what] or not any(wanted.values()):
            size = _row(what, folder)["megabytes"]
            try:
                shutil.rmtree(folder)
            except FileNotFoundError:
                print(f"there are no {what} in {folder}")
            except OSError as error:
                raise ArenaError(f"{folder} cannot be removed: {message_of(error)}") from None
            else:
                print(f"removed {size:.1f} MB of {what} from {folder}")


@group.command()
def warm(
    needed: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SPEC", help="Specs of players, evaluators and learners; all that are installed if none is given."
        ),
    ] = None,
) -> None:
    """Compile the kernels that are not in the cache yet."""
    from arena.cli.output import compile_for
    from arena.plugins import warmup

    compile_for(*([spec for text in needed for spec in _specs(text)] if needed else warmup.everything()))
    print(f"the kernels are in {_folders()['kernels']}")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(group)


def _folders() -> dict[str, Path]:
    from arena.kernels.compiled import default_folder
    from arena.search.tablebase import files

    return {"kernels": default_folder(), "tables": files.default_folder()}


def _row(what: str, folder: Path) -> dict[str, Any]:
    files = [file.stat() for file in folder.rglob("*") if file.is_file()]
    pattern = {"kernels": "*.nbc", "tables": "*.tables"}[what]
    used = max((max(each.st_mtime, each.st_atime) for each in files), default=None)
    return {
        "what": what,
        "entries": sum(1 for _ in folder.rglob(pattern)),
        "megabytes": round(sum(each.st_size for each in files) / 1e6, 1),
        "last_used": used and time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(used)),
        "folder": str(folder),
    }


def _specs(text: str) -> list[Spec]:
    """Return the player, the evaluator and the learner with this spec. At least one of them exists, else UsageError."""
    from arena.plugins import specs

    parsed, unknown = [], None
    for kind in ("player", "evaluator", "learner"):
        try:
            parsed.append(specs.parse(kind, text))
        except UnknownName as error:
            unknown = unknown or error
    if not parsed:
        raise UsageError(f"no player, evaluator or learner has this name: {unknown}")
    return parsed
