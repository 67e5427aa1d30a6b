"""Writes a session as Markdown.

What was said stands in block quotes, what tools were given and printed in fences that are longer than any inside, so
that nothing of it ends its own frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unabridged.cli import human
from unabridged.cli.reading import Events
from unabridged.cli.safe import one_line
from unabridged.cli.show import event_head

# What can begin markup inside a line; a list or heading needs the beginning of one.
_SPECIAL = "\\`*_[]<>&|~#"


def plain(text: str) -> str:
    """Return a text on one line with every character that Markdown reads escaped."""
    return "".join(f"\\{c}" if c in _SPECIAL else c for c in one_line(text))


def markdown(events: Events) -> Iterator[str]:
    """Yield the page, piece by piece."""
    session = events.session
    yield f"# {plain(str(session.get('title') or 'Session'))}\n\n"
    facts = [
        ("host", str(session["host"])),
        ("session", str(session["host_session"])),
        ("started", f"{human.moment(str(session.get('started') or ''))} UTC"),
        ("folder", str(session.get("cwd") or "")),
    ]
    for name, value in facts:
        if value:
            yield f"- {name}: {plain(value)}\n"
    for event in events:
        yield f"\n## {plain(event_head(event))}\n\n"
        yield _quoted(event) if _is_said(event) else _fenced(str(event.get("text") or ""))


def _is_said(event: dict[str, Any]) -> bool:
    return event.get("kind") == "text" and event.get("role") in ("user", "assistant")


def _quoted(event: dict[str, Any]) -> str:
    lines = str(event.get("text") or "").split("\n")
    return "".join(f"> {line}".rstrip() + "\n" for line in lines)


def _fenced(text: str) -> str:
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}\n{text}{end}{fence}\n"


def markdown_index(files: list[dict[str, Any]]) -> str:
    """Return a page that links every session."""
    lines = ["# Sessions\n"]
    for facts in files:
        title = plain(str(facts.get("title") or facts["session"]))
        started = human.moment(str(facts.get("started") or ""))
        lines.append(f"- [{title}]({facts['path']}) {plain(str(facts['host']))}, {started} UTC")
    return "\n".join(lines) + "\n"
