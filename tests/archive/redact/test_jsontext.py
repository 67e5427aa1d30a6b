"""Strings inside of JSON text."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from unabridged.archive.redact import jsontext

TEXTS = st.lists(
    st.sampled_from(("\\", '"', "a", "é", "\U0001f600", "\ud800", "\n", "/", "u0041", " ")), max_size=12
).map("".join)


def quoted(text: str, ascii_only: bool) -> bytes:
    return json.dumps(text, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")


@given(TEXTS, TEXTS, st.booleans())
def test_the_end_of_a_string_is_found_from_its_beginning(text: str, after: str, ascii_only: bool) -> None:
    one, two = quoted(text, ascii_only), quoted(after, ascii_only)
    data = b"[" + one + b"," + two + b"]"
    assert jsontext.string_end(data, 2) == len(one)
    assert jsontext.string_end(data, len(one) + 3) == len(data) - 2


@given(TEXTS, TEXTS, TEXTS, st.booleans())
def test_the_string_around_a_letter_is_found(before: str, text: str, after: str, ascii_only: bool) -> None:
    head = b"[" + quoted(before, ascii_only) + b","
    body = quoted(text + "KEY" + after, ascii_only)
    data = head + body + b"," + quoted(after, ascii_only) + b"]"
    at = data.index(b"KEY", len(head))
    assert jsontext.string_around(data, at, 0) == (len(head) + 1, len(head) + len(body) - 1)


@given(TEXTS, st.booleans())
def test_decoding_and_the_way_back_agree_with_json(text: str, ascii_only: bool) -> None:
    raw = quoted(text, ascii_only)[1:-1]
    plain = jsontext.decode(raw)
    assert plain == json.loads(b'"' + raw + b'"' if ascii_only else quoted(text, True)).encode(
        "utf-8", "surrogatepass"
    )
    starts = [0]
    for character in text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"):
        starts.append(starts[-1] + len(character.encode("utf-8", "surrogatepass")))
    places = jsontext.raw_places(raw, starts)
    assert places[0] == 0
    assert places[-1] == len(raw)
    assert [jsontext.decode(raw[:place]) for place in places] == [plain[:start] for start in starts]


@given(TEXTS, st.integers(0, 60), st.booleans())
def test_a_safe_start_splits_no_escape(text: str, at: int, ascii_only: bool) -> None:
    raw = quoted(text, ascii_only)[1:-1]
    at = min(at, len(raw))
    place = jsontext.safe_start(raw, at, 0)
    assert at - 12 < place <= at or place == at
    if ascii_only:
        assert jsontext.decode(raw[:place]) + jsontext.decode(raw[place:]) == jsontext.decode(raw)


@given(TEXTS, st.binary(max_size=3))
def test_bytes_that_are_no_utf8_decode_to_themselves(text: str, noise: bytes) -> None:
    noise = noise.replace(b"\\", b"").replace(b'"', b"")
    raw = quoted(text, True)[1:-1]
    assert jsontext.decode(raw + noise) == jsontext.decode(raw) + noise


def test_documents_end_where_json_ends() -> None:
    for line, end in (
        (b"", 0),
        (b"\n", 1),
        (b'{"a":1}\n', 8),
        (b'{"a":1}{"b":2}\n', 15),
        (b'{"a":1} {"b":', 8),
        (b'\xef\xbb\xbf{"a":1}', 10),
        (b"[1,2] x", 6),
        (b'{"a":NaN}', 9),
        (b'{"a":"\x01"}', 9),
        (b'{"a":"\xff"}', 9),
        (b"12 apples", 0),
        (b"text", 0),
        (b'{"a":', 0),
    ):
        assert jsontext.documents_end(line) == end, line
