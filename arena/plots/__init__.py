"""Pictures of results: functions that return a matplotlib ``Figure``.

They need the extra ``plots`` (``pip install 'checkers-arena[plots]'``). Equal data produce identical files.

- :mod:`~arena.plots.experiments`: learning curves, ladder.
- :mod:`~arena.plots.tournaments`: head to head, wins, draws and losses, ratings.
- :mod:`~arena.plots.moves`: accuracy by pieces on the board.
- :mod:`~arena.plots.runs`: metrics and weights of a training run.
- :mod:`~arena.plots.style`: colours, sizes, files.
"""
