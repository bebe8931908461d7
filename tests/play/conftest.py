"""Fixtures for tests of sessions."""

from playing import opponent, play, store, time

__all__ = ["opponent", "play", "store", "time"]
