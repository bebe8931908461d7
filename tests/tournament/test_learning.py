"""Players that learn during a tournament: their models follow from the seed and the games alone."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import arena
from arena.checkers.move import SIDES
from arena.checkers.notation import parse_move
from arena.cli import tournament_file
from arena.cli.report import report
from arena.contracts.learner import Learner
from arena.errors import TournamentStopped, UsageError
from arena.plugins import specs
from arena.plugins.models import ModelResolver
from arena.referee import match
from arena.store import Store
from arena.tournament import schedule, toml
from arena.tournament.plan import Plan, stored_plan
from arena.tournament.replay import models_of, verify
from arena.tournament.runner import resume, run
from arena.tournament.settings import TournamentSettings
from arena_evaluators.linear import SHIPPED as LMS_WEIGHTS
from arena_evaluators.rote import SHIPPED as TD_WEIGHTS
from arena_learners.lms import LMS
from arena_learners.td import TD
from tournaments import StoppedError, stop_after

if TYPE_CHECKING:
    from pathlib import Path

    from arena.contracts.record import GameRecord
    from arena.store import StoredTournament
    from launchers import SharedLauncher

pytestmark = pytest.mark.usefixtures("notes", "shared_launcher")

PLAYERS = "lms:depth=2,td,m1,raises-in-choose"
PUPILS = ("lms:depth=2", "td")
SETTINGS = TournamentSettings(seed=3, games=4, learning=True)


def plan(players: str = PLAYERS, **changes: Any) -> Plan:
    return Plan(replace(SETTINGS, **changes), specs.parse_list("player", players))


def tournament(path: Path, players: str = PLAYERS, workers: int = 2, **changes: Any) -> Path:
    progress = changes.pop("progress", lambda _: None)
    with Store.open(path) as store:
        run("test", plan(players, **changes), store, workers=workers, progress=progress)
    return path


def resumed(path: Path, **options: Any) -> StoredTournament:
    with Store.open(path) as store:
        return resume("test", store, **options)


def contents(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of a database without times, sorted."""
    tables = {}
    with sqlite3.connect(path) as connection:
        for table in ("tournaments", "tournament_players", "players", "games", "ratings", "learned_models", "models"):
            columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
            timeless = ", ".join(name for name in columns if name not in {"started", "seconds", "added"})
            tables[table] = sorted(connection.execute(f"select {timeless} from {table}"), key=repr)
    connection.close()
    return tables


def models(path: Path) -> dict[tuple[str, int], str]:
    with arena.Results(path) as results:
        return results.model_hashes("test")


def records(path: Path) -> list[GameRecord]:
    with arena.Results(path) as results:
        return [results.game(int(game)) for game in results.games("test")["game"]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, notes: Path, module_launcher: SharedLauncher) -> Path:  # noqa: ARG001 (installs the players)
    """The database of a tournament that was not interrupted."""
    return tournament(tmp_path_factory.mktemp("whole") / "arena.sqlite")


# Learned models -----------------------------------------------------------------------------------------


def as_seen(record: GameRecord, player: str) -> arena.Episode:
    """The game played again from its moves, as the player learns from it."""
    game = arena.Game()
    for text in record.moves:
        game.play(parse_move(game.board, text))
    return arena.Episode.of(game, (SIDES[0] if record.black == player else SIDES[1],))


@pytest.mark.parametrize(
    ("player", "learner", "start"),
    [("lms:depth=2", LMS(start=LMS_WEIGHTS, depth=2), LMS_WEIGHTS), ("td", TD(start=TD_WEIGHTS), TD_WEIGHTS)],
)
def test_each_round_is_played_with_models_learned_from_the_rounds_before(
    whole: Path, player: str, learner: Learner, start: arena.Model
) -> None:
    known, games = models(whole), sorted(records(whole), key=lambda record: record.pairing)
    learner.begin(schedule.seed_of(3, player, 0))
    expected = [start.hash]
    for number in range(4):
        mine = [game for game in games if game.round == number and player in (game.black, game.white)]
        assert len(mine) == 3
        assert any(game.forfeited_by for game in mine)
        learner.learn_from([as_seen(game, player) for game in mine if not game.forfeited_by])
        expected.append(learner.model().hash)
    assert [known[player, number] for number in range(5)] == expected
    assert len(set(expected)) == 5


def test_players_without_a_learner_do_not_learn(whole: Path, tmp_path: Path) -> None:
    assert {player for player, _ in models(whole)} == set(PUPILS)
    frozen = {(game.pairing, game.round): game for game in records(tournament(tmp_path / "x.sqlite", learning=False))}
    same = {game: frozen[game.pairing, game.round].moves == game.moves for game in records(whole)}
    assert all(alike for game, alike in same.items() if game.round == 0)
    assert all(alike for game, alike in same.items() if not {game.black, game.white} & set(PUPILS))
    assert not all(same.values())


def test_games_are_played_by_the_models_of_their_round(whole: Path) -> None:
    with arena.Results(whole) as results:
        stored = results.tournament("test")
        ready, known = stored_plan(stored, ModelResolver(whole)), results.model_hashes("test")
    tasks = {task.seed: task for task in ready.tasks([PUPILS], (), str(whole))}
    met = [record for record in records(whole) if record.seed in tasks]
    with_weights_of_the_spec = []
    for record in met:
        task = tasks[record.seed]
        black, white = (known[player, record.round] for player in (record.black, record.white))
        assert match.play(replace(task, black_model=black, white_model=white)).moves == record.moves
        with_weights_of_the_spec.append(match.play(task).moves == record.moves)
    assert with_weights_of_the_spec[0]
    assert not all(with_weights_of_the_spec)


def test_a_recorded_game_is_verified_with_the_models_of_its_round(whole: Path, tmp_path: Path) -> None:
    *_, last = (game for game in records(whole) if {game.black, game.white} == set(PUPILS))
    assert last.round == 3
    with arena.Results(whole) as results:
        assert verify(results, results.tournament("test"), last).difference is None
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(whole.read_bytes())
    with sqlite3.connect(copy) as connection:
        connection.execute("delete from models where hash in (select model_hash from learned_models where round = 3)")
    connection.close()
    with arena.Results(copy) as results, pytest.raises(TournamentStopped, match="holds no model"):
        verify(results, results.tournament("test"), last)


def test_a_learned_model_has_its_provenance_and_plays_like_the_player(whole: Path) -> None:
    key = models(whole)["lms:depth=2", 4]
    resolver = ModelResolver(whole)
    found = resolver.resolve(f"@{key}")
    origin = found.provenance
    assert (origin["tournament"], origin["player"], origin["round"]) == ("test", "lms:depth=2", "4")
    assert origin["learner"] == f"lms:start=@{LMS_WEIGHTS.hash}:depth=2"
    assert specs.parse("learner", origin["learner"], resolver=resolver).create().depth == 2
    assert found.player == f"lms:weights=@{key}:depth=2"
    entered = specs.parse("player", f"@{key}", resolver=resolver)
    assert (entered.create().depth, entered.weights) == (2, key)
    start = resolver.resolve(f"@{models(whole)['td', 0]}")
    assert start.provenance["command"] == TD_WEIGHTS.provenance["command"]


# Reproducibility --------------------------------------------------------------------------------


def test_the_number_of_workers_does_not_change_the_database(whole: Path, tmp_path: Path) -> None:
    assert contents(tournament(tmp_path / "one.sqlite", workers=1)) == contents(whole)


@pytest.mark.parametrize("games", [[3, 5], [12]])
def test_a_resumed_tournament_gives_the_same_database(whole: Path, tmp_path: Path, games: list[int]) -> None:
    path = tmp_path / "stopped.sqlite"
    with pytest.raises(StoppedError):
        tournament(path, progress=stop_after(games[0]))
    for number in games[1:]:
        with pytest.raises(StoppedError):
            resumed(path, workers=1, progress=stop_after(number))
    resumed(path, workers=2)
    assert contents(path) == contents(whole)
    resumed(path)
    assert contents(path) == contents(whole)


def test_resume_refuses_models_that_differ_from_the_recorded_ones(tmp_path: Path) -> None:
    path = tmp_path / "stopped.sqlite"
    with pytest.raises(StoppedError):
        tournament(path, "lms,random", progress=stop_after(2))
    with sqlite3.connect(path) as connection:
        connection.execute(
            "update learned_models set model_hash = (select model_hash from learned_models where round = 0)"
        )
    connection.close()
    before = contents(path)
    with pytest.raises(UsageError, match="'test' cannot be resumed: from the same games, lms learns another") as raised:
        resumed(path)
    assert "\n" not in str(raised.value)
    assert contents(path) == before


def test_rounds_are_counted_through_all_stages(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"players": "lms,td,m1,random", "format": "swiss:rounds=2", "games": 2}
    undisturbed = tournament(tmp_path / "whole.sqlite", workers=1, **changes)
    known = models(undisturbed)
    assert known.keys() == {(player, number) for player in ("lms", "td") for number in range(5)}
    assert len(set(known.values())) == 10
    stopped = tmp_path / "stopped.sqlite"
    with pytest.raises(StoppedError):
        tournament(stopped, progress=stop_after(6), **changes)
    resumed(stopped)
    assert contents(stopped) == contents(undisturbed)
    with arena.Results(stopped) as results:
        stored, ready = results.tournament("test"), plan(**changes)
        second = list(ready.stages(lambda: results.shares("test")))[1]
        names = {schedule.pairing_of(*pairing) for pairing in second}
        games = [game for game in records(stopped) if game.pairing in names and game.round == 1]
        for game in games:
            played_with = models_of(results, stored, ready, game)
            assert played_with == {
                player: known[player, 3] for player in (game.black, game.white) if player in ("lms", "td")
            }
        assert verify(results, stored, games[0]).difference is None


# Refusals ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "changes", "line"),
    [
        ("m1,random", {}, "none of the players can learn while it plays; these can: lms, .*td"),
        ("lms,td", {"sprt": "0,20"}, "a sequential test compares fixed players"),
    ],
)
def test_players_that_cannot_learn_are_refused_in_one_line(players: str, changes: dict[str, Any], line: str) -> None:
    with pytest.raises(UsageError, match=line) as raised:
        plan(players, **changes)
    assert "\n" not in str(raised.value)


def test_a_learner_must_take_given_games_and_the_players_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tensors = {name: each for name, each in TD_WEIGHTS.tensors.items() if name != "counts"}
    arena.Model("td", tensors).save(tmp_path / "bare.safetensors", {})
    with pytest.raises(UsageError, match=r"td:weights=.* cannot learn while it plays: .* holds no counts"):
        plan(f"lms,td:weights={tmp_path / 'bare.safetensors'}")
    monkeypatch.setattr(TD, "learn_from", Learner.learn_from)
    with pytest.raises(UsageError, match="none of the players can learn while it plays; these can: lms, qmodel"):
        plan("td,random")


def test_a_failing_learner_stops_the_tournament_and_games_stay_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def diverge(*_: object) -> None:
        raise arena.ArenaError("the weights diverged")

    monkeypatch.setattr(LMS, "learn_from", diverge)
    with pytest.raises(TournamentStopped, match="lms cannot go on learning: the weights diverged"):
        tournament(tmp_path / "arena.sqlite", "lms,random")
    assert len(records(tmp_path / "arena.sqlite")) == 1


def test_the_spec_file_contains_learning(whole: Path, tmp_path: Path) -> None:
    with arena.Results(whole) as results:
        stored = results.tournament("test")
    assert stored_plan(stored).settings.learning
    file = tmp_path / "again.toml"
    file.write_text(toml.of_tournament(stored), encoding="utf-8")
    assert tournament_file.read(file)["learning"] is True
    file.write_text("learning = 1", encoding="utf-8")
    with pytest.raises(UsageError, match="learning is true or false, not 1"):
        tournament_file.read(file)


def test_the_report_explains_how_to_measure_learned_models(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = models(whole)
    with arena.Results(whole) as results:
        report(results, "test")
        frame = results.learned_models("test")
    text = capsys.readouterr().out
    assert "\nlms:depth=2, td learned while playing, so the tables measure changing players." in text
    entered = f"lms:weights=@{known['lms:depth=2', 4]}:depth=2,td:weights=@{known['td', 4]}"
    assert f"\n    arena tournament --players {entered},... --db " in text
    found = specs.parse_list("player", entered, resolver=ModelResolver(whole))
    assert [spec.weights for spec in found] == [known[player, 4] for player in PUPILS]
    assert list(frame.columns) == ["player", "round", "model", "spec"]
    assert {(row.player, row.round): row.model for row in frame.itertuples()} == known
    with arena.Results(tournament(tmp_path / "frozen.sqlite", "m1,random", games=2, learning=False)) as results:
        report(results, "test")
        assert results.learned_models("test").empty
    assert "learned" not in capsys.readouterr().out


def test_uses_of_a_learned_model_are_listed(whole: Path) -> None:
    with arena.Results(whole) as results:
        uses = results.uses(models(whole)["td", 2])
        made = results.models().set_index("hash")["made_by"]
    assert uses.to_numpy().tolist() == [["learning", "test", "td"]]
    assert made[models(whole)["td", 2]] == "test (td, round 2)"
    assert made.isna().sum() == len(PUPILS)  # the models of the first round
