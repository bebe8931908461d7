"""Thousands of real games, compared with facts that other programs found out about them."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import arena
from arena.checkers import pdn

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "german_open_2004.pdn": (1, 0),
    "inferno_dev.pdn": (41, 0),
    "joyce_acf_dev.pdn": (6566, 0),
    "oca_sample_dev.pdn": (33, 0),
    "playstrategy_algebraic_dev.pdn": (17, 17),
    "principles_dev.pdn": (13, 0),
    "tinsley_dev.pdn": (502, 1),
    "tricks_dev.pdn": (67, 0),
}
"""Number of games in each file, and how many of them cannot be read."""
LARGEST = "joyce_acf_dev.pdn"


@pytest.mark.parametrize(
    "name", [*(name for name in FILES if name != LARGEST), pytest.param(LARGEST, marks=pytest.mark.long)]
)
def test_every_game_is_read_or_reported_as_an_error(real_data: Path, name: str) -> None:
    count, bad = FILES[name]
    games = list(pdn.read(real_data / "games" / name))
    errors = [error for error in games if isinstance(error, pdn.PDNError)]
    assert (len(games), len(errors)) == (count, bad)
    assert [game.number for game in games] == list(range(1, count + 1))
    if name.startswith("playstrategy"):
        assert all("algebraic notation" in str(error) for error in errors)
    facts = [fact for fact in json.loads((real_data / "games/MANIFEST.json").read_text()) if fact["file"] == name]
    for fact, game in zip(facts, games if facts else [], strict=True):
        check(fact, game)


def check(fact: dict[str, Any], game: pdn.PDNGame | pdn.PDNError) -> None:
    """Compare a game with its fact. ``bad`` is the ply (from 0), text, number of matching moves and FEN before it."""
    if isinstance(game, pdn.PDNError):
        ply, text, candidates, fen = fact["bad"]
        assert candidates == 0
        assert f"ply {ply + 1}: {text} is not legal in {fen}; " in str(game)
        return
    assert (game.tags["Event"], game.result, len(game.moves)) == (fact["event"], fact["result"], fact["plies"])
    if fact["fen"]:
        assert game.boards[0] == arena.Board.from_fen(fact["fen"])
    if not fact["legal"]:
        ply, text, candidates, fen = fact["bad"]
        assert candidates > 1
        assert game.boards[ply].fen == fen
        assert text == f"{game.moves[ply].path[0]}x{game.moves[ply].path[-1]}"
    if "comment" in fact["quirks"]:
        assert any(game.comments)


def test_quiet_moves_written_with_x_are_read(real_data: Path) -> None:
    """All of Tinsley's games have 2,326 quiet moves written with x; the file holds about 70 % of the games."""
    games = [game for game in pdn.read(real_data / "games/tinsley_dev.pdn") if isinstance(game, pdn.PDNGame)]
    text = Counter((real_data / "games/tinsley_dev.pdn").read_text().split())
    written_with_x = sum(count for word, count in text.items() if "x" in word and word[0].isdigit())
    captures = sum(bool(move.captures) for game in games for move in game.moves)
    assert 0.6 * 2326 < written_with_x - captures < 2400
