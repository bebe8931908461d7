"""Every code block of the README and of the pages in ``docs`` is run, page by page and in order.

Each page has a temporary folder and a virtual environment of its own. The language of a block says what happens to it:

- ``sh``: bash runs it, with the real ``arena`` and ``pip``.
- ``python``: it is executed; the blocks of a page share one namespace.
- ``text``: the output of the block before it. ``...`` stands for any text.

``<!-- file: NAME -->`` before a block of any language: the block is written to that file instead.
``<!-- skip: next "2 minutes: reason" -->`` before a block: it is not run; the comment says how long it takes, and why.

With the environment variable ``ARENA_UPDATE_DOCS`` set, wrong ``text`` blocks are replaced by the real output.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import SkipTest

import pytest
from sybil import Example, Region, Sybil
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import SkipParser
from sybil.parsers.markdown.lexers import DirectiveInHTMLCommentLexer, FencedCodeBlockLexer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sybil import Document

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(ROOT.glob("docs/**/*.md")),
    *(ROOT / folder / "README.md" for folder in ("benchmarks", "examples", "results")),
]
POSTGRESQL = ROOT / "docs" / "postgresql.md"
names = [str(page.relative_to(ROOT)) for page in PAGES]

SKIPPED_PYTHON = re.compile(r"^<!-- skip: [^\n]*-->\n```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
DURATION = re.compile(r"\d+ (s|seconds|minutes?|hours?): \S")


class Blocks:
    """Parser and evaluator of the code blocks of one page."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment
        self.output = ""
        """Standard output of the last block that was run."""
        self.corrections: list[tuple[int, int, str]] = []
        """Start and end of wrong expected outputs in the page, and the real output."""
        self.python = PythonEvaluator()

    def __call__(self, document: Document) -> Iterator[Region]:
        for region in FencedCodeBlockLexer(language=".*")(document):
            yield Region(region.start, region.end, region.lexemes["source"], self.run, lexemes=region.lexemes)

    def run(self, example: Example) -> None:
        language = example.region.lexemes["language"]
        match language:
            case "sh":
                self.output = self.shell(example.parsed)
            case "python":
                with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.chdir(self.folder):
                    self.python(example)
                self.output = output.getvalue()
            case "text":
                self.compare(example)
            case _:
                pytest.fail(f"line {example.line}: a block of language {language!r} that is neither a file nor skipped")

    def shell(self, script: str) -> str:
        command = ["bash", "-euo", "pipefail", "-c", script]
        process = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        assert process.returncode == 0, f"{script}\n{process.stdout}\n{process.stderr}"
        return process.stdout

    def compare(self, example: Example) -> None:
        expected, output = (
            "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"
            for text in (example.parsed, self.output)
        )
        if doctest.OutputChecker().check_output(expected, output, doctest.ELLIPSIS):
            return
        assert "ARENA_UPDATE_DOCS" in os.environ, f"line {example.line}: the output is\n{output}"
        self.corrections.append((example.start, example.end, f"```text\n{output}```"))


class Files:
    """Parser and evaluator of ``<!-- file: NAME -->``, which writes the next block to a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = ""

    def __call__(self, document: Document) -> Iterator[Region]:
        for region in DirectiveInHTMLCommentLexer(directive="file", arguments=r"[\w./-]+")(document):
            yield Region(region.start, region.end, region.lexemes["arguments"], self.write)

    def write(self, example: Example) -> None:
        if "directive" not in example.region.lexemes and "language" not in example.region.lexemes:
            self.name = example.parsed
            example.document.push_evaluator(self.write)
        else:
            example.document.pop_evaluator(self.write)
            path = self.folder / self.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(example.parsed, encoding="utf-8")


def virtual_environment(folder: Path) -> dict[str, str]:
    """Make a virtual environment that adds to the packages of this one; return the variables of its processes."""
    venv.create(folder, with_pip=False, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "outer.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    for script, module in {"arena": "arena.cli", "pip": "pip"}.items():
        path = folder / "bin" / script
        path.write_text(f'#!/bin/sh\nexec {folder}/bin/python -m {module} "$@"\n')
        path.chmod(0o755)
    variables = {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip's own way to say that it shall not isolate
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    return os.environ | variables


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="the blocks are for a POSIX shell")
@pytest.mark.parametrize(
    "page", [page for page in PAGES if page != POSTGRESQL], ids=lambda page: str(page.relative_to(ROOT))
)
def test_code_blocks_run_and_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    run_blocks(page, tmp_path)


@pytest.mark.long
@pytest.mark.postgres
@pytest.mark.skipif(sys.platform == "win32", reason="the blocks are for a POSIX shell")
def test_code_blocks_about_postgresql_run_with_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import servers

    server = servers.started()
    try:
        for name, value in server.variables.items():
            monkeypatch.setenv(name, value)
        run_blocks(POSTGRESQL, tmp_path)
    finally:
        server.remove()


def run_blocks(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "page"
    folder.mkdir()
    blocks = Blocks(folder, virtual_environment(tmp_path / "venv"))
    document = Sybil([SkipParser(), Files(folder), blocks]).parse(page)
    try:
        for example in document.examples():
            with contextlib.suppress(SkipTest):
                example.evaluate()
    finally:
        text = document.text
        for start, end, output in reversed(blocks.corrections):
            text = text[:start] + output + text[end:]
        if blocks.corrections:
            page.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_skipped_blocks_state_how_long_they_take_and_why_they_are_skipped(page: Path) -> None:
    directives = re.findall(r"<!--+ *skip: *(.*?) *--+>", page.read_text(encoding="utf-8"))
    for directive in directives:
        action, _, reason = directive.partition(" ")
        assert action == "next", directive
        assert DURATION.match(reason.strip('"')), directive


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_skipped_python_blocks_import_what_exists(page: Path) -> None:
    for source in SKIPPED_PYTHON.findall(page.read_text(encoding="utf-8")):
        statements = [each for each in ast.parse(source).body if isinstance(each, ast.Import | ast.ImportFrom)]
        exec(compile(ast.Module(statements, []), str(page), "exec"), {})


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"\w+:", target):
            continue
        name, _, heading = target.partition("#")
        path = page.parent / name if name else page
        assert path.exists(), target
        assert not heading or heading in anchors(path.read_text(encoding="utf-8")), target


def anchors(text: str) -> set[str]:
    """The names that links may use for the headings of a page."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_linked_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\((docs/[^)#]+\.md)", readme))
    assert {name for name in names if re.fullmatch(r"docs/([^/]+|[^/]+/index)\.md", name)} == linked
