"""Where a dialogue is shown: a terminal whose content is drawn again in its place, or a stream of plain text."""

from __future__ import annotations

import io
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from arena.cli import board

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.play import Session

_BELOW = 5
"""Maximum number of lines below the board. A longer answer takes the place of the board until Enter is pressed."""


class Screen:
    """Shows a session, and reads the lines that the person types.

    In a pipe, or on a terminal that cannot move its cursor, the output is plain text and is not redrawn.
    """

    def __init__(self) -> None:
        self._console = Console(highlight=False, markup=False, emoji=False)
        terminal = self._console.is_terminal and not self._console.is_dumb_terminal
        self.interactive = terminal and sys.stdin.isatty()
        """Whether the screen is a terminal that is drawn again."""
        colours = self._console.color_system is not None and not self._console.no_color
        self._look = board.Look(colours, "utf" in self._console.encoding.casefold())
        self._shown: tuple[int, bool] | None = None
        """In plain text, the number of plies and the direction of the board that was shown last."""
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="backslashreplace")
        if self.interactive:
            with suppress(ImportError):
                import readline  # noqa: F401 (gives input() a history and editing keys)

    @property
    def width(self) -> int:
        """Number of columns."""
        return self._console.width

    def ask(self, prompt: str) -> str:
        """Return the next line that the person types. Raises EOFError at the end of the input.

        The prompt is only shown on a terminal.
        """
        return input(prompt if self.interactive else "").strip()

    def say(self, line: str = "") -> None:
        """Print a line below everything else."""
        self._console.print(Text(line), soft_wrap=not self.interactive)

    def show(self, session: Session, flipped: bool, probability: float | None, answer: Sequence[str] = ()) -> None:
        """Draw the board again, with the answer to the last command below it. In plain text, print what is new."""
        if not self.interactive:
            self._append(session, flipped, probability, answer)
            return
        if len(answer) > _BELOW:
            self._console.clear()
            self.say("\n".join(answer))
            self.ask("\nEnter shows the board: ")
            answer = ()
        self._console.clear()
        if self._console.width < board.WIDTH or self._console.height < board.HEIGHT:
            self._small(session, flipped, probability)
        else:
            self._console.print(board.screen(session, flipped, self._look, probability))
        for line in answer:
            self.say(line)

    def _append(self, session: Session, flipped: bool, probability: float | None, answer: Sequence[str]) -> None:
        for line in answer:
            self.say(line)
        if self._shown != (session.game.ply, flipped):
            self._shown = session.game.ply, flipped
            self.say()
            self._small(session, flipped, probability)
            self.say()

    def _small(self, session: Session, flipped: bool, probability: float | None) -> None:
        self.say(board.small_board(session.game.board, flipped))
        self.say()
        for line in board.facts(session, probability):
            self.say(line)
