"""Reports as pages: their contents, their safety, and their independence of the network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import struct
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pandas as pd
import pytest

import arena
from arena.errors import UsageError
from arena.experiment.settings import ExperimentSettings
from arena.report import figures, page
from arena.store import PlayerIdentity, Store
from hostile import HOSTILE, hostile_database
from pages import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of hostile texts."""
    return hostile_database(tmp_path_factory.mktemp("hostile") / "arena.sqlite")


@pytest.fixture(params=["experiment", "hostile"])
def database(request: pytest.FixtureRequest) -> Path:
    path: Path = request.getfixturevalue(request.param)
    return path


@pytest.fixture
def results(experiment: Path) -> Iterator[arena.Results]:
    with arena.Results(experiment) as results:
        yield results


@pytest.fixture(scope="module")
def texts() -> dict[Path, str]:
    """The pages that were made, by database."""
    return {}


@pytest.fixture
def text(database: Path, texts: dict[Path, str]) -> str:
    if database not in texts:
        with arena.Results(database) as results:
            texts[database] = page.html(results)
    return texts[database]


def test_the_same_database_gives_the_same_page(database: Path, text: str) -> None:
    with arena.Results(database) as results:
        assert page.html(results) == text


def test_a_page_needs_nothing_from_outside(text: str) -> None:
    read = Reader(text)
    for tag, name, value in read.attributes:
        if name in ("src", "href", "xlink:href", "data", "action", "srcset"):
            assert value.startswith("#"), (tag, name, value)
        assert "url(" not in value or "url(#" in value
    assert "@import" not in text
    assert "url(" not in read.texts["style"][0]


def test_the_security_policy_allows_the_page_s_own_style_and_program_only(text: str) -> None:
    read = Reader(text)
    [policy] = [value for _, name, value in read.attributes if name == "content" and "default-src" in value]
    assert policy.startswith("default-src 'none'; ")
    [style] = read.texts["style"]
    script = read.texts["script"][-1]
    for source, content in (("style-src", style), ("script-src", script)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{source} 'sha256-{digest}'" in policy
    assert [name for _, name, _ in read.attributes if name == "style" or name.startswith("on")] == []


def test_ids_are_unique_and_references_lead_to_them(text: str) -> None:
    read = Reader(text)
    assert len(read.ids) == len(set(read.ids))
    for _, name, value in read.attributes:
        if name in ("href", "aria-labelledby", "for"):
            assert value.removeprefix("#") in read.ids
        for reference in re.findall(r"url\(#([^)]*)\)", value):
            assert reference in read.ids


def test_texts_of_the_database_are_never_markup(hostile: Path) -> None:
    with arena.Results(hostile) as results:
        text = page.html(results)
    read = Reader(text)
    assert HOSTILE not in text
    assert read.column("standings", "player").count(HOSTILE) == 1
    assert read.column("forfeits", "reason") == [f"ValueError: {HOSTILE}"]
    assert HOSTILE in read.texts["h3"][0]
    assert HOSTILE in read.texts["pre"][0]


def rounded(values: pd.Series[float], decimals: int = 1, sign: str = "") -> list[str]:
    return ["" if pd.isna(value) else f"{value:{sign}.{decimals}f}" for value in values]


def test_the_tables_of_a_tournament_have_the_numbers_of_pandas(hostile: Path) -> None:
    with arena.Results(hostile) as results:
        read = Reader(page.html(results))
        games = results.games("t1")
    points = {name: [0, 0, 0] for name in (HOSTILE, "m1")}
    for row in games.to_dict("records"):
        for player in (row["black"], row["white"]):
            points[player][1 if pd.isna(row["winner"]) else 0 if row["winner"] == player else 2] += 1
    won = dict(zip(read.column("standings", "player"), read.column("standings", "won-drawn-lost"), strict=True))
    assert won == {player: "-".join(map(str, counts)) for player, counts in points.items()}
    score = dict(zip(read.column("standings", "player"), read.column("standings", "score %"), strict=True))
    assert score == {player: f"{100 * (w + d / 2) / 4:.1f}" for player, (w, d, _) in points.items()}
    assert {cell for row in read.tables["head-to-head"][1:] for cell in row[2:]} == {"", *won.values()}


def test_the_tables_of_an_experiment_have_the_numbers_of_pandas(results: arena.Results) -> None:
    read = Reader(page.html(results, "x"))
    curve, aggregate = results.learning_curve("x"), results.aggregate("x")
    last = aggregate.groupby("label", sort=False).tail(1)
    summary = results.learners("x")
    assert read.column("learners", "learner") == last["label"].tolist()
    for heading, values in (("score %", last["iqm"]), ("worst", last["worst"]), ("area", summary["area"])):
        assert read.column("learners", heading) == rounded(values)
    compared = results.compare_learners("x")
    assert read.column("compared-learners", "difference") == rounded(compared["difference"], sign="+")
    assert read.column("compared-learners", "better %") == rounded(compared["improvement_pct"])
    final = curve[curve["games"] == 12].groupby(["label", "opponent"], sort=False)[["wins", "draws", "losses"]].sum()
    assert read.column("final-scores", "won-drawn-lost") == ["-".join(map(str, row)) for row in final.to_numpy()]
    assert read.column("checkpoints-of-learners", "mean") == rounded(aggregate["mean"])
    ladder = results.ladder("x")
    assert read.column("ladder", "player") == ladder["player"].tolist()
    assert read.column("ladder", "rating") == [
        f"{rating:+.0f} ± {error:.0f}" for rating, error in zip(ladder["rating"], ladder["error"], strict=True)
    ]
    runs = results.training_runs("x")
    assert read.column("training-runs", "run") == runs["run"].tolist()
    assert read.column("training-runs", "last model") == runs["model"].tolist()


def test_the_file_on_the_page_is_the_experiment(results: arena.Results) -> None:
    read = Reader(page.html(results, "x"))
    [file] = [text for text in read.texts["pre"] if text.startswith("# experiment 'x'")]
    assert ExperimentSettings.from_table(tomllib.loads(file)).to_json() == results.experiment("x").settings


def test_the_games_on_the_page_are_those_on_record(database: Path, text: str) -> None:
    read = Reader(text)
    shown = [json.loads(script) for script in read.texts["script"][:-1]]
    assert 1 <= len(shown) <= 12
    with arena.Results(database) as results:
        games = results.games("last").set_index("name")
        for title, data in zip(read.texts["h3"], shown, strict=True):
            name = title.partition(":")[0]
            record = results.game(name)
            assert struct.pack(f"<{len(data['boards'])}I", *data["boards"]) == record.boards
            assert " ".join(data["moves"]) == games.loc[name, "moves"]
            first = games[games["pairing"] == games.loc[name, "pairing"]]["round"].min()
            assert games.loc[name, "round"] == first


def test_nothing_on_record_is_a_one_line_error(tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.sqlite") as store:
        store.create_tournament("t1", 1, {}, [PlayerIdentity("m1", "m1", "checkers-arena", "1")])
    with arena.Results(tmp_path / "arena.sqlite") as results, pytest.raises(UsageError, match="no game of tournament"):
        page.html(results)


def test_a_figure_shares_no_ids_and_has_no_styles(results: arena.Results) -> None:
    from arena.plots import experiments

    figure = experiments.learning_curve(results)
    root = ElementTree.fromstring(figures.inline(figure, "a-", "Curves & bands"))
    assert root.get("aria-label") == "Curves & bands"
    for element in root.iter():
        assert element.get("style") is None
        assert element.get("id", "a-").startswith("a-")
        assert "#000000" not in element.attrib.values()


def test_the_wheel_has_the_templates() -> None:
    from hatchling.builders.wheel import WheelBuilder

    files = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    assert {f"arena/report/templates/page.{ending}" for ending in ("html", "css", "js")} <= files


def test_files_are_never_replaced_and_have_a_known_ending(tmp_path: Path) -> None:
    (tmp_path / "x.html").touch()
    with pytest.raises(UsageError, match="exists already"):
        page.check_file(tmp_path / "x.html")
    with pytest.raises(UsageError, match=r"does not end in \.html"):
        page.check_file(tmp_path / "x.pdf")


def test_without_the_extra_one_line_says_what_to_install(experiment: Path, tmp_path: Path) -> None:
    program = "import sys; sys.modules['jinja2'] = None; from arena.cli import main; main()"
    words = ["report", "x", "-o", str(tmp_path / "x.html"), "--db", str(experiment)]
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "pip install 'checkers-arena[plots]'" in line
    assert not (tmp_path / "x.html").exists()
