"""``arena play`` with piped input, on a real database."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import arena
from arena.cli import dialogue
from arena.errors import StoreError
from arena.play import Session
from arena.store import sqlite

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Run


def test_a_game_is_played_to_its_end_and_counted_like_any_other(run: Run) -> None:
    fen = ("--fen", "B:W9:B1,K6")
    won = run("play", "--against", "random", "--seed", "1", "--name", "Ann", *fen, stdin="moves\n9-14\n6x13\n")
    assert won.returncode == 0, won.stderr
    assert "there is no black piece on 9" in won.stdout
    assert "1-0: you won (no moves)\nrecorded as people/1; to see it: arena replay people/1\n" in won.stdout
    lost = run("play", "--against", "random", "--name", "Ann", "--as", "white", "--fen", "B:W18:B15")
    assert "Black (random) plays 15x22" in lost.stdout
    assert "1-0: you lost (no moves)" in lost.stdout
    rows = json.loads(run("results", "head-to-head", "--tournament", "people", "--player", "Ann", "--json").stdout)
    assert [(row["games"], row["wins"], row["win_pct"]) for row in rows] == [(2, 1, 50.0)]
    assert "people: standings after 2 games" in run("results").stdout
    assert "no moves" in run("replay", "people/1").stdout
    refused = run("replay", "people/1", "--verify")
    assert refused.returncode == 2
    assert "plays at a terminal" in refused.stderr


def test_the_same_seed_and_input_give_the_same_games(run: Run, tmp_path: Path) -> None:
    for file in ("one", "two"):
        words = ("--against", "random", "--seed", "6", "--db", file)
        assert run("play", *words, stdin="11-15\n1\nundo\n2\n1\nresign\n").returncode == 0
    one, two = (arena.Results(tmp_path / file).games("people") for file in ("one", "two"))
    assert one.equals(two)
    assert one.plies[0] > 4


def test_a_game_that_is_taken_up_goes_on_as_without_a_break(run: Run, tmp_path: Path) -> None:
    words = ("play", "--against", "random", "--seed", "6")
    assert run(*words, "--db", "one", stdin="11-15\n1\n1\n1\nresign\n").returncode == 0
    assert run(*words, "--db", "two", stdin="11-15\n1\n").returncode == 0
    assert run("play", "--resume", "last", "--db", "two", stdin="1\n1\nresign\n").returncode == 0
    one, two = (arena.Results(tmp_path / file).games("people") for file in ("one", "two"))
    assert one.moves[0] == two.moves[0]
    assert one.plies[0] == 8


def test_an_opponent_learns_from_the_game_and_says_so(run: Run) -> None:
    words = ("play", "--learning", "--against", "lms", "--seed", "1")
    assert "lms learns from this game" in run(*words, stdin="quit\n").stdout
    played = run(*words, stdin="11-15\n1\nresign\n")
    assert played.stdout.endswith(
        "people-lms@1 has learned from it\nto play against it: arena play --learning --against lms\n"
    )
    assert "White: people-lms@1" in run(*words, stdin="quit\n").stdout
    assert "people/1" in run("models", "origins", "people-lms@1").stdout
    refused = run("train", "--resume", "people-lms")
    assert refused.stderr == (
        "arena: the run 'people-lms' learns from games with people: arena play --learning --against lms continues it\n"
    )
    assert "minimax" not in run("play", "--learning", "--against", "minimax").stderr.partition("these can: ")[2]


def test_every_command_answers_and_bad_input_gets_one_line(run: Run) -> None:
    lines = {
        "help": "undo [N]: take back",
        "moves": " 1 9-13    2 10-14",
        "fen": "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
        "hint m1": "m1 would play ",
        "eval m1": "depth 1\na win probability needs 20 recorded games with scores of m1, and there are 0\n",
        "flip": "    b   b   b   b       1  2  3  4",
        "draw": "random declines the draw",
        "hnit": "there is no command 'hnit'; did you mean 'hint'?",
        "99": "there is no move 99: your moves have the numbers 1 to 7",
        "0": "there is no move 0",
        "9" * 5000: "is too long for a command",
        "1-5": "1-5 is not legal: the piece on 1 cannot move",
        "1-": "'1-' is not a move",
        "undo": "1 of your moves cannot be taken back: you have made none",
        "undo two": "undo takes a number of moves, not 'two'",
        "hint nobody": "no player named 'nobody'",
        "hint human": "human is a person at a terminal",
        "resign now": "resign takes nothing after it, not 'now'",
        "\x1b[2J": "there is no command '\\x1b[2j'",
        "é\0": "there is no command",
    }
    done = run("play", "--against", "random", "--seed", "1", stdin="\n".join(lines) + "\n")
    assert done.returncode == 0, done.stderr
    for answer in lines.values():
        assert answer in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stdout.endswith("you made no move, so there is nothing to save\n")
    assert "Traceback" not in done.stderr


def test_the_end_of_the_input_saves_the_game_and_resume_takes_it_up(run: Run) -> None:
    left = run("play", "--against", "random", "--seed", "1", "--db", "x", stdin="11-15\n")
    assert left.returncode == 0
    assert left.stdout.endswith("saved as game 1; to take it up: arena play --resume 1 --db x\n")
    listed = run("play", "--saved", "--db", "x").stdout.split()
    assert listed[-6:-2] == ["1", "human", "random", "2"]
    again = run("play", "--resume", "1", "--db", "x", stdin="quit\n")
    assert "move 2, Black to move" in again.stdout
    assert again.stdout.endswith("saved as game 1; to take it up: arena play --resume 1 --db x\n")
    ended = run("play", "--resume", "last", "--db", "x", stdin="resign\n")
    assert "0-1: you lost (resignation)" in ended.stdout
    assert run("play", "--saved", "--db", "x").stdout == "x holds no saved game\n"
    gone = run("play", "--resume", "1", "--db", "x")
    assert gone.returncode == 1
    assert "holds no saved game: arena play starts a game" in gone.stderr


def test_the_game_is_saved_after_each_reply(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialogue.Dialogue, "_leave", lambda _: None)  # as if the process were killed
    run("play", "--against", "random", "--seed", "1", stdin="11-15\n")
    with closing(sqlite3.connect(tmp_path / "results" / "arena.sqlite")) as connection:
        assert connection.execute("SELECT plies FROM saved_games").fetchall() == [(2,)]


def test_a_locked_database_is_one_line_and_the_game_goes_on(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("play", "--against", "random", stdin="resign\n").returncode == 0
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    play, blockers = Session.play, []

    def lock(self: Session, move: arena.Move) -> None:
        """Lock the database after the first move, as another program might."""
        if not blockers:
            blockers.append(sqlite3.connect(tmp_path / "results" / "arena.sqlite", isolation_level=None))
            blockers[0].execute("BEGIN IMMEDIATE")
        play(self, move)

    monkeypatch.setattr(Session, "play", lock)
    done = run("play", "--against", "random", "--seed", "1", stdin="1\n1\nsave\nresign\n\nquit\n")
    assert done.returncode == 1
    assert done.stdout.count("is locked by another program") == 4
    assert "; the command save tries again\n" in done.stdout
    assert "0-1: you lost (resignation)" in done.stdout
    assert len(done.stderr.splitlines()) == 1
    blockers[0].close()


def test_moves_of_a_game_that_cannot_be_saved_are_not_lost(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def save(_: Session) -> int:
        raise StoreError("the disk is full")

    monkeypatch.setattr(Session, "save", save)
    done = run("play", "--against", "random", "--seed", "1", stdin="11-15\n")
    assert done.returncode == 1
    assert re.fullmatch(r"arena: the disk is full; the moves of the unsaved game are 11-15 \S+\n", done.stderr)


def test_a_person_without_time_loses(run: Run) -> None:
    done = run("play", "--against", "random", "--time", "0.000001", "--seed", "1", stdin="11-15\n")
    assert "0-1: you lost (timeout)\nyou forfeited: took" in done.stdout
    assert done.returncode == 0


def test_an_opponent_that_was_changed_since_is_named_when_a_game_is_taken_up(run: Run, tmp_path: Path) -> None:
    run("play", "--against", "random", "--seed", "1", stdin="11-15\n")
    with closing(sqlite3.connect(tmp_path / "results" / "arena.sqlite")) as connection:
        connection.execute("UPDATE saved_games SET state = json_set(state, '$.setup.identity.code', '0123')")
        connection.commit()
    done = run("play", "--resume", "1")
    assert done.returncode == 0
    assert "random has changed since the game began (code: 0123 then" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--against", "human"), 2, "human is a person at a terminal"),
        (("--as", "red"), 2, "--as takes one of black, white, not 'red'"),
        (("--side", "white"), 2, "arena play has no option '--side'"),
        (("--increment", "2"), 2, "an increment needs a time: add --time"),
        (("--time", "0"), 2, "more than 0 seconds"),
        (("--time", "nan"), 2, "--time takes"),
        (("--name", "a\tb"), 2, "printable characters, without brackets"),
        (("--resume", "1"), 1, "there is no database"),
        (("--saved",), 1, "there is no database"),
        (("--resume", "1", "--against", "m1"), 2, "--against cannot be changed by --resume; start a new game"),
        (("--fen", "W:W1:B"), 2, "white has no move"),
        (("--seed", "-1"), 2, "--seed takes"),
        (("--db", "."), 1, "is a folder, not a database"),
    ],
)
def test_bad_options_are_refused_in_one_line(run: Run, words: tuple[str, ...], code: int, message: str) -> None:
    done = run("play", *words)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
