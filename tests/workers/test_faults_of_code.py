"""A player whose code raises an exception or returns a wrong value forfeits, in both modes. Nothing else changes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from arena.checkers.board import Board
from arena.checkers.notation import parse_move
from arena.tournament import schedule
from faulty import BOTH_MODES, MODES, culprit, games, identity, played, timeless

if TYPE_CHECKING:
    from arena.contracts.record import GameRecord

pytestmark = pytest.mark.usefixtures("fork_server")
FAULTS = {
    # player: termination, pattern of the reason
    "raises-in-constructor": ("exception", "ValueError: not even born"),
    "raises-in-start": ("exception", "ValueError: not yet awake"),
    "raises-in-choose": ("exception", "ValueError: lost my mind"),
    "system-exits": ("exception", "SystemExit: enough"),
    "interrupts": ("exception", "KeyboardInterrupt"),
    "unprintable": ("exception", "SilentError"),
    "verbose": ("exception", "characters left out"),
    "two-arguments": ("exception", "PickyError: this and that"),
    "reports-garbage": ("exception", "ValueError: could not convert string to float: 'winning'"),
    "illegal": ("illegal move", "choose returned Move"),
    "garbage": ("illegal move", r"choose returned {'move': '9-13'}; legal moves: \d"),
}
HARMLESS = [
    "raises-in-finish",
    "exits-in-finish",
    "mutates",
    "uses-random",
    "patches-random",
    "patches-others",
    "changes-folder",
    "needs-folder",
    "boasts",
    "prints",
    "reads",
]


@pytest.fixture(scope="module", params=MODES, ids=["shared", "isolated"])
def records(fork_server: None, request: pytest.FixtureRequest) -> dict[tuple[str, int], GameRecord]:  # noqa: ARG001
    """Records of two games of every player against ``steady``, all from one pool."""
    tasks = games(*((player, "steady") for player in [*FAULTS, *HARMLESS]))
    return {identity(record): record for record in played(tasks, isolate=request.param)}


@pytest.mark.parametrize("player", FAULTS)
@pytest.mark.parametrize("round", [0, 1])
def test_the_player_at_fault_forfeits_its_game(
    records: dict[tuple[str, int], GameRecord], player: str, round: int
) -> None:
    record = records[schedule.pairing_of(player, "steady"), round]
    termination, reason = FAULTS[player]
    assert (record.termination, culprit(record)) == (termination, player)
    assert record.result == ("0-1" if record.forfeited_by == "black" else "1-0")
    assert re.search(reason, record.reason or "")
    assert len(record.reason or "") < 11_000


@pytest.mark.parametrize("player", FAULTS)
def test_a_forfeited_game_keeps_its_moves(records: dict[tuple[str, int], GameRecord], player: str) -> None:
    for round in (0, 1):
        record = records[schedule.pairing_of(player, "steady"), round]
        # The opening has three plies and White moves next; the fault occurs in the player's second choice.
        choices = 2 if record.forfeited_by == "white" else 3
        assert record.plies == 3 + (0 if player in {"raises-in-constructor", "raises-in-start"} else choices)
        boards = np.frombuffer(record.boards, "<u4").reshape(-1, 3).tolist()
        board = Board.start()
        for ply, text in enumerate(record.moves):
            assert boards[ply] == [board.black, board.white, board.kings]
            board = board.after(parse_move(board, text))
        assert boards[-1] == [board.black, board.white, board.kings]
        assert len(boards) == record.plies + 1 == len(record.scores) + 1 == len(record.seconds) + 1


@pytest.mark.parametrize("player", HARMLESS)
def test_a_harmless_player_does_not_forfeit(records: dict[tuple[str, int], GameRecord], player: str) -> None:
    for round in (0, 1):
        record = records[schedule.pairing_of(player, "steady"), round]
        assert (record.forfeited_by, record.reason) == (None, None)
        assert record.plies > 20


def test_a_traceback_starts_in_the_players_code(records: dict[tuple[str, int], GameRecord]) -> None:
    reason = records["raises-in-choose vs steady", 0].reason or ""
    assert re.match(r'\s*File ".*arena_faulty.basic\.py"', reason.splitlines()[1])


@pytest.mark.parametrize("player", ["needs-folder", "uses-random", "mutates", "patches-random"])
def test_a_game_does_not_depend_on_the_other_games(records: dict[tuple[str, int], GameRecord], player: str) -> None:
    for record in played(games((player, "steady")), workers=1):
        assert timeless(record) == timeless(records[identity(record)])


@BOTH_MODES
def test_a_player_that_patches_libraries_does_not_change_games_of_others(isolate: bool) -> None:
    pairings = [("patches-others", "steady"), ("patches-random", "reckless"), ("reckless", "steady")]
    together = played(games(*pairings, rounds=20), workers=1, isolate=isolate)
    of_others = {identity(record): timeless(record) for record in together if record.pairing == "reckless vs steady"}
    alone = played(games(("reckless", "steady"), rounds=20), workers=1)
    assert of_others == {identity(record): timeless(record) for record in alone}
    assert len(of_others) == 20


@BOTH_MODES
def test_a_record_contains_the_reports_of_the_players(isolate: bool) -> None:
    [record] = played(games(("reckless", "steady"), rounds=1), isolate=isolate)
    nothing, reported = (None,) * 3, slice(3, None)
    assert record.depths == (*nothing, *[1] * (record.plies - 3))
    assert record.scores[reported][:4] == (0.5, 0.5, 1.0, 1.0)
    assert all((record.nodes[ply] or 0) >= 1 for ply in range(3, record.plies))
    assert all(record.pvs[reported])
    assert [seconds is None for seconds in record.seconds] == [ply < 3 for ply in range(record.plies)]


def test_both_modes_play_the_same_games() -> None:
    tasks = games(("reckless", "steady"), ("now-and-then", "steady"), ("m1", "minimax:depth=2"), rounds=10)
    shared, isolated = ({identity(r): timeless(r) for r in played(tasks, isolate=mode)} for mode in (False, True))
    assert shared == isolated
    assert any(record.forfeited_by for record in shared.values())
