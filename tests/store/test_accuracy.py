"""How well players move, counted again move by move."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import arena
from arena.checkers.notation import parse_move
from arena.checkers.pdn import PDNGame, read
from arena.errors import StoreError, UsageError
from arena.search import Search
from arena.search.loss import Judge
from arena.search.tablebase import Tablebase
from arena.store import Store, accuracy
from arena_evaluators import Patterns
from experimenting import experiment, few_games, tiny
from launchers import module_launcher
from tables import plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["experiment", "few_games", "module_launcher", "tiny"]
COUNTS = ["moves", "won", "won_kept", "drawn", "drawn_kept"]


def chosen_moves(records: list[arena.GameRecord]) -> Iterator[tuple[str, arena.Board, arena.Board]]:
    """Player, board before and board after each move that a player chose: the arena measured its time."""
    for record in records:
        board = arena.Board.start()
        for text, seconds in zip(record.moves, record.seconds, strict=True):
            after = board.after(parse_move(board, text))
            if seconds is not None:
                yield (record.black if board.side is arena.Side.BLACK else record.white), board, after
            board = after


def pieces_of(board: arena.Board) -> int:
    return (board.black | board.white).bit_count()


def counted(records: list[arena.GameRecord]) -> list[tuple[Any, ...]]:
    """Player, pieces and counts, with the tables' own answers for each move."""
    tables = Tablebase.open(4)
    counts: defaultdict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for player, before, after in chosen_moves(records):
        key = counts[player, pieces_of(before)]
        key["moves"] += 1
        here, there = tables.value(before), tables.value(after)
        if here is not None and there is not None and here.outcome != "loss":
            name = {"win": "won", "draw": "drawn"}[here.outcome]
            key[name] += 1
            key[f"{name}_kept"] += there.before.outcome == here.outcome
    return [
        (player, pieces, *(counts[player, pieces][name] for name in COUNTS))
        for player, pieces in sorted(counts, key=lambda key: (key[0], -key[1]))
    ]


def records_of(path: Path) -> list[arena.GameRecord]:
    with arena.Results(path) as results:
        return [results.game(int(game)) for game in results.games("x")["game"]]


@pytest.fixture(scope="module")
def records(experiment: Path) -> list[arena.GameRecord]:
    return records_of(experiment)


def test_counts_by_pieces(experiment: Path, records: list[arena.GameRecord]) -> None:
    with arena.Results(experiment) as results:
        frame = results.accuracy("x", by="pieces")
        assert results.accuracy(by="pieces").equals(frame)
    expected = counted(records)
    assert sum(row[3] + row[5] for row in expected) > 40
    assert any(row[4] + row[6] < row[3] + row[5] for row in expected)
    assert list(frame[["player", "pieces", *COUNTS]].itertuples(index=False, name=None)) == expected
    for row in frame.itertuples():
        if row.won + row.drawn:
            kept = row.won_kept + row.drawn_kept
            assert row.kept_pct == pytest.approx(100 * kept / (row.won + row.drawn))
            bounds = [100 * bound for bound in arena.wilson(kept, row.won + row.drawn)]
            assert (row.kept_low, row.kept_high) == pytest.approx(bounds)
        else:
            assert math.isnan(row.kept_pct)


def test_phases_add_up_numbers_of_pieces(experiment: Path) -> None:
    with arena.Results(experiment) as results:
        frame, pieces = results.accuracy("x"), results.accuracy("x", by="pieces")
    phases = np.where(pieces["pieces"] > 17, "opening", np.where(pieces["pieces"] > 8, "middlegame", "endgame"))
    sums = pieces.assign(phase=phases).groupby(["player", "phase"])[COUNTS].sum()
    assert frame.set_index(["player", "phase"])[COUNTS].sort_index().equals(sums)
    first = frame[frame["player"] == frame["player"][0]]
    assert first["phase"].tolist() == ["opening", "middlegame", "endgame"]


def test_accuracy_of_imported_games(experiment: Path, records: list[arena.GameRecord], tmp_path: Path) -> None:
    with arena.Results(experiment) as results:
        text = "\n".join(results.pdn("x"))
        of_tables = results.accuracy("x")[["player", "phase", *COUNTS[1:]]]
    db, file = tmp_path / "people.sqlite", tmp_path / "games.pdn"
    file.write_text(text)
    with Store.open(db) as store, store.collector("mine") as collector:
        for game in read(file):
            assert isinstance(game, PDNGame)
            collector.add(game)
    with arena.Results(db) as results:
        frame = results.accuracy(collection="mine")
        with pytest.raises(StoreError, match="holds no collection"):
            results.accuracy(collection="yours")
    assert frame[["player", "phase", *COUNTS[1:]]].equals(of_tables)
    assert frame["moves"].sum() == sum(record.plies for record in records)


def test_checkpoints_have_their_learner_seed_and_games(experiment: Path) -> None:
    with arena.Results(experiment) as results:
        frame = results.accuracy(experiment="x")
        plainly = results.accuracy("x")
        ladder = results.ladder("x")
    columns = ["player", "label", "seed", "games"]
    assert sorted(plain(frame[columns].drop_duplicates()), key=repr) == sorted(plain(ladder[columns]), key=repr)
    for row in plainly.to_dict("records"):
        same = frame[(frame["player"] == row["player"]) & (frame["phase"] == row["phase"])]
        assert set(same["moves"]) == {row["moves"]}


def test_the_loss_is_the_difference_of_chances_after_equally_deep_searches() -> None:
    evaluator = Patterns()
    board = arena.Board.from_fen("B:W18,21,24,27,29,30:B1,3,5,10,11,12")
    judge = Judge(evaluator, nodes=2000)
    depth = Search(evaluator)(board, nodes=2000).depth
    assert depth > 2
    values = {move: -Search(evaluator)(board.after(move), depth=depth - 1).score for move in board.legal_moves}
    best = max(values.values())
    losses = {move: judge.loss(board, board.after(move)) for move in values}
    assert max(losses.values()) > 0.05
    for move, value in values.items():
        chances = [1 / (1 + math.exp(-each)) for each in (best, value)]
        assert losses[move] == pytest.approx(chances[0] - chances[1], abs=1e-9)


def test_forced_moves_and_moves_that_win_at_once_lose_nothing() -> None:
    judge = Judge(Patterns(), nodes=100)
    forced = arena.Board.from_fen("B:W18:B14,1")
    [move] = forced.legal_moves
    assert judge.loss(forced, forced.after(move)) == 0
    two = arena.Board.from_fen("B:WK18:BK14,K15")
    assert all(judge.loss(two, two.after(move)) == 0 for move in two.legal_moves if not two.after(move).legal_moves)


def test_losses_of_all_moves(few_games: Path) -> None:
    records = records_of(few_games)
    assert len(records) > 10
    with arena.Results(few_games) as results:
        frame = results.accuracy("x", evaluator=Patterns(), nodes=200, sample=10**6)
    judge = Judge(Patterns(), nodes=200, tables=Tablebase.open(4))
    losses = defaultdict(list)
    for player, before, after in chosen_moves(records):
        pieces = pieces_of(before)
        phase = "opening" if pieces > 17 else "middlegame" if pieces > 8 else "endgame"
        losses[player, phase].append(judge.loss(before, after))
    assert frame["searched"].equals(frame["moves"])
    for row in frame.itertuples():
        mine = losses[row.player, row.phase]
        assert row.loss_pct == pytest.approx(100 * sum(mine) / len(mine))
        if len(mine) > 1:
            assert row.loss_error == pytest.approx(196 * np.std(mine, ddof=1) / len(mine) ** 0.5, rel=1e-3)


def test_a_sample_follows_from_its_seed_and_not_from_the_order_of_the_games(few_games: Path) -> None:
    records = records_of(few_games)
    tables = Tablebase.open(2)
    groups = np.zeros(25, np.int64)

    def sample(played: list[arena.GameRecord], size: int, batch: int, seed: int = 1) -> Counter[Any]:
        tally = accuracy.Tally(tables, groups, size, seed)
        rows = [(r.black, r.white, r.seed, r.first, r.boards, r.ply_info.seconds) for r in played]
        accuracy.count((rows[at : at + batch] for at in range(0, len(rows), batch)), tally)
        return Counter((player, move.before, move.after) for player, _, move in tally.sample())

    whole = sample(records, 10**6, 100)
    assert whole == Counter(chosen_moves(records))
    few = sample(records, 5, 100)
    assert sample(records[::-1], 5, 1) == few
    assert few <= whole
    assert {player: sum(1 for name, _, _ in few.elements() if name == player) for player, _, _ in few} == {
        player: min(5, sum(1 for name, _, _ in whole.elements() if name == player)) for player, _, _ in whole
    }
    assert sample(records, 5, 100, seed=2) != few


@pytest.mark.usefixtures("module_launcher")
def test_a_random_player_loses_more_than_one_that_searches(tmp_path: Path) -> None:
    from arena.cli.app import run

    path = tmp_path / "t.sqlite"
    run(["tournament", "--players", "random,minimax", "--games", "6", "--seed", "1", "-q", "--db", str(path)])
    with arena.Results(path) as results:
        frame = results.accuracy("last", evaluator=Patterns(), nodes=1000, sample=100)
    means = frame.groupby("player")["loss_pct"].mean()
    assert means["random"] > 3 * means["minimax"]


def test_wrong_questions_are_one_line_errors(experiment: Path) -> None:
    with arena.Results(experiment) as results:
        with pytest.raises(UsageError, match="by phase or pieces, not by 'colour'"):
            results.accuracy("x", by="colour")  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="name one of them"):
            results.accuracy("x", collection="mine")
        with pytest.raises(StoreError, match="holds no experiment 'y'"):
            results.accuracy(experiment="y")
