"""A small experiment."""

from experimenting import experiment, tiny

__all__ = ["experiment", "tiny"]
