"""Experience from opponents, from recorded games and from teachers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import arena
from arena.checkers import pdn
from arena.errors import UsageError
from arena.plugins import specs
from arena.plugins.models import ModelResolver
from arena.search.tablebase import Tablebase
from arena.store import Store
from arena.training import sources
from arena_players.random import Random

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

OUTCOMES = {"win": 1, "draw": 0, "loss": -1}
PDN = """[Event "a"]
[Result "1-0"]
1. 11-15! 23-18? 2. 8-11 {0.5} 27-23 1-0

[Event "b"]
[Result "0-1"]
[FEN "W:WK1,K2:BK31,K32."]
1. 1-6 32-27 {-3} 0-1

[Event "c"]
1. 11-15 *

[Event "d"]
1. 11-15 22-19 1-0
"""


class Novice(arena.Learner):
    """A learner that does not learn."""

    kind = "novice"

    def begin(self, seed: int) -> None:
        pass

    def state(self) -> Mapping[str, np.ndarray[Any, Any]]:
        return {}

    def restore(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        pass

    def model(self) -> arena.Model:
        return arena.Model(self.kind, {})

    def player(self) -> arena.Player:
        return Random()


@pytest.fixture
def games(tmp_path: Path) -> str:
    path = tmp_path / "games.pdn"
    path.write_text(PDN, encoding="utf-8")
    return str(path)


def equal(one: arena.Episode, other: arena.Episode) -> bool:
    return (
        np.array_equal(one.boards, other.boards)
        and (one.winner, one.first, one.learners) == (other.winner, other.first, other.learners)
        and np.array_equal(one.explored, other.explored)  # type: ignore[arg-type]
    )


def source(**named: Any) -> Any:
    settings = {
        "learner": specs.parse("learner", "lms"),
        "seed": 1,
        "against": None,
        "names": [],
        "teacher": None,
        "models": ModelResolver("none.sqlite"),
        **named,
    }
    return sources.parse(**settings)


def test_without_a_source_the_learner_plays_itself() -> None:
    assert source() is None


def test_recorded_games(games: str) -> None:
    found = source(names=[games])
    one, other, again = found.episodes(Novice(), 0, 3)
    [first, second] = [game for game in pdn.read(games) if isinstance(game, pdn.PDNGame) and game.result != "*"]
    for episode, game in ((one, first), (other, second)):
        assert [episode.board(ply) for ply in range(episode.plies + 1)] == list(game.boards)
    assert (one.winner, one.first) == (arena.Side.BLACK, arena.Side.BLACK)
    assert (other.winner, other.first) == (arena.Side.WHITE, arena.Side.WHITE)
    assert equal(one, again)
    assert found.games(0, 3) == [(games, "1"), (games, "2"), (games, "1")]
    assert "22-19" in found.problems[0]
    assert found.settings["games"] == 2
    assert len(found.settings["hash"]) == 32


def test_collections_and_tournaments_are_read_like_files(games: str, tmp_path: Path) -> None:
    db = tmp_path / "arena.sqlite"
    with Store.open(db) as store, store.collector("humans") as collector:
        for game in pdn.read(games):
            if isinstance(game, pdn.PDNGame):
                collector.add(game)
    stored, of_file = source(names=["humans"], models=ModelResolver(db)), source(names=[games])
    for one, other in zip(stored.episodes(Novice(), 0, 2), of_file.episodes(Novice(), 0, 2), strict=True):
        assert equal(one, other)
    assert stored.settings["hash"] == of_file.settings["hash"]
    taught = [source(names=[name], models=ModelResolver(db), teacher="annotations") for name in ("humans", games)]
    for one, other in zip(*(each.episodes(Novice(), 0, 2) for each in taught), strict=True):
        np.testing.assert_array_equal(one.labels, other.labels)
    with pytest.raises(UsageError, match="neither a PDN file nor a collection or tournament"):
        source(names=["nobody"], models=ModelResolver(db))


def test_opponents() -> None:
    found = source(against="m1,self")
    learner = Novice()
    episodes = found.episodes(learner, 0, 30)
    assert {episode.learners for episode in episodes} == {tuple(arena.Side), *((side,) for side in arena.Side)}
    lost = [episode for episode in episodes if len(episode.learners) == 1 and episode.result(episode.learners[0]) < 0]
    assert len(lost) > 5
    assert all(equal(one, other) for one, other in zip(episodes[7:9], found.episodes(learner, 7, 2), strict=True))
    assert found.games(0, 3) == ()
    assert found.settings["against"][1] == "self"


def test_past_checkpoints_are_opponents_after_the_first_checkpoint() -> None:
    asked = []

    class Past(Random):
        """Another player, which notes its sides."""

        def compiled(self, side: arena.Side) -> None:
            asked.append(side)

    found = source(against="past")
    assert found.episodes(Novice(), 0, 1)[0].learners == tuple(arena.Side)
    found.remember(Past)
    episodes = found.episodes(Novice(), 0, 2)
    assert [episode.learners for episode in episodes] == [(arena.Side.BLACK,), (arena.Side.WHITE,)]
    assert asked == [arena.Side.WHITE, arena.Side.BLACK]


def test_the_choice_of_the_opponent_is_independent_of_the_first_moves() -> None:
    class Other(Random):
        """Another player, which notes its sides."""

        def compiled(self, side: arena.Side) -> Any:
            asked.append(side)
            return super().compiled(side)

    found = source(against="self,past")
    found.remember(Other)
    boards: dict[bool, set[tuple[int, ...]]] = {True: set(), False: set()}
    for number in range(100):
        asked: list[arena.Side] = []
        [episode] = found.episodes(Novice(), number, 1)
        boards[bool(asked)].add(tuple(episode.boards[1].tolist()))
    assert len(boards[True]) == len(boards[False]) == 7


def test_marks_and_numeric_comments_become_labels(games: str) -> None:
    one, other = source(names=[games], teacher="annotations").episodes(Novice(), 0, 2)
    assert one.labels is not None
    assert other.labels is not None
    np.testing.assert_array_equal(one.labels[:3], [np.nan, -0.5, 0.5])
    assert 0 < -one.labels[3] < 1  # good for Black after Black's move
    assert np.isnan(one.labels[4])
    assert other.labels[2] > 0.3  # White to move, and bad for Black
    with pytest.raises(UsageError, match="recorded games"):
        source(against="m1", teacher="annotations")


def test_a_player_labels_positions_with_values_and_better_moves(games: str) -> None:
    one, other = source(names=[games], teacher="m4").episodes(Novice(), 0, 2)
    assert one.labels is not None
    assert other.labels is not None
    assert np.isfinite(one.labels[:-1]).all()
    assert np.isnan(one.labels[-1])
    assert np.abs(other.labels[:-1]).max() <= 1
    for episode in (one, other):
        for ply, after in (episode.better or {}).items():
            choices = [episode.board(ply).after(move).relative for move in episode.board(ply).legal_moves]
            assert after in choices
            assert after != tuple(episode.boards[ply + 1].tolist())
    with pytest.raises(UsageError, match="reports no scores"):
        source(names=[games], teacher="random")


def test_tables_label_the_positions_in_them(tmp_path: Path) -> None:
    path = tmp_path / "endings.pdn"
    five, three = ('[FEN "W:WK1,K2,K3:BK31,K32."]', '[FEN "W:WK18,K19:BK32."]')
    path.write_text(f"{five}\n1. 1-6 32-27 0-1\n\n{three}\n1. 18-22 32-28 0-1\n", encoding="utf-8")
    unknown, known = source(names=[str(path)], teacher="tables").episodes(Novice(), 0, 2)
    assert np.isnan(unknown.labels).all()
    tables = Tablebase.open(4)
    values = [tables.value(known.board(ply)) for ply in range(3)]
    np.testing.assert_array_equal(known.labels, [OUTCOMES[value.outcome] for value in values if value])
    assert known.labels[0] == 1
