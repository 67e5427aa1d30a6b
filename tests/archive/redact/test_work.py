"""What redacting costs rises with the size of a text, whatever it repeats."""

from __future__ import annotations

import pytest

from tests.archive.redact.secrets import GITHUB, PASSWORD, line
from tests.archive.redact.work import steps
from unabridged.archive.redact import Redactor
from unabridged.archive.redact.jsontext import raw_places
from unabridged.archive.redact.seen import Seen

SMALL = 9_000  # bytes; more than nearly all rules look at around one candidate
TIMES = 3
ALLOWED = 1.35  # times as many steps a byte: how windows and rounds fall is no exact multiple

HOSTILE = (
    "a:5432:b:c:",
    "://a:b@",
    "-eyJhbGciOiJIUzI1NiJ9",
    "eyJ",
    GITHUB,
    "Cookie: a1b2c3d4=a1b2c3d4;",
    '"httpOnly":true,',
    '"cookies":[',
    "kty: RSA ",
    '{"kty":"RSA",',
    '"name":"password",',
    '{"name":"token","value":"',
    '<a name="password" ',
    "name: API_KEY\n",
    "data:\n  a: b\nkind: Secret\n",
    "api_key: '",
    "token=$(",
    "a.b.token=",
    "password: [",
    '{"password":',
    '"mysql","',
    "mysql -p",
    "identified by '",
    "-----BEGIN RSA " + "PRIVATE KEY-----",
    "data:x;base64,",
    "\\u0070",
    "$2a$10$",
    f"password={PASSWORD} ",
)


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("wrapped", [False, True])
def test_the_cost_of_hostile_repeats_is_linear(piece: str, wrapped: bool) -> None:
    small, large = (piece * (size // len(piece)) for size in (SMALL, SMALL * TIMES))
    one, many = (steps(line({"a": text}) if wrapped else text.encode()) for text in (small, large))
    assert many <= one * TIMES * ALLOWED


def test_only_what_sees_a_change_is_judged_again() -> None:
    filler = "the password is reset, the token refreshed; " * 4_000
    for wrapped in (False, True):
        clean, text = filler * 2, f"{filler}{GITHUB}\n{filler}"
        costs = [steps(line({"a": it}) if wrapped else it.encode()) for it in (clean, text)]
        assert costs[1] < costs[0] * 1.3


def test_a_run_of_tokens_is_read_once() -> None:
    text = b"a-" * 5_000 + b" b"
    seen = Seen()
    assert {seen.run_end(text, at) for at in range(0, 10_000, 7)} == {10_000}
    assert seen.looked == 10_000
    assert seen.run_end(text, 10_001) == 10_002


def test_places_are_found_however_long_the_string_is() -> None:
    raw = b"ab\\n\\u00e9\\ud83d\\ude00/" * 3_000
    plain = "ab\né\U0001f600/" * 3_000
    places = list(range(0, len(plain.encode()) + 1, 1_237))
    found = raw_places(raw, places)
    assert found == sorted(found)
    for place, there in zip(places, found, strict=True):
        assert raw[:there].decode("unicode_escape").encode("utf-16", "surrogatepass").decode("utf-16") == (
            plain.encode()[:place].decode("utf-8", "ignore")
        )


def test_a_text_of_secrets_without_a_gap_loses_every_one() -> None:
    text = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8" + "\n"
    kept, found = Redactor.compile().text(text * 3_000)
    assert kept == "[redacted:github-token]\n" * 3_000
    assert found[0].count == 3_000
