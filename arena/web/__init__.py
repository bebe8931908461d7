"""The local web page of ``arena serve``: results, recorded games, play and analysis.

It needs the extra ``web`` (``pip install 'checkers-arena[web]'``).

- :mod:`~arena.web.app`: the application, made of the modules below.
- :mod:`~arena.web.site`: the database that is shown, the token and the limits.
- :mod:`~arena.web.security`: checks of every request, and the headers of every response.
- :mod:`~arena.web.responses`: pages and errors.
- :mod:`~arena.web.pages`: one module for each kind of page.
- :mod:`~arena.web.live`: the event stream that tells pages of changes in the database.
"""
