"""Compiled search, a library for any player."""

from __future__ import annotations

from arena.search.search import Line, Search, SearchResult

__all__ = ["Line", "Search", "SearchResult"]
