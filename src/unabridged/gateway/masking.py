"""Secrets in the words of a table of contents: masked as the archive does, since a state keeps them."""

from __future__ import annotations

from collections.abc import Callable

from unabridged.archive.redact import Redactor
from unabridged.daemon.config import Config


def masker(config: Config) -> Callable[[str], str]:
    """Return what masks a text; the rules are compiled when the first one comes."""
    if not config.flag("redaction.enabled"):
        return str
    made = list[Redactor]()

    def mask(text: str) -> str:
        if not made:
            made.append(
                Redactor.compile(config.texts("redaction.literals"), config.texts("redaction.patterns"))
            )
        return made[0].text(text)[0]

    return mask
