"""Settings on the command line, in files and in the database, and those recorded by earlier versions."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from arena.checkers.rules import DrawRules, Limits
from arena.cli import tournament_file
from arena.cli.app import app
from arena.cli.tournament_file import TournamentRequest
from arena.errors import UsageError
from arena.plugins import registry, specs
from arena.referee.adjudication import AgreedScores
from arena.statistics.sprt import SPRT
from arena.store import PlayerIdentity, Store, StoredTournament
from arena.tournament import toml
from arena.tournament.plan import Plan, stored_plan
from arena.tournament.runner import resume, run
from arena.tournament.settings import TournamentSettings

if TYPE_CHECKING:
    from pathlib import Path

    from arena.tournament.tally import Progress

PLAYERS = ("random", "m1")
OLDEST: dict[str, Any] = {
    "games": 20,
    "openings": "3move",
    "rules": {"repetitions": 3, "quiet_plies": None, "ply_cap": 400},
    "move_timeout": 60.0,
    "ratings": ["davidson"],
    "players": [],
}
"""Settings recorded by the first version."""
NEWER: dict[str, Any] = {
    **OLDEST,
    "format": "swiss",
    "rounds": 1,
    "limits": {"depth": 3, "nodes": None, "seconds": 0.5, "clock": 60.0, "increment": 0.5},
    "memory": 300,
    "tables": 5,
    "scores": {"threshold": 30.0, "plies": 6, "players": {"m1": 2.0}},
    "max_forfeits": 0.1,
    "sprt": {"elo0": -0.1, "elo1": 20.0, "alpha": 0.1, "beta": 0.07, "normalized": False},
    "learning": False,
    "openings_hash": "0" * 32,
}
"""Settings recorded by the last version in which formats were not specs."""


def stored(settings: dict[str, Any], seed: int = 7) -> StoredTournament:
    seats = tuple(PlayerIdentity(each, each, "checkers-arena", "1") for each in PLAYERS)
    return StoredTournament(1, "t1", seed, settings, seats, "0.1.0", 0.0)


def test_settings_that_the_first_version_did_not_record_have_their_defaults() -> None:
    settings = stored_plan(stored(OLDEST)).settings
    assert settings == TournamentSettings(seed=7, games=20, rules=DrawRules(quiet_plies=None))
    assert (settings.limits, settings.tables, settings.agreed_scores, settings.test) == (Limits(), None, None, None)


def test_settings_of_an_earlier_version_keep_their_meaning() -> None:
    settings = stored_plan(stored(NEWER)).settings
    assert settings.format == "swiss:rounds=1"
    assert settings.limits == Limits(3, None, 0.5, 60.0, 0.5)
    assert (settings.tables, settings.memory, settings.max_forfeits) == (5, 300, 0.1)
    assert settings.agreed_scores == AgreedScores(30.0, 6, {"m1": 2.0})
    assert settings.test == SPRT(-0.1, 20.0, 0.1, 0.07, normalized=False)


@pytest.mark.parametrize("old", [OLDEST, NEWER], ids=["oldest", "newer"])
def test_settings_of_an_earlier_version_are_printed_as_an_equivalent_file(old: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "again.toml"
    file.write_text(toml.of_tournament(stored(old)), encoding="utf-8")
    request = TournamentRequest(**tournament_file.read(file))
    assert request.settings == stored_plan(stored(old)).settings
    assert [each.text for each in request.chosen(print)] == ["random", "m1"]


NUMBERS = st.floats(1e-3, 1e6, allow_nan=False)
SETTINGS = st.builds(
    TournamentSettings,
    seed=st.integers(0, 2**63 - 1),
    format=st.sampled_from(["round-robin", "swiss:rounds=1", "knockout"]),
    games=st.integers(1, 20).map(lambda pairs: 2 * pairs),
    depth=st.none() | st.integers(1, 99),
    seconds=st.none() | NUMBERS,
    clock=st.none() | st.builds("{}+{}".format, NUMBERS, NUMBERS),
    adjudicate=st.none() | st.sampled_from(["tables", "tables:6"]),
    max_forfeits=st.none() | st.floats(0, 1),
    sprt=st.none() | st.builds("{},{}".format, st.floats(-200, 0, exclude_max=True), st.floats(0, 200)),
    rules=st.builds(DrawRules, ply_cap=st.none() | st.integers(1, 500)),
)


@given(SETTINGS)
def test_settings_survive_the_database_and_a_file(settings: TournamentSettings) -> None:
    plan = Plan(settings, [specs.parse("player", each) for each in PLAYERS])
    kept = stored(json.loads(json.dumps(plan.to_json())), settings.seed)
    assert stored_plan(kept).settings == settings
    values = tournament_file.parsed(toml.of_tournament(kept))
    assert TournamentRequest(**values).settings == settings


def test_every_setting_is_an_option_or_a_list_or_table_of_a_file() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    options = {each.name: each for name in ("compare", "tournament") for each in commands[name].params}
    in_files = {"ratings", "rules", "scores", "files"}
    assert {each.name for each in fields(TournamentSettings)} - in_files <= options.keys()
    assert not in_files & options.keys()
    assert (options["max_forfeits"].min, options["max_forfeits"].max) == (0, 1)
    assert options["memory"].default == TournamentSettings(seed=1).memory


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"depth": 0}, r"depth is a whole number, 1 or more, not 0 \(Plies that a player may search\)"),
        ({"depth": 2**63}, "depth is too large: the largest whole number is 9223372036854775807"),
        ({"games": "2"}, r"games is a whole number, not '2' \(Games for each pair of players, an even number\)"),
        ({"seconds": float("inf")}, "seconds is a finite number, not inf"),
        ({"ratings": "davidson"}, "ratings is a list of texts, not 'davidson'"),
        ({"scores": {"lms": "high"}}, "lms is a number, not 'high'"),
        ({"scores": 5}, "scores is a table, not 5"),
        ({"learning": True, "sprt": "0,20"}, "a sequential test compares fixed players"),
        ({"beta": 0.1}, "beta is a setting of a sequential test"),
    ],
)
def test_an_invalid_value_is_refused_in_one_line(values: dict[str, Any], line: str) -> None:
    with pytest.raises(UsageError, match=line) as raised:
        TournamentSettings(**values)
    assert "\n" not in str(raised.value)


@pytest.mark.usefixtures("shared_launcher")
def test_a_tournament_of_an_earlier_version_is_resumed(tmp_path: Path) -> None:
    def stop(now: Progress) -> None:
        if now.played == 1:
            raise KeyboardInterrupt

    def games(path: Path) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(path)) as connection:
            return sorted(connection.execute("SELECT pairing, round, moves, result FROM games"))

    settings = TournamentSettings(seed=7, games=4, format="swiss:rounds=1", depth=1, rules=DrawRules(ply_cap=60))
    plan = Plan(settings, specs.parse_list("player", "random,m1"))
    whole, stopped = tmp_path / "whole.sqlite", tmp_path / "stopped.sqlite"
    with Store.open(whole) as store:
        run("cup", plan, store, workers=1)
    with Store.open(stopped) as store, pytest.raises(KeyboardInterrupt):
        run("cup", plan, store, workers=1, progress=stop)
    with closing(sqlite3.connect(stopped)) as connection:
        [(text,)] = connection.execute("SELECT settings FROM tournaments").fetchall()
        now = json.loads(text)
        old = {**NEWER, **{name: now[name] for name in ("games", "rules", "players", "openings_hash")}}
        old |= {"limits": {"depth": 1}, "tables": None, "scores": None, "sprt": None, "max_forfeits": None}
        connection.execute("UPDATE tournaments SET settings = ?", [json.dumps(old)])
        connection.commit()
    with Store.open(stopped) as store:
        assert len(store.finished(1)) == 1
        resume("cup", store, workers=1)
    assert games(stopped) == games(whole)
    assert len(games(stopped)) == 4


FORMAT = """
import arena

class Chain(arena.Format):
    def __init__(self, length: int = 2) -> None:
        self.length = length
    def meetings(self, players):
        return min(self.length, players - 1)
    def stages(self, players):
        for pair in list(zip(players, players[1:]))[: self.length]:
            yield [tuple(sorted(pair))]

@arena.hookimpl
def register_formats():
    return {"chain": Chain}
"""


def test_a_format_of_a_plugin_pairs_the_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "arena_chain-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-chain\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[arena]\nchain = arena_chain\n")
    (tmp_path / "arena_chain.py").write_text(FORMAT)
    monkeypatch.syspath_prepend(tmp_path)
    registry.load.cache_clear()
    try:
        settings = TournamentSettings(seed=1, games=2, format="chain:length=1")
        plan = Plan(settings, specs.parse_list("player", "random,m1,m2"))
        assert plan.games == 2
        assert list(plan.stages(lambda: {("m1", "random"): (1.0, 0.0)})) == [[("m1", "random")]]
    finally:
        registry.load.cache_clear()
