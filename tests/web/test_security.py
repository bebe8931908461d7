"""What protects the server: names of the host, origins, the token, headers, and limits."""

from __future__ import annotations

from http import HTTPStatus
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from starlette.responses import JSONResponse
from starlette.routing import Route

from arena.web import app as web_app
from arena.web import security
from arena.web.site import Limits
from databases import empty
from serving import client_of

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request
    from starlette.testclient import TestClient

SECRET = "s3cret"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return empty(tmp_path_factory.mktemp("empty") / "arena.sqlite")


async def echo(request: Request) -> JSONResponse:
    return JSONResponse({"size": len(await request.body())})


async def fail(request: Request) -> JSONResponse:
    raise RuntimeError(f"secret of {request.url.path}")


ECHO = SimpleNamespace(routes=[Route("/echo", echo, methods=["GET", "POST"]), Route("/fail", fail)])
"""A module with a route that reads the body of a request, and one that fails."""


@pytest.fixture
def echoing(database: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(web_app, "MODULES", (*web_app.MODULES, ECHO))
    return client_of(database, limits=Limits(body=100, query=50))


@pytest.mark.parametrize("path", ["/", "/tournaments", "/none", "/static/0/none.css"])
def test_every_response_has_the_security_headers(database: Path, path: str) -> None:
    headers = client_of(database).get(path).headers
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


def test_refusals_have_the_security_headers(database: Path) -> None:
    refused = client_of(database).get("/", headers={"Host": "evil.example"})
    assert {name: refused.headers.get(name) for name in security.HEADERS} == security.HEADERS


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:1", "[::1]:8000", "LOCALHOST:8000"])
def test_names_of_this_machine_are_known(database: Path, host: str) -> None:
    assert client_of(database).get("/", headers={"Host": host}).status_code == HTTPStatus.OK


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8000", "192.168.1.7:8000", ""]
)
def test_foreign_names_are_refused(database: Path, host: str) -> None:
    refused = client_of(database).get("/", headers={"Host": host})
    assert refused.status_code == HTTPStatus.MISDIRECTED_REQUEST


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://localhost:8000", "http://localhost:8001", "http://localhost"]
)
def test_a_request_of_another_site_that_may_change_something_is_refused(echoing: TestClient, origin: str) -> None:
    refused = echoing.post("/echo", headers={"Origin": origin})
    assert refused.status_code == HTTPStatus.FORBIDDEN


def test_a_request_without_an_origin_that_may_change_something_is_refused(echoing: TestClient) -> None:
    del echoing.headers["Origin"]
    assert echoing.post("/echo").status_code == HTTPStatus.FORBIDDEN
    assert echoing.get("/echo").status_code == HTTPStatus.OK


def test_a_request_of_a_page_of_this_server_is_served(echoing: TestClient) -> None:
    assert echoing.post("/echo", content=b"x" * 100).json() == {"size": 100}


def test_long_bodies_are_refused_with_and_without_their_length(echoing: TestClient) -> None:
    whole = echoing.post("/echo", content=b"x" * 101)
    parts = echoing.post("/echo", content=iter([b"x" * 60, b"x" * 60]))
    assert whole.status_code == parts.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE


def test_long_queries_are_refused(echoing: TestClient) -> None:
    assert echoing.get("/echo", params={"a": "x" * 48}).status_code == HTTPStatus.OK
    assert echoing.get("/echo", params={"a": "x" * 49}).status_code == HTTPStatus.REQUEST_URI_TOO_LONG


def test_an_error_of_a_page_shows_no_traceback(echoing: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    failed = echoing.get("/fail")
    assert failed.status_code == HTTPStatus.INTERNAL_SERVER_ERROR
    assert "secret" not in failed.text
    assert "Traceback" not in failed.text
    assert "secret of /fail" in caplog.text


def test_errors_are_pages_for_people_and_json_for_programs(database: Path) -> None:
    client = client_of(database)
    assert "<h1>Not Found</h1>" in client.get("/none").text
    assert client.get("/none", headers={"Accept": "*/*"}).json() == {"error": "There is no such page."}


@pytest.fixture
def guarded(database: Path) -> TestClient:
    return client_of(database, token=SECRET, hosts=security.hosts_of("0.0.0.0"))


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=wrong", "/live", "/static/0/style.css"])
def test_nothing_is_served_without_the_token(guarded: TestClient, path: str) -> None:
    assert guarded.get(path).status_code == HTTPStatus.FORBIDDEN


def test_the_link_sets_a_cookie_and_removes_the_token_from_the_address(guarded: TestClient) -> None:
    answer = guarded.get("/tournaments", params={"a": "1", "token": SECRET})
    assert answer.status_code == HTTPStatus.SEE_OTHER
    assert answer.headers["Location"] == "/tournaments?a=1"
    assert "httponly" in answer.headers["Set-Cookie"].lower()
    assert guarded.get("/").status_code == HTTPStatus.OK


def test_the_token_cannot_be_given_with_a_request_that_changes_something(guarded: TestClient) -> None:
    assert guarded.post("/", params={"token": SECRET}).status_code == HTTPStatus.FORBIDDEN


def test_with_a_token_addresses_in_digits_are_known(guarded: TestClient) -> None:
    guarded.get("/", params={"token": SECRET}, headers={"Host": "192.168.1.7:8000"})
    refused = guarded.get("/", params={"token": SECRET}, headers={"Host": "evil.example"})
    assert refused.status_code == HTTPStatus.MISDIRECTED_REQUEST


def test_static_files_may_be_kept_for_ever(database: Path) -> None:
    client = client_of(database)
    page = client.get("/").text
    address = page.partition('rel="stylesheet" href="')[2].partition('"')[0]
    answer = client.get(address)
    assert answer.status_code == HTTPStatus.OK
    assert "immutable" in answer.headers["Cache-Control"]
    outside = client.get(f"{address.rpartition('/')[0]}/..%2f..%2fsite.py")
    assert outside.status_code == HTTPStatus.NOT_FOUND
