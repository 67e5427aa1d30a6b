"""Which concrete parts the core is made of: hosts, redactor."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unabridged.archive.ingest import LineRedactor
from unabridged.hosts.claude_code import HOST as CLAUDE_CODE
from unabridged.hosts.contract import Host
from unabridged.hosts.pi import HOST as PI

HOSTS: Mapping[str, Host] = {host.name: host for host in (CLAUDE_CODE, PI)}


class Verbatim:
    """The redactor that masks nothing."""

    version = 0

    def line(self, line: bytes) -> tuple[bytes, tuple[object, ...]]:
        """Return the line as it is."""
        return line, ()


def text_redactor(
    enabled: bool, literals: tuple[str, ...], patterns: tuple[str, ...]
) -> Callable[[str], str]:
    """Return what takes secrets out of a text that is admitted directly."""
    del enabled, literals, patterns
    return str


def redactor(enabled: bool, literals: tuple[str, ...], patterns: tuple[str, ...]) -> LineRedactor:
    """Return what takes secrets out of lines before they are stored."""
    del enabled, literals, patterns
    return Verbatim()
