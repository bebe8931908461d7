"""What models were made from, and which models learned from a game.

A model is made by a training run, at a checkpoint, or by a player that learns between the rounds of a tournament. It
comes from the games that the run or the player has learned from by then, and from the model that it started from.

Runs list the recorded games that they learned from. The games that a run plays itself follow from its seed. In a
tournament, a player learns from its own games, round by round. Rounds are counted through all stages: a stage in which
each pairing has G games has G rounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Select, and_, column, func, select, table

from arena.store import lookup
from arena.store.schema import (
    checkpoints,
    collected_games,
    collections,
    learned_models,
    models,
    pairings,
    players,
    run_games,
    runs,
    tournaments,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection


class Origin(NamedTuple):
    """One row of :meth:`arena.Results.origins`."""

    model: str
    made_by: str
    learner: str | None
    version: str | None
    seed: int | None
    start: str | None
    source: str
    game: str | None
    black: str | None
    white: str | None
    result: str | None
    times: int


class Descendant(NamedTuple):
    """One row of :meth:`arena.Results.learned_from`."""

    model: str
    made_by: str
    start: str | None
    direct: bool


class _Made(NamedTuple):
    """A model that a player learned during a tournament."""

    tournament_id: int
    tournament: str
    player_id: int
    player: str
    round: int
    model: str

    @property
    def name(self) -> str:
        return f"{self.tournament} ({self.player}, round {self.round})"


def of_model(connection: Connection, model: str) -> list[Origin]:
    """Return what a model was made from: the rows of the model, of the model that it started from, and so on."""
    rows, waiting, known = [], [model], {model}
    while waiting:
        each = waiting.pop(0)
        found = [*_of_checkpoints(connection, each), *_of_rounds(connection, each)]
        rows += found
        starts = list(dict.fromkeys(row.start for row in found if row.start and row.start not in known))
        waiting += starts
        known.update(starts)
    return rows


def of_game(connection: Connection, source: str, keys: Sequence[str], game: str) -> list[Descendant]:
    """Return the models that learned from a recorded game, and the models that started from these.

    ``keys`` are the names of the file, collection or tournament under which runs may have recorded it as their source.
    ``game`` is the number of the game in the file, or its id. ``source`` is what it is: ``file``, ``collection`` or
    ``tournament``.
    """
    first = (
        select(run_games.c.run_id, func.min(run_games.c.number))
        .where(run_games.c.game == game, run_games.c.source.in_(keys))
        .group_by(run_games.c.run_id)
    )
    rows: dict[tuple[str, str], Descendant] = {}

    def add(found: Iterator[Descendant]) -> list[str]:
        new = [row for row in found if (row.model, row.made_by) not in rows]
        rows.update({(row.model, row.made_by): row for row in new})
        return [row.model for row in new]

    waiting = []
    for run_id, number in connection.execute(first).all():
        waiting += add(_checkpoints_after(connection, run_id, number, direct=True))
    if source == "tournament":
        waiting += add(_rounds_after(connection, int(keys[-1]), int(game)))
    known = set(waiting)
    while waiting:
        new = add(_started_from(connection, waiting.pop(0)))
        waiting += [each for each in dict.fromkeys(new) if each not in known]
        known.update(new)
    return list(rows.values())


def _of_checkpoints(connection: Connection, model: str) -> Iterator[Origin]:
    query = (
        select(runs, checkpoints.c.games.label("learned"))
        .join(checkpoints, checkpoints.c.run_id == runs.c.id)
        .where(checkpoints.c.model_hash == model)
        .order_by(runs.c.id, checkpoints.c.games)
    )
    for row in connection.execute(query).all():
        head = (
            *(model, f"{row.name}@{row.learned}", row.learner, f"{row.distribution} {row.version}"),
            *(row.seed, row.weights),
        )
        learned = (
            select(run_games.c.source, run_games.c.game, func.count())
            .where(run_games.c.run_id == row.id, run_games.c.number < row.learned)
            .group_by(run_games.c.source, run_games.c.game)
            .order_by(func.min(run_games.c.number))
        )
        recorded = connection.execute(learned).all()
        if not recorded:
            yield Origin(*head, row.settings.get("against") or "self", None, None, None, None, row.learned)
        descriptions = _Descriptions(connection)
        for source, game, times in recorded:
            yield Origin(*head, source, *descriptions.of(source, game), times)


def _of_rounds(connection: Connection, model: str) -> Iterator[Origin]:
    provenance = connection.scalar(select(models.c.provenance).where(models.c.hash == model)) or {}
    for made in _made(connection, learned_models.c.model_hash == model):
        rounds = _rounds_of(connection, made.tournament_id, made.player_id)
        start = rounds.first_model
        if model == start:
            continue
        seed = provenance.get("seed")
        head = (
            *(model, made.name, provenance.get("learner"), provenance.get("version")),
            *(None if seed is None else int(seed), start),
        )
        for game, number in rounds.games:
            if number < made.round:
                yield Origin(
                    *head, made.tournament, game.name or str(game.game), game.black, game.white, game.result, 1
                )


def _made(connection: Connection, condition: Any) -> list[_Made]:
    query = (
        select(
            learned_models.c.tournament_id,
            tournaments.c.name,
            learned_models.c.player_id,
            players.c.spec,
            learned_models.c.round,
            learned_models.c.model_hash,
        )
        .join(tournaments, tournaments.c.id == learned_models.c.tournament_id)
        .join(players, players.c.id == learned_models.c.player_id)
        .where(condition)
        .order_by(learned_models.c.tournament_id, learned_models.c.player_id, learned_models.c.round)
    )
    return [_Made(*row) for row in connection.execute(query)]


class _Rounds(NamedTuple):
    """The games that a player of a tournament learned from, each with its round through all stages."""

    first_model: str
    games: list[tuple[Any, int]]


def _rounds_of(connection: Connection, tournament_id: int, player_id: int) -> _Rounds:
    """Return the games of a player that learns, in the order in which they are numbered, and its first model."""
    here = and_(learned_models.c.tournament_id == tournament_id, learned_models.c.player_id == player_id)
    made = _made(connection, here)
    settings = connection.execute(select(tournaments.c.settings).where(tournaments.c.id == tournament_id)).scalar_one()
    spec = made[0].player
    names = ("game", "name", "pairing", "round", "black", "white", "result")
    query: Select[*tuple[Any, ...]] = (
        select(*(column(name) for name in names))
        .select_from(table("v_games"))
        .where(column("tournament_id") == tournament_id, (column("black") == spec) | (column("white") == spec))
        .where(column("forfeited_by").is_(None))
        .order_by(column("number"), column("round"))
    )
    length = int(settings["games"])
    blocks = connection.execute(
        select(pairings.c.pairing, pairings.c.round)
        .where(pairings.c.tournament_id == tournament_id)
        .order_by(pairings.c.first)
    ).all()
    played = connection.execute(query).all()
    mine = {game.pairing for game in played}
    stages = _stages([each.round for each in made], length)
    starts: dict[str, list[tuple[int, int]]] = {}
    for place, (pairing, first) in enumerate(block for block in blocks if block.pairing in mine):
        starts.setdefault(pairing, []).append((first, stages[min(place, len(stages) - 1)] * length))
    numbered = []
    for game in played:
        first, number = max((each for each in starts[game.pairing] if each[0] <= game.round), default=(0, 0))
        numbered.append((game, number + game.round - first))
    return _Rounds(made[0].model, numbered)


def _stages(rounds: list[int], length: int) -> list[int]:
    """Return the stages in which a player played, from the rounds of its models; each stage has ``length`` rounds.

    A stage has a model for each of its rounds, and the last one has one more, which is the final model.
    """
    return sorted({each // length for each in rounds if each % length}) or [0]


def _checkpoints_after(connection: Connection, run_id: int, number: int, direct: bool) -> Iterator[Descendant]:
    """Yield the models of a run that learned from its game ``number``, counted from 0."""
    query = (
        select(runs.c.name, runs.c.weights, checkpoints.c.games, checkpoints.c.model_hash)
        .join(runs, runs.c.id == checkpoints.c.run_id)
        .where(checkpoints.c.run_id == run_id, checkpoints.c.games > number)
        .order_by(checkpoints.c.games)
    )
    for row in connection.execute(query):
        yield Descendant(row.model_hash, f"{row.name}@{row.games}", row.weights, direct)


def _rounds_after(connection: Connection, tournament_id: int, game: int) -> Iterator[Descendant]:
    """Yield the models that players of a tournament learned from a game of it."""
    found = _made(connection, learned_models.c.tournament_id == tournament_id)
    for player_id in dict.fromkeys(made.player_id for made in found):
        rounds = _rounds_of(connection, tournament_id, player_id)
        numbers = [number for each, number in rounds.games if each.game == game]
        for made in found:
            if numbers and made.player_id == player_id and made.round > numbers[0]:
                yield Descendant(made.model, made.name, rounds.first_model, True)


def _started_from(connection: Connection, model: str) -> Iterator[Descendant]:
    """Yield the models of runs, and of players that learn during a tournament, that started from a model."""
    for run_id in connection.scalars(select(runs.c.id).where(runs.c.weights == model).order_by(runs.c.id)).all():
        yield from _checkpoints_after(connection, run_id, -1, direct=False)
    first = select(
        learned_models.c.tournament_id, learned_models.c.player_id, func.min(learned_models.c.round).label("round")
    ).group_by(learned_models.c.tournament_id, learned_models.c.player_id)
    firsts = first.subquery()
    started = select(learned_models.c.tournament_id, learned_models.c.player_id, learned_models.c.round).join(
        firsts,
        and_(*(learned_models.c[name] == firsts.c[name] for name in ("tournament_id", "player_id", "round"))),
    )
    for tournament_id, player_id, number in connection.execute(
        started.where(learned_models.c.model_hash == model)
    ).all():
        of = learned_models.c
        later = and_(of.tournament_id == tournament_id, of.player_id == player_id, of.round > number)
        for made in _made(connection, and_(later, of.model_hash != model)):
            yield Descendant(made.model, made.name, model, False)


class _Descriptions:
    """The names, players and results of recorded games."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._collections = dict(connection.execute(select(collections.c.name, collections.c.id)).all())
        self._tournaments: dict[str, int] = {}
        for name, key in connection.execute(select(tournaments.c.name, tournaments.c.id)):
            self._tournaments |= {name: key, str(key): key}

    def of(self, source: str, game: str) -> tuple[str, str | None, str | None, str | None]:
        """Return the name or id, Black, White and result; null for games that are not in the database."""
        query: Select[*tuple[Any, ...]]
        if source in self._collections:
            here = collected_games.c
            query = select(here.black, here.white, here.result)
            query = query.where(here.collection_id == self._collections[source], here.id == int(game))
            black, white, result = self._row(query, 3)
            return game, black, white, result
        if source in self._tournaments:
            names = ("name", "black", "white", "result")
            query = select(*(column(name) for name in names)).select_from(table("v_games"))
            query = query.where(column("tournament_id") == self._tournaments[source], column("game") == int(game))
            name, black, white, result = self._row(query, 4)
            return name or game, black, white, result
        return game, None, None, None

    def _row(self, query: Select[*tuple[Any, ...]], length: int) -> tuple[str | None, ...]:
        """Return the first row of a query, or nulls."""
        row = self._connection.execute(query).first()
        return (None,) * length if row is None else tuple(row)


def source_of(connection: Connection, game: str | int, source: str | None, location: str) -> tuple[str, list[str], str]:
    """Return what the source of a game is, its names in ``run_games``, and the game's key there.

    Without ``source``, ``game`` names a game of a tournament (:func:`arena.store.lookup.game_key`). Otherwise it is the
    id of a game of the collection or tournament ``source``, or the number of a game of that file. Raises StoreError if
    the game does not exist; games of files are not checked.
    """
    if source is not None:
        key = connection.scalar(select(collections.c.id).where(collections.c.name == source))
        if key is not None:
            return "collection", [source], str(game)
        if source not in set(connection.scalars(select(tournaments.c.name))):
            return "file", [source], str(game)
    tournament_id, key = lookup.game_key(connection, game, source, location)
    name = connection.scalar(select(tournaments.c.name).where(tournaments.c.id == tournament_id))
    return "tournament", [str(name), str(tournament_id)], str(key)
