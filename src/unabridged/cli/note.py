"""una note, una correct: add a note, or one that takes the place of something."""

from __future__ import annotations

import os

from unabridged.cli import passage, texts
from unabridged.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from unabridged.cli.arguments import Arguments

_FIELDS = {
    "note": {"title": "title", "subject": "subject_key", "supersedes": "supersedes"},
    "correct": {"target": "target", "title": "title"},
}
REQUEST_BYTES = 16  # of a request's id, which no other request of any client has


def run(arguments: Arguments) -> int:
    """Admit a note, from the command line or from standard input."""
    asked: dict[str, Any] = {"text": _text(arguments), "request": os.urandom(REQUEST_BYTES).hex()}
    operation, fields = arguments.verb.name, _FIELDS[arguments.verb.name]
    for name, field in fields.items():
        if arguments.given(name):
            asked[field] = arguments.text(name)
    if arguments.given("project"):
        asked["project"] = passage.project(arguments)
    answer = arguments.client().call(operation, asked)
    screen = arguments.screen
    if arguments.flag("json"):
        screen.json(answer)
    else:
        of = f", in place of {answer['corrects_handle']}" if operation == "correct" else ""
        screen.line(f"noted as {answer.get('handle') or answer['document']}{of}")
    return 0


def _text(arguments: Arguments) -> str:
    missing = InvalidInput(
        "the text is missing", hint="una note 'TEXT', or `una note -` to read standard input."
    )
    text = texts.given(arguments.list("text"), missing)
    if not text.strip():
        raise InvalidInput("the note is empty", hint="una note 'TEXT', or pipe a text into `una note -`.")
    return text
