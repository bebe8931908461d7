"""A server and a browser for tests of pages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.request import urlopen

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from selenium.webdriver.remote.webelement import WebElement

_PATIENCE = 60.0
"""Seconds after which a test fails because something does not happen."""


class Server:
    """``arena serve`` in a process of its own."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self, port: int = 0) -> None:
        """Start the server."""
        command = [sys.executable, "-m", "arena", "serve", "--db", str(self._database), "--port", str(port)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        match = re.search(r"http://\S+:\d+", line)
        assert match is not None, line
        self.address = match[0]

    def stop(self, *, kill: bool = False) -> None:
        """Stop the server as Ctrl-C does, or kill it."""
        assert self._process is not None
        if kill:
            self._process.kill()
        else:
            self._process.terminate()
        self._process.communicate(timeout=_PATIENCE)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Page:
    """A browser with helpers for the pages."""

    def __init__(self, driver: Chrome, server: Server) -> None:
        self.driver = driver
        self.server = server

    def open(self, path: str) -> None:
        self.driver.get(self.server.address + path)

    def find(self, selector: str) -> WebElement:
        """Return the first element of a CSS selector."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        """Return all elements of a CSS selector."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        """Return the texts of all elements of a CSS selector, the invisible ones included."""
        texts: list[str] = self.driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)", selector
        )
        return texts

    def text(self, selector: str) -> str:
        """Return the text of the first element of a CSS selector."""
        return self.texts(selector)[0]

    def square(self, number: int) -> WebElement:
        """Return a square of the board."""
        return self.find(f"#board [data-square='{number}']")

    def wait(self, condition: Callable[[], object], what: str) -> None:
        """Wait until a condition holds."""
        deadline = time.monotonic() + _PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"{what}: {self.text('main')[:2000]}"
            time.sleep(0.05)

    def json(self, path: str) -> Any:
        """Return what the server answers at a path."""
        with urlopen(self.server.address + path, timeout=_PATIENCE) as answer:
            return json.load(answer)

    def emulate(self, width: int, height: int) -> None:
        """Give the page the size of a phone's screen."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def shoot(self, name: str) -> None:
        """Write a picture of the page to the folder that ``ARENA_SCREENSHOTS`` names, if it names one."""
        if folder := os.environ.get("ARENA_SCREENSHOTS"):
            self.driver.save_screenshot(str(Path(folder) / f"{name}.png"))

    def errors(self) -> list[str]:
        """Return the errors and warnings of the browser since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def foreign_requests(self) -> list[str]:
        """Return the addresses outside the server that pages have asked for since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        addresses = [each["request"]["url"] for each in sent]
        return [address for address in addresses if not address.startswith((self.server.address, "data:"))]


@contextmanager
def browser(*arguments: str) -> Iterator[Chrome]:
    """Start Chromium without a window. Without it, the test is skipped; in CI (``CI=true``) it fails."""
    program = shutil.which("chromedriver")
    if program is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("there is no chromedriver: install Chromium")
    options = ChromeOptions()
    common = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,950")
    for argument in (*common, "--force-prefers-reduced-motion", *arguments):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options=options, service=Service(program))
    try:
        yield driver
    finally:
        driver.quit()
