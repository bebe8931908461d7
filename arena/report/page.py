"""A report as one HTML file that needs no other file and no network."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import ArenaError, UsageError, message_of

if TYPE_CHECKING:
    import os

    import jinja2

    from arena.report.blocks import Page
    from arena.store import Results

_TEMPLATES = resources.files("arena.report") / "templates"


_BREAKS = re.compile(r"(?=:[^\W\d])|(?=\[)|(?<=,)(?=\S)")
"""Where a spec may be broken: before options, and after commas."""


def html(results: Results, which: str | int = "last") -> str:
    """Return the page of the tournament with that name or id, or of the experiment that it belongs to.

    The same database gives the same page. Raises UsageError if there is nothing to report yet, and ArenaError if
    matplotlib or Jinja2 is not installed.
    """
    require()
    from arena.report import experiment, tournament

    stored = results.tournament(which)
    experiments = results.experiments()
    of_it = experiments.loc[experiments["tournament"] == stored.name, "id"]
    if of_it.empty:
        return rendered(tournament.page(results, stored))
    return rendered(experiment.page(results, results.experiment(int(of_it.iloc[0]))))


def require() -> None:
    """Raise ArenaError if matplotlib or Jinja2 is not installed."""
    try:
        import jinja2  # noqa: F401
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ArenaError(
            f"reports need matplotlib and Jinja2 ({message_of(error)}): pip install 'checkers-arena[plots]'"
        ) from None


def rendered(page: Page) -> str:
    """Return a page as HTML."""
    import jinja2

    css, script = _template("page.css"), _template("page.js")
    templates = environment(jinja2.PackageLoader("arena.report"))
    return templates.get_template("page.html").render(
        page=page,
        css=css,
        script=script,
        css_hash=_hash(css),
        script_hash=_hash(script),
        version=version("checkers-arena"),
    )


def environment(loader: jinja2.BaseLoader) -> jinja2.Environment:
    """Return an environment for templates, in which all text is escaped. Its filter ``breakable`` is for specs."""
    import jinja2
    from markupsafe import Markup, escape

    templates = jinja2.Environment(
        loader=loader,
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters["breakable"] = lambda text: Markup(_BREAKS.sub("<wbr>", str(escape(text))))
    return templates


def check_file(path: str | os.PathLike[str]) -> None:
    """Raise UsageError if a file exists, or if its name does not end in .html."""
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{path} does not end in .html")
    if Path(path).exists():
        raise UsageError(f"{path} exists already; name another file")


def save(text: str, path: str | os.PathLike[str]) -> None:
    """Write a page to a new file. Raises UsageError as :func:`check_file`, ArenaError if it cannot be written."""
    check_file(path)
    try:
        with Path(path).open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise ArenaError(f"{path} cannot be written: {message_of(error)}") from None


def _template(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the hash of a style sheet or program as the page's security policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
