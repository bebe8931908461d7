"""Tournaments: who meets whom, from which seed and opening, in which process, and what is recorded."""
