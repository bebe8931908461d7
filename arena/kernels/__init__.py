"""Decorators for compiled functions, and the cache of their machine code."""
