"""External engines: programs in any language that play checkers, and our players as such programs.

Engines speak the Hub protocol, version 2, in a profile for 8x8 checkers (``docs/engines.md``).

- :mod:`~arena.engines.protocol`: lines, positions, moves, levels and seeds as text.
- :mod:`~arena.engines.process`: the process of an engine, which exchanges lines with this process.
- :mod:`~arena.engines.client`: an engine as a source of moves, for the player ``engine``.
- :mod:`~arena.engines.server`: the loop of a program that is an engine, for ``arena engine``.
- :mod:`~arena.engines.offered`: a player of the arena as such an engine.
- :mod:`~arena.engines.checkerboard`: a shared library with the functions of CheckerBoard as such an engine.
"""
