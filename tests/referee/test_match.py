"""The referee: what a game is worth, and what a player's faults cost."""

from __future__ import annotations

import struct
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.checkers.board import Board
from arena.checkers.game import DrawRules, Game, Limits, Report, Termination
from arena.checkers.move import Move, Side
from arena.checkers.notation import move_text, parse_move
from arena.contracts.opening import Opening
from arena.contracts.player import Player
from arena.errors import BadFEN, IllegalMove, ModelError, TablebaseError
from arena.referee import match
from arena.referee.adjudication import Agreement
from arena.referee.match import REASON_LIMIT, Fault, Match, Turn, bounded, opened, play
from arena.referee.task import GameTask
from arena.search.tablebase import Tablebase, files

if TYPE_CHECKING:
    from pathlib import Path

    from arena.contracts.record import GameRecord

BALLOT = Opening("9-13 21-17 5-9", ("9-13", "21-17", "5-9"))
TASK = GameTask("black vs white", 0, 77, BALLOT, black="black", white="white")


class Random(Player):
    """Plays at random."""

    def choose(self, game: Game) -> Move:
        moves = game.board.legal_moves
        return moves[game.random.integers(len(moves))]


class Seated:
    """Stands for a spec."""

    weights = None

    def __init__(self, cls: type[Player]) -> None:
        self.create = cls


class Table:
    """Lets players of given classes play ``TASK``."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def play(
        self,
        black: type[Player] = Random,
        white: type[Player] = Random,
        task: GameTask = TASK,
        turn: Turn = lambda _: None,
    ) -> GameRecord:
        seats = {task.black: Seated(black), task.white: Seated(white)}
        self._patch.setattr(match, "_spec", lambda text, *_: seats[text])
        game = Match(task, turn=turn)
        record = game.play()
        game.finish(record)
        return record


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    return Table(monkeypatch)


def boards_of(record: GameRecord) -> list[tuple[int, ...]]:
    masks = struct.unpack(f"<{len(record.boards) // 4}I", record.boards)
    return [masks[i : i + 3] for i in range(0, len(masks), 3)]


def test_a_record_can_be_replayed_move_by_move(table: Table) -> None:
    record = table.play()
    board = Board.start()
    boards = [(board.black, board.white, board.kings)]
    for text in record.moves:
        board = board.after(parse_move(board, text))
        boards.append((board.black, board.white, board.kings))
    assert boards_of(record) == boards
    assert record.moves[:3] == BALLOT.moves
    assert (record.pairing, record.round, record.seed, record.opening) == (TASK.pairing, 0, 77, BALLOT.name)
    assert (record.first, record.forfeited_by, record.reason) == ("black", None, None)


def test_the_same_task_is_the_same_game_and_another_seed_another(table: Table) -> None:
    first, again, other = table.play(), table.play(), table.play(task=replace(TASK, seed=78))
    assert first.moves == again.moves != other.moves


def test_the_sides_draw_from_different_random_numbers(table: Table) -> None:
    drawn = []

    class Draws(Random):
        def start(self, game: Game) -> None:
            drawn.append(game.random.integers(1 << 62))

    table.play(Draws, Draws)
    assert drawn[0] != drawn[1]


def test_a_side_draws_from_one_stream_all_game_long(table: Table) -> None:
    drawn = []

    class Draws(Random):
        def choose(self, game: Game) -> Move:
            if game.side is Side.BLACK:
                drawn.append(int(game.random.integers(1 << 62)))
            return game.board.legal_moves[0]

    table.play(Draws, Draws)
    stream = match.random_of(TASK, Side.BLACK)
    assert len(drawn) > 5
    assert drawn == [int(stream.integers(1 << 62)) for _ in drawn]


@pytest.mark.parametrize("report", [None, "winning", Report(depth=2**40)])
def test_a_report_that_is_not_reported_is_its_players_fault(table: Table, report: object) -> None:
    class Assigns(Random):
        def choose(self, game: Game) -> Move:
            game.reported = report  # type: ignore[misc, assignment]
            return super().choose(game)

    record = table.play(white=Assigns)
    assert (record.forfeited_by, record.termination) == ("white", "exception")


def test_black_starts_and_choices_alternate(table: Table) -> None:
    calls: list[str] = []

    def noting(name: str) -> type[Player]:
        class Noting(Random):
            def __init__(self) -> None:
                calls.append(f"{name} made")

            def start(self, game: Game) -> None:
                calls.append(f"{name} start {game.ply}")

            def choose(self, game: Game) -> Move:
                calls.append(name)
                return super().choose(game)

            def finish(self, record: GameRecord) -> None:
                calls.append(f"{name} finish {record.plies}")

        return Noting

    record = table.play(noting("black"), noting("white"), task=replace(TASK, opening=Opening("none")))
    assert calls[:4] == ["black made", "white made", "black start 0", "white start 0"]
    assert calls[4:-2] == (["black", "white"] * record.plies)[: record.plies]
    assert calls[-2:] == [f"black finish {record.plies}", f"white finish {record.plies}"]


def test_without_a_move_left_the_game_is_lost(table: Table) -> None:
    record = table.play(task=replace(TASK, opening=Opening("last man", ("11x18",), "B:W15:B11")))
    assert (record.result, record.termination, record.forfeited_by) == ("1-0", "no moves", None)
    assert record.moves == ("11x18",)


def test_an_opening_may_start_from_a_position_with_white_to_move(table: Table) -> None:
    record = table.play(task=replace(TASK, opening=Opening("end", (), "W:WK32:BK1,K2")))
    assert record.first == "white"
    assert boards_of(record)[0] == (0b11, 1 << 31, 1 << 31 | 0b11)


@pytest.mark.parametrize(
    ("rules", "termination", "plies"),
    [
        (DrawRules(), "repetition", 8),
        (DrawRules(repetitions=None), "quiet plies", 80),
        (DrawRules(repetitions=None, quiet_plies=None), "ply cap", 400),
        (DrawRules(repetitions=2, quiet_plies=3, ply_cap=2), "ply cap", 2),
    ],
)
def test_draw_rules_are_the_tasks(table: Table, rules: DrawRules, termination: str, plies: int) -> None:
    class Shuffles(Player):
        def choose(self, game: Game) -> Move:
            back = game.moves[-2].path[::-1] if game.ply > 1 else ()
            return next((m for m in game.board.legal_moves if m.path == back), game.board.legal_moves[0])

    kings = replace(TASK, opening=Opening("kings", (), "B:WK32:BK1"), rules=rules)
    record = table.play(Shuffles, Shuffles, task=kings)
    assert (record.result, record.termination, record.plies) == ("1/2-1/2", termination, plies)


# Tables --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built() -> None:
    """Endgame tables in the user's cache."""
    Tablebase.open()


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    ("fen", "result"),
    [("W:WK32:BK1,K2", "1-0"), ("B:WK32:BK1,K2", "1-0"), ("W:WK11:BK12", "1/2-1/2"), ("W:WK1,K2:B21", "0-1")],
)
def test_tables_end_a_game_that_they_know(table: Table, fen: str, result: str) -> None:
    record = table.play(task=replace(TASK, opening=Opening("end", (), fen), tables=4))
    assert (record.result, record.termination, record.forfeited_by, record.moves) == (result, "tables", None, ())


@pytest.mark.usefixtures("built")
def test_tables_end_a_game_as_soon_as_they_know_it_and_not_by_themselves(table: Table) -> None:
    played = [table.play(task=replace(TASK, seed=seed)) for seed in range(20)]
    adjudicated = [table.play(task=replace(TASK, seed=seed, tables=4)) for seed in range(20)]
    assert {record.termination for record in adjudicated} >= {"tables", "no moves"}
    assert "tables" not in {record.termination for record in played}
    for whole, record in zip(played, adjudicated, strict=True):
        pieces = [(black | white).bit_count() for black, white, _ in boards_of(record)]
        assert min(pieces[:-1]) > 4
        assert whole.moves[: record.plies] == record.moves
        if record.termination == "tables":
            assert pieces[-1] <= 4
        else:
            assert (record.result, record.moves) == (whole.result, whole.moves)


@pytest.mark.usefixtures("built")
def test_the_rules_come_before_the_tables(table: Table) -> None:
    record = table.play(task=replace(TASK, opening=Opening("last man", ("11x18",), "B:W15:B11"), tables=4))
    assert (record.result, record.termination) == ("1-0", "no moves")


def test_a_game_cannot_begin_without_its_tables(table: Table, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    match._tables.cache_clear()
    monkeypatch.setattr(files, "default_folder", lambda: tmp_path)
    with pytest.raises(TablebaseError, match="arena tablebase build"):
        table.play(task=replace(TASK, tables=4))


# Agreed scores -----------------------------------------------------------------------------------------


def thinking(score: float | None, turn: int = 0) -> type[Player]:
    """Plays at random, and reports that score from its turn number ``turn`` on, from 0."""

    class Thinking(Random):
        def __init__(self) -> None:
            self.turns = 0

        def choose(self, game: Game) -> Move:
            if self.turns >= turn:
                game.report(score=score)
            self.turns += 1
            return super().choose(game)

    return Thinking


AGREE = replace(TASK, scores=Agreement(black=3.0, white=200.0, plies=6))
OPENED = len(BALLOT.moves)
"""Plies of the opening, after which White is to move."""


@pytest.mark.parametrize(
    ("black", "white", "result"),
    [(3.0, -200.0, "1-0"), (-3.0, 200.0, "0-1"), (1e300, -1e300, "1-0")],
)
def test_a_game_ends_when_both_players_have_agreed_long_enough(
    table: Table, black: float, white: float, result: str
) -> None:
    record = table.play(thinking(black), thinking(white), task=AGREE)
    assert (record.result, record.termination, record.forfeited_by) == (result, "scores", None)
    assert record.plies == OPENED + 6
    assert record.moves == table.play().moves[: record.plies]


def test_the_row_begins_where_both_agree(table: Table) -> None:
    record = table.play(thinking(3.0), thinking(-200.0, turn=5), task=AGREE)
    before = 2 * 5 - 1  # White's sixth turn follows Black's fifth, which agrees with it already
    assert (record.termination, record.plies) == ("scores", OPENED + before + 6)


@pytest.mark.parametrize(
    ("black", "white"),
    [(3.0, 200.0), (2.9, -200.0), (3.0, -199.0), (3.0, None), (None, None), (0.0, 0.0), (3.0, float("-inf"))],
)
def test_a_game_goes_on_while_players_differ_or_say_nothing(
    table: Table, black: float | None, white: float | None
) -> None:
    record, whole = table.play(thinking(black), thinking(white), task=AGREE), table.play()
    assert (record.moves, record.termination) == (whole.moves, whole.termination)


def test_the_rules_come_before_agreed_scores(table: Table) -> None:
    last_man = Opening("last man", ("1-5", "32-28"), "B:W32:B1")
    capped = replace(AGREE, opening=last_man, rules=DrawRules(ply_cap=4), scores=Agreement(1.0, 1.0, 2))
    record = table.play(thinking(1.0), thinking(-1.0), task=capped)
    assert (record.result, record.termination, record.plies) == ("1/2-1/2", "ply cap", 4)


# Faults ------------------------------------------------------------------------------------------------


class Unprintable(BaseException):
    def __str__(self) -> str:
        raise self

    __repr__ = __str__


class Unshowable:
    def __repr__(self) -> str:
        sys.exit("never")


RAISED = [
    (ValueError("wrong"), "ValueError: wrong"),
    (SystemExit(3), "SystemExit: 3"),
    (KeyboardInterrupt(), "KeyboardInterrupt"),
    (GeneratorExit(), "GeneratorExit"),
    (Unprintable(), "Unprintable"),
    (match._Forfeit(Side.WHITE, match.Fault(Termination.TIMEOUT, "the other one!")), "_Forfeit"),
]


@pytest.mark.parametrize(("error", "text"), RAISED, ids=[type(error).__name__ for error, _ in RAISED])
@pytest.mark.parametrize("where", ["__init__", "start", "choose"])
def test_whatever_a_player_raises_forfeits_the_game(table: Table, where: str, error: BaseException, text: str) -> None:
    def fail(*_: object) -> None:
        raise error

    class Fails(Random):
        pass

    setattr(Fails, where, fail)
    for record, forfeited_by in ((table.play(Fails), "black"), (table.play(white=Fails), "white")):
        assert record.termination == "exception"
        assert record.forfeited_by == forfeited_by
        assert record.result == {"black": "0-1", "white": "1-0"}[forfeited_by]
        assert text in (record.reason or "")


NOT_MOVES = [None, "9-13", (9, 13), 5, Move, Unshowable()]


@pytest.mark.parametrize("choice", NOT_MOVES, ids=lambda choice: type(choice).__name__)
def test_what_is_not_a_move_forfeits_the_game(table: Table, choice: Any) -> None:
    class Confused(Random):
        def choose(self, game: Game) -> Move:  # noqa: ARG002
            return choice  # type: ignore[no-any-return]

    record = table.play(white=Confused)
    assert (record.result, record.termination, record.forfeited_by) == ("1-0", "illegal move", "white")
    assert (record.reason or "").startswith("choose returned ")
    assert "; legal moves: " in (record.reason or "")


def test_a_move_that_the_board_does_not_allow_forfeits_the_game(table: Table) -> None:
    class Cheats(Random):
        def choose(self, game: Game) -> Move:  # noqa: ARG002
            return Move((1, 5))

    record = table.play(white=Cheats)
    assert (record.termination, record.forfeited_by) == ("illegal move", "white")
    assert (record.reason or "").startswith("choose returned Move(1-5); legal moves: ")
    assert record.moves == BALLOT.moves


def test_what_a_player_raises_at_the_end_is_ignored(table: Table) -> None:
    class BadLoser(Random):
        def finish(self, record: GameRecord) -> None:  # noqa: ARG002
            raise SystemExit

    assert table.play(BadLoser, BadLoser).moves == table.play().moves


def test_what_a_player_does_to_its_game_changes_nothing(table: Table) -> None:
    class Vandal(Random):
        def choose(self, game: Game) -> Move:
            move = super().choose(game)
            game.play(move)
            game.undo()
            game.undo()
            game.board = Board.from_fen("B:W32:B1")
            game.limits = game.rules = None  # type: ignore[assignment]
            return move

        def start(self, game: Game) -> None:
            game.__dict__.clear()

    assert table.play(Vandal, Vandal).moves == table.play().moves


def test_what_a_player_does_to_clocks_and_chance_changes_nothing(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((time, "time"), (time, "perf_counter"), (np.random, "default_rng")):
        monkeypatch.setattr(module, name, getattr(module, name))  # to have them back

    class Patches(Random):
        def start(self, game: Game) -> None:  # noqa: ARG002
            time.time = time.perf_counter = np.random.default_rng = None  # type: ignore[assignment]

    before, patched, after = table.play(), table.play(Patches), table.play()
    assert before.moves == patched.moves == after.moves
    assert after.forfeited_by is None


def test_reports_are_recorded_with_their_ply(table: Table) -> None:
    class Tells(Random):
        def choose(self, game: Game) -> Move:
            move = super().choose(game)
            game.report(score=game.ply / 4, depth=game.ply, nodes=10**12, pv=(move, Move((9, 14))))
            return move

    record = table.play(white=Tells)
    plies = range(3, record.plies, 2)
    assert [record.scores[ply] for ply in plies] == [ply / 4 for ply in plies]
    assert [record.depths[ply] for ply in plies] == list(plies)
    assert {record.nodes[ply] for ply in plies} == {10**12}
    assert (record.pvs[3] or "").split()[1:] == ["9-14"]
    silent = [ply for ply in range(record.plies) if ply not in plies]
    for column in (record.scores, record.depths, record.nodes, record.pvs):
        assert {column[ply] for ply in silent} == {None}
    assert [seconds is None for seconds in record.seconds] == [ply < 3 for ply in range(record.plies)]


@pytest.mark.parametrize(
    "report",
    [{"score": "good"}, {"depth": 1 << 15}, {"depth": -1}, {"nodes": 1 << 63}, {"pv": ("9-13",)}],
    ids=str,
)
def test_a_report_that_cannot_be_recorded_forfeits_the_game(table: Table, report: dict[str, Any]) -> None:
    class Mumbles(Random):
        def choose(self, game: Game) -> Move:
            game.report(**report)
            return super().choose(game)

    record = table.play(white=Mumbles)
    assert (record.termination, record.forfeited_by) == ("exception", "white")


def test_a_score_that_is_no_number_is_left_out(table: Table) -> None:
    class Hopes(Random):
        def choose(self, game: Game) -> Move:
            game.report(score=float("nan") if game.ply % 4 else float("inf"))
            return super().choose(game)

    record = table.play(white=Hopes)
    assert set(record.scores) == {None}
    assert record.forfeited_by is None


# Turns and tasks ---------------------------------------------------------------------------------------


def test_a_turn_is_announced_before_each_call_of_a_player(table: Table) -> None:
    turns: list[Side] = []
    called: list[tuple[Side, int]] = []

    def noting(side: Side) -> type[Player]:
        class Notes(Random):
            def __init__(self) -> None:
                called.append((side, len(turns)))

            def start(self, game: Game) -> None:  # noqa: ARG002
                called.append((side, len(turns)))

            def choose(self, game: Game) -> Move:
                called.append((side, len(turns)))
                return super().choose(game)

            def finish(self, record: GameRecord) -> None:  # noqa: ARG002
                called.append((side, len(turns)))

        return Notes

    record = table.play(noting(Side.BLACK), noting(Side.WHITE), turn=turns.append)
    assert [side for side, _ in called] == turns
    assert [number for _, number in called] == list(range(1, record.plies - 3 + 6 + 1))


def test_a_forfeit_can_be_recorded_at_any_moment() -> None:
    plies: list[tuple[int, int]] = []

    def note(side: Side) -> None:
        record = game.forfeit(side, Fault(Termination.CRASH, "killed"))
        assert (record.termination, record.forfeited_by, record.reason) == ("crash", str(side), "killed")
        assert record.result == ("0-1" if side is Side.BLACK else "1-0")
        plies.append((record.plies, len(record.seconds)))

    game = Match(replace(TASK, black="random", white="m1"), turn=note)
    whole = game.play()
    choices = [(ply, ply) for ply in range(3, whole.plies)]
    assert plies == [(3, 3)] * 4 + choices


# Openings and reasons ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opening", "error"),
    [(Opening("x", ("9-14", "9-14")), IllegalMove), (Opening("x", (), "B:W1:B1"), BadFEN)],
    ids=["move", "fen"],
)
def test_an_opening_that_cannot_be_played_is_refused(opening: Opening, error: type[Exception]) -> None:
    task = replace(TASK, black="random", white="m1", opening=opening)
    for begin in (Match, opened):
        with pytest.raises(error):
            begin(task)  # type: ignore[operator]


@given(st.text(st.characters(exclude_categories=()), max_size=40), st.integers(0, 2000))
def test_a_reason_is_bounded_text_that_any_database_keeps(piece: str, times: int) -> None:
    reason = bounded(piece * times)
    assert len(reason.replace("\\0", "\0")) <= REASON_LIMIT + 60
    assert "\0" not in reason
    reason.encode("utf-8")


def test_a_long_reason_keeps_its_beginning_and_its_end() -> None:
    reason = bounded("begin" + "." * 50_000 + "end")
    assert reason.startswith("begin.")
    assert reason.endswith(".end")
    assert "characters left out" in reason


# The record against the game ---------------------------------------------------------------------------

ROUTES = "B:W6,7,8,14,15,16,22,23,24:BK3"
"""A king with several ways between the same two squares."""
POSITIONS = [None, "W:WK32,K31:BK1,K2", ROUTES, "W:W32,K5:B1,K28", "B:W32:B1", "W:W5,K18:B1,9,10,K30"]
RULES = st.builds(
    DrawRules,
    st.one_of(st.none(), st.integers(2, 4)),
    st.one_of(st.none(), st.integers(1, 12)),
    st.integers(0, 120),
)


@given(st.sampled_from(POSITIONS), st.integers(0, 2**32), RULES)
def test_a_record_is_the_game_as_it_was_played(fen: str | None, seed: int, rules: DrawRules) -> None:
    task = replace(TASK, black="random", white="random", opening=Opening("x", (), fen), seed=seed, rules=rules)
    record = play(task)
    game = Game(Board.start() if fen is None else Board.from_fen(fen), rules)
    for text in record.moves:
        assert game.outcome is None
        move = parse_move(game.board, text)
        assert move_text(game.board, move) == text
        game.play(move)
    assert game.outcome is not None
    assert (record.result, record.termination) == (game.outcome.result, game.outcome.termination)
    assert boards_of(record) == [tuple(board[:3]) for board in game.boards]
    assert record.plies == len(record.moves)


# Weights and limits --------------------------------------------------------------------------------------


def test_weights_must_be_those_of_the_task() -> None:
    with pytest.raises(ModelError, match="the weights of random are None, and those of the tournament 1f2e"):
        play(replace(TASK, black="random", black_weights="1f2e"))


class Slow(Random):
    """Sleeps over every move, and notes its limits."""

    seconds = 0.03
    seen: ClassVar[list[Limits]] = []

    def choose(self, game: Game) -> Move:
        self.seen.append(game.limits)
        time.sleep(self.seconds)
        return super().choose(game)


class Slower(Slow):
    """Takes longer than anybody may."""

    seconds = 0.25


def test_a_game_has_its_clock_and_increment(table: Table) -> None:
    Slow.seen.clear()
    record = table.play(Slow, Random, replace(TASK, limits=Limits(depth=3, nodes=9, clock=0.2, increment=0.01)))
    assert (record.forfeited_by, record.termination, record.result) == ("black", "timeout", "0-1")
    assert "seconds more than were left on its clock" in (record.reason or "")
    assert [(limits.depth, limits.nodes) for limits in Slow.seen] == [(3, 9)] * len(Slow.seen)
    left = [limits.clock for limits in Slow.seen]
    assert left[0] == 0.2
    assert left == sorted(left, reverse=True)  # type: ignore[type-var]
    mine = [seconds for seconds in record.seconds[4::2] if seconds is not None]
    spent = sum(mine[: len(left) - 1])
    assert left[-1] == pytest.approx(0.2 - spent + 0.01 * (len(left) - 1), abs=1e-4)


def test_a_move_may_take_so_long_and_hardly_longer(table: Table) -> None:
    assert table.play(Slow, Random, replace(TASK, limits=Limits(seconds=5.0))).forfeited_by is None
    record = table.play(Random, Slower, replace(TASK, limits=Limits(seconds=0.1)))
    assert (record.forfeited_by, record.termination) == ("white", "timeout")
    assert "0.1 were allowed" in (record.reason or "")


def test_players_that_search_keep_to_the_limits() -> None:
    spec = "minimax:depth=64"
    names = replace(TASK, black=spec, white="random", pairing=f"{spec} vs random")
    record = play(replace(names, limits=Limits(nodes=500)))
    assert {nodes for nodes in record.nodes[4::2] if nodes is not None} <= set(range(501))
    assert max(nodes or 0 for nodes in record.nodes) == 500
    record = play(replace(names, limits=Limits(depth=2)))
    assert {depth for depth in record.depths if depth is not None} <= {1, 2}
    record = play(replace(names, limits=Limits(clock=3.0)))
    assert (record.forfeited_by, record.result) == (None, "1-0")
