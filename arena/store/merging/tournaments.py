"""Merging tournaments: which are the same, and what is added to them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, select

from arena.errors import StoreError
from arena.store import schema
from arena.store.people import MARK, next_round
from arena.store.tournaments import stored_tournament

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from arena.store.merging.copier import Copier, Row
    from arena.store.tournaments import StoredTournament

_GROWING = ("games", "players", "openings_hash")
"""Settings of a tournament that change when it gets more players or games."""
_COMPARED = ("id", "opening", "first", "moves", "result", "termination", "forfeited_by")
"""Columns in which a game must be the same in both databases."""
_THERE = "the other database"


class Tournaments:
    """Merges the tournaments of two databases."""

    def __init__(self, copier: Copier) -> None:
        self._copier = copier
        self.players: dict[int, int] = {}
        """The target's id of each player of the source."""
        self.ids: dict[int, int] = {}
        """The target's id of each tournament of the source."""
        self.names: dict[str, str] = {}
        """The target's names of the source's tournaments."""
        self.joined: list[int] = []
        """See :attr:`arena.store.merging.Merged.joined`."""

    def merge(self) -> None:
        """Merge all tournaments. Raises StoreError if the same tournament has different content."""
        copier = self._copier
        self._map_players()
        waiting = {
            key: (identity_of(copier.target, key), stored_tournament(copier.target, key, _THERE))
            for key in copier.ids(copier.target, schema.tournaments)
        }
        for row in copier.rows(schema.tournaments):
            people = next((key for key, (_, each) in waiting.items() if each.settings.get(MARK)), None)
            if row["settings"].get(MARK) and people is not None:
                self.ids[row["id"]], self.names[row["name"]] = people, waiting[people][1].name
                self._merge_people(row, people)
                continue
            mine = self._same(row, waiting)
            if mine is None:
                name = copier.free_name(row["name"], schema.tournaments, schema.experiments)
                self.ids[row["id"]] = copier.add(schema.tournaments, {**row, "name": name})
            else:
                name = waiting.pop(mine)[1].name
                self.ids[row["id"]] = mine
            self.names[row["name"]] = name
            self._merge_content(row, self.ids[row["id"]], name)

    def _map_players(self) -> None:
        columns = [each.name for each in schema.players.columns if each.name != "id"]
        known = {tuple(row[name] for name in columns): row["id"] for row in self._copier.mine(schema.players)}
        for row in self._copier.rows(schema.players):
            key = tuple(row[name] for name in columns)
            if key not in known:
                known[key] = self._copier.add(schema.players, row)
            self.players[row["id"]] = known[key]

    def _same(self, row: Row, waiting: Mapping[int, tuple[str, StoredTournament]]) -> int | None:
        """Return the id of the same tournament among ``waiting``, first that of the same name; None: there is none."""
        identity = identity_of(self._copier.source, row["id"])
        same = [key for key, (each, _) in waiting.items() if each == identity]
        if same:
            return min(same, key=lambda key: (waiting[key][1].name != row["name"], key))
        tournament = stored_tournament(self._copier.source, row["id"], _THERE)
        for key, (_, mine) in waiting.items():
            experiments = [
                experiment_of(self._copier.source, row["id"]) is not None,
                experiment_of(self._copier.target, key) is not None,
            ]
            if mine.name == row["name"] and not any(experiments) and _grew(tournament, mine):
                return key
        return None

    def _merge_content(self, row: Row, mine: int, name: str) -> None:
        there = row["id"]
        before = _games(self._copier.target, mine)
        self._merge_players(there, mine)
        self._merge_changes(there, mine, name)
        self._merge_blocks(there, mine, name)
        self._merge_games(there, mine, name)
        self._merge_models(there, mine, name)
        self._merge_facts(there, mine)
        after = _games(self._copier.target, mine)
        self._merge_settings(row, mine, after)
        if after > before:
            self._merge_ratings(there, mine, complete=after == _games(self._copier.source, there))

    def _merge_people(self, row: Row, mine: int) -> None:
        """Add the games of people to the tournament that holds them: each gets the next round and number."""
        there, target = row["id"], self._copier.target
        [here] = self._copier.mine(schema.tournaments, id=mine)
        before = _games(target, mine)
        self._merge_players(there, mine)
        self._merge_changes(there, mine, here["name"])
        specs = {each["id"]: each["spec"] for each in self._copier.mine(schema.players)}
        known = {each["id"]: each for each in self._copier.mine(schema.games, tournament_id=mine)}
        numbered = select(func.max(schema.pairings.c.first)).where(schema.pairings.c.tournament_id == mine)
        first = target.execute(numbered).scalar() or 0
        for game in sorted(
            self._copier.rows(schema.games, tournament_id=there), key=lambda game: float(game["started"])
        ):
            if game["id"] in known:
                if any(known[game["id"]][name] != game[name] for name in _COMPARED):
                    raise StoreError(f"the tournament {here['name']!r} has another game {game['id']} in each database")
                continue
            first += 1
            sides = {side: self.players[game[side]] for side in ("black_id", "white_id")}
            number = next_round(target, mine, game["pairing"], game["opening"], specs[sides["white_id"]])
            block = {"tournament_id": mine, "pairing": game["pairing"], "round": number, "games": 1, "first": first}
            self._copier.insert(schema.pairings, [block])
            self._copier.insert(schema.games, [{**game, **sides, "tournament_id": mine, "round": number}])
        self._merge_facts(there, mine)
        after = _games(target, mine)
        states = here["settings"].get("players") or []
        new = [each for each in row["settings"].get("players") or [] if each not in states]
        values = {
            "settings": {**here["settings"], "players": states + new},
            "planned": after,
            "started": min(row["started"], here["started"]),
        }
        self._copier.change(schema.tournaments, here, values)
        if after > before:
            self._merge_ratings(there, mine, complete=after == _games(self._copier.source, there))

    def _merge_facts(self, there: int, mine: int) -> None:
        """Copy the facts about games of people."""
        facts = self._copier.rows(schema.person_games, tournament_id=there)
        self._copier.copy_new(schema.person_games, ({**each, "tournament_id": mine} for each in facts))

    def _merge_players(self, there: int, mine: int) -> None:
        entered = [row["player_id"] for row in self._copier.mine(schema.tournament_players, tournament_id=mine)]
        rows = sorted(
            self._copier.rows(schema.tournament_players, tournament_id=there), key=lambda row: int(row["position"])
        )
        new = [each for row in rows if (each := self.players[row["player_id"]]) not in entered]
        self._copier.insert(
            schema.tournament_players,
            (
                {"tournament_id": mine, "player_id": player, "position": position}
                for position, player in enumerate(new, len(entered))
            ),
        )

    def _merge_changes(self, there: int, mine: int, name: str) -> None:
        """Copy the accepted changes of players; the changes of one database must begin with those of the other."""
        known = self._copier.mine(schema.player_changes, tournament_id=mine)
        rows = [self._moved(row, mine) for row in self._copier.rows(schema.player_changes, tournament_id=there)]
        for each in (known, rows):
            each.sort(key=lambda row: (row["number"], row["player_id"]))
        for one, other in zip(known, rows, strict=False):
            if {**one, "accepted": None} != {**other, "accepted": None}:
                raise StoreError(f"the tournament {name!r} has other changes of players in each database")
        self._copier.insert(schema.player_changes, rows[len(known) :])

    def _merge_blocks(self, there: int, mine: int, name: str) -> None:
        """Copy the numbers of the games."""
        blocks = self._copier.mine(schema.pairings, tournament_id=mine)
        known = {(row["pairing"], row["round"]): row for row in blocks}
        numbers = {row["first"] for row in blocks}
        new = []
        for row in self._copier.rows(schema.pairings, tournament_id=there):
            moved = {**row, "tournament_id": mine}
            here = known.get((row["pairing"], row["round"]))
            if here is None and row["first"] not in numbers:
                new.append(moved)
            elif here != moved:
                raise StoreError(f"the tournament {name!r} numbers its games differently in each database")
        self._copier.insert(schema.pairings, new)

    def _merge_games(self, there: int, mine: int, name: str) -> None:
        """Copy the games that are missing, pairing by pairing."""
        columns = schema.games.c
        pairings = select(columns.pairing).where(columns.tournament_id == there).distinct().order_by(columns.pairing)
        for pairing in self._copier.source.scalars(pairings).all():
            query = select(columns.round, *(columns[each] for each in _COMPARED))
            query = query.where(columns.tournament_id == mine, columns.pairing == pairing)
            known = {number: tuple(rest) for number, *rest in self._copier.target.execute(query)}
            missing = []
            for row in self._copier.rows(schema.games, tournament_id=there, pairing=pairing):
                if row["round"] not in known:
                    sides = {side: self.players[row[side]] for side in ("black_id", "white_id")}
                    missing.append({**row, **sides, "tournament_id": mine})
                elif known[row["round"]] != tuple(row[each] for each in _COMPARED):
                    raise StoreError(
                        f"the tournament {name!r} has another game in each database: round {row['round']} of {pairing}"
                    )
            self._copier.insert(schema.games, missing)

    def _merge_models(self, there: int, mine: int, name: str) -> None:
        """Copy the models that players learned during a tournament."""
        known = {
            (row["player_id"], row["round"]): row["model_hash"]
            for row in self._copier.mine(schema.learned_models, tournament_id=mine)
        }
        rows = [self._moved(row, mine) for row in self._copier.rows(schema.learned_models, tournament_id=there)]
        for row in rows:
            if known.get((row["player_id"], row["round"]), row["model_hash"]) != row["model_hash"]:
                raise StoreError(f"the players of the tournament {name!r} learned another model in each database")
        self._copier.insert(
            schema.learned_models, (row for row in rows if (row["player_id"], row["round"]) not in known)
        )

    def _merge_settings(self, row: Row, mine: int, played: int) -> None:
        """Take over the settings of the other tournament if it has more players or games, and its number of games."""
        [here] = self._copier.mine(schema.tournaments, id=mine)
        size, other = _size(here["settings"]), _size(row["settings"])
        plans = [each["planned"] for each in (here, row) if each["planned"] is not None]
        planned = row["planned"] if other > size else here["planned"] if size > other else min(plans, default=None)
        values = {
            "settings": row["settings"] if other > size else here["settings"],
            "planned": None if planned is None else max(planned, played),
            "started": min(row["started"], here["started"]),
        }
        self._copier.change(schema.tournaments, here, values)

    def _merge_ratings(self, there: int, mine: int, *, complete: bool) -> None:
        """Replace ratings that do not cover all games any more.

        ``complete``: the other database has all games, and so the ratings.
        """
        self._copier.target.execute(delete(schema.ratings).where(schema.ratings.c.tournament_id == mine))
        if complete:
            rows = self._copier.rows(schema.ratings, tournament_id=there)
            self._copier.insert(schema.ratings, (self._moved(row, mine) for row in rows))
        else:
            self.joined.append(mine)

    def _moved(self, row: Row, mine: int) -> Row:
        """Return a row with the target's ids of tournament and player."""
        return {**row, "tournament_id": mine, "player_id": self.players[row["player_id"]]}


def experiment_of(connection: Connection, tournament: int) -> Any:
    """Return the settings of the experiment that a tournament belongs to; None if there is none."""
    here = schema.experiments.c
    return connection.execute(select(here.settings).where(here.tournament_id == tournament)).scalar()


def identity_of(connection: Connection, key: int) -> str:
    """Return the hash that is the identity of a tournament."""
    tournament = stored_tournament(connection, key, _THERE)
    settings, players = tournament.settings, tournament.players
    experiment = experiment_of(connection, key)
    if experiment is not None:
        opponents = len(experiment["measuring"]["opponents"])
        states = settings["players"][:opponents]
        settings = {"experiment": experiment, "players": states}
        players = players[:opponents]
    text = json.dumps([tournament.seed, settings, [astuple(each) for each in players]], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _grew(one: StoredTournament, other: StoredTournament) -> bool:
    """Whether one of two tournaments is the other with more players or games."""
    lasting = [{name: each.settings[name] for name in each.settings if name not in _GROWING} for each in (one, other)]
    length = min(len(one.players), len(other.players))
    states = [(each.settings.get("players") or [])[:length] for each in (one, other)]
    sizes = [_size(each.settings) for each in (one, other)]
    return (
        one.seed == other.seed
        and lasting[0] == lasting[1]
        and one.players[:length] == other.players[:length]
        and states[0] == states[1]
        and (sizes[0][0] - sizes[1][0]) * (sizes[0][1] - sizes[1][1]) >= 0
    )


def _size(settings: Mapping[str, Any]) -> tuple[int, int]:
    """Return the numbers of players and of games of each pairing."""
    return len(settings.get("players") or []), settings.get("games") or 0


def _games(connection: Connection, tournament: int) -> int:
    """Return the number of games on record of a tournament."""
    number = select(func.count()).where(schema.games.c.tournament_id == tournament)
    return connection.execute(number).scalar_one()
