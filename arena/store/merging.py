"""Copies everything of another database into this one, without doubling what both have.

Both have a tournament if its identity is the same: a hash of its seed, its settings and the identities of its players.
Two tournaments of the same name are also the same if one grew from the other, by more players or games. The tournament
of an experiment is identified by the settings of the experiment and by its fixed opponents, because its other players
are added one by one. A training run is identified by its learner, seed and settings. Collections are joined by name,
models by hash.

A game, checkpoint or learned model that both have must be the same in both. Otherwise MergeConflict is raised, and the
caller rolls the transaction back. A tournament, run or experiment whose name belongs to another identity gets the next
free name.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, func, insert, select, update

from arena.errors import StoreError
from arena.store import lookup, names, schema
from arena.store.tournaments import stored_tournament

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Table

    Row = dict[str, Any]
    Query = Select[*tuple[Any, ...]]

_ROWS = 500
"""Rows that are copied together."""
_GROWING = ("games", "players", "openings_hash")
"""Settings of a tournament that change when it gets more players or games."""
_COMPARED = ("id", "opening", "first", "moves", "result", "termination", "forfeited_by")
"""Columns in which a game must be the same in both databases."""


class MergeConflict(StoreError):
    """Both databases have the same tournament or run, but with different content."""


class Merge:
    """Copies the rows of one database into another, within a transaction of the caller."""

    def __init__(self, source: Connection, target: Connection) -> None:
        self._source, self._target = source, target
        self._players: dict[int, int] = {}
        self._tournaments: dict[int, int] = {}
        self._runs: dict[int, int] = {}
        self._sources: dict[str, str] = {}
        """New names of the renamed tournaments."""
        self.added: Counter[str] = Counter()
        """Number of new rows by table."""
        self.renamed: list[tuple[str, str, str]] = []
        """Table, old name and new name of what was renamed."""
        self.joined: list[int] = []
        """Ids of the tournaments whose games come from both databases, so that their ratings must be made again."""

    def carry_out(self) -> None:
        """Copy everything. Raises MergeConflict if both databases have the same thing with different content."""
        self._copy_new(schema.models, self._rows(schema.models))
        self._map_players()
        taken: set[int] = set()
        for key in self._ids(schema.tournaments):
            self._merge_tournament(key, taken)
        taken_runs: set[int] = set()
        for key in self._ids(schema.runs):
            self._merge_run(key, taken_runs)
        for row in self._rows(schema.experiments):
            self._merge_experiment(row)
        for row in self._rows(schema.collections):
            self._merge_collection(row)

    # Tournaments ------------------------------------------------------------------------------------------

    def _map_players(self) -> None:
        columns = [name for name in schema.players.c.keys() if name != "id"]
        known = {tuple(row[name] for name in columns): row["id"] for row in _all(self._target, schema.players)}
        for row in self._rows(schema.players):
            key = tuple(row[name] for name in columns)
            if key not in known:
                known[key] = self._add(schema.players, {name: row[name] for name in columns})
            self._players[row["id"]] = known[key]

    def _merge_tournament(self, key: int, taken: set[int]) -> None:
        row = _one(self._source, schema.tournaments, key)
        mine = self._matching(key, row["name"], taken)
        if mine is None:
            row["name"] = self._free_name(row["name"], schema.tournaments, schema.experiments)
            mine = self._add(schema.tournaments, {name: value for name, value in row.items() if name != "id"})
            joins = False
        else:
            joins = True
        taken.add(mine)
        self._tournaments[key] = mine
        before = self._count(self._target, mine)
        self._merge_entries(key, mine)
        self._merge_blocks(key, mine, row["name"])
        new = self._merge_games(key, mine, row["name"])
        self._merge_models(key, mine, row["name"])
        self._merge_ratings(key, mine, before, new, self._count(self._source, key))
        if joins:
            self._merge_settings(row, mine)

    def _matching(self, key: int, name: str, taken: set[int]) -> int | None:
        """Return the id of the same tournament in the target, that of the same name first; None if there is none."""
        identity = self._identity(self._source, key)
        others = [each for each in self._ids(schema.tournaments, self._target) if each not in taken]
        same = [each for each in others if self._identity(self._target, each) == identity]
        called = {each: _one(self._target, schema.tournaments, each)["name"] for each in others}
        for each in sorted(same, key=lambda one: (called[one] != name, one)):
            return each
        return next((each for each in others if called[each] == name and self._grew(key, each)), None)

    def _identity(self, connection: Connection, key: int) -> str:
        tournament = stored_tournament(connection, key, "the database")
        settings = tournament.settings
        experiment = connection.execute(
            select(schema.experiments.c.settings).where(schema.experiments.c.tournament_id == key)
        ).scalar()
        if experiment is not None:
            opponents = experiment["measuring"]["opponents"]
            settings = {"experiment": experiment, "opponents": settings["players"][: len(opponents)]}
        else:
            settings = settings | {"identities": [repr(each) for each in tournament.players]}
        return _hash([tournament.seed, settings])

    def _grew(self, key: int, mine: int) -> bool:
        """Whether one of two tournaments has the settings and first players of the other."""
        one, other = (
            stored_tournament(connection, each, "the database")
            for connection, each in ((self._source, key), (self._target, mine))
        )
        length = min(len(one.players), len(other.players))
        lasting = [
            {name: value for name, value in each.settings.items() if name not in _GROWING} for each in (one, other)
        ]
        return (
            one.seed == other.seed
            and lasting[0] == lasting[1]
            and one.players[:length] == other.players[:length]
            and (one.settings.get("players") or [])[:length] == (other.settings.get("players") or [])[:length]
            and (len(one.players) - len(other.players))
            * (one.settings.get("games", 0) - other.settings.get("games", 0))
            >= 0
        )

    def _merge_entries(self, key: int, mine: int) -> None:
        """Enter the players, and their accepted changes."""
        there = schema.tournament_players.c
        query = select(there.player_id).where(there.tournament_id == key).order_by(there.position)
        entered = set(self._target.scalars(select(there.player_id).where(there.tournament_id == mine)))
        for player in self._source.scalars(query).all():
            if self._players[player] not in entered:
                row = {"tournament_id": mine, "player_id": self._players[player], "position": len(entered)}
                entered.add(self._players[player])
                self._add(schema.tournament_players, row)
        changes = [self._moved(row, mine) for row in self._rows(schema.player_changes, tournament_id=key)]
        known = [row for row in _all(self._target, schema.player_changes, tournament_id=mine)]
        keys = ("player_id", "number", "version", "code")
        if [[row[name] for name in keys] for row in changes][: len(known)] != [
            [row[name] for name in keys] for row in known
        ][: len(changes)]:
            raise MergeConflict(f"the tournament {self._name(mine)!r} has other changes of players in both databases")
        for row in changes[len(known) :]:
            self._add(schema.player_changes, row)

    def _merge_settings(self, row: Row, mine: int) -> None:
        """Take over what the other tournament has more of: players and games."""
        here = _one(self._target, schema.tournaments, mine)
        theirs, settings = row["settings"], here["settings"]
        size = (len(theirs.get("players") or []), theirs.get("games", 0))
        grown = size > (len(settings.get("players") or []), settings.get("games", 0))
        plans = [each for each in (row["planned"], here["planned"]) if each is not None]
        plan = row["planned"] if grown else min(plans) if plans and size == _size(settings) else here["planned"]
        values = {
            "settings": theirs if grown else settings,
            "planned": None if plan is None else max(plan, self._count(self._target, mine)),
            "started": min(row["started"], here["started"]),
        }
        if any(here[name] != value for name, value in values.items()):
            self._target.execute(update(schema.tournaments).where(schema.tournaments.c.id == mine).values(values))

    def _merge_blocks(self, key: int, mine: int, name: str) -> None:
        """Copy the numbers of the games."""
        known = {
            (row["pairing"], row["round"]): (row["games"], row["first"])
            for row in _all(self._target, schema.pairings, tournament_id=mine)
        }
        numbers = {first for _, first in known.values()}
        for row in self._rows(schema.pairings, tournament_id=key):
            place, block = (row["pairing"], row["round"]), (row["games"], row["first"])
            if known.get(place, block) != block or (place not in known and row["first"] in numbers):
                raise MergeConflict(f"the tournament {name!r} numbers its games differently in both databases")
            if place not in known:
                self._add(schema.pairings, row | {"tournament_id": mine})

    def _merge_games(self, key: int, mine: int, name: str) -> int:
        """Copy the games that are missing, pairing by pairing. Return their number."""
        new = 0
        columns = schema.games.c
        pairings = select(columns.pairing).where(columns.tournament_id == key).distinct().order_by(columns.pairing)
        for pairing in self._source.scalars(pairings).all():
            known = {
                row.round: tuple(row)[1:]
                for row in self._target.execute(
                    select(columns.round, *(columns[each] for each in _COMPARED)).where(
                        columns.tournament_id == mine, columns.pairing == pairing
                    )
                )
            }
            missing = []
            for row in self._rows(schema.games, tournament_id=key, pairing=pairing):
                here = known.get(row["round"])
                if here is None:
                    ids = {side: self._players[row[side]] for side in ("black_id", "white_id")}
                    missing.append(row | ids | {"tournament_id": mine})
                elif here != tuple(row[each] for each in _COMPARED):
                    raise MergeConflict(
                        f"the tournament {name!r} has other games in both databases: round {row['round']} of {pairing}"
                    )
            self._insert(schema.games, missing)
            new += len(missing)
        return new

    def _merge_models(self, key: int, mine: int, name: str) -> None:
        """Copy the models that players learned during a tournament."""
        known = {
            (row["player_id"], row["round"]): row["model_hash"]
            for row in _all(self._target, schema.learned_models, tournament_id=mine)
        }
        for row in self._rows(schema.learned_models, tournament_id=key):
            moved = self._moved(row, mine)
            here = known.get((moved["player_id"], moved["round"]))
            if here is None:
                self._add(schema.learned_models, moved)
            elif here != moved["model_hash"]:
                raise MergeConflict(f"the players of the tournament {name!r} learned other models in both databases")

    def _merge_ratings(self, key: int, mine: int, before: int, new: int, theirs: int) -> None:
        """Copy the ratings if all games are the other database's; note the tournament if its games are of both."""
        if not new:
            return
        ratings = schema.ratings
        self._target.execute(ratings.delete().where(ratings.c.tournament_id == mine))
        if before + new == theirs:
            self._insert(ratings, [self._moved(row, mine) for row in self._rows(ratings, tournament_id=key)])
        else:
            self.joined.append(mine)

    # Training runs and experiments ------------------------------------------------------------------------

    def _merge_run(self, key: int, taken: set[int]) -> None:
        row = _one(self._source, schema.runs, key)
        runs = [each for each in _all(self._target, schema.runs) if each["id"] not in taken]
        same = [each for each in runs if _run_identity(each) == _run_identity(row)]
        same.sort(key=lambda each: (each["name"] != row["name"], each["id"]))
        if same:
            mine = same[0]["id"]
            values = {"games": max(row["games"], same[0]["games"]), "started": min(row["started"], same[0]["started"])}
            if any(same[0][name] != value for name, value in values.items()):
                self._target.execute(update(schema.runs).where(schema.runs.c.id == mine).values(values))
        else:
            row["name"] = self._free_name(row["name"], schema.runs)
            mine = self._add(schema.runs, {name: value for name, value in row.items() if name != "id"})
        taken.add(mine)
        self._runs[key] = mine
        known = {row["games"]: row for row in _all(self._target, schema.checkpoints, run_id=mine)}
        checkpoints = self._rows(schema.checkpoints, run_id=key)
        last = max([*known, *(each["games"] for each in checkpoints)], default=0)
        for each in checkpoints:
            here = known.get(each["games"])
            if here is None:
                self._add(
                    schema.checkpoints,
                    each | {"run_id": mine, "state": each["state"] if each["games"] == last else None},
                )
            elif here["model_hash"] != each["model_hash"]:
                raise MergeConflict(
                    f"the run {row['name']!r} has other models in both databases, after {each['games']} games"
                )
        stale = schema.checkpoints
        self._target.execute(
            update(stale)
            .where(stale.c.run_id == mine, stale.c.games < last, stale.c.state.is_not(None))
            .values(state=None)
        )
        self._copy_new(
            schema.run_metrics, ({**each, "run_id": mine} for each in self._rows(schema.run_metrics, run_id=key))
        )
        self._copy_new(
            schema.run_games,
            (
                {**each, "run_id": mine, "source": self._sources.get(each["source"], each["source"])}
                for each in self._rows(schema.run_games, run_id=key)
            ),
        )

    def _merge_experiment(self, row: Row) -> None:
        tournament = self._tournaments[row["tournament_id"]]
        known = _all(self._target, schema.experiments, tournament_id=tournament)
        if known:
            mine = known[0]["id"]
        else:
            values = row | {"tournament_id": tournament, "name": self._name(tournament)}
            mine = self._add(schema.experiments, {name: value for name, value in values.items() if name != "id"})
        rows = (
            {**each, "experiment_id": mine, "run_id": self._runs[each["run_id"]]}
            for each in self._rows(schema.experiment_runs, experiment_id=row["id"])
        )
        listed = list(rows)
        self._copy_new(schema.experiment_runs, listed)
        back = {new: old for old, new in self._runs.items()}
        for each in listed:
            measured = self._rows(schema.experiment_checkpoints, run_id=back[each["run_id"]])
            self._copy_new(
                schema.experiment_checkpoints,
                [one | {"run_id": each["run_id"], "player_id": self._players[one["player_id"]]} for one in measured],
            )

    def _merge_collection(self, row: Row) -> None:
        known = _all(self._target, schema.collections, name=row["name"])
        mine = (
            known[0]["id"] if known else self._add(schema.collections, {"name": row["name"], "created": row["created"]})
        )
        rows = self._rows(schema.collected_games, collection_id=row["id"])
        self._copy_new(schema.collected_games, ({**each, "collection_id": mine} for each in rows))

    # Rows -------------------------------------------------------------------------------------------------

    def _ids(self, table: Table, connection: Connection | None = None) -> list[int]:
        return list((connection or self._source).scalars(select(table.c.id).order_by(table.c.id)))

    def _rows(self, table: Table, **equal: Any) -> list[Row]:
        return _all(self._source, table, **equal)

    def _add(self, table: Table, row: Row) -> int:
        """Insert a row and return its id, if it has one."""
        self.added[table.name] += 1
        result = self._target.execute(insert(table), row)
        return int(result.inserted_primary_key[0]) if "id" in table.c else 0

    def _insert(self, table: Table, rows: Sequence[Row]) -> None:
        for at in range(0, len(rows), _ROWS):
            self._target.execute(insert(table), rows[at : at + _ROWS])
        self.added[table.name] += len(rows)

    def _copy_new(self, table: Table, rows: Any) -> None:
        """Insert the rows whose keys are new."""
        statement = lookup.insert_new(self._target, table)
        for row in rows:
            self.added[table.name] += max(self._target.execute(statement, row).rowcount, 0)

    def _moved(self, row: Row, tournament: int) -> Row:
        """Return a row with the target's ids of tournament and player."""
        return row | {"tournament_id": tournament, "player_id": self._players[row["player_id"]]}

    def _name(self, tournament: int) -> str:
        return str(_one(self._target, schema.tournaments, tournament)["name"])

    def _free_name(self, name: str, table: Table, *others: Table) -> str:
        """Return the name itself, or with a number if it is taken; note the change."""
        taken = {each for one in (table, *others) for each in self._target.scalars(select(one.c.name))}
        free = names.numbered(name)(taken)
        if free != name:
            self.renamed.append((table.name, name, free))
            if table is schema.tournaments:
                self._sources[name] = free
        return free

    def _count(self, connection: Connection, tournament: int) -> int:
        number = select(func.count()).where(schema.games.c.tournament_id == tournament)
        return int(connection.execute(number).scalar_one())
