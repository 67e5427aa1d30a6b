"""What an extension says is read, and what it gets is said in terms of what it gave."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.gateway.shims import asked, mark
from unabridged.gateway.shims.asked import Asked, numbered
from unabridged.window.providers.adapters import PI
from unabridged.window.providers.splice import NotUnderstood

MESSAGES = [{"role": "user", "content": name} for name in "abcab"]


def encoded(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def in_full(given: list[Any], found: tuple[int | msgspec.Raw, ...]) -> list[Any]:
    """What an extension makes of an answer."""
    return [given[one] if isinstance(one, int) else json.loads(bytes(one)) for one in found]


def test_what_stays_is_named_by_its_number_and_what_is_new_is_said() -> None:
    sent = [
        {"role": "user", "content": "table"},
        MESSAGES[2],
        {**MESSAGES[3], "content": "short"},
        MESSAGES[4],
    ]
    found = numbered(encoded(MESSAGES), encoded(sent))
    assert [one if isinstance(one, int) else "new" for one in found] == ["new", 2, "new", 4]
    assert in_full(MESSAGES, found) == sent


@given(
    st.lists(st.sampled_from(["a", "b", "c"]), max_size=8),
    st.lists(st.sampled_from(["a", "b", "x"]), max_size=8),
)
def test_any_list_is_said_in_terms_of_any_other(before: list[str], after: list[str]) -> None:
    found = numbered(encoded(before), encoded(after))
    assert in_full(before, found) == after
    numbers = [one for one in found if isinstance(one, int)]
    assert numbers == sorted(set(numbers))


def test_half_of_a_surrogate_pair_stays_what_it_is() -> None:
    line = b'{"id":7,"op":"plan","host":"pi","session":"s","messages":[{"role":"user","content":"cut \\ud83d"}]}\n'
    given = asked.asked(line)
    assert given is not None
    assert given.id == 7
    assert bytes(given.messages) == b'[{"role":"user","content":"cut \\ud83d"}]'
    assert PI.read(asked.body(given, 0)).conversation.items[0].parts[0].text.startswith("cut ")


@pytest.mark.parametrize(
    "line", [b"", b"[]", b"nothing", b'{"id":"seven"}', b'{"id":1', b"\xff\xfe", b"[" * 9_000]
)
def test_what_is_no_request_is_none(line: bytes) -> None:
    assert asked.asked(line) is None


def test_a_body_says_what_the_host_says() -> None:
    given = Asked(model="local/m", cwd="/work", fixed=120, messages=msgspec.Raw(encoded(MESSAGES)))
    request = PI.read(asked.body(given, 4_000))
    assert request.conversation.model == "local/m"
    assert request.conversation.fixed >= 120
    assert len(request.conversation.items) == len(MESSAGES)
    said = json.loads(request.body)
    assert (said["cwd"], said["max_tokens"]) == ("/work", 4_000)


def test_what_is_no_list_is_not_put_in_terms_of_one() -> None:
    with pytest.raises(NotUnderstood):
        numbered(b"[]", b"{}")


@pytest.mark.parametrize(
    ("url", "ours"),
    [
        ("http://127.0.0.1:40123/abcdefghijklmnopqrstuvwxyz0123456789-_ABCDE", True),
        ("http://127.0.0.1:40123/abcdefghijklmnopqrstuvwxyz0123456789-_ABCDE/v1", True),
        ("http://127.0.0.1:11434/v1", False),
        ("https://api.anthropic.com", False),
        ("https://elsewhere.example/abcdefghijklmnopqrstuvwxyz0123456789-_ABCDE/v1", False),
        ("", False),
    ],
)
def test_a_gateway_is_known_by_its_address(url: str, ours: bool) -> None:
    assert mark.is_gateway(url) is ours
