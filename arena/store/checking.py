"""Checks of a whole database: its file, its references, its games and its models."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, func, select, text

from arena.checkers.board import Board
from arena.checkers.game import Game
from arena.checkers.move import Side
from arena.checkers.notation import parse_move
from arena.checkers.rules import DrawRules
from arena.contracts.model import Model
from arena.errors import ArenaError, message_of
from arena.store.schema import collected_games, collections, games, models, tournaments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection

    Query = Select[*tuple[Any, ...]]

_ROWS = 500
_BY_RULE = {"no moves", "repetition", "quiet plies", "ply cap"}
_ADJUDICATED = {"tables", "scores"}
_LOSSES = {"black": "0-1", "white": "1-0"}
"""Result by the side that forfeited."""


def problems(connection: Connection, progress: Callable[[int, int], object]) -> Iterator[str]:
    """Yield a line for each problem of a database.

    - An SQLite file is damaged, or a row refers to a row that does not exist.
    - A game has an illegal move, boards that its moves do not lead to, or a result that does not follow from its last
      board and its termination. Results by adjudication are not checked.
    - The weights of a model do not have the hash of the model.

    ``progress`` is called with the number of games checked and of all games.
    """
    if connection.dialect.name == "sqlite":
        found = [str(each) for each in connection.execute(text("PRAGMA integrity_check")).scalars()]
        yield from (f"the file is damaged: {each}" for each in found if each != "ok")
        for table, row, parent, _ in connection.execute(text("PRAGMA foreign_key_check")):
            yield f"row {row} of the table {table} refers to a missing row of {parent}"
    yield from _models(connection)
    yield from _games(connection, progress)


def number_of_games(connection: Connection) -> int:
    """Return the number of games of tournaments and collections."""
    return sum(
        connection.execute(select(func.count()).select_from(table)).scalar_one() for table in (games, collected_games)
    )


def _models(connection: Connection) -> Iterator[str]:
    query = select(models.c.hash, models.c.kind, models.c.data)
    for key, kind, data in connection.execution_options(yield_per=1).execute(query):
        try:
            model = Model.stored(f"@{key}", data)
            if (model.hash, model.kind) != (key, kind):
                yield f"the model @{key} has weights with the hash {model.hash} and the kind {model.kind}"
        except ArenaError as error:
            yield f"the model @{key} cannot be read: {error}"


def _games(connection: Connection, progress: Callable[[int, int], object]) -> Iterator[str]:
    total, done = number_of_games(connection), 0
    known = connection.execute(select(tournaments.c.id, tournaments.c.name, tournaments.c.settings)).all()
    names = {key: name for key, name, _ in known}
    rules = {key: _rules(settings) for key, _, settings in known}
    columns = ("tournament_id", "id", "first", "moves", "boards", "result", "termination", "forfeited_by")
    query: Query = select(*(games.c[name] for name in columns))
    for row in connection.execution_options(yield_per=_ROWS).execute(query):
        problem = _problem(row.boards, row.first, row.moves, rules.get(row.tournament_id, DrawRules()), row)
        if problem:
            yield f"the game {row.id} of {names.get(row.tournament_id, row.tournament_id)}: {problem}"
        done += 1
        progress(done, total)
    called: dict[int, str] = dict(connection.execute(select(collections.c.id, collections.c.name)).all())
    query = select(*(collected_games.c[name] for name in ("collection_id", "id", "fen", "moves", "boards")))
    for row in connection.execution_options(yield_per=_ROWS).execute(query):
        problem = _problem(row.boards, "white" if row.fen.startswith("W") else "black", row.moves, DrawRules())
        if problem:
            yield f"the game {row.id} of {called.get(row.collection_id, row.collection_id)}: {problem}"
        done += 1
        progress(done, total)


def _rules(settings: Any) -> DrawRules:
    """Return the draw rules of a tournament; the usual ones if an early version did not record them."""
    try:
        return DrawRules(**settings["rules"])
    except (KeyError, TypeError):
        return DrawRules()


def _problem(packed: bytes, first: str, moves: str, rules: DrawRules, ending: Any = None) -> str | None:
    """Return what is wrong with the moves and boards of a game, and with its ``ending``; None if nothing is.

    ``ending`` has ``result``, ``termination`` and ``forfeited_by``; None: it is not checked.
    """
    try:
        masks = struct.iter_unpack("<3I", packed)
        black, white, kings = next(masks)
        game = Game(Board(black, white, kings, Side[first.upper()]), rules)
        for ply, (text, after) in enumerate(zip(moves.split(), masks, strict=True), 1):
            game.play(parse_move(game.board, text))
            if tuple(game.board)[:3] != after:
                return f"the board after ply {ply} is not the board that {text} leads to"
    except ArenaError as error:
        return f"an illegal move: {error}"
    except (StopIteration, KeyError, ValueError, struct.error) as error:
        return f"the moves and boards do not fit: {message_of(error)}"
    return None if ending is None else _wrong_ending(game, ending)


def _wrong_ending(game: Game, ending: Any) -> str | None:
    """Return what is wrong with the ending of a game; None if nothing is."""
    told = f"{ending.result} by {ending.termination!r}"
    if ending.termination in _BY_RULE:
        outcome = game.outcome
        if outcome is None:
            return f"the result is {told}, but the game is not over on its last board"
        if (outcome.result, str(outcome.termination)) != (ending.result, ending.termination):
            return f"the result is {told}, but the rules end it with {outcome.result} by {str(outcome.termination)!r}"
    if (ending.forfeited_by is None) != (ending.termination in _BY_RULE | _ADJUDICATED):
        return f"the result is {told}, but the side that forfeited is {ending.forfeited_by or 'missing'}"
    if ending.forfeited_by is not None and ending.result != _LOSSES.get(ending.forfeited_by):
        return f"the result is {told}, but {ending.forfeited_by} forfeited"
    return None
