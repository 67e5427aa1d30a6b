"""Where a request goes."""

from __future__ import annotations

import pytest

from unabridged.errors import InvalidInput
from unabridged.gateway.upstreams import Upstreams, named, upstream

USUAL = Upstreams({})


def where(path: str, *headers: tuple[bytes, bytes], among: Upstreams = USUAL) -> str:
    """The URL that a request is sent to."""
    chosen, target = among.route(path.encode(), headers)
    return f"{chosen.scheme}://{chosen.authority.decode()}{target.decode()}"


def test_the_path_of_an_api_tells_its_provider() -> None:
    assert where("/v1/messages") == "https://api.anthropic.com/v1/messages"
    assert where("/v1/messages/count_tokens") == "https://api.anthropic.com/v1/messages/count_tokens"
    assert where("/v1/responses") == "https://api.openai.com/v1/responses"
    assert where("/v1/chat/completions") == "https://api.openai.com/v1/chat/completions"


def test_where_the_path_is_of_several_the_headers_tell() -> None:
    assert where("/v1/models") == "https://api.openai.com/v1/models"
    assert where("/v1/models", (b"anthropic-version", b"2023-06-01")) == "https://api.anthropic.com/v1/models"
    assert where("/v1/models", (b"x-api-key", b"k")) == "https://api.anthropic.com/v1/models"


def test_a_subscription_goes_where_codex_would_send_it() -> None:
    account = (b"chatgpt-account-id", b"a")
    assert where("/v1/responses", account) == "https://chatgpt.com/backend-api/codex/responses"


def test_a_first_segment_that_is_a_name_decides() -> None:
    among = Upstreams({"mine": "http://127.0.0.1:8000/api/v1", "other": "https://example.com:8443/x/"})
    assert where("/mine/v1/chat/completions", among=among) == "http://127.0.0.1:8000/api/v1/chat/completions"
    assert where("/mine/chat/completions", among=among) == "http://127.0.0.1:8000/api/v1/chat/completions"
    assert where("/other/chat/completions", among=among) == "https://example.com:8443/x/chat/completions"
    assert where("/openai/v1/models", among=among) == "https://api.openai.com/v1/models"


def test_a_version_in_the_address_and_in_the_path_is_said_once() -> None:
    for url in (
        "http://127.0.0.1:1",
        "http://127.0.0.1:1/",
        "http://127.0.0.1:1/v1",
        "http://127.0.0.1:1/v1/",
    ):
        assert where("/v1/responses", among=Upstreams({"openai": url})) == "http://127.0.0.1:1/v1/responses"


WRONG = (
    *("anthropic", "=http://x", "a=ftp://x", "a=http://", "a=http://u:p@x", "a=http://x?q=1", "a/b=http://x"),
    *("v1=http://x", "a=http://x:99999", "a=http://[x"),
)


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        named([text])


def test_an_address_of_numbers_keeps_its_brackets() -> None:
    assert upstream("a", "http://[::1]:9000/v1").authority == b"[::1]:9000"
    assert upstream("a", "http://[::1]:9000/v1").origin == "http://[::1]:9000"
