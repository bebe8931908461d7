"""The loop of an engine, and players of the arena as engines."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

import arena
from arena.engines import protocol
from arena.engines.offered import OfferedPlayer
from arena.engines.server import Server
from arena.errors import UsageError
from arena.plugins import specs
from arena.plugins.registry import Registered
from arena.plugins.specs import Spec

if TYPE_CHECKING:
    from collections.abc import Mapping

START = protocol.position_text(arena.Board.start())


class Recorder:
    """An engine that plays the first legal move and keeps what it is told."""

    identity = ("recorder", "2")

    def __init__(self) -> None:
        self.params = {"hash": "16"}
        self.initialised: list[Mapping[str, str]] = []
        self.seeds: list[int] = []
        self.games: list[arena.Game] = []

    def initialise(self, params: Mapping[str, str]) -> None:
        self.initialised.append(params)

    def new_game(self, seed: int) -> None:
        self.seeds.append(seed)

    def choose(self, game: arena.Game) -> object:
        self.games.append(game)
        game.report(0.1, 4, 99, (game.board.legal_moves[0],))
        return game.board.legal_moves[0]


def answers(offered: object, *lines: str) -> list[str]:
    sink = io.StringIO()
    Server(offered, sink).run(lines)  # type: ignore[arg-type]
    return sink.getvalue().splitlines()


def test_hub_is_answered_with_name_and_parameters() -> None:
    assert answers(Recorder(), "hub") == [
        "id name=recorder version=2",
        "param name=hash value=16 type=string",
        "param name=variant value=english type=string",
        "param name=seed value=0 type=string",
        "param name=repetitions value=3 type=string",
        "param name=quiet-plies value=80 type=string",
        "param name=ply-cap value=400 type=string",
        "wait",
    ]


def test_init_passes_the_engines_own_parameters_once() -> None:
    recorder = Recorder()
    lines = ["set-param name=hash value=8", "set-param name=other value=1", "set-param name=seed value=5", "init"]
    assert answers(recorder, *lines, "new-game", "ping", "init") == ["ready", "pong", "ready"]
    assert recorder.initialised == [{"hash": "8"}]
    assert recorder.seeds == [5]


def test_go_is_answered_with_a_report_and_the_move() -> None:
    expected = ["info depth=4 score=0.1 nodes=99 pv=9-13", "done move=9-13"]
    assert answers(Recorder(), "init", "go think", "go") == ["ready", *expected, *expected]


def test_the_game_has_the_position_its_history_the_limits_and_the_rules() -> None:
    recorder = Recorder()
    answers(
        recorder,
        "set-param name=quiet-plies value=none",
        "set-param name=repetitions value=5",
        f"pos pos={START}",
        "go",
        f'pos pos={START} moves="11-15 23-19"',
        "level depth=3 move-time=0.5",
        "go think",
        f'pos pos={START} moves="9-13"',
        "level time=58 inc=2",
        "go",
    )
    first, second, third = recorder.games
    assert [first.ply, second.ply, third.ply] == [0, 2, 1]
    assert [str(move) for move in second.moves] == ["11-15", "23-19"]
    assert (first.limits, second.limits) == (arena.Limits(), arena.Limits(3, None, 0.5))
    assert third.limits == arena.Limits(clock=60.0, increment=2.0)
    assert {game.rules for game in recorder.games} == {arena.DrawRules(5, None, 400)}


def test_limits_last_until_the_next_game() -> None:
    recorder = Recorder()
    answers(recorder, "level nodes=7", "go", "go", "new-game", "go")
    assert [game.limits.nodes for game in recorder.games] == [7, 7, None]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("pos pos=B", "pos: 'B' is not a position"),
        ("pos", "pos: 'pos'"),
        (f"pos pos={START} moves=1-5", "pos: '1-5' is not a legal move"),
        ("level depth=deep", "level: could not convert string to float: 'deep'"),
        ("set-param name=hash", "set-param: 'value'"),
        ("set-param name=variant value=frisian\ninit", "init: this engine plays the variant english only"),
        (f"pos pos=B{'w' + 31 * 'e'}\ngo", "go: the side to move has no legal move"),
        ("set-param name=seed value=x\nnew-game", "new-game: invalid literal"),
    ],
)
def test_a_bad_line_is_answered_with_an_error(line: str, error: str) -> None:
    *_, message, pong = answers(Recorder(), *line.splitlines(), "ping")
    assert message.startswith(f'error message="{error}')
    assert pong == "pong"


def test_unknown_lines_are_ignored_and_quit_ends() -> None:
    assert answers(Recorder(), "", "stop", "xyzzy a=b", "ping", "quit", "ping") == ["pong"]


class Failing(arena.Player):
    def choose(self, game: arena.Game) -> arena.Move:
        raise RuntimeError(f"no idea at ply {game.ply}")


class Lazy(arena.Player):
    def choose(self, game: arena.Game) -> arena.Move:  # noqa: ARG002
        return None  # type: ignore[return-value]


def offered(player: type[arena.Player]) -> OfferedPlayer:
    registered = Registered("player", "own", player, "test", "1", "test")
    return OfferedPlayer(Spec(registered, "own", None, {}), lambda _: None)


def test_an_exception_of_the_player_is_an_error_and_its_traceback_goes_to_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert answers(offered(Failing), "go") == ['error message="go: RuntimeError: no idea at ply 0"']
    assert "Traceback" in capsys.readouterr().err


def test_a_choice_that_is_no_move_is_written_as_it_is() -> None:
    assert answers(offered(Lazy), "go") == ["info", "done move=None"]


def test_a_player_at_a_terminal_is_refused() -> None:
    with pytest.raises(UsageError, match="human needs a person at a terminal, so it cannot be an engine"):
        OfferedPlayer(specs.parse("player", "human"), lambda _: None)


@pytest.mark.parametrize("spec", ["random", "minimax:depth=2", "lms", "td", "minimax:nodes=500"])
@pytest.mark.parametrize("side", arena.SIDES)
def test_a_player_behind_the_protocol_plays_the_same_game(spec: str, side: arena.Side) -> None:
    seed = 2 * 12345 + side
    direct, other = specs.parse("player", spec).create(), specs.parse("player", "random").create()
    game, random = arena.Game(), protocol.generator(seed)
    opponent = protocol.generator(seed ^ 1)
    lines, expected = [f"set-param name=seed value={seed}", "init", "new-game"], ["ready"]
    while game.outcome is None:
        if game.side is side:
            copy = game.copy(random)
            move = direct.choose(copy)
            moves = " ".join(map(protocol.move_text, game.moves))
            lines += [protocol.line("pos", pos=START, moves=moves or None), "go think"]
            report = copy.reported
            answer = {"depth": report.depth, "score": report.score, "nodes": report.nodes}
            expected += [protocol.line("info", **answer), protocol.line("done", move=protocol.move_text(move))]
        else:
            move = other.choose(game.copy(opponent))
        game.play(move)
    received = answers(OfferedPlayer(specs.parse("player", spec), lambda _: None), *lines)
    assert [line.partition(" pv=")[0] for line in received] == expected
    assert len(expected) > 20
