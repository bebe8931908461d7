"""Provenance both ways: the games that a model was made from, and the models that were made from a game."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import arena
from arena.checkers.notation import parse_move
from arena.checkers.pdn import PDNGame, read
from arena.cli.app import run
from arena.errors import StoreError
from arena.plugins.models import ModelResolver
from arena.store import Store
from arena.tournament import schedule
from arena_evaluators.rote import SHIPPED as TD_WEIGHTS
from arena_learners.td import TD
from experimenting import tiny
from launchers import module_launcher
from tables import plain

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from arena.contracts.record import GameRecord
    from launchers import SharedLauncher

__all__ = ["module_launcher", "tiny"]


def command(path: Path, *words: str) -> None:
    assert run([*words, "--db", str(path)]) == 0


def model_of(path: Path, name: str) -> arena.Model:
    return ModelResolver(path).resolve(name).model


def number_of(model: arena.Model) -> float:
    """What the model of the learner ``tiny`` has added up: the plies of the games that it learned from."""
    return float(model.tensors["number"][0])


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, tiny: None, module_launcher: SharedLauncher) -> Path:  # noqa: ARG001
    """A database with the tournament ``t1``, the collection ``people``, and runs that learned from them."""
    path = tmp_path_factory.mktemp("origins") / "arena.sqlite"
    command(path, "tournament", "--players", "m1,random", "--games", "6", "--seed", "1", "-q")
    file = path.with_name("people.pdn")
    with arena.Results(path) as results:
        file.write_text("\n".join(results.pdn("t1", player="m1")))
    with Store.open(path) as store, store.collector("people") as collector:
        for game in read(file):
            assert isinstance(game, PDNGame)
            collector.add(game)
    quick = ("--baselines", "", "--seed", "1", "-q")
    command(path, "train", "tiny", "--from", "t1", "--games", "8", "--every", "4", "--name", "first", *quick)
    command(path, "train", "tiny:start=first@4", "--from", "people", "--games", "3", "--name", "second", *quick)
    command(path, "train", "tiny:start=second@3", "--games", "2", "--name", "third", *quick)
    command(path, "train", "tiny", "--against", "m1,random", "--games", "2", "--name", "fourth", *quick)
    command(path, "train", "tiny", "--from", str(file), "--games", "2", "--name", "fifth", *quick)
    return path


def origins(path: Path, name: str) -> pd.DataFrame:
    with arena.Results(path) as results:
        return results.origins(model_of(path, name).hash)


@pytest.mark.parametrize("name", ["first@4", "first@8", "second@3", "fifth@2"])
def test_the_origins_of_a_model_are_the_games_that_it_learned_from(path: Path, name: str) -> None:
    frame = origins(path, name)
    with arena.Results(path) as results:
        lengths = dict(zip(results.games("t1")["name"], results.games("t1")["plies"], strict=True))
        people = results.collected("people")
        lengths |= dict(zip(people["game"].astype(str), people["plies"], strict=True))
        if name == "fifth@2":
            lengths = dict(zip(people["number"].astype(str), people["plies"], strict=True))
        played = results.games("t1").set_index("name")
    assert sum(lengths[row.game] * row.times for row in frame.itertuples()) == number_of(model_of(path, name))
    for row in frame[frame["source"] == "t1"].itertuples():
        game = played.loc[row.game]
        assert (row.black, row.white, row.result) == (game["black"], game["white"], game["result"])
    assert frame["made_by"][0] == name


def test_games_learned_from_again_are_counted(path: Path) -> None:
    frame = origins(path, "first@8")
    assert frame["times"].tolist() == [2, 2, 1, 1, 1, 1]
    assert frame["game"].is_unique


def test_origins_of_the_model_that_it_started_from_follow(path: Path) -> None:
    frame = origins(path, "third@2")
    assert frame["made_by"].drop_duplicates().tolist() == ["third@2", "second@3", "first@4"]
    heads = frame.drop_duplicates("made_by")
    starts = [model_of(path, name).hash for name in ("second@3", "first@4")]
    assert plain(heads[["start"]]) == [(starts[0],), (starts[1],), (None,)]
    assert plain(heads[["source", "game", "times"]])[0] == ("self", None, 2)
    assert heads["seed"].tolist() == [1, 1, 1]
    assert heads["learner"].tolist()[2] == "tiny"


def test_opponents_of_played_games_are_named(path: Path) -> None:
    assert plain(origins(path, "fourth@2")[["source", "game", "times"]]) == [("m1,random", None, 2)]


def test_an_unknown_model_has_no_origins(path: Path) -> None:
    with arena.Results(path) as results:
        assert results.origins("0" * 32).empty


def test_models_learned_from_a_game_are_those_that_have_it_among_their_origins(path: Path) -> None:
    with arena.Results(path) as results:
        made_from = {name: origins(path, name) for name in results.checkpoints()["checkpoint"]}
        assert len(made_from) > 6
        people = results.collected("people")
        games: list[tuple[Any, str | None, str, str]] = [
            *((name, None, name, "t1") for name in results.games("t1")["name"]),
            *((str(key), "people", str(key), "people") for key in people["game"]),
            *((str(number), str(path.with_name("people.pdn")), str(number), "pdn") for number in people["number"]),
        ]
        assert len(games) == 18
        for game, source, name, of in games:
            found = results.learned_from(game, source)
            expected = {
                each
                for each, frame in made_from.items()
                if ((frame["game"] == name) & frame["source"].str.endswith(of)).any()
            }
            assert set(found["made_by"]) == expected, (game, source)
            for row in found.itertuples():
                own = made_from[row.made_by]
                own = own[own["made_by"] == row.made_by]
                assert row.direct == ((own["game"] == name) & own["source"].str.endswith(of)).any()
                assert row.model == model_of(path, row.made_by).hash


def as_seen(record: GameRecord, player: str) -> arena.Episode:
    game = arena.Game()
    for text in record.moves:
        game.play(parse_move(game.board, text))
    return arena.Episode.of(game, (arena.SIDES[0] if record.black == player else arena.SIDES[1],))


@pytest.mark.parametrize(
    "words", [("--format", "swiss:rounds=3", "--games", "2"), ("--games", "4", "--format", "knockout")]
)
def test_games_that_a_player_learned_from_during_a_tournament(tmp_path: Path, words: tuple[str, ...]) -> None:
    """In these formats a player meets one opponent at a time, so its games can be learned from again one by one."""
    path = tmp_path / "arena.sqlite"
    command(path, "tournament", "--players", "td,m1,random,m2", "--learning", "--seed", "2", "-q", *words)
    with arena.Results(path) as results:
        learned = results.learned_models("last").query("player == 'td'")
        start = learned["model"].iloc[0]
        for final in learned["model"].drop_duplicates()[1:]:
            frame = results.origins(final)
            of_round = frame[frame["made_by"] == frame["made_by"].iloc[0]]
            learner = TD(start=TD_WEIGHTS)
            learner.begin(schedule.seed_of(2, "td", 0))
            for name in of_round["game"]:
                learner.learn_from([as_seen(results.game(name), "td")])
            assert learner.model().hash == final
            assert set(of_round["start"]) == {start}
        assert len(of_round) >= 4
        last = results.learned_from(of_round["game"].iloc[-1])
        assert last["model"].tolist() == [final] * len(last)
        everything = results.learned_from(of_round["game"].iloc[0])
        assert set(everything["model"]) == set(learned["model"]) - {start}


def test_on_the_command_line(path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    def printed(*words: str) -> str:
        capsys.readouterr()
        command(path, "models", *words)
        return capsys.readouterr().out

    table = printed("origins", "second@3")
    assert "people" in table and "first@4" in table and "t1/1" in table
    assert max(map(len, table.splitlines())) <= 80
    rows = json.loads(printed("origins", "second@3", "--json"))
    assert [row["made_by"] for row in rows] == origins(path, "second@3")["made_by"].tolist()
    table = printed("learned-from", "t1/1")
    assert "third@2" in table and "fifth" not in table
    assert max(map(len, table.splitlines())) <= 80
    assert len(printed("learned-from", "1", "--source", str(path.with_name("people.pdn")), "--csv").splitlines()) == 3


@pytest.mark.parametrize("words", [("learned-from", "t1/99"), ("learned-from", "t9/1"), ("origins", "first@5")])
def test_unknown_games_and_models_are_one_line_errors(path: Path, words: tuple[str, ...]) -> None:
    with pytest.raises(StoreError) as caught:
        command(path, "models", *words)
    assert "\n" not in str(caught.value)
