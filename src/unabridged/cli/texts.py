"""A text from the command line, or from standard input."""

from __future__ import annotations

import sys

from unabridged.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def given(words: list[str], missing: InvalidInput) -> str:
    """Return the words as one text, or standard input (none, or `-`); raise `missing` where nothing can come.

    Bytes that are not UTF-8 are read as U+FFFD.
    """
    if words and words != ["-"]:
        return " ".join(words)
    stream: TextIO | None = sys.stdin  # None: it was closed before the program began
    if stream is None or (not words and stream.isatty()):
        raise missing
    return stream.buffer.read().decode("utf-8", "replace")
