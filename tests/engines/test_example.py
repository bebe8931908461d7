"""The example engine in C: built, checked and played."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import arena
from arena.engines import client, protocol
from arena.plugins import specs
from faulty import BOTH_MODES, games, played, timeless
from positions import random_game

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNTS = json.loads((Path(__file__).parents[1] / "data" / "perft.json").read_text(encoding="utf-8"))


@pytest.fixture
def engine(built: Path) -> Iterator[client.Engine]:
    engine = client.Engine(client.Setup(arena.Program(str(built / "engine")), "example"))
    yield engine
    engine.close()


@pytest.fixture
def spec(built: Path) -> str:
    return specs.parse("player", f'engine:name=example:command="{built / "engine"}":params="depth=5"').text


@pytest.mark.parametrize("position", COUNTS, ids=[each["name"] for each in COUNTS])
def test_it_knows_the_rules(built: Path, position: dict[str, object]) -> None:
    text = protocol.position_text(arena.Board.from_fen(str(position["fen"])))
    paths = [int(count) for count in position["paths"] if count < 300_000]  # type: ignore[attr-defined]
    for depth, count in enumerate(paths, 1):
        command = [built / "engine", "perft", str(depth), text]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert int(done.stdout) == count


def test_it_finds_legal_moves_and_variations_in_the_positions_of_games(engine: client.Engine) -> None:
    for seed in range(3):
        whole = random_game(seed)
        game = arena.Game(random=protocol.generator(seed), limits=arena.Limits(depth=3))
        engine.new_game(game)
        for move in whole.moves:
            assert engine.choose(game) in game.board.legal_moves
            assert game.reported.depth is not None
            assert len(game.reported.pv.split()) >= 1
            game.play(move)


def test_it_obeys_limits_of_depth_and_nodes(engine: client.Engine) -> None:
    game = arena.Game(limits=arena.Limits(depth=4))
    engine.choose(game)
    assert game.reported.depth == 4
    game = arena.Game(limits=arena.Limits(nodes=5000))
    engine.choose(game)
    assert 1000 < (game.reported.nodes or 0) <= 5000


@pytest.mark.parametrize(("fen", "move"), [("B:W22,23:B18,K1", "18x25"), ("W:W22:B17,9,10,3", "22x6")])
def test_it_wins_pieces(engine: client.Engine, fen: str, move: str) -> None:
    game = arena.Game(arena.Board.from_fen(fen), limits=arena.Limits(depth=5))
    chosen = engine.choose(game)
    assert f"{chosen.path[0]}x{chosen.path[-1]}" == move


@pytest.mark.long
@pytest.mark.usefixtures("fork_server")
@BOTH_MODES
def test_it_beats_random_without_a_forfeit(spec: str, isolate: bool) -> None:
    records = played(games((spec, "random"), rounds=6 if not isolate else 2), 2, isolate=isolate)
    assert not any(record.forfeited_by for record in records)
    winners = {"1-0": "black", "0-1": "white"}
    assert all(getattr(record, winners[record.result]) == spec for record in records)


@pytest.mark.long
@pytest.mark.usefixtures("fork_server")
def test_its_games_depend_on_the_seed_alone(spec: str) -> None:
    tasks = games((spec, "m2"), rounds=4)
    first, again = played(tasks, 1), played(tasks, 2)
    key = lambda record: record.round  # noqa: E731
    assert [timeless(record) for record in sorted(first, key=key)] == [
        timeless(record) for record in sorted(again, key=key)
    ]
    assert len({record.movetext for record in first}) == 4


@pytest.mark.long
def test_it_compares_with_clocks(spec: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "arena", "compare", spec, "random", "--clock", "60+0.5", "--depth", "4"]
    environment = os.environ | {client.LOG: str(tmp_path / "logs")}
    command += ["--games", "2", "--seed", "1", "--workers", "1"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with arena.Results(tmp_path / "results" / "arena.sqlite") as results:
        assert list(results.games()["termination"]) == ["no moves", "no moves"]
    logs = [file.read_text(encoding="utf-8") for file in (tmp_path / "logs").iterdir()]
    assert len(logs) == 2
    for log in logs:
        first, *others = re.findall(r"> level depth=4 time=([\d.]+) inc=0\.5$", log, re.MULTILINE)
        assert float(first) == 59.5
        assert others
        assert all(float(time) < 59.5 + 0.5 * number for number, time in enumerate(others, 1))


def test_it_has_the_conversation_of_the_documentation(built: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "engines.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    ([<>]) (.*)$", page, re.MULTILINE)
    sent = "".join(f"{text}\n" for mark, text in lines if mark == ">")
    done = subprocess.run([built / "engine"], input=sent, capture_output=True, text=True, check=True)
    answers = "\n".join(text for mark, text in lines if mark == "<")
    assert len(lines) > 15
    assert re.sub(r" time=\S+", "", done.stdout.strip()) == re.sub(r" time=\S+", "", answers)


def test_it_is_a_short_program() -> None:
    source = Path(__file__).parents[2] / "examples" / "engine" / "engine.c"
    lines = source.read_text(encoding="utf-8").splitlines()
    assert len(lines) < 500
    assert max(map(len, lines)) <= 120
    assert not re.search(r"\t", "\n".join(lines))
