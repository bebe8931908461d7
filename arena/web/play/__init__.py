"""Playing against any installed player in a browser.

- :mod:`~arena.web.play.opponents`: the players and levels that a person can choose.
- :mod:`~arena.web.play.game`: a game in a thread of its own, saved after each ply.
- :mod:`~arena.web.play.state`: what the page shows of a game, as JSON values.
- :mod:`~arena.web.play.routes`: the requests of the page.
"""
