"""Fixtures for tests with faulty players."""

from faulty import fork_server, notes

__all__ = ["fork_server", "notes"]
