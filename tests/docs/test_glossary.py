"""The glossary lists the terms that the project uses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
ROWS = re.findall(r"^\| (?!term \|)(.+?) \| (.+?) \| (.*?) ?\|$", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)
TERMS = [term for term, *_ in ROWS]
FOLDERS = ("arena", "players", "evaluators", "learners", "docs")


@pytest.fixture(scope="module")
def texts() -> str:
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md"}]
    return "\n".join(path.read_text(encoding="utf-8") for path in files if path != GLOSSARY).lower()


def test_terms_are_sorted_and_unique() -> None:
    assert sorted(set(TERMS), key=str.lower) == TERMS
    assert len(TERMS) > 50


def test_every_row_of_the_table_is_a_term() -> None:
    lines = [line for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert len(lines) == len(ROWS) + 1


@pytest.mark.parametrize("term", TERMS)
def test_code_or_docs_use_the_term(term: str, texts: str) -> None:
    words = r"[-\s_]*".join(re.escape(word) for word in re.split(r"[-\s]+", term.lower()))
    assert re.search(rf"(?<!\w){words}", texts)
