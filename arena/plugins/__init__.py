"""Plugins: hooks, registry, specs, options, and names of stored models."""
