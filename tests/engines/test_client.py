"""Engines in processes of their own, as a source of moves."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

import arena
from arena.checkers.game import Report
from arena.engines import client, process, protocol
from arena.referee.match import Fault
from arena_players.engine import Engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    NewSetup = Callable[..., client.Setup]

FAKE = Path(__file__).parent / "fake_engine.py"


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    before = set(psutil.Process().children(recursive=True))
    yield
    client.close_idle()
    assert set(psutil.Process().children(recursive=True)) <= before


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "notes"


@pytest.fixture
def setup_of(notes: Path) -> NewSetup:
    def setup(mode: str, *params: tuple[str, str], timeout: float = 20.0) -> client.Setup:
        return client.Setup(arena.Program(f"{sys.executable} -S {FAKE} {mode} {notes}"), "fake", params, timeout)

    return setup


def new_game(limits: arena.Limits | None = None) -> arena.Game:
    return arena.Game(limits=limits or arena.Limits(), random=protocol.generator(2 * 77 + 1))


def choose(setup: client.Setup, game: arena.Game) -> arena.Move:
    engine = client.Engine(setup)
    try:
        engine.new_game(game)
        return engine.choose(game)
    finally:
        engine.close()


def lines_of(notes: Path) -> list[str]:
    """Return the lines that the engine has read, without its process id."""
    return notes.read_text(encoding="utf-8").splitlines()[1:]


def test_the_engine_reads_the_lines_of_the_profile(setup_of: NewSetup, notes: Path) -> None:
    game = new_game(arena.Limits(depth=5, seconds=2.5))
    choose(setup_of("good", ("hash", "64")), game)
    start = protocol.position_text(arena.Board.start())
    assert lines_of(notes) == [
        "hub",
        "set-param name=variant value=english",
        "set-param name=hash value=64",
        "init",
        "set-param name=seed value=155",
        "set-param name=quiet-plies value=80",
        "new-game",
        f"pos pos={start}",
        "level depth=5 move-time=2.5",
        "go think",
        "quit",
    ]


def test_the_position_has_the_moves_since_the_first_board(setup_of: NewSetup, notes: Path) -> None:
    game = arena.Game(arena.Board.from_fen("W:W32,K1:B9,10"), random=protocol.generator(0))
    game.play(arena.Move((32, 28)))
    with pytest.raises(Fault):
        choose(setup_of("illegal"), game)
    assert f"pos pos=W{'W' + 7 * 'e' + 'bb' + 21 * 'e' + 'w'} moves=32-28" in lines_of(notes)


def test_the_answer_is_the_move_and_the_report(setup_of: NewSetup) -> None:
    game = new_game()
    assert choose(setup_of("good"), game) is arena.Move((11, 15))
    assert game.reported == Report(0.5, 3, 10, "11-15 23-19 8-11")


@pytest.mark.parametrize(("mode", "report"), [("absurd", Report(pv="11-15")), ("binary", Report(0.25, 2, 7))])
def test_values_that_are_not_valid_are_not_reported(setup_of: NewSetup, mode: str, report: Report) -> None:
    game = new_game()
    assert choose(setup_of(mode), game) is arena.Move((11, 15))
    assert game.reported == report


@pytest.mark.parametrize(
    ("mode", "termination", "reason"),
    [
        ("exit", "crash", "! something is wrong\nfake ended with exit code 3"),
        ("crash", "crash", "> go think\nfake ended with signal 11 (SIGSEGV)"),
        ("close", "crash", "fake closed its input or output"),
        ("endless", "crash", "fake sent a line of more than 65536 bytes"),
        ("illegal", "illegal move", "< done move=1-5\nfake chose an illegal move: '1-5' is not a legal move in "),
        ("nothing", "illegal move", "< done\nfake chose an illegal move: '' is not a legal move"),
        ("error", "exception", "fake reported an error: out of luck"),
    ],
)
def test_a_failure_is_a_fault_with_the_last_lines(setup_of: NewSetup, mode: str, termination: str, reason: str) -> None:
    with pytest.raises(Fault) as caught:
        choose(setup_of(mode), new_game())
    assert caught.value.termination == termination
    assert reason in caught.value.reason
    assert caught.value.reason.startswith(
        "last lines (> to the engine, < from the engine, ! its standard error):\n> hub"
    )


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("hang", "> go think\nfake did not answer within 0.5 seconds"),
        ("hang-deaf", "fake did not answer within 0.5 seconds"),
        ("mute", "fake did not answer within 0.5 seconds"),
        ("garbage", "< hello\n< ???\n< info =\n< pv\nfake did not answer within 0.5 seconds"),
        ("flood", "< info depth=1\nfake did not answer within 0.5 seconds"),
    ],
)
def test_an_engine_without_an_answer_is_killed(setup_of: NewSetup, notes: Path, mode: str, reason: str) -> None:
    engine = client.Engine(setup_of(mode)._replace(timeout=20.0))
    engine._setup = engine._setup._replace(timeout=0.5)
    with pytest.raises(Fault) as caught:
        engine.choose(new_game())
    assert caught.value.termination == "timeout"
    assert reason in caught.value.reason
    assert engine.closed
    assert not psutil.pid_exists(int(notes.read_text().split()[0]))


@pytest.mark.parametrize("limits", [arena.Limits(seconds=0.1), arena.Limits(clock=0.1)])
def test_an_engine_is_not_waited_for_long_after_its_limits(
    setup_of: NewSetup, monkeypatch: pytest.MonkeyPatch, limits: arena.Limits
) -> None:
    monkeypatch.setattr(client, "GRACE", 0.4)
    with pytest.raises(Fault, match=r"fake did not answer within 0\.5 seconds"):
        choose(setup_of("hang", timeout=600.0), new_game(limits))


def test_an_engine_that_does_not_start_answers_is_killed(setup_of: NewSetup) -> None:
    with pytest.raises(Fault, match=r"fake did not answer within 0\.5 seconds"):
        client.Engine(setup_of("silent", timeout=0.5))


def test_children_of_a_killed_engine_are_killed(setup_of: NewSetup) -> None:
    others = set(psutil.Process().children(recursive=True))
    engine = client.Engine(setup_of("child"))
    engine._setup = engine._setup._replace(timeout=1.0)
    started = set(psutil.Process().children(recursive=True)) - others
    assert started
    with pytest.raises(Fault):
        engine.choose(new_game())
    assert not set(psutil.Process().children(recursive=True)) & started


def test_a_parameter_that_the_engine_does_not_have_is_a_fault(setup_of: NewSetup) -> None:
    with pytest.raises(Fault, match="fake has no parameter 'hsah'; its parameters: hash, quiet-plies, seed"):
        client.Engine(setup_of("good", ("hsah", "64")))


def test_a_program_that_is_not_executable_code_cannot_be_started(tmp_path: Path) -> None:
    file = tmp_path / "engine"
    file.write_bytes(b"\0no code")
    file.chmod(0o755)
    with pytest.raises(Fault, match="fake cannot be started"):
        client.Engine(client.Setup(arena.Program(str(file)), "fake"))


def test_input_that_is_not_read_is_a_fault() -> None:
    program = arena.Program(f"{sys.executable} -S -c 'import time; time.sleep(600)'")
    running = process.EngineProcess(program, "fake")
    with pytest.raises(Fault, match=r"fake did not read its input within 0\.2 seconds"):
        running.send("x" * 1_000_000, timeout=0.2)
    running.kill()


def test_one_process_plays_the_games_of_equal_players(setup_of: NewSetup, notes: Path) -> None:
    setup = setup_of("good")
    for _ in range(3):
        player = Engine(name="fake", command=setup.program, timeout=20.0)
        player.start(new_game())
        assert player.choose(new_game()) is arena.Move((11, 15))
        player.finish(None)  # type: ignore[arg-type]
    lines = lines_of(notes)
    assert (lines.count("hub"), lines.count("init"), lines.count("new-game")) == (1, 1, 3)


def test_two_players_of_one_game_have_a_process_each(setup_of: NewSetup) -> None:
    players = [Engine(name="fake", command=setup_of("good").program) for _ in range(2)]
    before = len(psutil.Process().children())
    for player in players:
        player.start(new_game())
    assert len(psutil.Process().children()) == before + 2
    for player in players:
        player.finish(None)  # type: ignore[arg-type]


def test_a_player_without_a_start_starts_the_engine_when_it_chooses(setup_of: NewSetup) -> None:
    player = Engine(command=setup_of("good").program)
    assert player.choose(new_game()) is arena.Move((11, 15))
    player.finish(None)  # type: ignore[arg-type]


def test_an_engine_that_failed_plays_no_further_game(setup_of: NewSetup, notes: Path) -> None:
    for _ in range(2):
        player = Engine(command=setup_of("error").program)
        player.start(new_game())
        with pytest.raises(Fault):
            player.choose(new_game())
        player.finish(None)  # type: ignore[arg-type]
    assert lines_of(notes).count("hub") == 2


def test_an_abandoned_player_leaves_no_process(setup_of: NewSetup, notes: Path) -> None:
    player = Engine(command=setup_of("good").program)
    player.start(new_game())
    del player
    assert not psutil.pid_exists(int(notes.read_text().split()[0]))


def test_each_game_has_a_log_on_request(setup_of: NewSetup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(client.LOG, str(tmp_path / "logs" / "new"))
    choose(setup_of("good"), new_game())
    (file,) = (tmp_path / "logs" / "new").iterdir()
    assert file.name == "77-white.log"
    text = file.read_text(encoding="utf-8")
    assert "> hub\n" in text
    assert text.index("> go think") < text.index("< done move=11-15")
    assert "< done move=1-2" not in text.partition("> go think")[0]
