"""``--adjudicate``, and its text in a TOML file."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest

from arena.cli import tournament_file
from arena.cli.tournament_file import TournamentRequest
from arena.errors import UsageError
from arena.plugins import specs
from arena.referee.adjudication import AgreedScores
from arena.store import PlayerIdentity, StoredTournament
from arena.tournament import adjudication, toml
from arena.tournament.plan import Plan, stored_plan
from arena.tournament.settings import TournamentSettings

if TYPE_CHECKING:
    from pathlib import Path

OWN = {"minimax:depth=2": 12.5}


@pytest.mark.parametrize(
    ("text", "tables", "scores"),
    [
        (None, None, None),
        ("tables", 4, None),
        ("scores:30", None, AgreedScores(30.0)),
        ("tables:5,scores:0.5:plies=6", 5, AgreedScores(0.5, 6)),
        ("scores:100, tables:2", 2, AgreedScores(100.0)),
    ],
)
def test_adjudicate_option_is_parsed(text: str | None, tables: int | None, scores: AgreedScores | None) -> None:
    assert adjudication.parse(text, {}) == (tables, scores)
    assert adjudication.parse(TournamentSettings(adjudicate=text).adjudicate, {}) == (tables, scores)


@pytest.mark.parametrize(
    ("text", "own", "line"),
    [
        ("friends", {}, "not by 'friends'"),
        ("", {}, "not by the empty part of ''"),
        (",", {}, "for example tables,scores:20, not by the empty part of ','"),
        ("tables:5,,", {}, "not by the empty part of 'tables:5,,'"),
        (",scores:30", {}, "not by the empty part of ',scores:30'"),
        ("tables:7", {}, "not by 'tables:7'"),
        ("tables,tables:5", {}, "for example tables,scores:20, not by 'tables:5'"),
        ("scores:1,scores:2", {}, "for example tables,scores:20, not by 'scores:2'"),
        ("scores", {}, "not by 'scores'"),
        ("scores:-1", {}, "not by 'scores:-1'"),
        ("scores:nan", {}, "not by 'scores:nan'"),
        ("scores:1:depth=3", {}, "not by 'scores:1:depth=3'"),
        ("scores:0", {}, "more than 0"),
        ("scores:1:plies=5", {}, "even number of plies"),
        ("tables", OWN, 'adjudicate = "scores:T"'),
        (None, OWN, 'adjudicate = "scores:T"'),
    ],
)
def test_bad_adjudication_is_a_one_line_error(text: str | None, own: dict[str, float], line: str) -> None:
    with pytest.raises(UsageError, match=line) as raised:
        adjudication.parse(text, own)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "scores", [AgreedScores(30.0), AgreedScores(0.1, 6, OWN), AgreedScores(1e20), AgreedScores(1e-7), None]
)
@pytest.mark.parametrize("tables", [None, 5])
def test_spec_file_has_the_adjudication_of_the_tournament(
    scores: AgreedScores | None, tables: int | None, tmp_path: Path
) -> None:
    words = adjudication.write(tables, scores and scores.threshold, scores and scores.plies)
    settings = TournamentSettings(seed=1, adjudicate=words, scores=dict(scores.players) if scores else {})
    assert (settings.tables, settings.agreed_scores) == (tables, scores)
    players = specs.parse_list("player", "minimax:depth=2,random")
    plan = Plan(settings, players)
    seats = tuple(PlayerIdentity(each.text, each.name, "checkers-arena", "1", each.weights) for each in players)
    stored = StoredTournament(1, "t1", 1, json.loads(json.dumps(plan.to_json())), seats, "1", 0.0)
    assert stored_plan(stored).settings == settings

    text = toml.of_tournament(stored)
    assert ("adjudicate" in tomllib.loads(text)) == (scores is not None or tables is not None)
    file = tmp_path / "again.toml"
    file.write_text(text, encoding="utf-8")
    assert TournamentRequest(**tournament_file.read(file)).settings == settings
