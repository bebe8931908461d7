"""Compiled search, a library for any player."""

from __future__ import annotations

from arena.search.search import Search, SearchResult

__all__ = ["Search", "SearchResult"]
