"""docs/database.md describes the schema of a new database, completely."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sqlalchemy

from arena.store import Store
from arena.store.schema import metadata

PAGE = (Path(__file__).parents[2] / "docs" / "database.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `(\w+)`$(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))
"""Name of a table or view -> its section."""
TYPES = {name.upper(): name for name in ("integer", "bigint", "boolean", "text", "double", "json", "blob")}


def rows(name: str) -> list[tuple[str, str, str]]:
    """Column, type and meaning of each row in the section of a table or view."""
    return re.findall(r"^\| `(\w+)` \| (\w+) \| (.*) \|$", SECTIONS[name], re.MULTILINE)


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Columns of each table and view of a new database."""
    path = tmp_path_factory.mktemp("schema") / "new.sqlite"
    with Store.open(path) as store:
        store.create_tournament("t1", 1, {}, ())
    engine = sqlalchemy.create_engine(f"sqlite:///{path}")
    try:
        inspector = sqlalchemy.inspect(engine)
        tables = [*inspector.get_table_names(), *inspector.get_view_names()]
        return {table: [column["name"] for column in inspector.get_columns(table)] for table in tables}
    finally:
        engine.dispose()


def test_page_describes_every_table_and_view_and_nothing_else(schema: dict[str, list[str]]) -> None:
    assert SECTIONS.keys() == schema.keys()


def test_page_describes_every_column_in_order(schema: dict[str, list[str]]) -> None:
    assert {name: [column for column, _, _ in rows(name)] for name in SECTIONS} == schema


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda table: table.name)
def test_page_gives_the_type_of_each_column_and_the_meaning_of_null(table: sqlalchemy.Table) -> None:
    dialect = sqlalchemy.create_engine("sqlite://").dialect
    for name, kind, meaning in rows(table.name):
        column = table.columns[name]
        assert kind == TYPES[column.type.compile(dialect)], name
        assert ("null: " in meaning) == bool(column.nullable), name
