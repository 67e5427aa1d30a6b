"""Which requests the gateway lets in."""

from __future__ import annotations

import pytest

from unabridged.gateway.door import Door

DOOR = Door(4711, "the-token-of-this-run")
HOST = (b"host", b"127.0.0.1:4711")


def status(path: bytes, *headers: tuple[bytes, bytes]) -> int:
    """The status of the refusal; 0 for a request that is let in."""
    refusal = DOOR.refusal(path, headers or (HOST,))
    return refusal.status if refusal else 0


def test_who_knows_the_token_is_let_in_to_every_path_of_a_provider() -> None:
    assert status(b"/the-token-of-this-run/v1/messages") == 0
    assert status(b"/the-token-of-this-run/") == 0
    assert status(b"/the-token-of-this-run/v1/models/vendor%2Fname") == 0
    assert DOOR.rest(b"/the-token-of-this-run/v1/messages") == b"/v1/messages"
    assert DOOR.url == "http://127.0.0.1:4711/the-token-of-this-run"


@pytest.mark.parametrize(
    "path",
    [
        b"/",
        b"/v1/messages",
        b"/the-token-of-this-run",
        b"/the-token-of-this-ru/v1",
        b"//the-token-of-this-run/v1",
    ],
)
def test_without_the_token_nothing_is_told(path: bytes) -> None:
    assert status(path) == 404


@pytest.mark.parametrize(
    "path",
    [
        b"/v1/../admin",
        b"/..",
        b"/v1/%2e%2e/admin",
        b"/v1/%2E./admin",
        b"/v1/%252e%252e/admin",
        b"/v1/..%2fadmin",
        b"/v1/..\\admin",
        b"/v1/%5c..%5cadmin",
        b"/v1/x%0d%0aHost:%20evil",
        b"/v1/..;/admin",
        b"/v1/%00",
        b"/v1/%25252525252e",
    ],
)
def test_a_path_that_could_mean_another_place_is_refused(path: bytes) -> None:
    assert status(b"/the-token-of-this-run" + path) == 400


def test_another_name_or_origin_is_refused() -> None:
    path = b"/the-token-of-this-run/v1/messages"
    assert status(path, (b"host", b"evil.example:4711")) == 421
    assert status(path, (b"host", b"127.0.0.1")) == 421
    assert status(path, HOST, HOST) == 421
    assert status(path, HOST, (b"origin", b"http://evil.example")) == 403
    assert status(path, HOST, (b"origin", b"null")) == 403
    assert status(path, HOST, (b"sec-fetch-site", b"cross-site")) == 403
    assert status(path, (b"host", b"localhost:4711"), (b"origin", b"http://localhost:4711")) == 0
    assert status(path, HOST, (b"sec-fetch-mode", b"cors")) == 0


def test_a_websocket_is_refused_so_that_the_client_goes_on_without() -> None:
    path = b"/the-token-of-this-run/v1/responses"
    assert status(path, HOST, (b"connection", b"Upgrade"), (b"upgrade", b"WebSocket")) == 426


def test_no_provider_is_asked_for_a_tunnel_or_for_what_was_sent() -> None:
    door, path = Door(4711, "the-token-of-this-run"), b"/the-token-of-this-run/v1/models"
    for method in ("CONNECT", "TRACE"):
        refusal = door.refusal(path, [HOST], method)
        assert refusal is not None
        assert refusal.status == 405
    assert door.refusal(path, [HOST], "DELETE") is None
