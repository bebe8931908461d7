"""Reads pages as a browser does."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"img", "input", "link", "meta", "wbr"}


class Reader(HTMLParser):
    """The elements of a page: tables, ids, attributes, and texts of style sheets and programs."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: dict[str, list[list[str]]] = {}
        """Rows of cells by the table's id, the headings first."""
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        """Tag, name and value."""
        self.texts: dict[str, list[str]] = {"script": [], "style": [], "pre": [], "h1": [], "h3": [], "title": []}
        self._open: list[str] = []
        self._table: list[list[str]] | None = None
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.attributes += [(tag, name, value) for name, value in values.items()]
        self.ids += [values["id"]] if "id" in values else []
        if tag == "table":
            self.tables[values["id"]] = self._table = []
        elif self._table is not None and tag == "tr":
            self._table.append([])
        elif self._table is not None and tag in ("td", "th"):
            self._table[-1].append("")
        if tag in self.texts:
            self.texts[tag].append("")
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        if tag == "table":
            self._table = None

    def handle_data(self, data: str) -> None:
        if self._table and {"td", "th"} & set(self._open):
            self._table[-1][-1] += data
        for tag in set(self._open) & self.texts.keys():
            self.texts[tag][-1] += data

    def column(self, table: str, heading: str) -> list[str]:
        """The cells of a column without its heading."""
        rows = self.tables[table]
        place = rows[0].index(heading)
        return [row[place] for row in rows[1:]]
