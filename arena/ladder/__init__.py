"""A ladder: the latest hand-ins of a class, which meet one another and some baselines, day by day.

- :mod:`~arena.ladder.collecting`: finds the latest hand-in of each student, and copies it.
- :mod:`~arena.ladder.evening`: plays the missing games.
- :mod:`~arena.ladder.checking`: checks hand-ins against the contract of players.
- :mod:`~arena.ladder.pages`: standings, and a page of feedback for each student.

Each *evening* of a ladder is a tournament. Games of hand-ins that have not changed are copied from earlier evenings.
"""
