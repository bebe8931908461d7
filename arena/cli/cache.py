"""``arena cache``: the machine code and the endgame tables that are kept between commands."""

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

group = typer.Typer(name="cache", help="Compiled kernels and endgame tables on disk.", no_args_is_help=True)


@group.command()
def info(json: Json = False, csv: Csv = False) -> None:
    """List what is kept: where, how much, since when unused. An entry of kernels is a function for some types."""
    import pandas as pd

    from arena.cli.output import chosen, print_frame

    form = chosen(json, csv)
    rows = [_row(what, folder) for what, folder in _folders().items()]
    print_frame(pd.DataFrame(rows, columns=["what", "entries", "megabytes", "last_used", "folder"]), form)


@group.command()
def clear(
    kernels: Annotated[bool, typer.Option("--kernels", help="Only the kernels.")] = False,
    tables: Annotated[bool, typer.Option("--tables", help="Only the endgame tables.")] = False,
) -> None:
    """Remove what is kept; commands make again what they need."""
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
        typer.Argument(metavar="SPEC", help="Players, evaluators and learners; everything that is installed if none."),
    ] = None,
) -> None:
    """Compile what players, evaluators and learners need, unless it is there."""
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
    """The player, the evaluator and the learner of that spec: a name may stand for several."""
    from arena.plugins import specs

    found, unknown = [], None
    for kind in ("player", "evaluator", "learner"):
        try:
            found.append(specs.parse(kind, text))
        except UnknownName as error:
            unknown = unknown or error
    if not found:
        raise UsageError(f"no player, evaluator or learner is named so: {unknown}")
    return found
