"""una note: add a note."""

from __future__ import annotations

import os
import sys

from unabridged.cli import passage
from unabridged.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

    from unabridged.cli.arguments import Arguments

REQUEST_BYTES = 16  # of a request's id, which no other request of any client has


def run(arguments: Arguments) -> int:
    """Admit a note, from the command line or from standard input."""
    asked: dict[str, Any] = {"text": _text(arguments), "request": os.urandom(REQUEST_BYTES).hex()}
    for name, field in (("title", "title"), ("subject", "subject_key"), ("supersedes", "supersedes")):
        if arguments.given(name):
            asked[field] = arguments.text(name)
    if arguments.given("project"):
        asked["project"] = passage.project(arguments)
    answer = arguments.client().call("note", asked)
    screen = arguments.screen
    if arguments.flag("json"):
        screen.json(answer)
    else:
        screen.line(f"noted as {answer['document']}")
    return 0


def _text(arguments: Arguments) -> str:
    words = arguments.list("text")
    if words and words != ["-"]:
        return " ".join(words)
    stream: TextIO | None = sys.stdin  # None: it was closed before the program began
    if stream is None or (not words and stream.isatty()):
        raise InvalidInput(
            "`una note` needs a text", hint="una note 'TEXT', or `una note -` to read standard input."
        )
    text = stream.buffer.read().decode("utf-8", "replace")
    if not text.strip():
        raise InvalidInput("the note is empty", hint="una note 'TEXT', or pipe a text into `una note -`.")
    return text
