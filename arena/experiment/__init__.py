"""Experiments: learners, each trained with several seeds, measured at checkpoints by recorded games.

An experiment has one tournament. Its players are the checkpoints of all training runs and the fixed opponents.

- :mod:`~arena.experiment.settings` reads and checks the file of an experiment.
- :mod:`~arena.experiment.plan` resolves the learners, opponents and openings, and lists the games to play.
- :mod:`~arena.experiment.trainers` starts training processes and hands them training runs.
  :mod:`~arena.experiment.trainer` is the program of such a process.
- :mod:`~arena.experiment.runner` carries out a plan, or what is missing of it, in a
  :mod:`~arena.experiment.session`, which trains, plays and records.
- :mod:`~arena.experiment.api` has the public functions.
- :mod:`~arena.experiment.estimate` estimates how long a plan takes.
"""
