"""Which requests over HTTP are let in."""

from __future__ import annotations

import pytest

from unabridged.mcp.guard import Door

DOOR = Door(4711, "the-token-of-this-run")
GIVEN = (b"authorization", b"Bearer the-token-of-this-run")
JSON = (b"content-type", b"application/json")
HOST = (b"host", b"127.0.0.1:4711")


def status(*headers: tuple[bytes, bytes], method: str = "POST", path: bytes = b"/mcp") -> int:
    """The status of the refusal; 0 for a request that is let in."""
    refusal = DOOR.refusal(method, path, headers)
    return refusal.status if refusal else 0


def test_who_knows_the_token_is_let_in() -> None:
    assert status(HOST, GIVEN, JSON) == 0
    assert status(HOST, JSON, path=b"/the-token-of-this-run/mcp") == 0
    assert (
        status((b"host", b"localhost:4711"), GIVEN, (b"content-type", b"Application/JSON; charset=utf-8"))
        == 0
    )
    assert status(HOST, GIVEN, method="GET") == 0
    assert status(HOST, GIVEN, method="DELETE") == 0
    assert status(HOST, GIVEN, JSON, (b"origin", b"http://127.0.0.1:4711")) == 0


@pytest.mark.parametrize(
    "host",
    [
        b"evil.example",
        b"evil.example:4711",
        b"127.0.0.1",
        b"127.0.0.1:4712",
        b"127.0.0.1:47110",
        b"127.0.0.1.evil.example:4711",
        b"localhost",
        b"LOCALHOST:4711@evil.example",
        b"0.0.0.0:4711",
        b"[::1]:4711",
        b"",
    ],
)
def test_a_name_that_was_led_here_is_refused(host: bytes) -> None:
    assert status((b"host", host), GIVEN, JSON) == 421


def test_a_request_for_no_host_or_several_is_refused() -> None:
    assert status(GIVEN, JSON) == 421
    assert status(HOST, HOST, GIVEN, JSON) == 421


@pytest.mark.parametrize(
    "origin",
    [
        b"null",
        b"http://evil.example",
        b"https://127.0.0.1:4711",
        b"http://127.0.0.1",
        b"http://127.0.0.1:4711/",
        b"http://127.0.0.1:4711.evil.example",
        b"http://localhost:4712",
        b"",
    ],
)
def test_a_page_of_another_origin_is_refused(origin: bytes) -> None:
    assert status(HOST, GIVEN, JSON, (b"origin", origin)) == 403


def test_what_a_browser_sends_for_another_site_is_refused() -> None:
    assert status(HOST, GIVEN, JSON, (b"sec-fetch-site", b"cross-site")) == 403
    assert status(HOST, GIVEN, JSON, (b"origin", b"http://127.0.0.1:4711"), (b"origin", b"null")) == 403


@pytest.mark.parametrize(
    "given",
    [
        b"",
        b"Bearer",
        b"Bearer ",
        b"Bearer wrong",
        b"Bearer the-token-of-this-ru",
        b"Bearer the-token-of-this-run2",
        b"Basic the-token-of-this-run",
        b"the-token-of-this-run",
        "Bearer the-tökén".encode(),
    ],
)
def test_without_the_token_nothing_is_answered(given: bytes) -> None:
    assert status(HOST, (b"authorization", given), JSON) == 401


def test_a_second_token_helps_nobody() -> None:
    assert status(HOST, JSON) == 401
    assert status(HOST, GIVEN, (b"authorization", b"Bearer wrong"), JSON) == 401
    # Who says in the header that he is somebody else is not let in by the path.
    assert status(HOST, (b"authorization", b"Bearer wrong"), JSON, path=b"/the-token-of-this-run/mcp") == 401


@pytest.mark.parametrize(
    "path",
    [
        b"/",
        b"/mcp/",
        b"/mcp/../mcp",
        b"/%6dcp",
        b"/mcp%2f..",
        b"//mcp",
        b"/wrong/mcp",
        b"/../etc/passwd",
        b"mcp",
    ],
)
def test_there_is_one_path(path: bytes) -> None:
    assert status(HOST, GIVEN, JSON, path=path) == 404
    assert status(HOST, JSON, path=path) == 401


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "PATCH", "HEAD", "TRACE", "CONNECT"])
def test_other_methods_are_refused(method: str) -> None:
    assert status(HOST, GIVEN, JSON, method=method) == 405


@pytest.mark.parametrize(
    "kind", [b"text/plain", b"application/x-www-form-urlencoded", b"application/jsonp", b""]
)
def test_what_a_form_can_send_is_refused(kind: bytes) -> None:
    assert status(HOST, GIVEN, (b"content-type", kind)) == 415
    assert status(HOST, GIVEN) == 415
