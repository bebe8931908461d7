"""Games in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from selenium.webdriver import ActionChains, Keys

from arena.store import Results, Store
from browsing import Page, Server, browser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from selenium.webdriver import Chrome

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def driver() -> Iterator[Chrome]:
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database."""
    path = tmp_path_factory.mktemp("served") / "arena.sqlite"
    with Store.open(path) as store:
        store.people.saved()
    return path


@pytest.fixture(scope="module")
def server(database: Path) -> Iterator[Server]:
    with Server(database) as started:
        yield started


@pytest.fixture
def page(driver: Chrome, server: Server) -> Iterator[Page]:
    page = Page(driver, server)
    page.foreign_requests()
    page.open("/play")
    page.errors()
    yield page
    assert page.foreign_requests() == []
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def begin(page: Page, against: str = "random", start: str = "", side: str = "black") -> None:
    """Begin a game with the form, and wait until the person is to move."""
    page.open("/play")
    page.driver.execute_script("document.querySelector('details').open = true")
    for name, value in (("against", against), ("start", start)):
        field = page.find(f"#new [name={name}]")
        field.clear()
        field.send_keys(value)
    page.find(f"#new [name=side][value={side}]").click()
    page.find("#new button").click()
    page.wait(lambda: page.all("#game"), "the game begins")
    my_turn(page)


def my_turn(page: Page) -> None:
    page.wait(lambda: page.text("#status").startswith("Your turn"), "the person is to move")


def state(page: Page) -> Any:
    return page.json("/api" + page.driver.current_url.removeprefix(page.server.address))


def click_move(page: Page, path: list[int]) -> None:
    """Make a move by clicking on its squares, as far as they are needed."""
    before = len(page.texts("#moves span"))
    for square in path:
        page.square(square).click()
        if len(page.texts("#moves span")) != before or not page.all("#board .chosen"):
            break
    page.wait(lambda: len(page.texts("#moves span")) > before, f"the move {path} is on the list")


def my_move_and_reply(page: Page, *path: int) -> None:
    plies = len(page.texts("#moves span"))
    click_move(page, list(path))
    page.wait(lambda: len(page.texts("#moves span")) >= plies + 2, "the opponent replies")
    my_turn(page)


def test_a_whole_game_to_its_end(page: Page, database: Path) -> None:
    begin(page)
    while True:
        now = state(page)
        if now["ending"]:
            break
        if now["turn"] == "person" and page.text("#status").startswith("Your turn"):
            move = max(now["legal"], key=lambda each: len(each["captures"]))
            click_move(page, move["path"])
    page.wait(lambda: page.find("#status").get_attribute("class") == "over", "the end is shown")
    page.shoot("over")
    assert now["ending"]["result"] in page.text("#status")
    assert page.find("#recorded a").text == f"Look at the recorded game {now['recorded']}"
    with Results(database) as results:
        record = results.game(now["recorded"])
    assert record.movetext.split() == page.texts("#moves span")
    assert page.errors() == []


def test_a_multiple_jump_is_chosen_by_the_squares_on_the_way(page: Page) -> None:
    begin(page, start="B:W6,7,14,15,32:B2")
    page.square(2).click()
    labels = {square: page.square(square).get_attribute("aria-label") for square in (2, 6, 9, 11, 15, 18)}
    assert "chosen" in labels[2]
    for square in (9, 11, 18):
        assert "possible destination" in labels[square]
    for square in (6, 15):
        assert "would be captured" in labels[square]
    page.shoot("captures")
    page.square(18).click()
    assert page.text("#message") == "Several captures lead there: choose the squares on the way."
    page.square(11).click()
    page.wait(lambda: page.texts("#moves span")[:1] == ["2x11x18"], "the capture is made")
    assert len(page.all(".side.turn")) <= 1
    captured = {bar.get_attribute("aria-label") for bar in page.all(".side .captured")}
    assert "captured 2" in captured


def test_wrong_squares_are_explained(page: Page) -> None:
    begin(page)
    page.square(1).click()
    assert page.text("#message") == "The square 1 has no piece of yours that can move."
    page.find("#text").send_keys("11-14", Keys.ENTER)
    page.wait(lambda: "can move 11-15 or 11-16" in page.text("#message"), "the reason is shown")
    page.find("#text").send_keys("11-15", Keys.ENTER)
    page.wait(lambda: page.texts("#moves span")[:1] == ["11-15"], "the typed move is made")


def test_a_piece_can_be_dragged(page: Page) -> None:
    begin(page)
    ActionChains(page.driver).drag_and_drop(page.square(11), page.square(15)).perform()
    page.wait(lambda: page.texts("#moves span")[:1] == ["11-15"], "the dragged move is made")


def test_undo_and_reload_in_the_middle_of_a_game(page: Page) -> None:
    begin(page)
    my_move_and_reply(page, 11, 15)
    moves = page.texts("#moves span")
    page.driver.refresh()
    my_turn(page)
    assert page.texts("#moves span") == moves
    page.find("#undo").click()
    page.wait(lambda: page.texts("#moves span") == [], "the moves are taken back")
    assert page.text("#help") == "hints 0, plies taken back 2"
    assert "black man" in page.square(11).get_attribute("aria-label")
    my_move_and_reply(page, 9, 13)


def test_two_tabs_show_the_same_game(page: Page) -> None:
    begin(page)
    first, address = page.driver.current_window_handle, page.driver.current_url
    page.driver.switch_to.new_window("tab")
    page.driver.get(address)
    my_turn(page)
    my_move_and_reply(page, 11, 15)
    moves = page.texts("#moves span")
    page.driver.close()
    page.driver.switch_to.window(first)
    page.wait(lambda: page.texts("#moves span") == moves, "the first tab shows the moves of the second")


def test_a_move_in_an_old_position_shows_the_current_one(page: Page) -> None:
    begin(page)
    key = state(page)["id"]
    script = """
      const done = arguments[arguments.length - 1];
      fetch(`/api/play/${arguments[0]}/move`, {
        method: "POST", headers: {"Content-Type": "application/json"},
        body: JSON.stringify({version: arguments[1], move: arguments[2]}),
      }).then((answer) => done(answer.status));
    """
    assert page.driver.execute_async_script(script, key, 0, "11-15") == 200
    assert page.driver.execute_async_script(script, key, 0, "9-13") == 409


def test_a_killed_server_goes_on_with_the_game(driver: Chrome, tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    with Store.open(path) as store:
        store.people.saved()
    with Server(path) as server:
        page = Page(driver, server)
        begin(page)
        my_move_and_reply(page, 11, 15)
        moves = page.texts("#moves span")
        server.stop(kill=True)
        page.wait(lambda: page.find("#offline").is_displayed(), "the page says that the server does not answer")
        server.start(int(server.address.rpartition(":")[2]))
        page.wait(lambda: not page.find("#offline").is_displayed(), "the page finds the server again")
        my_turn(page)
        assert page.texts("#moves span") == moves
        now = state(page)
        click_move(page, now["legal"][0]["path"])
        page.wait(lambda: len(page.texts("#moves span")) >= 4, "the game goes on")
        page.open("/")


def test_a_phone_needs_no_scrolling_to_the_side(page: Page) -> None:
    page.emulate(400, 800)
    begin(page)
    for address in ("/play", page.driver.current_url.removeprefix(page.server.address), "/analysis"):
        page.open(address)
        page.wait(lambda: page.all("h1"), "the page is loaded")
        width = page.driver.execute_script("return document.documentElement.scrollWidth")
        assert width == 400, address
        assert all(board.rect["width"] > 300 for board in page.all("#board"))
        page.shoot(f"phone{address.replace('/', '-')[:12]}")


def test_a_game_can_be_played_with_the_keyboard_alone(page: Page) -> None:
    begin(page)
    for _ in range(30):
        ActionChains(page.driver).send_keys(Keys.TAB).perform()
        focused = page.driver.switch_to.active_element
        if focused.get_attribute("data-square"):
            break
    assert focused.get_attribute("data-square") == "12", "the board is one stop, at the front of Black's men"
    ActionChains(page.driver).send_keys(Keys.ARROW_RIGHT, Keys.ENTER).perform()
    assert "chosen" in page.square(11).get_attribute("aria-label")
    ActionChains(page.driver).send_keys(Keys.ESCAPE, Keys.ENTER, Keys.ARROW_UP).perform()
    focused = page.driver.switch_to.active_element
    assert focused.get_attribute("data-square") == "15", "Black is at the bottom"
    ActionChains(page.driver).send_keys(Keys.ENTER).perform()
    page.wait(lambda: page.texts("#moves span")[:1] == ["11-15"], "the move is made")


def test_hint_flip_and_resignation(page: Page) -> None:
    begin(page)
    page.find("#hint").click()
    page.wait(lambda: "would play" in page.text("#message"), "the hint is shown")
    assert page.all("#board polyline.hint")
    page.shoot("hint")
    top = page.text("#top .name")
    page.find("#flip").click()
    assert page.text("#bottom .name") == top
    page.find("#resign").click()
    page.find("#confirm button[value=stay]").click()
    assert page.text("#status").startswith("Your turn")
    page.find("#resign").click()
    page.find("#confirm button[value=resign]").click()
    page.wait(lambda: page.text("#status").startswith("You lost: 0-1 (resignation)"), "the game is lost")


def test_a_name_with_markup_is_text(page: Page) -> None:
    page.find("#name").send_keys("<img src=x onerror=alert(1)>")
    page.find("#level option[value=random]").click()
    page.find("#new button").click()
    page.wait(lambda: page.all("#game"), "the game begins")
    my_turn(page)
    assert page.text("#bottom .name") == "<img src=x onerror=alert(1)>"
    assert page.all(".side img") == []


def test_a_position_is_set_up_and_analysed(page: Page) -> None:
    page.open("/analysis")
    page.wait(lambda: page.texts("#legal button"), "the moves are listed")
    page.find("#setup").click()
    page.find("#clear").click()
    page.find("[name=piece][value='white king']").click()
    for square in (29, 30):
        page.square(square).click()
    page.find("[name=piece][value='black king']").click()
    page.square(1).click()
    page.find("[name=side][value=white]").click()
    page.find("#setup").click()
    page.wait(lambda: "win in 33 plies for white" in page.text("#exact"), "the tables know the position")
    assert page.driver.current_url.endswith("/analysis?fen=W%3AWK29%2CK30%3ABK1")
    assert sum("win in" in text for text in page.texts("#legal li")) >= 1
    page.find("#player-1").clear()
    page.find("#player-1").send_keys("minimax:depth=2")
    page.find("#more").click()
    page.find("#player-2").send_keys("nobody")
    page.find("#analyse").click()
    page.wait(lambda: len(page.all("#results article strong")) == 1, "a player answers")
    page.wait(lambda: "no player named 'nobody'" in page.text("#results"), "the other has an error")
    assert "depth 2" in page.text("#results")
    page.shoot("analysis")
    page.find("#fen").clear()
    page.find("#fen").send_keys("B:W33:B1", Keys.ENTER)
    page.wait(lambda: "is not a square" in page.text("#message"), "the error is shown")
