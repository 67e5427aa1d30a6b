"""Which concrete parts the core is made of: hosts, redactor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from unabridged.archive.ingest import LineRedactor
from unabridged.archive.redact import RULESET_VERSION, Finding, Redactor
from unabridged.service.hosts import HOSTS

__all__ = ["HOSTS", "Verbatim", "redactor", "ruleset", "text_redactor"]

UNREDACTED = 0  # the rule-set version of what was admitted while redaction was off


class Verbatim:
    """The redactor of who has turned redaction off."""

    version = UNREDACTED

    def line(self, line: bytes) -> tuple[bytes, tuple[Finding, ...]]:
        """Return the line as it is."""
        return line, ()

    def lines(self, lines: Sequence[bytes]) -> list[tuple[bytes, tuple[Finding, ...]]]:
        """Return the lines as they are."""
        return [(line, ()) for line in lines]


@lru_cache(maxsize=4)
def redactor(enabled: bool, literals: tuple[str, ...], patterns: tuple[str, ...]) -> LineRedactor:
    """Return what takes secrets out of lines before they are stored; raises `InvalidPattern`."""
    return Redactor.compile(literals, patterns) if enabled else Verbatim()


def text_redactor(
    enabled: bool, literals: tuple[str, ...], patterns: tuple[str, ...]
) -> Callable[[str], tuple[str, int]]:
    """Return what takes secrets out of a text, with how many it took."""
    if not enabled:
        return lambda text: (text, 0)
    compiled = Redactor.compile(literals, patterns)

    def redact(text: str) -> tuple[str, int]:
        kept, found = compiled.text(text)
        return kept, sum(item.count for item in found)

    return redact


def ruleset(enabled: bool) -> int:
    """Return the version of the rules that are applied."""
    return RULESET_VERSION if enabled else UNREDACTED
