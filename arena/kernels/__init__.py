"""Compiled functions: how they are made and cached."""
