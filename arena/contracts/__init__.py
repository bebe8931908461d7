"""Contracts: the base classes of every kind of plugin, and the values that they exchange with the arena."""
