"""Splits a PDN file into tokens: tags, moves, results, marks and comments. It reads the file line by line.

The lexer skips move numbers, NAGs beyond ``$6``, variations in parentheses, lines that begin with ``%``, and words
outside braces.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Token = tuple["TokenKind", str, int]


class TokenKind(Enum):
    """The kinds of tokens; a token is its kind, its text and its line (from 1)."""

    TAG = auto()
    """Its text is the name and the value, separated by a blank."""
    MOVE = auto()
    RESULT = auto()
    MARK = auto()
    """Opinion on the move before: ``!``, ``?``, ``!!``, ``??``, ``!?`` or ``?!``, also written ``$1``-``$6``."""
    COMMENT = auto()
    BAD = auto()
    """Something that cannot be read; its text is the reason."""


_TAG = r'(?P<tag>\[\s*(?P<name>\w+)\s+"(?P<value>(?:\\.|[^\\])*?)"\s*\])'
_OTHERS = r"""
    (?P<result>(?:1/2-1/2|1-0|0-1|2-0|0-2|1-1|0-0|\*)(?![-/:x\d]))
    | (?P<move>\d+(?:(?:[ ]?[-xX\u2013\u2014\u00d7][ ]?|:)\d+)+)
    | (?P<comment>\{[^}]*\}|;.*)
    | (?P<unclosed>\{.*)
    | (?P<open>\()
    | (?P<close>\))
    | (?P<mark>[!?]{1,2}(?![!?\w])|\$[1-6](?!\d))
    | (?P<skipped>\d+\s*\.+|\$\d+)
    | (?P<bracket>\[[^\](){}]*)
    | (?P<word>[^\s\[\](){}$;]+)
"""
_TOKEN = re.compile(f"{_TAG} | {_OTHERS}", re.VERBOSE | re.DOTALL)
_TOKEN_BUT_TAG = re.compile(_OTHERS, re.VERBOSE | re.DOTALL)
_BEGUN_TAG = re.compile(r'\[\s*\w+\s+"')
MARKS = ("!", "?", "!!", "??", "!?", "?!")
"""Marks in the order of their NAGs, from ``$1`` (PDN 3.0)."""
_TAG_LINE = re.compile(r'\s*\[\s*\w+\s+".*"\s*\]\s*')
_ALGEBRAIC = re.compile(r"[KQRBN]?[a-h]?[1-8]?[-x:]?[a-h][1-8](?!\d)")
_BROKEN_MOVE = re.compile(r"(?=\D{0,3}\d)\w{0,2}[-xX:]\w{0,2}(?!\w)")


def tokens(lines: Iterable[str]) -> Iterator[Token]:
    """Yield the tokens of a file in order. A tag ends an unclosed comment or variation; BAD reports it."""
    lexer = _Lexer()
    for number, line in enumerate(lines, 1):
        yield from lexer.line(line, number)
    yield from lexer.end()


class _Lexer:
    """Splits lines into tokens and keeps the comment and variations that are open between lines."""

    def __init__(self) -> None:
        self._comment: list[str] = []
        """Lines of the open comment; empty if none is open."""
        self._depth = 0
        """Number of open nested variations."""
        self._opened = 0
        """First line of the open comment or of the outermost open variation."""

    def line(self, line: str, number: int) -> Iterator[Token]:
        if self._comment and not _TAG_LINE.fullmatch(line):
            text, brace, line = line.partition("}")
            self._comment.append(text)
            if brace:
                text, self._comment = "".join(self._comment), []
                if not self._depth:
                    yield TokenKind.COMMENT, _one_line(text), self._opened
        elif line.startswith("%"):
            return
        for match in _matches(line):
            kind = match.lastgroup
            if kind == "tag":
                yield from self.end()
                value = re.sub(r"\\(.)", r"\1", match["value"])
                yield TokenKind.TAG, f"{match['name']} {value}", number
            elif kind == "close":
                self._depth = max(0, self._depth - 1)
            elif kind in ("unclosed", "open"):
                self._open(match, number)
            elif not self._depth and (token := _token(kind, match[0])):
                yield *token, number

    def _open(self, match: re.Match[str], number: int) -> None:
        if not self._depth:
            self._opened = number
        if match.lastgroup == "open":
            self._depth += 1
        else:
            self._comment = [match[0][1:]]

    def end(self) -> Iterator[Token]:
        """Yield a BAD token if a comment or variation is open, and close it."""
        if self._comment or self._depth:
            yield TokenKind.BAD, f"a {'comment' if self._comment else 'variation'} is not closed", self._opened
        self._comment, self._depth = [], 0


def _matches(line: str) -> Iterator[re.Match[str]]:
    """Yield the pieces of a line.

    After an unclosed tag no later tag of the line can be closed. The search for tags stops there, because looking for
    the end of each would take quadratic time.
    """
    for match in _TOKEN.finditer(line):
        yield match
        if match.lastgroup == "bracket" and _BEGUN_TAG.match(match[0]):
            yield from _TOKEN_BUT_TAG.finditer(line, match.end())
            return


def _token(group: str | None, text: str) -> tuple[TokenKind, str] | None:
    """Return the kind and text of a piece of the main line, by its group in the pattern; None to skip it."""
    if group == "move":
        return TokenKind.MOVE, text
    if group == "result":
        return TokenKind.RESULT, text
    if group == "mark":
        return TokenKind.MARK, MARKS[int(text[1:]) - 1] if text[0] == "$" else text
    if group == "comment":
        return TokenKind.COMMENT, _one_line(text[1:-1] if text[0] == "{" else text[1:])
    problem = _problem(group, text)
    return (TokenKind.BAD, problem) if problem else None


def _problem(group: str | None, text: str) -> str | None:
    if group == "bracket":
        return f"{_short(text)} is not a tag"
    if group == "word" and _ALGEBRAIC.match(text):
        return f"{_short(text)} is algebraic notation; squares are numbers from 1 to 32"
    if group == "word" and _BROKEN_MOVE.match(text):
        return f"{_short(text)} is not a move"
    return None


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _short(text: str) -> str:
    text = _one_line(text[:200])
    return text if len(text) <= 40 else f"{text[:40]}..."
