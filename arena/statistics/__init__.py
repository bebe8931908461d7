"""Uncertainty of results: confidence intervals, Elo differences, sequential tests, comparable ratings."""
