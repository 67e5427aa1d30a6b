"""The user's own literals and patterns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import re2

from unabridged.archive.redact import jsontext
from unabridged.archive.redact.pattern import Finder, Pattern, finder, text_finder
from unabridged.archive.redact.rawpattern import ODD_ESCAPE, raw_pattern
from unabridged.archive.redact.rule import MARK, Span
from unabridged.errors import InvalidPattern, LimitExceeded

MAX_LITERALS = 1_000  # literals; more are a word list, which one pattern holds better
MAX_LITERAL = 65_536  # characters of one literal
MAX_PATTERNS = 200  # patterns; each costs every line a little
MAX_PATTERN = 4_096  # characters of one pattern
PATTERN_MEMORY = 16 << 20  # bytes for the automaton of one pattern
SCREENED = 24  # characters of a literal that the screen looks for
SECRET_GROUP = b"secret"  # the named group that narrows what a pattern redacts

_PLACEHOLDER = re.compile(rb"\[redacted:[a-z0-9-]+\]")
_TEXT_ENDS = re.compile(r"\\[Az]|\(\?[a-zA-Z]*-")
_NAMED_ESCAPES = {"\n": "n", "\t": "t", "\r": "r", "\b": "b", "\f": "f"}


class Custom:
    """Compiled literals and patterns."""

    def __init__(self, literals: Sequence[str], patterns: Sequence[str]) -> None:
        """Compile them. Raises InvalidPattern, LimitExceeded."""
        if len(literals) > MAX_LITERALS or len(patterns) > MAX_PATTERNS:
            raise LimitExceeded(
                "There are too many redaction rules.", max_literals=MAX_LITERALS, max_patterns=MAX_PATTERNS
            )
        # The longest first: of two that overlap it leaves least behind.
        found = {spelling for literal in literals for spelling in _literal(literal)}
        self._literals = tuple(sorted(found, key=lambda literal: (-len(literal), literal)))
        self._patterns = tuple(_pattern(pattern) for pattern in patterns)
        self._literal_screen = (
            finder("|".join(_screened(literal) for literal in literals)) if literals else None
        )
        heads = {literal[:SCREENED] for literal in self._literals}
        self._literal_heads = (
            finder("|".join(re2.escape(head).decode("latin-1") for head in sorted(heads))) if heads else None
        )
        # Without its own text's ends a pattern cannot be looked for in a whole line at once.
        self._every_line = any(_TEXT_ENDS.search(pattern) for pattern in patterns)
        self._pattern_screen = _pattern_screen(patterns) if patterns and not self._every_line else None
        self._raw_screen = _raw_screen(patterns) if self._pattern_screen is not None else None

    def in_text(self, text: bytes) -> bool:
        """Tell whether plain text may hold a match."""
        return any(literal in text for literal in self._literals) or any(
            pattern.search(text) is not None for pattern in self._patterns
        )

    def is_quiet(self, lines: bytes) -> bool:
        """Tell at one look whether no line in `lines`, JSON or not, can hold a match; false: look closer at each."""
        if self._every_line or self._holds_literal(lines):
            return False
        if self._pattern_screen is None:
            return True
        return self._raw_screen is not None and self._raw_screen(lines, 0, len(lines)) < 0

    def _holds_literal(self, line: bytes) -> bool:
        return self._literal_screen is not None and self._literal_screen(line, 0, len(line)) >= 0

    def in_line(self, line: bytes) -> bool:
        """Tell whether a line, JSON or not, may hold a match: false only when it certainly does not."""
        if self.is_quiet(line):
            return False
        if self._every_line or self._holds_literal(line):
            return True
        if self._pattern_screen is None:
            return False
        texts = jsontext.texts(line)
        if texts is not None:
            return bool(self._pattern_screen.Match(texts))
        return bool(self._pattern_screen.Match(line) or self._pattern_screen.Match(jsontext.flattened(line)))

    def spans(self, text: bytes) -> list[Span]:
        """Find the matches in decoded text that lie in no placeholder."""
        found: list[Span] = []
        for low, high in _outside_placeholders(text):
            for literal in self._literals if self._may_hold(text, low, high) else ():
                at = text.find(literal, low, high)
                while at >= 0:
                    found.append(Span(at, at + len(literal), "literal", "literal"))
                    at = text.find(literal, at + len(literal), high)
            for pattern, group in self._patterns_with_groups():
                for match in pattern.finditer(text, low, high):
                    if match.end(group) > match.start(group) >= 0:
                        found.append(Span(match.start(group), match.end(group), "pattern", "pattern"))
        return found

    def _may_hold(self, text: bytes, low: int, high: int) -> bool:
        return self._literal_heads is not None and self._literal_heads(text, low, high) >= 0

    def _patterns_with_groups(self) -> Iterator[tuple[Pattern, int]]:
        for pattern in self._patterns:
            yield pattern, pattern.groupindex.get(SECRET_GROUP, 0)


def _outside_placeholders(text: bytes) -> Iterator[tuple[int, int]]:
    low = 0
    if MARK in text:
        for match in _PLACEHOLDER.finditer(text):
            if match.start() > low:
                yield low, match.start()
            low = match.end()
    if low < len(text):
        yield low, len(text)


def _literal(literal: str) -> set[bytes]:
    """Return a literal as it stands in text, and as it stands there within JSON."""
    if not literal:
        raise InvalidPattern("A redaction literal is empty.")
    if len(literal) > MAX_LITERAL:
        raise LimitExceeded("A redaction literal is too long.", limit=MAX_LITERAL)
    inner = (json.dumps(literal, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False))
    return {spelling.encode("utf-8", "surrogatepass") for spelling in (literal, *inner)}


def _options() -> re2.Options:
    options = re2.Options()
    options.max_mem = PATTERN_MEMORY
    options.log_errors = False
    return options


def _pattern(pattern: str) -> Pattern:
    if not pattern or len(pattern) > MAX_PATTERN:
        raise InvalidPattern("A redaction pattern is empty or too long.", limit=MAX_PATTERN)
    try:
        return re2.compile(pattern.encode(), _options())
    except (re2.error, UnicodeEncodeError) as error:
        raise InvalidPattern(
            f"A redaction pattern is not valid: {_reason(error)}", pattern=pattern
        ) from error


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else error
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)


def _pattern_screen(patterns: Sequence[str]) -> re2.Set:
    options = _options()
    options.max_mem = PATTERN_MEMORY * len(patterns)
    options.never_capture = True
    screen = re2.Set.SearchSet(options)
    for pattern in patterns:
        # In a line all strings stand one behind the other; `^` and `$` hold at each of their ends.
        screen.Add(b"(?m)" + pattern.encode())
    screen.Compile()
    return screen


def _raw_screen(patterns: Sequence[str]) -> Finder | None:
    """Return what finds a match of any pattern in JSON as it is written; None where that cannot be told."""
    found = [raw_pattern(pattern) for pattern in patterns]
    raw = [pattern for pattern in found if pattern is not None]
    if len(raw) < len(found):
        return None
    try:
        return text_finder(
            "|".join((*(f"(?:{pattern})" for pattern in raw), ODD_ESCAPE)), PATTERN_MEMORY * len(raw)
        )
    except re2.error:  # too large together
        return None


def _screened(literal: str) -> str:
    """Return a pattern (Latin-1) for the beginning of a literal in any JSON spelling, escaped once or more."""
    return "".join(_spellings(character) for character in literal[:SCREENED])


def _spellings(character: str) -> str:
    code = character.encode("utf-16-be", "surrogatepass").hex()
    escaped = "".join(rf"\\+u{code[at : at + 4]}" for at in range(0, len(code), 4))
    plain = re2.escape(character.encode("utf-8", "surrogatepass")).decode("latin-1")
    if character in "\"'/":
        plain = r"\\*" + plain
    elif character == "\\":
        plain = r"\\+"
    elif character in _NAMED_ESCAPES:
        plain += rf"|\\+{_NAMED_ESCAPES[character]}"
    return f"(?:{plain}|(?i:{escaped}))"
