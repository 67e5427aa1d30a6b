"""Large and hostile lines: bounded memory, no runaway."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.archive.redact.secrets import GITHUB, PASSWORD, line
from unabridged.archive.redact import Redactor
from unabridged.archive.redact.windows import BLOCK

REDACTOR = Redactor.compile()
MARK = b"[redacted:github-token]"
MIB = 1 << 20


def test_a_huge_line_takes_no_more_than_three_times_its_size() -> None:
    row = f'if x == "y":\n\tprint("password reset", token)  # {PASSWORD[:4]}\n'
    text = row * 40_000 + GITHUB + "\n" + row * 150_000 + GITHUB
    data = line({"text": text, "n": 1})
    assert len(data) > 10 * MIB
    tracemalloc.start()
    kept, found = REDACTOR.line(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert kept == data.replace(GITHUB.encode(), MARK)
    assert found[0].count == 2
    assert peak < 3 * len(data)


def test_secrets_are_found_wherever_windows_begin_and_end() -> None:
    for distance in (200, 256, 700, 768, 769, 1_500, 3_000, 70_000):
        filler = "lorem \\ ipsum\n" * (distance // 14)
        text = f"{GITHUB}\n{filler}password: {PASSWORD}\n{filler}{GITHUB}"
        data = line({"a": text})
        kept, found = REDACTOR.line(data)
        assert kept == data.replace(GITHUB.encode(), MARK).replace(
            PASSWORD.encode(), b"[redacted:password]"
        ), distance
        assert sum(finding.count for finding in found) == 3


def test_a_value_longer_than_a_window_is_redacted_to_its_end() -> None:
    for size in (500, 760, 800, 3_000):
        secret = "eyJ" + "hbGciOi" + "aB3" * 20 + "." + "eyJ" + "dX9k" * (size // 4) + "." + "Zk4_" * 20
        data = line({"a": f"see {secret} there", "token": secret})
        assert REDACTOR.line(data)[0] == line({"a": "see [redacted:jwt] there", "token": "[redacted:jwt]"}), (
            size
        )


FAR = {
    "curl": "curl "
    + " ".join(f"-H 'X-Head-{n}: some words'" for n in range(12))
    + f" -u bob:{PASSWORD} https://host",
    "jwk before": '{"kty": "EC", "x": "' + "A1b2" * 95 + '", "d": "' + "Zm9v3mFyYmF6" * 4 + '"}',
    "jwk behind": '{"d": "' + "Zm9v3mFyYmF6" * 4 + '", "x": "' + "A1b2" * 105 + '", "kty": "EC"}',
    "manifest": "data:\n"
    + "".join(f"  item{n}: Zm9vYmFyYmF6\n" for n in range(40))
    + "  password: Zm9vYmFyYmF6\nkind: Secret\n",
}


@pytest.mark.parametrize("text", FAR.values(), ids=FAR)
def test_what_makes_a_value_a_secret_may_stand_as_far_away_as_its_rule_looks(text: str) -> None:
    kept, _ = REDACTOR.text(text)
    assert "[redacted:" in kept
    for secret in (PASSWORD, "Zm9v3mFyYmF6", "Zm9vYmFyYmF6"):
        assert secret not in kept
    assert REDACTOR.line(line({"a": text}))[0] == line({"a": kept})


def test_a_long_line_full_of_secrets_loses_every_one() -> None:
    data = line({"a": f"password={PASSWORD} {GITHUB}\n" * 600})
    kept, found = REDACTOR.line(data)
    assert kept == line({"a": "password=[redacted:password] [redacted:github-token]\n" * 600})
    assert sum(finding.count for finding in found) == 1_200


@pytest.mark.parametrize(
    "piece",
    [
        "password=",
        "cookie: ",
        "eyJ",
        "-eyJhbGciOiJIUzI1NiJ9",
        "sk-",
        "://a:",
        "token ",
        "kind: Secret\n",
        "password\\",
        '"',
        "ghp_",
        "mysql -",
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        "[redacted:",
        "Bearer ",
        "api_key: '",
        "AKIA",
        "\\u0070",
        "data:x;base64,",
        "--a-token ",
    ],
)
def test_repeats_of_what_begins_a_secret_come_to_an_end_and_settle(piece: str) -> None:
    text = piece * (12_000 // len(piece))
    for data in (text.encode(), line({"a": text})):
        once, _ = REDACTOR.line(data)
        assert REDACTOR.line(once) == (once, ())


def test_a_quote_behind_the_line_does_not_close_the_one_before_a_value() -> None:
    for between in (5, 300, 1_000, 5_000):
        far = "lorem ipsum\n" * (between // 12) + "it's\n"
        for name in (f"password: '{PASSWORD}", f"mysql -u root -p'{PASSWORD}", f"identified by '{PASSWORD}"):
            text = f"alter user x {name}\n{far}"
            kept, found = REDACTOR.text(text)
            assert PASSWORD not in kept, (name, between)
            assert kept.endswith(f"]\n{far}")
            assert REDACTOR.line(line({"a": text})) == (line({"a": kept}), found)


def test_a_secret_in_quotes_over_several_lines_is_redacted_whole() -> None:
    text = f"signing_key: '{GITHUB[4:]}\n{GITHUB[::-1]}' # end"
    assert REDACTOR.text(text)[0] == "signing_key: '[redacted:key]' # end"


def test_no_character_is_cut_by_a_rule_that_counts_bytes() -> None:
    for size in range(56, 63):
        text = f'psk="{PASSWORD * 4}'[: size + 5] + "é" * 12
        kept, found = REDACTOR.text(text)
        assert found
        assert kept.startswith('psk="[redacted:password]')
        data = line({"a": text}, ascii_only=False)
        assert REDACTOR.line(data)[0] == line({"a": kept}, ascii_only=False)


def test_the_last_value_of_a_manifest_is_redacted_to_its_end() -> None:
    for size in (3_900, 4_040, 4_060, 4_080):
        value = "Zm9vYmFyYmF6" * (size // 12)
        text = f"kind: Secret\ndata:\n  a: {value}\n  bb: {value}\n"
        kept = "kind: Secret\ndata:\n  a: [redacted:kubernetes-secret]\n  bb: [redacted:kubernetes-secret]\n"
        assert REDACTOR.text(text)[0] == kept
        assert REDACTOR.line(line({"a": text}))[0] == line({"a": kept})


def test_a_dense_string_of_many_blocks_is_redacted_as_its_text_is() -> None:
    long = "eyJ" + "hbGciOi" + "aB3" * 20 + "." + "eyJ" + "dX9k" * 900 + "." + "Zk4_" * 20
    rows = (
        f"export DB_PASSWORD='{PASSWORD}' # \u00e9\n",
        f'{{"value": "{GITHUB[4:]}", "name": "API_KEY"}}\n',
        f"token: {long}\n",
        "the password is reset, the token refreshed\t\\ \U0001f600\n",
        f"see {GITHUB}\n" * 7,
    )
    text = "".join(rows[number % len(rows)] * (1 + number % 3) for number in range(260))
    assert len(text) > 3 * BLOCK
    kept, found = REDACTOR.text(text)
    for secret in (GITHUB, PASSWORD, GITHUB[4:], long[:60], long[-60:]):
        assert secret not in kept
    for ascii_only in (True, False):
        assert REDACTOR.line(line({"a": text}, ascii_only=ascii_only)) == (
            line({"a": kept}, ascii_only=ascii_only),
            found,
        )
    assert REDACTOR.text(kept) == (kept, ())


_ALONE = st.sampled_from(
    (
        f"password: {PASSWORD}",
        f"see {GITHUB} there",
        f'{{"name": "API_KEY", "on": true, "value": "{GITHUB[4:]}"}}',
        '{"kty": "oct", "k": "' + "Zm9v3mFyYmF6" * 4 + '"}',
        f"curl -u bob:{PASSWORD} https://host",
        "the password is reset, the token refreshed",
        "lorem ipsum dolor sit amet. " * 40,
        "x = f(password, token)\n\treturn [y]",
    )
)


@given(st.lists(_ALONE, max_size=30))
def test_what_stands_alone_is_judged_in_a_long_text_as_by_itself(blocks: list[str]) -> None:
    between = "\n\n---\n\n"
    kept, found = REDACTOR.text(between.join(blocks))
    assert kept == between.join(REDACTOR.text(block)[0] for block in blocks)
    assert sum(finding.count for finding in found) == kept.count("[redacted:")
    assert not any(secret in kept for secret in (PASSWORD, GITHUB, GITHUB[4:], "Zm9v3mFyYmF6"))
