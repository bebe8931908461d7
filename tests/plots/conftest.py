"""A small experiment."""

from experimenting import experiment, few_games, tiny

__all__ = ["experiment", "few_games", "tiny"]
