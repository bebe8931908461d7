"""Builds the documentation as a web site: ``python docs/site/build.py FOLDER``.

The pages are the Markdown files of the repository. Two of them are generated: the reference of all commands, from the
command line itself, and the reference of the Python interface, from the docstrings of the names in
``arena/__init__.pyi``. The build fails if a page has a link that leads nowhere.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "docs", "examples", "results")
"""Files and folders of the repository that the pages are in, or lead to."""
UNUSED = shutil.ignore_patterns("*.sqlite*", "__pycache__", ".*", "site")
OTHER_MODULES = {
    "Hooks of plugins": ("arena.plugins.hookspecs",),
    "Search": ("arena.search.Search",),
    "Reinforcement learning": ("arena.checkers.turns", "arena.rl.two_seats.TwoSeats", "arena.rl.one_seat.OneSeat"),
    "Errors": ("arena.errors",),
}
"""Public classes and modules beside the names of ``import arena``, by section of the reference."""
SECTIONS = {
    "checkers": "The game",
    "contracts": "Contracts of plugins, and what they exchange",
    "experiment": "Experiments",
    "store": "Results",
    "kernels": "Compiled functions",
    "plugins": "Options of plugins",
    "statistics": "Statistics",
}
"""Headings of the reference, by folder of ``arena``. Names in other modules have the last section."""


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python docs/site/build.py FOLDER")
    folder = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as temporary:
        build(Path(temporary), folder)


def build(place: Path, folder: Path) -> None:
    """Collect the pages in ``place``, and write the site to ``folder``."""
    pages = place / "pages"
    for name in PAGES:
        source, target = ROOT / name, pages / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=UNUSED)
        else:
            shutil.copy(source, target)
    reference = pages / "docs/reference"
    reference.mkdir()
    (reference / "commands.md").write_text(commands_page(), encoding="utf-8")
    (reference / "python.md").write_text(python_page(), encoding="utf-8")
    settings = (ROOT / "docs/site/zensical.toml").read_text(encoding="utf-8")
    (place / "zensical.toml").write_text(settings.replace("ROOT", ROOT.as_posix()), encoding="utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    if subprocess.run(command, cwd=place, check=False).returncode:
        sys.exit("the site was not built: see the warnings above")
    shutil.copytree(place / "site", folder, dirs_exist_ok=True)


def commands_page() -> str:
    """Return the reference of all commands, as typer writes it."""
    command = [sys.executable, "-m", "typer", "arena.cli.app", "utils", "docs", "--name", "arena"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return text.replace("# `arena`", "# Reference of all commands", 1)


def python_page() -> str:
    """Return the reference of the Python interface, with one entry for each public name."""
    sections: dict[str, list[str]] = {title: [] for title in SECTIONS.values()}
    for node in ast.parse((ROOT / "arena/__init__.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            title = SECTIONS.get(node.module.partition(".")[0])
            if title is not None:
                sections[title] += [f"arena.{node.module}.{name.name}" for name in node.names]
    for title, names in OTHER_MODULES.items():
        sections.setdefault(title, []).extend(names)
    lines = ["# Reference of the Python interface", ""]
    for title, names in sections.items():
        lines += [f"## {title}", "", *(f"::: {name}\n" for name in names)]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
