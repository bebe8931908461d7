"""Experiments with learners."""
