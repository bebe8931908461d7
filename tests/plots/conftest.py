"""A small experiment, and one fork server for each file."""

from experimenting import experiment, few_games, tiny
from launchers import module_launcher

__all__ = ["experiment", "few_games", "module_launcher", "tiny"]
