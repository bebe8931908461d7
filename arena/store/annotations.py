"""What people say about the moves of recorded and imported games: marks, better moves, scores and comments.

Annotations change nothing in the games. Several people may annotate a move, and one person may do so several times.
The table ``move_annotations`` has what people add here. The marks and comments of a PDN file belong to its imported
games; they are annotations, too, by the person that the PDN tag ``Annotator`` names.
"""

from __future__ import annotations

import struct
import time
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, delete, insert, select, true

from arena.checkers.board import Board
from arena.checkers.move import Side
from arena.checkers.notation import move_text, parse_move
from arena.checkers.pdn import MARKS
from arena.errors import StoreError, UsageError, shown
from arena.store import commentary, lookup
from arena.store.decoding import checked_boards, decoded
from arena.store.lookup import GameKey
from arena.store.part import Part
from arena.store.people import person_name
from arena.store.schema import collected_games, games, move_annotations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

LONGEST_COMMENT = 2000
"""Maximum number of characters of a comment."""
ANONYMOUS = "human"
"""Annotator without a name."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a person says about a move."""

    ply: int
    """Number of the move in the game, from 1; 0: the first board."""
    annotator: str | None
    """Name of the person; None: a PDN file that names no annotator."""
    mark: str | None = None
    """``!`` (good), ``?`` (bad), ``!!``, ``??``, ``!?``, ``?!`` or None."""
    better: str | None = None
    """PDN text of a better move, or None."""
    score: float | None = None
    """Expected result after the move for the player who made it, -1 (lost) to 1 (won), or None."""
    comment: str | None = None
    """Text, or None."""
    number: int | None = None
    """Number by which the annotation is removed; None: it belongs to an imported game."""
    added: float | None = None
    """Time of recording, in seconds since the epoch; None: it belongs to an imported game."""

    @property
    def text(self) -> str:
        """A line with mark, better move, score and comment, but without the annotator."""
        better = None if self.better is None else f"better {self.better}"
        score = None if self.score is None else f"score {self.score:+.2f}"
        return ", ".join(filter(None, (self.mark, better, score, self.comment)))


@decoded
class Annotations(Part):
    """The annotations of a database that is open for writing.

    A game is named ``t2/17``, ``COLLECTION/NUMBER`` or by its id; see :func:`arena.store.lookup.any_game_key`.
    """

    def add(
        self,
        game: str | int,
        ply: int,
        annotator: str = "",
        *,
        mark: str | None = None,
        better: str | None = None,
        score: float | None = None,
        comment: str | None = None,
    ) -> Annotation:
        """Record an annotation, and return it with its number. See :class:`Annotation` for the arguments.

        ``annotator``: empty for ``human``. ``better``: any PDN text of a legal move. An annotation of the first board
        is a comment. Raises StoreError if the game does not exist or has the same annotation already, UsageError if the
        annotation is empty or has an invalid value, and IllegalMove if the better move is not legal.
        """
        name = person_name(annotator) or ANONYMOUS
        text = _checked_comment(comment)
        if mark is not None and mark not in MARKS:
            raise UsageError(f"a mark is one of {', '.join(MARKS)}, not {shown(mark)}")
        if score is not None and not -1 <= score <= 1:
            raise UsageError(f"a score is a number from -1 (lost) to 1 (won), not {score:g}")
        if (mark, better, score, text) == (None, None, None, None):
            raise UsageError("an annotation has a mark, a better move, a score or a comment")
        with self._connection.begin():
            connection = self._connection
            key = lookup.any_game_key(connection, game, self.location)
            if ply:
                better = _checked_move(connection, key, ply, better)
            elif (mark, better, score) != (None, None, None):
                raise UsageError("ply 0 is the first board, which can only have a comment: moves have plies from 1 on")
            row = {
                **key._asdict(),
                **{"ply": ply, "annotator": name, "mark": mark, "better": better, "score": score, "comment": text},
            }
            same = (move_annotations.c[column].is_not_distinct_from(value) for column, value in row.items())
            known = connection.scalar(select(move_annotations.c.id).where(*same))
            if known is not None:
                raise StoreError(f"the same annotation is on record already, with the number {known}")
            row["added"] = added = time.time()
            query = insert(move_annotations).values(row).returning(move_annotations.c.id)
            number = connection.scalars(query).one()
        return Annotation(ply, name, mark, better, score, text, number, added)

    def of(self, game: str | int) -> list[Annotation]:
        """Return the annotations of a game, ordered by ply and then by time. Raises StoreError if it does not exist."""
        with self._connection.begin():
            return of_game(self._connection, lookup.any_game_key(self._connection, game, self.location))

    def remove(self, number: int) -> None:
        """Delete an annotation. Raises StoreError if it does not exist."""
        with self._connection.begin():
            row = delete(move_annotations).where(move_annotations.c.id == number)
            if not self._connection.execute(row).rowcount:
                raise StoreError(f"{self.location} holds no annotation {number}; arena results annotations lists them")


def of_game(connection: Connection, key: GameKey) -> list[Annotation]:
    """Return the annotations of a game, ordered by ply; those of its PDN file come first."""
    imported: list[Annotation] = []
    if key.collection_id is not None:
        here = collected_games.c
        query = select(here.comments, here.tags).where(here.collection_id == key.collection_id, here.id == key.game_id)
        imported = of_pdn(*connection.execute(query).one())
    own = (move_annotations.c[name].is_not_distinct_from(value) for name, value in key._asdict().items())
    found = [*imported, *(each for row in added(connection, *own).values() for each in row)]
    return sorted(found, key=lambda each: each.ply)


def added(connection: Connection, *conditions: ColumnElement[bool]) -> dict[GameKey, list[Annotation]]:
    """Return the annotations that people added, by game; those of a game in order of ply and time."""
    here = move_annotations.c
    query = select(move_annotations).where(*conditions, true()).order_by(here.ply, here.id)
    found: defaultdict[GameKey, list[Annotation]] = defaultdict(list)
    for row in connection.execute(query):
        values = {name: getattr(row, name) for name in Annotation.__slots__ if name != "number"}
        key = GameKey(row.tournament_id, row.collection_id, row.game_id)
        found[key].append(Annotation(**values, number=row.id))
    return dict(found)


def of_pdn(comments: str | None, tags: Mapping[str, str]) -> list[Annotation]:
    """Return the annotations of an imported game, from its columns ``comments`` and ``tags``, ordered by ply."""
    texts, marks = commentary.read(comments)
    annotator = annotator_of(tags)
    plies = max(len(texts), len(marks) + 1)
    rows = zip(
        range(plies),
        [*texts, *[""] * (plies - len(texts))],
        ["", *marks, *[""] * (plies - len(marks) - 1)],
        strict=True,
    )
    return [Annotation(ply, annotator, mark or None, comment=text or None) for ply, text, mark in rows if text or mark]


def annotator_of(tags: Mapping[str, str]) -> str | None:
    """Return the annotator that the tags of a PDN file name; None if there is none."""
    return next((value for name, value in tags.items() if name.lower() == "annotator"), None) or None


def pdn_notes(annotations: Sequence[Annotation], plies: int, annotator: str | None) -> tuple[list[str], list[str]]:
    """Return the comment on each board and the mark of each move of a game, for PDN.

    A move has one mark, the first. All else is in the comment, after the name of the annotator unless this is the
    ``annotator`` of the whole game: ``better 11-15, score +0.30, a comment; Bob: ?``.
    """
    comments: list[list[str]] = [[] for _ in range(plies + 1)]
    marks = [""] * plies
    for each in annotations:
        mark = each.mark
        if mark is not None and not marks[each.ply - 1]:
            marks[each.ply - 1], mark = mark, None
        rest = replace(each, mark=mark).text
        if rest:
            comments[each.ply].append(rest if each.annotator == annotator else f"{each.annotator}: {rest}")
    return ["; ".join(texts) for texts in comments], marks


def _checked_move(connection: Connection, key: GameKey, ply: int, better: str | None) -> str | None:
    """Return the canonical text of a better move at a ply. Raises an ArenaError if ply or move is invalid."""
    first, boards, moves = _game(connection, key)
    if not 1 <= ply <= len(moves):
        raise UsageError(f"the game has the plies 1 to {len(moves)}, and 0 for its first board, not {ply}")
    if better is None:
        return None
    side = first if ply % 2 else first.other
    black, white, kings = struct.unpack_from("<3I", boards, 12 * (ply - 1))
    board = Board(black, white, kings, side)
    move = parse_move(board, better)
    if board.after(move) == board.after(parse_move(board, moves[ply - 1])):
        raise UsageError(f"{moves[ply - 1]} is the move that was played: a better move is another one")
    return move_text(board, move)


def _game(connection: Connection, key: GameKey) -> tuple[Side, bytes, list[str]]:
    """Return first side, boards and move texts of a game."""
    table: Any = games if key.collection_id is None else collected_games
    owner = "tournament_id" if key.collection_id is None else "collection_id"
    start = table.c.first if key.collection_id is None else table.c.fen
    query = select(start, table.c.boards, table.c.moves)
    row = connection.execute(query.where(table.c[owner] == getattr(key, owner), table.c.id == key.game_id)).one()
    first = Side.WHITE if row[0].upper().startswith("W") else Side.BLACK
    return first, checked_boards(row.boards), row.moves.split()


def _checked_comment(comment: str | None) -> str | None:
    """Return a comment with single blanks between its words; None if it is empty. Raises UsageError."""
    text = " ".join((comment or "").split())
    if len(text) > LONGEST_COMMENT or not text.isprintable():
        raise UsageError(f"a comment has at most {LONGEST_COMMENT} printable characters, not {shown(text)}")
    return text or None
