"""Experiments: learners, each trained with several seeds, measured at checkpoints by recorded games.

An experiment has one tournament. Its players are the checkpoints of all training runs and the fixed opponents.

- :mod:`~arena.experiment.settings` reads and checks the file of an experiment.
- :mod:`~arena.experiment.plan` finds the learners, opponents and openings, and says which games are to be played.
- :mod:`~arena.experiment.trainers` trains in several processes; :mod:`~arena.experiment.trainer` is such a process.
- :mod:`~arena.experiment.runner` trains, plays and records.
"""
