"""A small experiment, and one fork server for each file."""

from experimenting import experiment, tiny
from launchers import module_launcher

__all__ = ["experiment", "module_launcher", "tiny"]
