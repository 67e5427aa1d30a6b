"""Every known kind of credential goes, wherever it stands; everything else stays as it is."""

from __future__ import annotations

import itertools
import json
import random
import re
from typing import Any

import pytest

from tests.archive.redaction_suite.negatives import negatives, untouchable_rows
from tests.archive.redaction_suite.positives import ROWS, claude_row, in_rows, positives, surroundings
from tests.archive.redaction_suite.shapes import Positive, made, pieces, plain
from unabridged.archive.redact.engine import Redactor

KINDS_LEAST = 130  # of credentials, and of texts that look like some and are none
SURROUNDINGS_LEAST = 3

PLACEHOLDER = r"\[redacted:[a-z0-9-]+\]"
FILLER = "the words between are of no interest to anybody at all. "
WINDOW = 8  # characters of a secret that may not be left of it
LINE_PREFIX = re.compile(r"^(?:\s*\d+→|\+| +)")

POSITIVES = {positive.kind: positive for positive in positives()}
NEGATIVES = negatives()
ROW_NEGATIVES = untouchable_rows()
REDACTOR = Redactor.compile()

# Names whose values are secrets as fields of a row itself, in a tool's input for one.
FIELDS = {
    "password": "{p14}",
    "passwd": "{q4}",
    "passphrase": "{p20}",
    "api_key": "{a32}",
    "apiKey": "{a32}",
    "client_secret": "{w36}",
    "clientSecret": "{w36}",
    "access_token": "{w60}",
    "refreshToken": "{w60}",
    "auth_token": "{h40}",
    "secret": "{a32}",
    "secretKey": "{a32}",
    "private_key": "{b64}",
    "AWS_SECRET_ACCESS_KEY": "{b40}",
    "PGPASSWORD": "{p14}",
    "DB_PASSWORD": "{q4}",
    "INTERNAL_SERVICE_TOKEN": "{i0}",
    "Authorization": "Bearer ‹{a40}›",
    "x-api-key": "{a40}",
    "Cookie": "sessionid=‹{a32}›",
    "connectionString": "Server=db;User Id=app;Password=‹{p16}›;",
    "DATABASE_URL": "postgres://app:‹{p16}›@db.internal.example.net/app",
}


def fault(markup: str, redacted: str, found: tuple[Any, ...]) -> str:
    """Say what is wrong with a marked text's redaction; "" for nothing."""
    if not found:
        return "not found"
    parts = pieces(markup)
    for piece in parts:
        for secret in piece.secrets:
            lines = [LINE_PREFIX.sub("", line) for line in secret.split("\n")]
            if left := [line for line in lines if len(line) >= WINDOW and line in redacted]:
                return f"kept: {len(left)} of {len(lines)} lines"
    pattern = ""
    for piece in parts:
        if not piece.secrets:
            pattern += re.escape(piece.text)
        else:
            pattern += "((?s:.*?))" if piece.wider else f"((?:{PLACEHOLDER})+)"
    match = re.fullmatch(pattern, redacted)
    if match is None:
        return f"other text changed:\n{redacted}"
    for piece, stands in zip([piece for piece in parts if piece.secrets], match.groups(), strict=True):
        if not re.search(PLACEHOLDER, stands):
            return "no placeholder"
        left = re.sub(PLACEHOLDER, "", stands)
        if any(part in left for secret in piece.secrets for part in windows(secret)):
            return f"kept in part: {stands}"
    kinds = set(re.findall(r"\[redacted:([a-z0-9-]+)\]", redacted))
    if kinds != {finding.kind for finding in found}:
        return f"placeholders say {sorted(kinds)}, findings {sorted({finding.kind for finding in found})}"
    return ""


def windows(secret: str) -> list[str]:
    """Return every stretch of the secret that is long enough to tell something."""
    lines = [LINE_PREFIX.sub("", line) for line in secret.split("\n")]
    size = min(WINDOW, max(len(line) for line in lines))
    return [line[at : at + size] for line in lines for at in range(len(line) - size + 1)]


def faults_in_text(positive: Positive) -> dict[str, str]:
    """Say what is wrong with a kind in plain text, by the surrounding."""
    wrong = dict[str, str]()
    for name, markup in surroundings(positive).items():
        redacted, found = REDACTOR.text(plain(markup))
        wrong[name] = fault(markup, redacted, found)
        if not wrong[name] and REDACTOR.text(redacted) != (redacted, ()):
            wrong[name] = "changes again when redacted again"
    return {name: what for name, what in wrong.items() if what}


def faults_in_rows(positive: Positive) -> dict[str, str]:
    """Say what is wrong with a kind in transcript rows, by the host's shape."""
    wrong = dict[str, str]()
    for name, (wrap, unwrap) in ROWS.items():
        markup = in_rows(positive)
        line, found = REDACTOR.line(encoded(wrap(plain(markup))))
        row = json.loads(line)
        try:
            text = unwrap(row)
        except (ValueError, LookupError):
            wrong[name] = f"JSON within a string is broken:\n{line.decode()}"
            continue
        wrong[name] = fault(markup, text, found)
        if not wrong[name] and line != encoded(wrap(text)):
            wrong[name] = "other bytes of the row changed"
        if not wrong[name] and REDACTOR.line(line) != (line, ()):
            wrong[name] = "changes again when redacted again"
    return {name: what for name, what in wrong.items() if what}


def encoded(row: dict[str, Any]) -> bytes:
    """Return a row as hosts write it."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def test_the_suite_has_enough_kinds_and_each_is_met_in_several_surroundings() -> None:
    assert len(POSITIVES) >= KINDS_LEAST
    assert len({positive.markup for positive in POSITIVES.values()}) == len(POSITIVES)
    assert all(len(surroundings(positive)) >= SURROUNDINGS_LEAST for positive in POSITIVES.values())
    assert len(set(NEGATIVES.values())) >= KINDS_LEAST


@pytest.mark.parametrize("kind", POSITIVES)
def test_a_credential_goes_and_the_text_around_it_stays(kind: str) -> None:
    assert faults_in_text(POSITIVES[kind]) == {}


@pytest.mark.parametrize("kind", POSITIVES)
def test_a_credential_goes_from_rows_that_stay_valid_and_otherwise_equal(kind: str) -> None:
    assert faults_in_rows(POSITIVES[kind]) == {}


@pytest.mark.parametrize("name", FIELDS)
def test_a_secret_in_a_field_of_the_row_goes_and_the_other_fields_stay(name: str) -> None:
    markup = made(f"field {name}", FIELDS[name])
    value = plain(markup)
    secret = next((part for piece in pieces(markup) for part in piece.secrets), value)
    call = {
        "path": "config.json",
        name: value,
        "retries": 3,
        "verify": None,
        "note": "use the password of the vault",
    }
    row = claude_row("")
    row["message"]["content"] = [{"type": "tool_use", "id": "toolu_01Ab", "name": "connect", "input": call}]
    line, found = REDACTOR.line(encoded(row))
    assert found
    assert secret not in line.decode()
    kept = json.loads(line)
    assert re.search(PLACEHOLDER, kept["message"]["content"][0]["input"][name])
    kept["message"]["content"][0]["input"][name] = value
    assert kept == row
    assert REDACTOR.line(line) == (line, ())


# A kind of every make, for what is the same for all of them.
SAMPLE = (
    "aws-access-key-id",
    "aws-secret-access-key",
    "github-personal-token",
    "anthropic-key",
    "json-web-token",
    "slack-bot-token",
    "postgres-url",
    "http-bearer",
    "json-password",
    "python-password",
    "curl-user",
    "netrc-one-line",
    "pem-rsa-of-4096-bits",
    "pem-ec",
)


@pytest.mark.parametrize("kind", SAMPLE)
def test_a_credential_goes_wherever_in_a_long_text_it_stands(kind: str) -> None:
    """Texts are looked through in stretches: a credential may lie across their border."""
    markup = POSITIVES[kind].markup
    wrong = dict[int, str]()
    for border in (1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20):
        for shift in (1, len(markup) // 2, len(markup)):
            before = (FILLER * (border // len(FILLER) + 1))[: border - shift - 1]
            redacted, found = REDACTOR.text(f"{before}\n{plain(markup)}\n{FILLER * 40}")
            assert redacted.startswith(before)
            wrong[border - shift] = fault(f"\n{markup}\n{FILLER * 40}", redacted[len(before) :], found)
    assert {at: what for at, what in wrong.items() if what} == {}


def test_hundreds_of_credentials_in_one_text_all_go() -> None:
    many = [made(f"one of many, {number}", "ghp_{c30}") for number in range(500)]
    redacted, found = REDACTOR.text(" ".join(many))
    assert re.sub(PLACEHOLDER, "", redacted).strip() == ""
    assert sum(finding.count for finding in found) == len(many)


@pytest.mark.parametrize("kind", [kind for kind in SAMPLE if "pem" not in kind])
def test_a_credential_goes_however_its_row_is_encoded(kind: str) -> None:
    """Hosts escape what they need not: slashes, letters beyond ASCII, any character as its number."""
    markup = in_rows(POSITIVES[kind]) + "\n日本語 ü 😀 \x7f \u2028"
    secret = POSITIVES[kind].secrets[0]
    row = claude_row(plain(markup))
    numbered = "".join(f"\\u{ord(character):04x}" for character in secret)
    spellings = {
        "as hosts do": encoded(row),
        "with spaces": json.dumps(row, ensure_ascii=False).encode() + b"\n",
        "in ASCII": json.dumps(row).encode() + b"\r\n",
        "slashes escaped": encoded(row).replace(b"/", b"\\/"),
        "characters as numbers": encoded(row).replace(secret.encode(), numbered.encode()),
        "indented": json.dumps(row, indent=2).encode(),
        "without a line end": encoded(row).rstrip(),
        "two values on a line": encoded(row).rstrip() + encoded(row),
        "torn": encoded(row)[:-40],
    }
    left = dict[str, str]()
    for name, line in spellings.items():
        redacted, found = REDACTOR.line(line)
        shown = redacted.decode().replace("\\/", "/")
        if not found or secret in shown or numbered in shown:
            left[name] = "kept" if found else "not found"
        elif name not in ("two values on a line", "torn"):
            what = fault(markup, ROWS["JSON row"][1](json.loads(redacted)), found)
            left |= {name: what} if what else {}
    assert left == {}


ARMOURED = [kind for kind in POSITIVES if kind.startswith(("pem-", "openssh-", "pgp-key"))]


@pytest.mark.parametrize("kind", dict.fromkeys([*SAMPLE, *ARMOURED]))
def test_a_credential_goes_from_a_patch_that_is_kept_as_a_list_of_lines(kind: str) -> None:
    """Claude Code keeps what an edit changed so: every line a JSON string of its own."""
    positive = POSITIVES[kind]
    text = [" unchanged", *(f"+{line}" for line in plain(positive.markup).split("\n")), " unchanged"]
    row = claude_row("The file was updated.")
    hunk = {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": len(text), "lines": text}
    row["toolUseResult"] = {"filePath": "/home/dev/project/notes.txt", "structuredPatch": [hunk]}
    line, found = REDACTOR.line(encoded(row))
    kept = json.loads(line)["toolUseResult"]["structuredPatch"][0]["lines"]
    secrets = [part for secret in positive.secrets for part in secret.split("\n") if len(part) >= WINDOW]
    assert found
    assert [part for part in secrets if part in "\n".join(kept)] == []
    assert (kept[0], kept[-1]) == (" unchanged", " unchanged")


@pytest.mark.parametrize("name", NEGATIVES)
def test_a_text_without_credentials_stays_byte_for_byte(name: str) -> None:
    text = NEGATIVES[name]
    assert REDACTOR.text(text) == (text, ())
    around = f"Before it failed I had this:\n\n{text}\n\nAfter that, nothing worked.\n"
    assert REDACTOR.text(around) == (around, ())


@pytest.mark.parametrize("name", NEGATIVES)
def test_a_row_without_credentials_stays_byte_for_byte(name: str) -> None:
    for wrap, _ in ROWS.values():
        line = encoded(wrap(f"first line\n{NEGATIVES[name]}\nlast line"))
        assert REDACTOR.line(line) == (line, ())


@pytest.mark.parametrize("name", ROW_NEGATIVES)
def test_signatures_and_encrypted_parts_and_media_stay_byte_for_byte(name: str) -> None:
    line = encoded(ROW_NEGATIVES[name])
    assert REDACTOR.line(line) == (line, ())


def test_many_lines_at_once_are_redacted_as_each_alone() -> None:
    """Whatever stands before and behind a line, at its end or at its beginning."""
    texts = [plain(in_rows(positive)) for positive in POSITIVES.values()]
    rows = [
        encoded(wrap(text)) for text, (wrap, _) in zip(texts, itertools.cycle(ROWS.values()), strict=False)
    ]
    quiet = [encoded(claude_row(text)) for text in NEGATIVES.values()]
    bare = [f"{positive.secrets[0].splitlines()[0]}\n".encode() for positive in POSITIVES.values()]
    unended = [line.rstrip(b"\n") for line in bare]
    order = random.Random(7)
    many = [
        *rows,
        *quiet * 4,
        *bare,
        *unended,
        b"\n",
        b"",
        b"x" * 100_000 + b"\n",
        b"password: \n",
        b"token = ",
    ]
    order.shuffle(many)
    assert REDACTOR.lines(many) == [REDACTOR.line(line) for line in many]
    assert REDACTOR.lines([]) == []
    custom = Redactor.compile(literals=["Halfmoon"], patterns=[r"ACME-[0-9]{6}"])
    many[::9] = [line.replace(b"first line", b"Halfmoon ACME-123456") for line in many[::9]]
    assert custom.lines(many) == [custom.line(line) for line in many]
