"""A player that ends its process, or harms other processes, forfeits, in both modes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import psutil
import pytest

from arena.tournament import schedule
from arena.workers import system
from faulty import MODES, culprit, games, identity, played, wait_for_end

if TYPE_CHECKING:
    from pathlib import Path

    from arena.contracts.record import GameRecord

pytestmark = [
    pytest.mark.usefixtures("fork_server"),
    pytest.mark.skipif(not system.FORKS, reason="these players fork"),
]
FAULTS = {
    # player: pattern of the reason
    "exits": "exit code 3",
    "segfaults": r"signal 11 \(SIGSEGV\)",
    "killed-always": "its process or the guard of the game was killed in this player's turn at every attempt",
    "kills-its-parent": "its process or the guard of the game was killed in this player's turn at every attempt",
    "closes-files": "exit code 0",
    "leaves-child": "exit code 4",
    "leaves-daemon": "exit code 5",
    "writes-to-sockets": "an invalid message",
}
HARMLESS = ["killed-once", "forks", "breeds", "forges", "stops-its-parent"]


@pytest.fixture(scope="module", params=MODES, ids=["shared", "isolated"])
def records(notes: Path, fork_server: None, request: pytest.FixtureRequest) -> dict[tuple[str, int], GameRecord]:  # noqa: ARG001
    """Records of two games of every player against ``steady``, all from one pool."""
    for name in ("killed once", "child", "daemon", "bred"):
        (notes / name).unlink(missing_ok=True)
    tasks = games(*((player, "steady") for player in [*FAULTS, *HARMLESS]))
    return {identity(record): record for record in played(tasks, isolate=request.param)}


@pytest.mark.parametrize("player", FAULTS)
@pytest.mark.parametrize("round", [0, 1])
def test_the_player_at_fault_forfeits_its_game(
    records: dict[tuple[str, int], GameRecord], player: str, round: int
) -> None:
    record = records[schedule.pairing_of(player, "steady"), round]
    assert (record.termination, culprit(record)) == ("crash", player)
    assert re.search(FAULTS[player], record.reason or "")
    # The opening has three plies and White moves next; the fault occurs in the player's second choice.
    assert record.plies == 3 + (2 if record.forfeited_by == "white" else 3)


@pytest.mark.parametrize("player", HARMLESS)
def test_a_harmless_player_does_not_forfeit(records: dict[tuple[str, int], GameRecord], player: str) -> None:
    for round in (0, 1):
        record = records[schedule.pairing_of(player, "steady"), round]
        assert (record.forfeited_by, record.reason) == (None, None)
        assert record.plies > 20


@pytest.mark.parametrize("child", ["child", "daemon", "bred"])
@pytest.mark.usefixtures("records")
def test_processes_that_a_player_started_end_with_its_order(notes: Path, child: str) -> None:
    wait_for_end(int((notes / child).read_text()))


@pytest.mark.parametrize(
    ("player", "reason"),
    [("exits-later", "exit code 6"), ("kills-its-group-later", "was killed in this player's turn at every attempt")],
)
def test_a_player_that_crashes_in_the_turn_of_its_opponent_forfeits(player: str, reason: str) -> None:
    for record in played(games((player, "slow"), rounds=1)):
        assert (record.termination, culprit(record)) == ("crash", player)
        assert (record.reason or "").endswith(reason)


def test_forks_of_a_player_end_with_the_game() -> None:
    before = set(psutil.Process().children(recursive=True))
    records = played(games(("forks", "steady"), rounds=4), workers=1, fresh=True)
    assert [record.forfeited_by for record in records] == [None] * 4
    assert set(psutil.Process().children(recursive=True)) <= before
