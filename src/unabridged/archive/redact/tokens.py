"""What a match of a rule must stand up to beyond its pattern."""

from __future__ import annotations

import base64
import binascii

from unabridged.archive.redact import examples, values
from unabridged.archive.redact.pattern import searching
from unabridged.archive.redact.rule import MARK, Rule, Span

LEFT = 8  # bytes before a token that decide whether it begins there
DIGEST = 96  # bytes before a token that may belong to a hash in base64
MAX_BLOCK = 32_768  # bytes of one private key block
LOOK_AROUND = 4_096  # bytes around `kind: Secret` in which its data may stand

STATEMENT = 256  # bytes before `IDENTIFIED BY` in which its statement begins
JWK = 512  # bytes on both sides of a JSON web key's private member in which its other members stand

_CASED = searching("[A-Z].*[A-Z]")
_SQL = searching(r"(?i)(?:\b|\\[nrt])(?:create|alter|grant|user|set password)\b")
_JWK = searching(r"\"(?:kty|crv)\\*\"")
_BEGINS = searching(r"(?:^|[^A-Za-z0-9]|\\[nrtbfv]|u[0-9a-fA-F]{4}|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]*[mK])$")
_BEGINS_STRICTLY = searching(
    r"(?:^|[^A-Za-z0-9+/_-]|(?:^|[\s\"\x27`]|\\n)[+-]|\\[nrtbfv]|u[0-9a-fA-F]{4}|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]*[mK])$"
)
_IN_DIGEST = searching(
    r"(?:sha(?:1|224|256|384|512)|md5|integrity)[=:-][A-Za-z0-9+/=_-]*$"
)  # as lock files have it
_ALNUM = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_DIGEST_BYTES = _ALNUM | frozenset(b"+/=_:-")
_PRINTABLE_LOGIN = searching(r"^[\x20-\x7e]+:[\x20-\x7e]+$")
_BASE64 = searching("^[A-Za-z0-9+/_-]{8,}={0,2}$")
_DUMMY_USER = searching(r"(?i)^(?:user(?:name)?|usr|login|name|u|me|foo|<[^>]*>)?$")
_DUMMY_PASSWORD = searching(r"(?i)^(?:pass(?:w(?:or)?d)?|pwd|secret|p|pw|token|bar|key|test|apikey|api_key)$")
_LOCAL = searching(
    r"^@(?:localhost|127\.0\.0\.1|\[?::1|0\.0\.0\.0|host\b|hostname|db\b|database\b|postgres\b|example\.)"
)
_WEB_COMMAND = searching(
    r"(?:\b|\\[nrt])(?:curl|wget|http|https|httpie|xh|hurl|lftp|ftp|ab|wrk|hey|mosquitto_[ps]ub|aria2c)\b"
)
_FILE_NAME = searching(r"\.(?:py|js|ts|tsx|go|rs|c|h|cc|cpp|java|rb|md|txt|json|ya?ml|html?|css|sh|log):")


def begins_token(text: bytes, at: int, *, strict: bool) -> bool:
    """Tell whether a token can begin at `at`: not in the middle of a longer word or of base64."""
    if at == 0:
        return True
    before = text[at - 1]
    if before not in _DIGEST_BYTES:
        return True  # no digest, no word, no base64 goes on here
    if _IN_DIGEST.search(text[max(0, at - DIGEST) : at]):
        return False
    if not strict and before not in _ALNUM:
        return True
    pattern = _BEGINS_STRICTLY if strict else _BEGINS
    return pattern.search(text[max(0, at - LEFT) : at]) is not None


def ends_token(text: bytes, at: int) -> bool:
    """Tell whether a token can end at `at`."""
    return at >= len(text) or text[at] not in _ALNUM or text[at - 1] not in _ALNUM


def basic_credentials(value: bytes) -> bool:
    """Tell whether a value is base64 of `user:password`."""
    if not _BASE64.search(value) or examples.documented(value):
        return False
    padded = value.translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    try:
        plain = base64.b64decode(padded + b"=" * (-len(padded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return _PRINTABLE_LOGIN.search(plain) is not None


def stands(rule: Rule, text: bytes, start: int, end: int, whole: int) -> bool:
    """Tell whether `text[start:end]`, found by a rule whose whole match begins at `whole`, is a secret of that kind."""
    token = text[start:end]
    if not token or MARK in token:
        return False
    check = rule.check
    if check == "login":
        return _is_login(text, start, end, whole)
    if examples.is_masked(token):
        return False
    if check == "mixed":
        return values.has_letter_and_digit(token)
    if check == "cased":
        return _CASED.search(token) is not None
    if check == "sql":
        return _SQL.search(text[max(0, whole - STATEMENT) : whole]) is not None and values.is_quoted_password(
            token
        )
    if check == "jwk":
        return _JWK.search(text[max(0, start - JWK) : end + JWK]) is not None
    if check == "tail":
        return values.is_random(token.partition(b":")[2])
    if check == "random":
        return values.is_random(token) and not values.is_uuid(token)
    if check == "basic":
        return basic_credentials(token)
    if check == "curl":
        return _is_curl(text, start, end, whole)
    if check == "pgpass":
        return _is_pgpass(text, start, end, whole)
    if check in ("word", "psk"):
        return not examples.is_placeholder(token) and len(token) >= 3 and not token.startswith(b"-")
    return True


def _is_login(text: bytes, start: int, end: int, whole: int) -> bool:
    password = text[start:end]
    if MARK in text[whole:start]:
        return False
    user = text[whole : start - 1].rsplit(b"/", 1)[-1]
    if examples.is_placeholder(password) or password.startswith((b"{", b"$", b"<")):
        return False
    if _DUMMY_PASSWORD.search(password) and (_DUMMY_USER.search(user) or _LOCAL.search(text[end : end + 16])):
        return False
    # The development default of every database image: the user's name again, on this machine.
    return not (password == user and _LOCAL.search(text[end : end + 16]))


def _is_curl(text: bytes, start: int, end: int, whole: int) -> bool:
    password = text[start:end]
    if password.isdigit() or examples.is_placeholder(password) or _DUMMY_PASSWORD.search(password):
        return False
    line = text[max(0, whole - 400) : whole]
    return _WEB_COMMAND.search(line) is not None


def _is_pgpass(text: bytes, start: int, end: int, whole: int) -> bool:
    head = text[whole:start]
    if _FILE_NAME.search(head) or (whole > 0 and text[whole - 1] not in b" \t\r\n\"'`>n+\x92"):
        return False
    if text[end : end + 1] not in (b"", b"\n", b"\r", b" ", b'"', b"'", b"\\"):
        return False
    return values.is_quoted_password(text[start:end])


# --- blocks --------------------------------------------------------------------------------------------------------

_BEGIN_BLOCK = searching(r"-----? ?BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-----?")
_END_BLOCK = searching(r"-----? ?END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-----?")
_NOT_KEY = searching(r"-----? ?BEGIN ")
_BODY_LINE = searching("[A-Za-z0-9+/=]{24,}")
_OPEN_BODY = searching(
    r"(?:(?:[ \t\r\n>+|]|\\+[nrt]|[0-9]+(?:\t|\xe2\x86\x92|:)|[A-Za-z-]+: [^\n\\]*)*[A-Za-z0-9+/=]{16,})+"
)


def key_block(text: bytes, at: int) -> tuple[list[Span], bool]:
    """Find the private key block whose first line begins at `at`; also tell whether it ran into the text's end."""
    begin = _BEGIN_BLOCK.match(text, at)
    if begin is None:
        return [], False
    limit = min(len(text), begin.end() + MAX_BLOCK)
    other = _NOT_KEY.search(text, begin.end(), limit)
    if other is not None:
        limit = other.start()
    end = _END_BLOCK.search(text, begin.end(), limit)
    if end is None:
        body = _OPEN_BODY.match(text, begin.end(), limit)
        spans = [] if body is None else [Span(at, body.end(), "pem-private-key", "private-key")]
        return spans, limit == len(text)
    if not _BODY_LINE.search(text, begin.end(), end.start()):
        return [], False
    return [Span(at, end.end(), "pem-private-key", "private-key")], False
