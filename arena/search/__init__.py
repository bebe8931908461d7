"""Compiled alpha-beta search, a library for players."""

from __future__ import annotations

from arena.search.search import Search, SearchResult

__all__ = ["Search", "SearchResult"]
