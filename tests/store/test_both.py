"""Results read from PostgreSQL are those read from SQLite, in values, order and types."""

from __future__ import annotations

import inspect
import shutil
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import arena
from arena.checkers.pdn import PDNGame, read
from arena.store import Results, Store
from experimenting import experiment, tiny
from inventing import IDLE, PLAYERS, make_games

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from servers import Server

__all__ = ["experiment", "tiny"]
pytestmark = [pytest.mark.postgres, pytest.mark.long]


@pytest.fixture(scope="module")
def both(experiment: Path, postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Results]]:
    """The same content in SQLite and in PostgreSQL: an experiment, tournaments, and a collection."""
    folder = tmp_path_factory.mktemp("both")
    path, file = folder / "arena.sqlite", folder / "games.pdn"
    shutil.copy(experiment, path)
    with Results(path) as results:
        file.write_text("\n".join(results.pdn("x")))
    with Store.open(path) as store, store.collector("people") as collector:
        for name, players in (("Ärger", PLAYERS), ("a_b", (*PLAYERS, IDLE)), ("B", PLAYERS)):
            tournament = store.create_tournament(name, 2**63 - 1, {}, players)
            with store.recorder(tournament.id) as recorder:
                for game in make_games(tournament.id, 20):
                    recorder.add(game)
        for game in read(file):
            assert isinstance(game, PDNGame)
            collector.add(game)
    with postgres.database() as url:
        with Store.open(url) as store:
            store.copy(path, lambda *_: None)
        with Results(path) as one, Results(url) as other:
            yield [one, other]


def returns_frame(method: Any) -> bool:
    """Whether a method returns a DataFrame, and needs no argument."""
    signature = inspect.signature(inspect.unwrap(method))
    needed = [each for each in list(signature.parameters.values())[1:] if each.default is each.empty]
    return signature.return_annotation == "pd.DataFrame" and not needed


FRAMES = sorted(name for name, method in inspect.getmembers(Results, inspect.isfunction) if returns_frame(method))
FRAMES.remove("decisions")  # the experiment has no sequential test
OF_TOURNAMENTS = sorted(
    name for name in FRAMES if "tournament" in inspect.signature(inspect.unwrap(getattr(Results, name))).parameters
)


def equal(both: list[Results], method: str, *arguments: Any) -> pd.DataFrame:
    """Check that a method returns equal DataFrames of both databases; return one of them."""
    one, other = (getattr(results, method)(*arguments) for results in both)
    pd.testing.assert_frame_equal(one, other, check_exact=True)
    return one


@pytest.mark.parametrize("method", FRAMES)
def test_dataframes_are_equal(both: list[Results], method: str) -> None:
    equal(both, method)


@pytest.mark.parametrize("tournament", ["x", "Ärger", "a_b"])
def test_dataframes_of_one_tournament_are_equal(both: list[Results], tournament: str) -> None:
    for method in OF_TOURNAMENTS:
        equal(both, method, tournament)


def test_records_pdn_and_models_are_equal(both: list[Results]) -> None:
    one, other = both
    assert list(one.pdn()) == list(other.pdn())
    assert list(one.pdn(player="LMS")) == list(other.pdn(player="LMS")) != []
    for name in ("last", "x/3", "x/last"):
        assert one.game(name) == other.game(name)
    for name in ("x", "B"):
        assert one.tournament(name) == other.tournament(name)
        assert one.first_games(name) == other.first_games(name)
        assert one.shares(name) == other.shares(name)
    checkpoint = one.checkpoints()["checkpoint"].iloc[-1]
    for method in ("origins", "uses"):
        equal(both, method, checkpoint)
    columns = ("ply", "score", "depth", "nodes", "seconds", "fen")
    equal(both, "positions", "a_b", columns)


@pytest.mark.parametrize(
    "view", ["v_tournaments", "v_standings", "v_games", "v_head_to_head", "v_superiority", "v_runs"]
)
def test_views_are_equal(both: list[Results], view: str) -> None:
    frames = []
    for results in both:
        with results._database.engine.connect() as connection:
            frame = pd.read_sql(f"SELECT * FROM {view}", connection)
            frames.append(frame.sort_values(list(frame.columns), ignore_index=True))
    pd.testing.assert_frame_equal(*frames, check_exact=True)
    assert len(frames[0]) > 0


def test_public_results_take_urls(both: list[Results]) -> None:
    with arena.Results(both[1].database) as results:
        assert results.location.startswith("postgresql+psycopg://")
        assert results.standings("x").equals(both[0].standings("x"))
