"""Fixtures for tests with faulty players."""

from faulty import fork_server, no_processes_left, notes

__all__ = ["fork_server", "no_processes_left", "notes"]
