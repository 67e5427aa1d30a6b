"""What kind of place in text a value stands at."""

from __future__ import annotations

import re

from unabridged.archive.redact import names
from unabridged.archive.redact.words import Word

LINE_LOOK_BACK = 200  # bytes looked through for the beginning of the line
NEIGHBOURS = 160  # bytes before and behind a password in which its user is named
NAME_AGAIN = 32  # bytes of a user's name

_NAME_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_MARGIN = rb"[0-9]+(?:\t|\xe2\x86\x92|[:-])"  # a line number, as tools print it
_LINE_START = re.compile(rb"(?:[ \t>+#|-]|" + _MARGIN + rb"|\xe2\x94\x82)*\Z")
_COLUMN_ZERO = re.compile(rb"(?:[ \t]*" + _MARGIN + rb"|[+>])?\Z")
_SHELL = re.compile(
    rb"(?:^|[\s;|&(\"'`])(?:export|set|setx|env|ENV|ARG|declare|declare -x|local|-e|--env|--build-arg"
    rb"|--set|--set-string|\$env:|sudo)\s*\Z"
)
_SHELL_WORDS = (
    *(
        b"export",
        b"set",
        b"setx",
        b"env",
        b"ENV",
        b"ARG",
        b"declare",
        b"declare -x",
        b"local",
        b"-e",
        b"--env",
    ),
    *(b"--build-arg", b"--set", b"--set-string", b"$env:", b"sudo"),
)
_VARIABLE_BEFORE = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*=[^\s=]*[^\s=,;({] +\Z")
_CONNECTION = re.compile(rb"(?:[A-Za-z][A-Za-z _]*=[^\s;=,]+[; ]|;)\s*\Z")
_DOCKERFILE = re.compile(rb"(?:ENV|ARG|setx|set -[a-zA-Z]+)[ \t]+\Z")
_END_OF_LINE = re.compile(rb"[ \t]*(?:\Z|[\r\n]|\\+[nr]|#)")
_QUOTE = re.compile(rb"(\\*+)([\"'`])")
_USER = re.compile(rb"(?i)user(?:_?name)?(?:\\*+[\"'])?[ \t]*+[:=][ \t]*+(?:\\*+[\"'])?([A-Za-z0-9]++)")
_QUERY = (b"?", b"&", b"&amp;", b"%26", b"%3F", b"\\u0026")
_ASSIGNS = (b"=", b":-", b"u003d", b"u003D", b"%3d", b"%3D")


def name_start(text: bytes, at: int) -> int:
    """Return where the name begins that goes on at `at`."""
    left = text[max(0, at - names.MAX_NAME) : at]
    rest = left.rstrip(_NAME_BYTES)
    start = at - (len(left) - len(rest))
    if start < at and rest.endswith(b"\\") and text[start] in b"nrt":
        start += 1  # an escaped line end before the name, not a letter of it
    return start


def line_before(text: bytes, start: int) -> bytes:
    """Return what stands before `start` on its line (line ends may be escaped)."""
    left = text[max(0, start - LINE_LOOK_BACK) : start]
    cut = max(left.rfind(b"\n"), left.rfind(b"\r"))
    escaped = left.rfind(b"\\n")
    return left[escaped + 2 :] if escaped > cut else left[cut + 1 :]


def style(text: bytes, start: int, name: bytes, gap: bytes, spaced: bool) -> tuple[str, bool]:
    """Tell how the value behind `gap` reads (a style of `words.read`), and whether the place takes literal text.

    `start`, `name`: the name and where it begins. `spaced`: blanks stand around the separator.
    """
    if not gap.endswith(_ASSIGNS):
        return "code", False
    if text.endswith(_QUERY, max(0, start - 6), start):
        return "query", True
    if name.startswith(b"-"):
        return "literal", True
    if gap.endswith(b":-"):
        return "code", True
    if spaced or gap != b"=":
        return "code", False
    if names.ENVIRONMENT_NAME.match(name):
        return "literal", True
    before = text[max(0, start - LINE_LOOK_BACK) : start]
    if before[-1:] in b" \t\n;\"'`(:" and _sets_variables(before):
        return "literal", True
    if _COLUMN_ZERO.match(line_before(text, start)):
        return "literal", True
    return "code", False


def _sets_variables(before: bytes) -> bool:
    """Tell whether what follows `before` is set as by a shell's command, or in a connection string."""
    said = before.rstrip()
    if said.endswith(b";"):
        return True
    # The patterns begin anywhere, so they are slow; nearly always the last word rules them out.
    if said.endswith(_SHELL_WORDS) and _SHELL.search(before) is not None:
        return True
    # Both end with a blank or a semicolon.
    if before[-1:] not in (b" ", b"\t", b"\n", b"\r", b"\v", b"\f") or b"=" not in said.rpartition(b" ")[2]:
        return False
    return _VARIABLE_BEFORE.search(before) is not None or _CONNECTION.search(before) is not None


def closes_quote(text: bytes, start: int, at: int) -> bool:
    """Tell whether the quote at `at`, behind `name:`, ends a string that the name stands in: `ask("Password: ")`."""
    quote = _QUOTE.match(text, at)
    line = line_before(text, start)
    if quote is None or len(line) >= LINE_LOOK_BACK:
        return False
    depth, mark = len(quote.group(1)), quote.group(2)
    opened = 0
    for found in _QUOTE.finditer(line + text[start:at]):
        apostrophe = (
            mark == b"'" and line[found.start() - 1 : found.start()].isalpha() and found.end() < len(line)
        )
        apostrophe = apostrophe and line[found.end() : found.end() + 1].isalpha()
        opened += len(found.group(1)) == depth and found.group(2) == mark and not apostrophe
    return opened % 2 == 1


def is_user_again(text: bytes, start: int, end: int) -> bool:
    """Tell whether the password `text[start:end]` is the name of the user set beside it, as developers do."""
    body = text[start:end]
    if not body.isalnum() or len(body) > NAME_AGAIN:
        return False
    near = text[max(0, start - NEIGHBOURS) : start] + b"\n" + text[end : end + NEIGHBOURS]
    return any(match.group(1) == body for match in _USER.finditer(near))


def is_dockerfile(text: bytes, start: int) -> bool:
    """Tell whether a name at `start` is set by the command before it, without a sign between name and value."""
    return _DOCKERFILE.search(text[max(0, start - 16) : start]) is not None


def is_plain_line(text: bytes, start: int, word: Word) -> bool:
    """Tell whether a line holds nothing but `name: word`: then even a word of small letters is a value, not code."""
    if not _END_OF_LINE.match(text, word.end) or not _LINE_START.match(line_before(text, start)):
        return False
    body = text[word.start : word.end]
    return len(body) >= 6 and body.islower() and body.isalnum()
