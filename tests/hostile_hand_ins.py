"""Hand-ins of a class: sound ones, faulty ones, and ones that cheat."""

from __future__ import annotations

from textwrap import dedent

SOUND = """
    import arena

    class Mine(arena.Player):
        def choose(self, game):
            moves = game.board.legal_moves
            return moves[{number} % len(moves)]
"""
IN_CHOOSE = """
    import arena, ctypes, os, random, signal, sys, time
    from pathlib import Path

    class Mine(arena.Player):
        def choose(self, game):
            move = game.board.legal_moves[0]
            {}
            return move
"""
AT_IMPORT = """
    import arena, os, random, sys, time

    {}

    class Mine(arena.Player):
        def choose(self, game):
            return game.board.legal_moves[0]
"""
LEFT_OUT = {
    "raises-at-import": (AT_IMPORT.format("1 / 0"), "line 4: ZeroDivisionError: division by zero"),
    "hangs-at-import": (AT_IMPORT.format("while True: pass"), "the import takes more than"),
    "exits-at-import": (AT_IMPORT.format("os._exit(0)"), "the process ended with exit code 0"),
    "syntax": ("def", "line 1: SyntaxError: invalid syntax"),
    "none": ("class Mine: pass", "none.py has no player: write class Mine(arena.Player)"),
    "two": (
        IN_CHOOSE.format("pass") + "\n\n    class Other(Mine): pass\n",
        "two.py has the players Mine and Other: a hand-in has one",
    ),
}
"""Hand-ins that cannot take part, and what their problem contains."""
FORFEITS = {
    "illegal": (IN_CHOOSE.format("move = arena.Move((10, 1))"), "illegal move"),
    "nothing": (IN_CHOOSE.format("return None"), "illegal move"),
    "hangs": (IN_CHOOSE.format("while True: pass"), "timeout"),
    "exits": (IN_CHOOSE.format("os._exit(3)"), "crash"),
    "crashes": (IN_CHOOSE.format("ctypes.string_at(0)"), "crash"),
    "raises": (IN_CHOOSE.format("raise SystemExit"), "exception"),
    "hoards": (IN_CHOOSE.format("self.all = bytearray(1200 << 20)"), "memory"),
}
"""Hand-ins that forfeit all their games, and the termination."""
HARMLESS = {
    "patches-board": AT_IMPORT.format(
        "before = arena.Board.legal_moves.fget if isinstance(arena.Board.legal_moves, property) else None; "
        "arena.Game.outcome = property(lambda self: None); random.random = lambda: 0.5"
    ),
    "prints": IN_CHOOSE.format("print('x' * 1_000_000); print('x' * 1_000_000, file=sys.stderr)"),
    "forks": IN_CHOOSE.format("os.fork() or time.sleep(3600)"),
    "forges": IN_CHOOSE.format("[each.write_text('1 / 0') for each in Path(__file__).parents[2].glob('*/*/*.py')]"),
}
"""Hand-ins that try to harm others and choose legal moves."""


def sound(number: int) -> str:
    """Return the code of a player that makes no mistake."""
    return dedent(SOUND).format(number=number)


def code(text: str) -> str:
    """Return the code of a hand-in of this module."""
    return dedent(text)
