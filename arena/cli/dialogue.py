"""The dialogue of a person with a session in the terminal: moves, commands, and what they answer."""

from __future__ import annotations

import shlex
from contextlib import suppress
from typing import TYPE_CHECKING

from arena.checkers.move import Move, Side
from arena.checkers.notation import move_text
from arena.cli import board
from arena.cli.options import db_words
from arena.cli.screen import Screen
from arena.errors import ArenaError, IllegalMove, StoreError, UsageError, nearest, shown
from arena.play.draws import DRAW_PLIES, DRAW_SCORES
from arena.play.moves import named_move
from arena.play.probability import ENOUGH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from arena.play import Advice, Session

_LONGEST_LINE = 1000
"""Maximum number of characters of a command."""
_ADVISER = "minimax"
"""Player that gives hints if none is named."""


class Dialogue:
    """Reads commands, carries them out and shows what happened."""

    def __init__(self, session: Session, location: str) -> None:
        """``location``: the database, for the commands that messages name."""
        self._session = session
        self._location = location
        self._screen = Screen()
        self._flipped = session.setup.side is Side.BLACK
        self._autosaves = True
        """Whether the game is saved after each move; not after a failure."""
        self._leaves = False
        """Whether the person wants to leave."""
        self._commands: dict[str, tuple[str, str, Callable[[str], Iterable[str]]]] = {
            "hint": (
                "hint [PLAYER]",
                f"show the move that a player would make, {_ADVISER} if none is named",
                self._hint,
            ),
            "eval": ("eval [PLAYER]", "show a player's score and your win probability", self._eval),
            "undo": ("undo [N]", "take back your last N moves, 1 if no number is given, and the replies", self._undo),
            "moves": ("moves", "list the legal moves with their numbers", self._moves),
            "draw": (
                "draw",
                f"offer a draw; accepted from ply {DRAW_PLIES} on if your opponent's last {DRAW_SCORES} scores are not "
                "above 0",
                self._draw,
            ),
            "resign": ("resign", "give up the game", self._resign),
            "save": ("save", "save the game and go on", self._save),
            "flip": ("flip", "turn the board", self._flip),
            "fen": ("fen", "show the position as PDN FEN", self._fen),
            "help": ("help", "show this list", self._help),
            "quit": ("quit", "save the game and stop", self._quit),
        }

    def run(self) -> None:
        """Play the game to its end, or until the person leaves.

        Raises StoreError if the game can be neither recorded nor saved, and KeyboardInterrupt after Ctrl-C.
        """
        try:
            answer = self._converse()
        except EOFError:
            self._leave()
        except KeyboardInterrupt:
            self._leave()
            raise
        except Exception:
            with suppress(StoreError):
                self._leave()
            raise
        else:
            if self._session.ending is None:
                self._leave()
            else:
                self._finish(answer)

    def _converse(self) -> list[str]:
        """Let both sides move until the game ends or the person leaves. Return what is to be said of the last move."""
        session = self._session
        if self._screen.interactive:
            self._show([f"starting {session.setup.opponent} ..."])
        session.start()
        answer = [f"{session.setup.opponent} learns from this game"] if session.setup.learning else []
        while session.ending is None and not self._leaves:
            if session.persons_turn:
                self._show(answer)
                answer = self._obey()
            else:
                answer = self._reply()
        return answer

    def _reply(self) -> list[str]:
        """Let the opponent move, save the game, and return lines about both."""
        session, opponent = self._session, self._session.setup.opponent
        if self._screen.interactive:
            self._show([f"{opponent} is thinking ..."])
        before = session.game.board
        move = session.reply()
        if move is None:
            return []
        answer = [f"{before.side.name.title()} ({opponent}) plays {move_text(before, move)}"]
        if self._autosaves and session.persons_turn and session.has_moved:
            try:
                session.save()
            except StoreError as error:
                self._autosaves = False
                answer.append(f"not saved: {error}; the command save tries again")
        return answer

    def _obey(self) -> list[str]:
        """Read a move or a command, carry it out and return the answer. The answer to bad input is a one-line error."""
        line = self._screen.ask(f"{self._session.game.side.name.title()} to move (help shows the commands): ")
        if self._session.check_time() or not line:
            return []
        try:
            if len(line) > _LONGEST_LINE:
                raise UsageError(f"{shown(line)} is too long for a command")
            if line[0].isdigit():
                self._session.play(self._move(line))
                return []
            word, _, argument = line.partition(" ")
            word = {"?": "help", "exit": "quit"}.get(word.casefold(), word.casefold())
            if word not in self._commands:
                raise UsageError(f"there is no command {shown(word)}; {nearest(word, list(self._commands))}")
            usage, _, command = self._commands[word]
            if argument.strip() and " " not in usage:
                raise UsageError(f"{word} takes nothing after it, not {shown(argument.strip())}")
            return list(command(argument.strip()))
        except ArenaError as error:
            return [str(error)]

    def _move(self, text: str) -> Move:
        """Return the legal move with these squares, or with this number in the list of legal moves."""
        position = self._session.game.board
        if not (text.isascii() and text.isdecimal()):
            return named_move(position, text)
        legal = position.legal_moves
        if len(text) > 3 or not 1 <= int(text) <= len(legal):
            raise IllegalMove(f"there is no move {text[:4]}: your moves have the numbers 1 to {len(legal)}")
        return legal[int(text) - 1]

    def _hint(self, player: str) -> list[str]:
        advice = self._advice(player)
        text = move_text(self._session.game.board, advice.move)
        rest = advice.pv.split()[1:]
        then = f", then {' '.join(rest)}" if rest else ""
        value = "" if advice.score is None else f" ({self._value(advice)})"
        return [f"{advice.player} would play {text}{then}{value}"]

    def _eval(self, player: str) -> list[str]:
        advice = self._advice(player)
        if advice.score is None:
            return [f"{advice.player} reports no scores"]
        lines = [f"{advice.player}: {self._value(advice)}"]
        if advice.probability is None:
            lines.append(
                f"a win probability needs {ENOUGH} recorded games with scores of {advice.player}, and there are "
                f"{advice.scale.games}"
            )
        return lines

    def _advice(self, player: str) -> Advice:
        if self._screen.interactive:
            self._show([f"asking {player or _ADVISER} ..."])
        return self._session.advice(player or _ADVISER)

    @staticmethod
    def _value(advice: Advice) -> str:
        depth = "" if advice.depth is None else f", depth {advice.depth}"
        share = "" if advice.probability is None else f", win probability {100 * advice.probability:.0f} %"
        return f"{advice.score:+.2f} for you{share}{depth}"

    def _undo(self, number: str) -> list[str]:
        if number and not (number.isascii() and number.isdecimal() and len(number) <= 4):
            raise UsageError(f"undo takes a number of moves, not {shown(number)}")
        plies = self._session.undo(int(number or 1))
        return [f"took back {plies} {'ply' if plies == 1 else 'plies'}"]

    def _moves(self, _: str) -> list[str]:
        return board.move_lines(self._session, self._screen.width)

    def _draw(self, _: str) -> list[str]:
        if self._session.offer_draw():
            return []
        return [f"{self._session.setup.opponent} declines the draw; help shows when it accepts"]

    def _resign(self, _: str) -> list[str]:
        self._session.resign()
        return []

    def _save(self, _: str) -> list[str]:
        number = self._session.save()
        self._autosaves = True
        return [f"saved as game {number}; to take it up: {self._resume_command(number)}"]

    def _flip(self, _: str) -> list[str]:
        self._flipped = not self._flipped
        return []

    def _fen(self, _: str) -> list[str]:
        return [self._session.game.board.fen]

    def _help(self, _: str) -> list[str]:
        return [
            "11-15 or 22x15: move from one square to another; name all squares of a capture if there are several",
            "3: make the third move of the list of legal moves",
            *(f"{usage}: {text}" for usage, text, _ in self._commands.values()),
        ]

    def _quit(self, _: str) -> list[str]:
        self._leaves = True
        return []

    def _finish(self, answer: list[str]) -> None:
        """Show the end of the game, after the answer to the last move, and record it."""
        session, ending = self._session, self._session.ending
        assert ending is not None
        verdict = (
            "a draw" if ending.winner is None else "you won" if ending.winner is session.setup.side else "you lost"
        )
        end = [f"{ending.result}: {verdict} ({ending.termination})"]
        if ending.forfeited_by is not None:
            last = (ending.reason or "").strip().splitlines()[-1:]
            end.append(f"{board.name_of(session, ending.forfeited_by)} forfeited: {' '.join(last)}")
        self._show(answer)
        for line in end:
            self._screen.say(line)
        while True:
            try:
                name = session.record()
                break
            except StoreError as error:
                self._screen.say(f"not recorded: {error}")
                self._retry(error)
            except KeyboardInterrupt:
                with suppress(StoreError):  # the game may be on record
                    self._screen.say(f"saved; to record it later: {self._resume_command(session.save())}")
                raise
        self._screen.say(f"recorded as {name}; to see it: {self._command('replay', name)}")
        self._tell_of_learning()

    def _tell_of_learning(self) -> None:
        """Say what an opponent that learns has learned from the recorded game."""
        recorded, player = self._session.recorded, self._session.setup.learning
        if recorded is not None and recorded.problem is not None:
            self._screen.say(f"{player} did not learn: {recorded.problem}")
        if recorded is not None and recorded.checkpoint is not None and player is not None:
            next_game = self._command("play", "--learning", "--against", player)
            self._screen.say(f"{recorded.checkpoint} has learned from it")
            self._screen.say(f"to play against it: {next_game}")

    def _retry(self, error: StoreError) -> None:
        """Wait until the person wants to record the game again. Raises ``error`` if the person does not."""
        line = "quit"
        with suppress(EOFError, KeyboardInterrupt):
            line = self._screen.ask("Enter tries again, quit leaves: ")
        if line.casefold() == "quit":
            with suppress(StoreError):
                self._screen.say(f"saved; to record it later: {self._resume_command(self._session.save())}")
            raise error

    def _leave(self) -> None:
        """Save the unfinished game and say how to take it up. Raises StoreError, with the moves, if that fails."""
        session = self._session
        if self._screen.interactive:
            self._screen.say()
        if not session.has_moved and session.number is None:
            self._screen.say("you made no move, so there is nothing to save")
            return
        try:
            number = session.save()
        except StoreError as error:
            raise StoreError(f"{error}; the moves of the unsaved game are {' '.join(session.move_texts())}") from None
        self._screen.say(f"saved as game {number}; to take it up: {self._resume_command(number)}")

    def _resume_command(self, number: int) -> str:
        return self._command("play", "--resume", str(number))

    def _command(self, *words: str) -> str:
        return shlex.join(["arena", *words, *db_words(self._location)])

    def _show(self, answer: Iterable[str] = ()) -> None:
        self._screen.show(self._session, self._flipped, self._probability(), list(answer))

    def _probability(self) -> float | None:
        """Win probability of the person; None if it is unknown or the database cannot be read."""
        try:
            return self._session.probability
        except StoreError:
            return None
