"""The web site of the documentation."""

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import arena

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, whose links the build has checked."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, ROOT / "docs/site/build.py", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_of_the_documentation_is_on_the_site(site):
    for page in sorted(ROOT.glob("docs/**/*.md")):
        name = page.relative_to(ROOT).with_suffix("")
        name = name.parent if name.name == "index" else name
        assert (site / name / "index.html").exists(), name


def test_the_reference_has_every_public_name(site):
    text = (site / "docs/reference/python/index.html").read_text()
    missing = [name for name in arena.__all__ if f".{name}&quot;" not in text and f'.{name}"' not in text]
    assert not missing


def test_the_reference_has_every_command(site):
    text = (site / "docs/reference/commands/index.html").read_text()
    for command in ("tournament", "experiment run", "db merge", "tablebase build"):
        assert f"arena {command}</code>" in text


class Addresses(HTMLParser):
    """Collects the addresses of what a page loads."""

    def __init__(self):
        super().__init__()
        self.loaded = []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in ("script", "img", "iframe"):
            self.loaded.append(values.get("src"))
        if tag == "link" and values.get("rel") in ("stylesheet", "preload", "icon"):
            self.loaded.append(values.get("href"))


def test_no_page_loads_anything_from_another_server(site):
    for page in site.rglob("*.html"):
        addresses = Addresses()
        addresses.feed(page.read_text())
        outside = [each for each in addresses.loaded if each and each.startswith(("http:", "https:", "//"))]
        assert not outside, page
