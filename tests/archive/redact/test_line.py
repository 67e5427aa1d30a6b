"""Lines of transcripts: only secrets change, whatever stands around them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.archive.redact.secrets import AMAZON_ID, ANTHROPIC, GITHUB, PASSWORD, PRIVATE_KEY, TOKENS, line
from unabridged.archive.redact import Redactor

REDACTOR = Redactor.compile()
MARK = b"[redacted:github-token]"


def redact(data: bytes) -> bytes:
    return REDACTOR.line(data)[0]


# --- what must not change -----------------------------------------------------------------------------------------


def test_a_clean_line_comes_back_as_the_same_object() -> None:
    data = line({"type": "user", "text": "the token is refreshed, the password reset"})
    kept, found = REDACTOR.line(data)
    assert kept is data
    assert found == ()


def test_a_line_with_candidates_but_no_secret_comes_back_as_the_same_object() -> None:
    data = line({"text": "password: str = Field(...), token = get_token(), api_key=${API_KEY}"})
    assert REDACTOR.line(data)[0] is data


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b" \t\r\n", b"\n\n"])
@pytest.mark.parametrize("begin", [b"", b"\xef\xbb\xbf", b"  "])
def test_terminators_blanks_and_a_byte_order_mark_survive(begin: bytes, end: bytes) -> None:
    data = begin + line({"a": f"x {GITHUB} y"}, end=b"") + end
    assert redact(data) == data.replace(GITHUB.encode(), MARK)


def test_only_the_bytes_of_the_secret_change_within_its_string() -> None:
    data = (
        rb'{ "a" : "\u0041\ud800 \/ caf\u00e9 '
        + GITHUB.encode()
        + rb' \udfff \ud83d\ude00 \t" , "n":1.50e+2 }'
        + b"\r\n"
    )
    assert redact(data) == data.replace(GITHUB.encode(), MARK)


def test_the_order_of_keys_duplicates_and_numbers_survive() -> None:
    data = b'{"b":1,"a":2,"b":0.10,"a":[1e400,-0],"c":"' + GITHUB.encode() + b'"}\n'
    assert redact(data) == data.replace(GITHUB.encode(), MARK)


def test_bytes_that_are_no_utf8_survive_in_json_and_in_text() -> None:
    for data in (
        b'{"a":"\xff\xfe \xc3 ' + GITHUB.encode() + b' \x80"}\n',
        b"\xff\xfe \xc3 " + GITHUB.encode() + b" \x80\n",
        b'{"a":"\xff ' + GITHUB.encode() + b" \x80\n",
    ):
        assert redact(data) == data.replace(GITHUB.encode(), MARK)


def test_signed_encrypted_and_media_fields_are_never_touched() -> None:
    blob = GITHUB + "A" * 60 + "/" + AMAZON_ID
    for value in (
        {"type": "thinking", "thinking": "x", "signature": blob},
        {"thinkingSignature": blob, "thoughtSignature": blob},
        {"type": "reasoning", "encrypted_content": f"x {blob}", "summary": []},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": blob}},
        {"type": "redacted_thinking", "data": blob},
        {"mimeType": "image/jpeg", "data": blob},
        {"data": "A1b2" * 100 + "/" + AMAZON_ID + "/" + "c3D4" * 80},
        {"image_url": "data:image/png;base64," + "A1b2" * 20 + "/" + AMAZON_ID + "/x"},
        {
            "text": "see data:image/png;base64,"
            + "A1b2" * 20
            + "+"
            + ANTHROPIC.replace("-", "A")
            + "/"
            + AMAZON_ID
        },
    ):
        data = line(value)
        assert redact(data) == data, value


def test_a_secret_beside_a_signature_is_still_found() -> None:
    data = line({"thinking": f"use {GITHUB}", "signature": GITHUB, "text": f"{GITHUB}"})
    assert redact(data) == line(
        {"thinking": f"use {MARK.decode()}", "signature": GITHUB, "text": MARK.decode()}
    )


def test_data_that_is_text_is_no_media() -> None:
    for value in ({"data": f"export A={GITHUB}"}, {"data": GITHUB}, {"data": {"stdout": f"x {GITHUB}"}}):
        assert GITHUB.encode() not in redact(line(value))


# --- where secrets stand ------------------------------------------------------------------------------------------


def test_a_member_is_judged_by_its_key() -> None:
    for key in (
        "password",
        "db_password",
        "apiKey",
        "client_secret",
        "AWS_SECRET_ACCESS_KEY",
        "x-api-key",
        "authToken",
    ):
        value = PASSWORD + "9Kq2"
        kept = json.loads(redact(line({"a": [{key: value, "other": value}]})))
        assert kept["a"][0][key].startswith("[redacted:"), key
        assert kept["a"][0]["other"] == value


def test_a_value_is_judged_by_the_name_beside_it() -> None:
    kept = json.loads(
        redact(line({"env": [{"name": "DB_PASSWORD", "value": PASSWORD}, {"name": "HOST", "value": "db2x"}]}))
    )
    assert kept["env"][0]["value"] == "[redacted:password]"
    assert kept["env"][1]["value"] == "db2x"


def test_cookies_behind_a_placeholder_are_redacted() -> None:
    text = "Cookie: [redacted:cookie]; sid=a1B2c3D4e5F6g7H8"
    kept = "Cookie: [redacted:cookie]; sid=[redacted:cookie]"
    assert REDACTOR.text(text)[0] == kept
    assert redact(line({"a": text})) == line({"a": kept})


@pytest.mark.parametrize("between", ["; ", "; Path=/; HttpOnlySet-Cookie: "])
def test_every_cookie_of_a_long_line_is_redacted_to_its_end(between: str) -> None:
    text = "Cookie: " + between.join(f"session{n}=a1B2c3D4e5F6g7H8{n}" for n in range(400)) + "\nend"
    kept, found = REDACTOR.text(text)
    assert kept == "Cookie: " + between.join(f"session{n}=[redacted:cookie]" for n in range(400)) + "\nend"
    assert found[0].count == 400
    assert REDACTOR.line(line({"a": text})) == (line({"a": kept}), found)


@pytest.mark.parametrize("prefix", ["", "b", "r", "u", "Rb", "f", "@", "$"])
@pytest.mark.parametrize("name", ["token = ", "token=", "password=", "self.password = ", "api_key: "])
def test_a_literal_is_no_code_for_the_letters_before_its_quote(prefix: str, name: str) -> None:
    for quote in "\"'":
        text = f"call(\n    {name}{prefix}{quote}{PASSWORD}9Kq2{quote})\n"
        kept, found = REDACTOR.text(text)
        assert PASSWORD not in kept
        assert REDACTOR.line(line({"a": text})) == (line({"a": kept}), found)


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_json_in_strings_is_covered_at_every_level(levels: int) -> None:
    value: Any = {"user": "bob", "password": PASSWORD, "note": f'say "{GITHUB}"\n', "n": 1}
    for _ in range(levels):
        value = {"text": json.dumps(value)}
    kept = json.loads(redact(line(value)))
    for _ in range(levels):
        kept = json.loads(kept["text"])
    assert kept == {
        "user": "bob",
        "password": "[redacted:password]",
        "note": f'say "{MARK.decode()}"\n',
        "n": 1,
    }


@pytest.mark.parametrize("levels", [0, 1, 2])
def test_a_private_key_is_redacted_whole_with_its_line_ends_escaped_or_not(levels: int) -> None:
    value: Any = {"key": PRIVATE_KEY, "after": "kept"}
    for _ in range(levels):
        value = {"text": json.dumps(value)}
    kept = json.loads(redact(line(value)))
    for _ in range(levels):
        kept = json.loads(kept["text"])
    assert kept == {"key": "[redacted:private-key]", "after": "kept"}


def test_a_private_key_behind_line_numbers_or_cut_off_is_redacted() -> None:
    numbered = "\n".join(f"{number:6}\u2192{text}" for number, text in enumerate(PRIVATE_KEY.split("\n"), 1))
    cut = "\n".join(PRIVATE_KEY.split("\n")[:2])
    for text in (numbered, cut):
        kept = redact(line({"text": text}, ascii_only=False))
        assert PRIVATE_KEY.split("\n")[1].encode() not in kept


def test_letters_that_were_escaped_without_need_hide_nothing() -> None:
    for data in (
        rb'{"a":"\u0067hp_' + GITHUB[4:].encode() + rb' x"}',
        rb'{"a":"pass\u0077ord=' + PASSWORD.encode() + rb'"}',
        rb'{"a":"{\u0022password\u0022: \u0022' + PASSWORD.encode() + rb'\u0022}"}',
        rb'{"a":"password\u003d' + PASSWORD.encode() + rb'\u0026x"}',
        rb'{"a":"https:\/\/bob:' + PASSWORD.encode() + rb'@host.io\/"}',
        rb'{"a":"https:\u002F\u002Fbob:' + PASSWORD.encode() + rb'@host.io"}',
    ):
        kept = redact(data)
        assert b"[redacted:" in kept, data
        assert PASSWORD.encode() not in kept
        assert GITHUB[8:].encode() not in kept
        json.loads(kept)


def test_secrets_at_both_ends_of_a_string_and_behind_escapes_are_found() -> None:
    for text in (
        GITHUB,
        f"{GITHUB}\n{GITHUB}",
        f"\n{GITHUB}",
        f"a\t{GITHUB}\t",
        f'"{GITHUB}"',
        f"\x1b[31m{GITHUB}\x1b[0m",
    ):
        for ascii_only in (True, False):
            data = line({"a": text}, ascii_only=ascii_only)
            assert redact(data) == data.replace(GITHUB.encode(), MARK), text


def test_a_secret_in_a_key_is_found() -> None:
    assert redact(line({f"https://bob:{PASSWORD}@host/": 1})) == line(
        {"https://bob:[redacted:url-password]@host/": 1}
    )


def test_glued_documents_are_all_read_as_json() -> None:
    one, two = line({"a": f"x {GITHUB}"}, end=b""), line({"password": PASSWORD}, end=b"")
    data = one + two + b" " + one + b"\n"
    kept = redact(data)
    marked = one.replace(GITHUB.encode(), MARK)
    assert kept == marked + line({"password": "[redacted:password]"}, end=b"") + b" " + marked + b"\n"
    assert REDACTOR.line(data, len(one))[0] == kept
    assert REDACTOR.line(data, len(one) - 2)[0] == kept  # a hint may be wrong


@pytest.mark.parametrize("keep", [0.5, 0.8, 0.95])
def test_a_line_cut_in_the_middle_is_read_as_text(keep: float) -> None:
    data = line(
        {"a": [{"text": f"see {GITHUB} there", "password": PASSWORD}], "pad": "x" * 80, "b": "c"}, end=b""
    )
    cut = data[: int(len(data) * keep)]
    kept = redact(cut)
    assert kept == cut.replace(GITHUB.encode(), MARK).replace(PASSWORD.encode(), b"[redacted:password]")


def test_the_part_of_a_line_behind_its_last_document_is_read_as_text() -> None:
    data = line({"a": GITHUB}, end=b"") + b'{"password": "' + PASSWORD.encode() + b'", "x'
    assert redact(data) == line({"a": MARK.decode()}, end=b"") + b'{"password": "[redacted:password]", "x'


def test_lines_that_are_no_json_objects_are_read() -> None:
    for data in (b"null\n", b"[1,2]\n", b"\n", b"", b"42\n", b'"x"', b"{", b"\x00\x00", b"[" * 5_000):
        assert redact(data) == data
    assert redact(f'["{GITHUB}"]\n'.encode()) == b'["' + MARK + b'"]\n'
    assert redact(f"plain {GITHUB}\r\n".encode()) == b"plain " + MARK + b"\r\n"
    assert redact(("[" * 5_000 + f' "{GITHUB}"').encode()) == b"[" * 5_000 + b' "' + MARK + b'"'


def test_findings_name_the_rule_and_the_kind_and_count() -> None:
    found = REDACTOR.line(line({"a": f"{GITHUB} {GITHUB}", "password": PASSWORD}))[1]
    assert [(f.rule, f.kind, f.count) for f in found] == [
        ("assigned-password", "password", 1),
        ("github-token", "github-token", 2),
    ]
    assert all(secret not in repr(found) for secret in (GITHUB, PASSWORD))


# --- properties ---------------------------------------------------------------------------------------------------

_WORDS = st.text(st.characters(exclude_characters="\r\n"), max_size=12)
_STRINGS = st.lists(
    st.one_of(_WORDS, st.sampled_from((" ", "\n", '"', "\\", "{", "}", ":", "/"))), max_size=6
).map("".join)
_KEYS = st.sampled_from(("a", "text", "content", "x y", "é", "type"))
_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), _STRINGS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=3)),
    max_leaves=8,
)


def _plant(value: Any, planted: list[Any], depth: int = 0) -> Any:
    """Put secrets between the strings of a value."""
    if isinstance(value, str) and planted:
        return f"{value} {planted.pop()} "
    if isinstance(value, list):
        return [_plant(inner, planted, depth + 1) for inner in value]
    if isinstance(value, dict):
        return {key: _plant(inner, planted, depth + 1) for key, inner in value.items()}
    return value


@given(_JSON, st.lists(st.sampled_from(TOKENS), min_size=1, max_size=4), st.booleans(), st.booleans())
def test_of_random_json_with_planted_secrets_nothing_else_changes(
    value: Any, secrets: list[str], ascii_only: bool, nested: bool
) -> None:
    assume(
        not REDACTOR.line(line(value))[1]
    )  # the strategy also draws constants of the code, sample keys among them
    planted = _plant(["x", value, "y", "z"], list(secrets))
    if nested:
        planted = {"text": json.dumps(planted, ensure_ascii=ascii_only)}
    text = json.dumps(planted, ensure_ascii=ascii_only)
    data = text.encode("utf-8", "surrogatepass")
    expected = text
    for secret, kind in (
        (GITHUB, "github-token"),
        (ANTHROPIC, "anthropic-key"),
        (AMAZON_ID, "aws-access-key"),
    ):
        expected = expected.replace(secret, f"[redacted:{kind}]")
    kept, found = REDACTOR.line(data)
    assert kept == expected.encode("utf-8", "surrogatepass")
    assert sum(finding.count for finding in found) == text.count("ghp_") + text.count("sk-ant") + text.count(
        "AKIA"
    )
    assert REDACTOR.line(kept) == (kept, ())


@given(st.binary(max_size=200), st.sampled_from(TOKENS))
def test_any_bytes_around_a_secret_are_kept(noise: bytes, secret: str) -> None:
    noise = noise.replace(b"\n", b" ")
    assume(not REDACTOR.line(noise)[1])
    data = noise + b" " + secret.encode() + b" " + noise + b"\n"
    kept, _ = REDACTOR.line(data)
    assert kept.startswith(noise + b" [redacted:")
    assert kept.endswith(b"] " + noise + b"\n")
    assert REDACTOR.line(kept) == (kept, ())


_FRAGMENTS = st.sampled_from(
    (
        "password",
        "token",
        "api_key",
        "=",
        ": ",
        '"',
        "'",
        "\\",
        "\n",
        " ",
        PASSWORD,
        GITHUB,
        "Bearer ",
        "https://u:",
        "@h",
        ",",
        "[redacted:password]",
        "[redacted:",
        "]",
        "{",
        "}",
        "${X}",
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        "SECRET",
        "é",
        "x",
    )
)


@given(st.lists(_FRAGMENTS, max_size=14).map("".join), st.booleans())
def test_redacting_twice_is_redacting_once(text: str, wrapped: bool) -> None:
    once, _ = REDACTOR.text(text)
    assert REDACTOR.text(once) == (once, ())
    data = line({"a": text, "b": [json.dumps({"c": text})]}) if wrapped else text.encode()
    kept, _ = REDACTOR.line(data)
    assert REDACTOR.line(kept) == (kept, ())
    if wrapped:
        json.loads(kept)


_BLOCKS = st.sampled_from(
    (
        GITHUB,
        PRIVATE_KEY,
        f"password: {PASSWORD}",
        f"export DB_PASSWORD='{PASSWORD}'",
        f"https://bob:{PASSWORD}@host.io/x",
        "the token is refreshed, password: str = None",
        "lorem ipsum \\ dolor " * 25,
        "f(x)\t=> {y}\n" * 40,
        "é\u2192\U0001f600 \x1b[31m",
        "-----BEGIN RSA " + "PRIVATE KEY-----",
    )
)


@given(st.lists(_BLOCKS, max_size=8), st.sampled_from(("\n", " ", "\r\n")), st.booleans())
def test_a_string_in_json_loses_what_its_text_loses(
    blocks: list[str], between: str, ascii_only: bool
) -> None:
    text = between.join(blocks)
    kept = json.loads(REDACTOR.line(line({"text": text}, ascii_only=ascii_only))[0])["text"]
    assert kept == REDACTOR.text(text)[0]
    for secret in (GITHUB, PASSWORD, PRIVATE_KEY[80:120]):
        assert secret not in kept


@pytest.mark.parametrize(
    ("before", "literal"),
    [
        ("export ", True),
        ("sudo ", True),
        ("$env:", True),
        ("A=1 ", True),
        ("Server=db; ", True),
        (";", True),
        ("call(", False),
        ("x = y; z ", False),
        ("unexported ", False),
        ("run --set-string ", True),
        ("first=1\nsecond ", False),
    ],
)
def test_a_word_is_taken_literally_behind_what_sets_variables(before: str, literal: bool) -> None:
    text = f"see here: {before}password=correcthorse and"
    assert (REDACTOR.text(text)[0] != text) == literal
