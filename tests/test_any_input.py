"""Any input text is accepted or raises an ArenaError with a one-line message."""

from __future__ import annotations

import contextlib
import io
import json
import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from arena.checkers import pdn
from arena.checkers.board import Board
from arena.checkers.notation import parse_move
from arena.checkers.positions import parse_position
from arena.cli import tournament_file
from arena.contracts.model import Model
from arena.errors import ArenaError, shown
from arena.plugins import registry, specs
from arena.tournament import adjudication
from arena.tournament import settings as tournament_settings
from arena.tournament.values import hints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MODERATE = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
DIGITS = "9" * 5000
KEYS = [
    *(name.replace("_", "-") for name in hints(tournament_file.TournamentRequest)),
    "[rules]\nquiet-plies",
    "[rules]\nquiet-plis",
    "[scores]\nlms",
]
VALUES = ["1", "-1", "0.5", "true", "false", '"x"', "[1]", "{}", "nan", "[" * 3000, '"\\u0000"', DIGITS, f"0x{DIGITS}"]
WORDS = ["lms", "td", "minimax", "file", "random", "last", "depth=", "weights=", "path=", "evaluator=", *":=2[],@"]
SURROGATE = json.dumps({"format": 1, "kind": "\ud800", "provenance": {}})
ALWAYS = ("", "\0", "\ud800", DIGITS, "x" * 300, "\n", "\N{ARABIC-INDIC DIGIT THREE}")


def text(*pieces: str) -> st.SearchStrategy[str]:
    """Return texts made of these pieces, of characters that often cause errors, and of any other characters."""
    return st.lists(st.sampled_from([*pieces, *ALWAYS]) | st.text(max_size=5), max_size=12).map("".join)


@contextlib.contextmanager
def one_line() -> Iterator[None]:
    """Allow an ArenaError in the block if its message is one line."""
    try:
        yield
    except ArenaError as error:
        check(str(error))


def check(message: str) -> None:
    assert message
    assert "\n" not in message
    assert len(message) <= 2000


@MODERATE
@given(text("B", "W", ":", ",", "K", "-", "1", "21", "32", "."))
@example("B:W" + DIGITS + ":B1")
def test_any_text_as_a_position(text: str) -> None:
    for read in (Board.from_fen, parse_position):
        with one_line():
            board = read(text)
            assert Board.from_fen(board.fen) == board


@MODERATE
@given(text("11", "-", "15", "x", ":", "9"))
@example("11-" * 100_000 + "15")
def test_any_text_as_a_move(text: str) -> None:
    with one_line():
        parse_move(Board.start(), text)


@MODERATE
@given(
    text('[Event "a"]\n', '[FEN "', '"]\n', "1. ", "11-15 ", "23-18 ", "{", "}", "(", ")", "!", "$1", "1-0\n", "%", ";")
)
def test_any_text_as_a_pdn_file(text: str) -> None:
    for game in pdn.read(io.StringIO(text)):
        if isinstance(game, pdn.PDNError):
            check(str(game))
            continue
        written = io.StringIO()
        pdn.write([game], written)
        [again] = pdn.read(io.StringIO(written.getvalue()))
        assert isinstance(again, pdn.PDNGame)
        assert (again.moves, again.result, again.boards) == (game.moves, game.result, game.boards)


@MODERATE
@given(
    st.sampled_from(sorted(registry.KINDS)),
    text(*WORDS),
)
@example("player", "minimax:depth=" + DIGITS)
@example("player", "lms:weights=\0")
@example("player", "lms@" + DIGITS)
@example("opening", "file:path=\0")
@example("opening", "file:path=\0.pdn")
@example("opening", "random:seed=" + DIGITS)
def test_any_text_as_a_spec(kind: str, text: str) -> None:
    with one_line():
        spec = specs.parse(kind, text)
        assert specs.parse(kind, spec.text) == spec
        component = spec.create()
        if kind == "opening":
            component.openings()


@MODERATE
@given(st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES) | text('"', "[", "]", "=")), max_size=4))
def test_any_text_as_a_tournament_file(tmp_path: Path, lines: list[tuple[str, str]]) -> None:
    file = tmp_path / "cup.toml"
    content = "\n".join(f"{key} = {value}" for key, value in lines)
    file.write_bytes(content.encode(errors="surrogatepass"))
    with one_line():
        tournament_file.read(file)


@pytest.mark.parametrize(
    "read",
    [
        lambda text: tournament_settings._sprt(text, False, 0.05, 0.05),
        tournament_settings._clock,
        lambda text: adjudication.parse(text, {}),
    ],
)
@MODERATE
@given(text=text("0", ",", "20", "+", "-", "scores:", "tables", ":plies=", "nan", "inf", "1e999"))
@example(text=f"scores:1:plies={DIGITS}")
def test_any_text_as_a_setting(read: Callable[[str], object], text: str) -> None:
    with one_line():
        read(text)


@MODERATE
@given(
    text('"', "{", "}", ":", ",", "null", "[]", "\\ud800", "format", "1", "kind") | st.text(), st.binary(max_size=20)
)
@example(json.dumps({"__metadata__": {"checkers-arena": SURROGATE}}), b"")
def test_any_content_as_a_weights_file(header: str, data: bytes) -> None:
    content = header.encode(errors="replace")
    with one_line():
        Model.stored("m", struct.pack("<Q", len(content)) + content + data).hash.encode()


@given(st.text() | st.integers() | st.just(1 << 100_000) | st.binary() | st.floats() | st.lists(st.integers()))
def test_any_value_is_shown_in_at_most_80_characters(value: object) -> None:
    assert len(shown(value)) <= 80
    assert "\n" not in shown(value)
