"""Results and recorded games in a real browser."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import axe_core_python
import pytest
from selenium.webdriver import ActionChains, Keys

import arena
from browsing import Page, Server, browser
from databases import empty
from experimenting import experiment, tiny
from hostile import HOSTILE, hostile_database

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selenium.webdriver import Chrome

__all__ = ["experiment", "tiny"]
pytestmark = pytest.mark.browser
AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
"""The program axe-core, which looks for what keeps people from using a page (github.com/dequelabs/axe-core)."""
RUN_AXE = """
const done = arguments[arguments.length - 1];
axe.run().then((found) => done(found.violations.map((each) => [each.id, ...each.nodes.map((node) => node.html)])));
"""
PAGES = (
    *("/", "/tournaments", "/tournaments/1", "/tournaments/1/accuracy", "/experiments/1", "/runs/1"),
    *("/games", "/games?result=forfeit", "/games/x/1#ply=9", "/play", "/analysis", "/none"),
)


@pytest.fixture(scope="module")
def driver() -> Iterator[Chrome]:
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def server(experiment: Path) -> Iterator[Server]:
    with Server(experiment) as started:
        yield started


@pytest.fixture
def page(driver: Chrome, server: Server) -> Iterator[Page]:
    page = Page(driver, server)
    page.foreign_requests()
    page.errors()
    yield page
    assert page.foreign_requests() == []
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def complete(page: Page, path: str) -> None:
    """Open a page, and wait until its tables are there."""
    page.open(path)
    page.wait(lambda: not page.all("[data-waiting]"), "the tables are there")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        ActionChains(page.driver).send_keys(key).perform()


def test_keys_step_through_a_game(page: Page, experiment: Path) -> None:
    with arena.Results(experiment) as results:
        record = results.game("x/1")
    page.open("/games/x/1")
    page.wait(lambda: page.text("#status").startswith("First position"), "the game is shown")
    for keys, ply in (
        ((Keys.ARROW_RIGHT,) * 3, 3),
        ((Keys.ARROW_LEFT,), 2),
        ((Keys.END,), record.plies),
        ((Keys.ARROW_RIGHT,), record.plies),
        ((Keys.HOME, Keys.ARROW_LEFT), 0),
        ((Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP), 1),
    ):
        press(page, *keys)
        shown = page.text("#status")
        assert f"ply {ply} of {record.plies}" in shown if ply else shown.startswith("First position")
        assert page.driver.current_url.endswith(f"#ply={ply}" if ply else "/games/x/1")
        if ply:
            assert record.moves[ply - 1] in page.text("#plies [aria-current]")
    press(page, " ")
    page.wait(lambda: "ply 3 of" in page.text("#status"), "the space bar plays the game")
    press(page, " ")
    assert "Play" in page.text("[data-step=play]")


def test_a_link_leads_to_its_ply_and_its_position(page: Page, experiment: Path) -> None:
    with arena.Results(experiment) as results:
        boards = results.positions("x", game=results.game("x/2").seed)
    page.open("/games/x/2#ply=7")
    page.wait(lambda: "ply 7 of" in page.text("#status"), "the ply of the link is shown")
    assert page.find("#fen").get_property("value") == boards["fen"].iloc[7]
    assert page.find("#link").get_property("value") == page.driver.current_url
    page.find("#plies li:nth-child(5) a").click()
    page.wait(lambda: "ply 5 of" in page.text("#status"), "a press on a move jumps to it")
    page.find("#analyse").click()
    page.wait(
        lambda: page.all("#analysis") and page.find("#fen").get_property("value") == boards["fen"].iloc[5],
        "the position is on the analysis board",
    )


def test_pictures_are_drawn_and_charts_show_the_evaluations(page: Page) -> None:
    complete(page, "/experiments/1")
    page.driver.execute_script("document.querySelector('[data-picture]').scrollIntoView()")
    page.wait(lambda: page.all("figure svg"), "the learning curve is drawn")
    page.open("/games/x/1")
    page.wait(lambda: page.all("#charts svg polyline"), "the evaluations are drawn")
    assert page.errors() == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_usable_by_everybody(page: Page, path: str) -> None:
    """axe-core finds nothing, in light and dark; a page of 400 pixels does not scroll sideways."""
    complete(page, path)
    page.driver.execute_script(AXE)
    for scheme in ("light", "dark"):
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        found: list[Any] = page.driver.execute_async_script(RUN_AXE)
        assert found == [], scheme
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    page.emulate(400, 800)
    assert page.driver.execute_script("return document.documentElement.scrollWidth") <= 400


def test_texts_of_the_database_are_shown_and_never_run(driver: Chrome, tmp_path: Path) -> None:
    with Server(hostile_database(tmp_path / "arena.sqlite")) as server:
        page = Page(driver, server)
        page.errors()
        for path in ("/", "/tournaments/1", "/games", "/games/t1/1", f"/games?player={HOSTILE}"):
            complete(page, path)
            assert page.errors() == []
            assert page.foreign_requests() == []
        complete(page, "/games/t1/1")
        assert HOSTILE in page.text("main")
        assert page.all("main script:not([type='application/json'])") == []


def test_a_page_follows_a_tournament_while_it_is_recorded(driver: Chrome, tmp_path: Path) -> None:
    path = empty(tmp_path / "arena.sqlite")
    words = [
        "tournament",
        "--players",
        "random,m1",
        "--games",
        "40",
        "--seed",
        "1",
        "--workers",
        "1",
        "--db",
        str(path),
    ]
    with Server(path) as server:
        page = Page(driver, server)
        page.open("/")
        page.driver.execute_script("window.marker = 'the same page'")
        with subprocess.Popen([sys.executable, "-m", "arena", *words], stdout=subprocess.DEVNULL) as playing:
            page.wait(lambda: page.texts("#tournaments tbody th") == ["t1"], "the tournament is listed")
            assert page.driver.execute_script("return window.marker") == "the same page"
            complete(page, "/tournaments/1")
            page.driver.execute_script("window.marker = 'the same page'")
            assert playing.wait(timeout=120) == 0
        page.wait(lambda: page.texts(".facts dd")[:1] == ["40"], "all games are counted")
        assert page.driver.execute_script("return window.marker") == "the same page"
        assert page.all(".live") == []
        with arena.Results(path) as results:
            standings = results.standings("t1")
        scores = [f"{score:.1f}" for score in standings["score_pct"]]
        page.wait(lambda: page.texts("#standings tbody td:last-child") == scores, "the last standings are shown")
