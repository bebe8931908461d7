"""Reports of tournaments and experiments: what their tables show, and a page that holds everything.

- :mod:`~arena.report.page`: the page, one HTML file.
- :mod:`~arena.report.blocks`: what pages are made of.
- :mod:`~arena.report.tournament`, :mod:`~arena.report.experiment`: the contents of the two kinds of pages.
- :mod:`~arena.report.games`: the games that a page shows.
- :mod:`~arena.report.reproduction`: versions, commands and hashes.
- :mod:`~arena.report.figures`: pictures as part of a page.
- :mod:`~arena.report.columns`, :mod:`~arena.report.notes`, :mod:`~arena.report.sprt`: tables and their explanations,
  for pages and for the terminal.
"""
