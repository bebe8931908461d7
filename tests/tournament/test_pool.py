"""Whatever players do to a worker: the right one is blamed, and no game is lost or doubled."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from arena.checkers.board import Board
from arena.checkers.notation import parse_move
from arena.errors import TournamentStopped
from arena.match import play
from arena.openings import ThreeMove
from arena.tournament import launch, messages, processes, schedule, system
from arena.tournament.pool import Pool
from arena.tournament.processes import starter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arena.record import GameRecord
    from arena.task import GameTask

pytestmark = pytest.mark.usefixtures("notes", "no_processes_left")

TIMEOUT = 4.0
"""Seconds: enough for what is no fault, on a busy machine."""
FAULTS = {
    # player: termination, what the reason says
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
    "hangs": ("timeout", "no answer within 4 seconds"),
    "hangs-deafly": ("timeout", "no answer within 4 seconds"),
    "babbles": ("timeout", "no answer within 4 seconds"),
    "exits": ("crash", "exit code 3"),
    "segfaults": ("crash", r"signal 11 \(SIGSEGV\)"),
    "killed-always": ("crash", r"signal 9 \(SIGKILL\)"),
    "kills-its-parent": ("crash", r"signal 9 \(SIGKILL\)"),
    "closes-files": ("crash", "exit code 0"),
    "leaves-child": ("crash", "exit code 4"),
    "leaves-daemon": ("crash", "exit code 5"),
    "leaks": ("memory", "took more than 150 MB"),
    "leaks-at-once": ("memory", "took more than 150 MB"),
    "leaks-shared": ("memory", "took more than 150 MB"),
    "writes-to-sockets": ("crash", "what is no message"),
}
HARMLESS = [
    "raises-in-finish",
    "exits-in-finish",
    "hangs-in-finish",
    "killed-once",
    "prints",
    "reads",
    "mutates",
    "forks",
    "leaks-elsewhere",
    "changes-folder",
    "needs-folder",
    "uses-random",
    "patches-random",
    "patches-others",
    "boasts",
    "forges",
    "hangs-when-destroyed",
    "breeds",
]


def games(*pairings: tuple[str, str], rounds: int = 2) -> list[GameTask]:
    openings = schedule.sample(ThreeMove().openings(), rounds, 1)
    return list(schedule.tasks([(min(pair), max(pair)) for pair in pairings], openings, 1))


def played(
    tasks: Iterable[GameTask], workers: int = 2, move_timeout: float = 30.0, memory: int = 150
) -> list[GameRecord]:
    with starter() as start, Pool(tasks, workers, start, move_timeout=move_timeout, memory=memory) as pool:
        return [record for record in pool if record is not None]


def identity(record: GameRecord) -> tuple[str, int]:
    return record.pairing, record.round


def timeless(record: GameRecord) -> GameRecord:
    return replace(record, remarks=record.remarks._replace(seconds=None), started=0.0)


@pytest.fixture(scope="module")
def faulty_games(notes: Path) -> dict[tuple[str, int], GameRecord]:  # noqa: ARG001 (installs the players)
    """Two games of every faulty player against a steady one, all in one tournament."""
    tasks = games(*((player, "steady") for player in [*FAULTS, *HARMLESS]))
    records = played(tasks, workers=4, move_timeout=TIMEOUT)
    assert Counter(map(identity, records)) == Counter((task.pairing, task.round) for task in tasks)
    return {identity(record): record for record in records}


@pytest.fixture(scope="module")
def steady_game(notes: Path) -> GameRecord:  # noqa: ARG001 (installs the players)
    [record, _] = played(games(("reckless", "steady")), workers=1)
    return record


@pytest.mark.parametrize("player", FAULTS)
@pytest.mark.parametrize("round", [0, 1])
def test_a_fault_costs_the_game_of_the_player_whose_fault_it_is(
    faulty_games: dict[tuple[str, int], GameRecord], player: str, round: int
) -> None:
    record = faulty_games[schedule.pairing_of(player, "steady"), round]
    termination, reason = FAULTS[player]
    assert record.termination == termination, (player, record)
    assert record.guilty == ("black" if record.black == player else "white")
    assert record.result == ("0-1" if record.guilty == "black" else "1-0")
    assert re.search(reason, record.reason or "")


@pytest.mark.parametrize("player", FAULTS)
def test_a_forfeited_game_has_the_moves_that_were_played(
    faulty_games: dict[tuple[str, int], GameRecord], player: str
) -> None:
    for round in (0, 1):
        record = faulty_games[schedule.pairing_of(player, "steady"), round]
        # The opening has three plies and White moves next; the fault comes with the second choice.
        choices = 2 if record.guilty == "white" else 3
        if player in {"raises-in-constructor", "raises-in-start"}:
            choices = 0
        if player != "leaks":  # which is no fault until there is too much of it
            assert record.plies == 3 + choices
        boards = np.frombuffer(record.boards, "<u4").reshape(-1, 3).tolist()
        board = Board.start()
        for ply, text in enumerate(record.moves):
            assert boards[ply] == [board.black, board.white, board.kings]
            board = board.after(parse_move(board, text))
        assert boards[-1] == [board.black, board.white, board.kings]
        assert len(boards) == record.plies + 1 == len(record.scores) + 1 == len(record.seconds) + 1


@pytest.mark.parametrize("player", HARMLESS)
def test_what_does_no_harm_to_the_game_costs_nothing(
    faulty_games: dict[tuple[str, int], GameRecord], player: str
) -> None:
    for round in (0, 1):
        record = faulty_games[schedule.pairing_of(player, "steady"), round]
        assert (record.guilty, record.reason) == (None, None)
        assert record.plies > 20


def test_reasons_are_bounded(faulty_games: dict[tuple[str, int], GameRecord]) -> None:
    assert all(len(record.reason or "") < 11_000 for record in faulty_games.values())


def test_a_traceback_begins_in_the_players_code(faulty_games: dict[tuple[str, int], GameRecord]) -> None:
    reason = faulty_games["raises-in-choose vs steady", 0].reason or ""
    assert reason.splitlines()[1].strip().startswith(f'File "{Path(__file__).parent / "plugins"}')


@pytest.mark.parametrize("child", ["child", "daemon", "bred"])
@pytest.mark.usefixtures("faulty_games")
def test_children_of_a_player_end_with_their_game_or_worker(notes: Path, child: str) -> None:
    wait_for_end(int((notes / child).read_text()))


@pytest.mark.parametrize("player", ["needs-folder", "uses-random", "mutates", "forks"])
def test_nothing_that_others_do_changes_a_game(faulty_games: dict[tuple[str, int], GameRecord], player: str) -> None:
    undisturbed = played(games((player, "steady")), workers=1)
    assert len(undisturbed) == 2
    for record in undisturbed:
        assert timeless(record) == timeless(faulty_games[identity(record)])


@pytest.mark.parametrize(
    ("player", "termination", "reason"),
    [
        ("exits-later", "crash", "exit code 6"),
        ("holds-the-lock-later", "timeout", "no answer within 4 seconds"),
        ("alarm-later", "timeout", "no answer within 4 seconds"),
        ("kills-its-group-later", "crash", "signal 9 (SIGKILL)"),
    ],
)
def test_who_strikes_in_the_turn_of_the_other_is_blamed(player: str, termination: str, reason: str) -> None:
    records = played(games((player, "slow")), move_timeout=TIMEOUT)
    assert [record.termination for record in records] == [termination] * 2
    for record in records:
        assert record.guilty == ("black" if record.black == player else "white")
        assert (record.reason or "").endswith(reason)


def test_a_record_holds_what_the_players_reported(steady_game: GameRecord) -> None:
    nothing, reported = (None,) * 3, slice(3, None)
    assert steady_game.depths == (*nothing, *[1] * (steady_game.plies - 3))
    assert steady_game.scores[reported][:4] == (0.5, 0.5, 1.0, 1.0)
    for column in (steady_game.nodes, steady_game.pvs, steady_game.seconds):
        assert column[:3] == nothing
    assert all(seconds is not None and seconds >= 0 for seconds in steady_game.seconds[reported])
    assert abs(steady_game.started - time.time()) < 600


def test_the_number_of_workers_changes_no_game() -> None:
    tasks = games(("reckless", "steady"), ("forks", "steady"), ("forks", "reckless"), rounds=6)
    one, three = ({identity(r): timeless(r) for r in played(tasks, workers)} for workers in (1, 3))
    assert one == three
    assert len(one) == 18


def test_workers_killed_from_outside_cost_nothing(steady_game: GameRecord) -> None:
    tasks = games(("reckless", "steady"), rounds=60)
    records = []
    with starter() as start, Pool(iter(tasks), 2, start, move_timeout=30.0) as pool:
        for record in pool:
            if record is not None:
                records.append(record)
                if len(records) % 15 == 0:
                    os.kill(pool.processes[len(records) // 15 % 2], signal.SIGKILL)
                if len(records) == 50 and system.FORKS:
                    os.kill(parent_of(pool.processes[0]), signal.SIGKILL)
    assert Counter(map(identity, records)) == Counter((task.pairing, task.round) for task in tasks)
    assert not any(record.guilty for record in records)
    assert timeless(steady_game) in map(timeless, records)


def test_a_rare_fault_among_many_short_games_costs_one_game_each_time() -> None:
    tasks = games(("now-and-then", "steady"), rounds=300)
    one, three = ({identity(r): timeless(r) for r in played(tasks, workers)} for workers in (1, 3))
    assert one == three
    assert len(one) == 300
    forfeits = [record for record in one.values() if record.guilty]
    assert 10 < len(forfeits) < 60
    for record in forfeits:
        assert (record.black if record.guilty == "black" else record.white) == "now-and-then"
        assert "lost my mind this time" in (record.reason or "")


@pytest.mark.skipif(not system.FORKS, reason="games are not given far ahead here")
def test_a_player_that_hangs_is_found_out_however_large_the_tasks_are() -> None:
    [hanging, _] = games(("hangs", "steady"))
    several = [*games(("reckless", "steady"), rounds=200), hanging, *games(("boasts", "steady"), rounds=100)]
    tasks = [replace(task, opening=replace(task.opening, name="x" * 60_000)) for task in several]
    records = played(tasks, workers=1, move_timeout=2.0)
    assert len(records) == len(tasks)
    assert [record.termination for record in records if record.guilty] == ["timeout"]


def test_tasks_are_taken_as_they_are_needed() -> None:
    tasks = iter(games(("reckless", "steady"), rounds=100))
    with starter() as start, Pool(tasks, 2, start, move_timeout=30.0) as pool:
        next(record for record in pool if record is not None)
    assert len(list(tasks)) >= 80


def test_other_weights_than_the_tournaments_stop_it() -> None:
    [task, _] = games(("reckless", "steady"))
    with pytest.raises(TournamentStopped, match=r"the weights of steady are None, and those of the .* 1f2e"):
        played([replace(task, white_weights="1f2e")])


@pytest.fixture(params=["forked", "interpreters"])
def start(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of the command that starts workers, where they can be forked and where they cannot."""
    forks = request.param == "forked"
    if forks and not system.FORKS:
        pytest.skip("processes cannot be forked here")
    monkeypatch.setattr(system, "FORKS", forks)
    return "KEEPER" if forks else "WORKER"


def test_a_worker_that_cannot_start_stops_the_tournament(monkeypatch: pytest.MonkeyPatch, start: str) -> None:
    monkeypatch.setattr(launch, start, "import no_such_module")
    with pytest.raises(TournamentStopped, match=r"cannot start: .* exit code 1; ModuleNotFoundError: No .*'no_such"):
        played(games(("reckless", "steady")))


def test_workers_that_are_always_killed_stop_the_tournament(monkeypatch: pytest.MonkeyPatch, start: str) -> None:
    monkeypatch.setattr(launch, start, "import os; os.kill(os.getpid(), 9)")
    with pytest.raises(TournamentStopped, match=r"(cannot start|60 workers died in a row).* signal 9 \(SIGKILL\)"):
        played(games(("reckless", "steady")))


def test_a_killed_keeper_is_replaced_as_often_as_it_takes(monkeypatch: pytest.MonkeyPatch, notes: Path) -> None:
    script = f"""
        import os, pathlib
        tries = pathlib.Path({str(notes / "tries")!r})
        with tries.open("a") as file:
            file.write(".")
        if tries.stat().st_size <= 3:
            os.kill(os.getpid(), 9)
    """
    monkeypatch.setattr(launch, "KEEPER", textwrap.dedent(script) + launch.KEEPER)
    assert len(played(games(("reckless", "steady")))) == 2
    assert (notes / "tries").read_text() == "...."


BY_TURN = {
    "raises-in-choose": ("exception", "lost my mind"),
    "illegal": ("illegal move", "choose returned Move"),
    "exits": ("crash", "exit code 3"),
    "babbles": ("crash", "what is no message"),
    "hangs": ("timeout", "no answer within 4 seconds"),
}


def test_where_processes_cannot_be_forked_whose_turn_it_is_is_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "FORKS", False)
    tasks = games(*((player, "steady") for player in [*BY_TURN, "reckless"]))[: len(BY_TURN) + 1]
    records = {record.pairing: record for record in played(tasks, move_timeout=TIMEOUT)}
    assert records.pop("reckless vs steady").guilty is None
    assert len(records) == len(BY_TURN)
    for record in records.values():
        player = record.black if record.guilty == "black" else record.white
        termination, reason = BY_TURN[player]
        assert record.termination == termination, (player, record)
        assert re.search(reason, record.reason or "")


@pytest.mark.skipif(not system.FORKS, reason="processes cannot be forked here")
def test_a_keeper_that_somebody_stops_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "ANSWER", 3.0)
    records = played(games(("stops-its-parent", "steady")), workers=1)
    assert [record.guilty for record in records] == [None, None]


@pytest.mark.skipif(not system.FORKS, reason="processes cannot be forked here")
def test_where_a_plugin_runs_threads_workers_start_as_interpreters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_FAULTY_THREAD", "1")
    with starter() as start, Pool(games(("reckless", "steady")), 1, start, move_timeout=30.0) as pool:
        records = [record for record in pool if record is not None]
        commands = [Path(f"/proc/{process}/cmdline").read_bytes() for process in pool.processes]
    assert all(b"tournament.worker" in command for command in commands)
    assert commands
    assert len(records) == 2


def test_a_game_that_fails_by_nobodys_fault_is_tried_again_and_then_stops_the_tournament(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = "KEEPER" if system.FORKS else "WORKER"
    command = getattr(launch, start).replace("main()", "import arena.match as m; m.Match.play = None; main()")
    monkeypatch.setattr(launch, start, command)
    with pytest.raises(TournamentStopped, match=r"reckless vs steady failed 10 times, .* 'NoneType'"):
        played(games(("reckless", "steady")))


def test_a_worker_that_does_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch, start: str) -> None:
    monkeypatch.setattr(launch, start, "import time; time.sleep(600)")
    monkeypatch.setattr(processes, "PATIENCE", 0.2)
    with pytest.raises(TournamentStopped, match=r"cannot start: nothing happened for 0\.2 seconds"):
        played(games(("reckless", "steady")))


def test_a_worker_ends_when_nobody_can_tell_it_more(tmp_path: Path) -> None:
    command = [sys.executable, "-c", launch.WORKER, launch.worker_settings(tmp_path / "marker")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        output, _ = process.communicate(timeout=60)
    assert re.fullmatch(rb"ready\t(\d+|null)\n", output)
    assert process.returncode == 0


@pytest.mark.skipif(not system.FORKS, reason="processes cannot be forked here")
def test_a_player_in_a_process_of_its_own_hears_how_the_game_ended(notes: Path) -> None:
    [task, _] = games(("falls-once", "steady"))
    with starter() as start, Pool([task], 1, start, move_timeout=30.0) as pool:
        record = next(record for record in pool if record is not None)
        told = notes / "finished"
        while not (told.exists() and told.read_text().endswith(")")):
            time.sleep(0.01)
    assert record.guilty is None
    assert told.read_text() == repr(record)


class Puppet(processes.Process):
    """Says something, and is killed."""

    def __init__(self, said: bytes, inbox: int, outbox: int) -> None:
        self.id = 0
        self._inbox = os.dup(inbox)
        os.write(outbox, said)

    def code(self, timeout: float = 0.0) -> int:  # noqa: ARG002
        return -9

    def kill(self) -> None:
        """It is dead."""

    def end(self) -> int:
        return self.code()

    def orders(self) -> list[messages.Order]:
        with os.fdopen(self._inbox, "rb") as inbox:
            return [order for line in inbox for order in messages.Order.read(line)]


class Puppets(processes.Starter):
    """One puppet after the other, each with something to say."""

    def __init__(self, *said: bytes) -> None:
        super().__init__(lambda _: None)
        self.said = list(said)
        self.started: list[Puppet] = []

    def start(self, marker: Path, inbox: int, outbox: int) -> processes.Process:  # noqa: ARG002
        self.started.append(Puppet(self.said.pop(0), inbox, outbox))
        return self.started[-1]


READY = messages.message("ready", None)


SEVERAL = games(("reckless", "steady"), rounds=6)
"""So many that a worker is told of two at once."""


def heard_of(*said: bytes) -> tuple[list[GameRecord], list[list[messages.Order]]]:
    """The first two records where workers, one after the other, say so much; and what each of them is told."""
    with Puppets(*said) as puppets:
        with Pool(SEVERAL, 1, puppets, move_timeout=30.0) as pool:
            records = list(islice((record for record in pool if record is not None), 2))
        return records, [puppet.orders() for puppet in puppets.started]


@pytest.fixture(scope="module")
def reports(notes: Path) -> tuple[bytes, bytes]:  # noqa: ARG001 (installs the players)
    """Of the first two of them."""
    return messages.report(play(SEVERAL[0])), messages.report(play(SEVERAL[1]))


class Flooding(Puppets):
    """The first one's channel is flooded."""

    def start(self, marker: Path, inbox: int, outbox: int) -> processes.Process:
        process = super().start(marker, inbox, outbox)
        if len(self.started) == 1:
            threading.Thread(target=self._flood, args=(os.dup(outbox),), daemon=True).start()
        return process

    def _flood(self, outbox: int) -> None:
        with suppress(OSError), os.fdopen(outbox, "wb") as channel:
            for _ in range(50):
                channel.write((1 << 20) * b"\n")


def test_a_flood_neither_piles_up_nor_keeps_anybody_waiting(reports: tuple[bytes, bytes]) -> None:
    with Flooding(READY, READY + reports[0]) as starter, Pool(SEVERAL, 1, starter, move_timeout=30.0) as pool:
        pool._deal()
        time.sleep(0.3)  # somebody else keeps the arena waiting
        assert 0 < pool._events.qsize() <= 16
        silence = list(takewhile(lambda record: record is None, pool))
        assert len(silence) < 100


@pytest.mark.parametrize("chunk", [1, 7, 1000, 1 << 18])
def test_messages_are_heard_however_they_are_cut(
    reports: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr("arena.tournament.pool._CHUNK", chunk)
    records, [told] = heard_of(READY + b"".join(reports))
    assert tuple(map(messages.report, records)) == reports
    assert [order.task for order in told][:2] == SEVERAL[:2]


@pytest.mark.skipif(not system.FORKS, reason="nobody is in doubt here")
@pytest.mark.parametrize(
    "wrong",
    [
        b"babble\n",
        b"\n",
        b"\0\n",
        "réady\t5\n".encode(),
        b"record\n",
        b"record\t{}\n",
        b"ready\t1.5\n",
        b"ready\n",
        READY * processes.DEATHS,
        b"disturbed\t7\n",
        b"disturbed\tnull",
        b"x" * 2000,
    ],
    ids=lambda wrong: repr(wrong[:20]),
)
def test_who_says_what_is_no_message_is_not_listened_to(
    reports: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch, wrong: bytes
) -> None:
    monkeypatch.setattr(messages, "LONGEST", 1000)
    one, two = reports
    records, told = heard_of(READY + wrong + one + two, READY + one, READY + two)
    assert tuple(map(messages.report, records)) == reports
    first, second = SEVERAL[:2]
    assert [[(order.task, order.apart) for order in orders][:2] for orders in told] == [
        [(first, False), (second, False)],
        [(first, True)],
        [(second, False), (SEVERAL[2], False)],
    ]


@pytest.mark.skipif(not system.FORKS, reason="nobody is in doubt here")
def test_what_was_heard_before_stands_and_what_comes_after_does_not(reports: tuple[bytes, bytes]) -> None:
    one, two = reports
    records, told = heard_of(READY + one + one + two, READY + two)
    assert tuple(map(messages.report, records)) == reports
    assert [(order.task, order.apart) for order in told[1]] == [(SEVERAL[1], True)]


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_the_arena(notes: Path, ending: signal.Signals) -> None:
    (notes / "hangs").unlink(missing_ok=True)
    script = f"""
        import sys
        sys.path[:0] = {sys.path!r}
        from arena.opening import Opening
        from arena.tournament import schedule
        from arena.tournament.pool import Pool
        from arena.tournament.processes import starter
        tasks = schedule.tasks([("hangs", "steady")], [Opening("none")], 1)
        with starter() as start, Pool(tasks, 1, start, move_timeout=600.0) as pool:
            list(pool)
    """
    arena = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)])
    try:
        while not (notes / "hangs").exists() or not (notes / "hangs").read_text():
            assert arena.poll() is None
            time.sleep(0.02)
    finally:
        arena.send_signal(ending)
        arena.wait()
    wait_for_end(int((notes / "hangs").read_text()))


def parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def wait_for_end(process: int) -> None:
    """Wait until there is no such process, or it is a zombie that somebody else must reap."""
    for _ in range(500):
        try:
            os.kill(process, 0)
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except OSError:
            return
        time.sleep(0.02)
    pytest.fail(f"process {process} still runs")
