"""Writes a session as one HTML page that needs nothing else: no script, no other file, readable in light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unabridged.cli import human
from unabridged.cli.reading import Events
from unabridged.cli.safe import one_line, visible
from unabridged.cli.show import event_head

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})

# The policy forbids everything but the style below, should a browser find something to run or load after all.
_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --ink: #1c1c1e; --quiet: #6b6b70; --paper: #fbfbf9; --frame: #dcdcd8;
  --user: #0b6b3a; --assistant: #0a5a9c; --tool: #7a4b00; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: #e6e6e3; --quiet: #9a9a9f; --paper: #17181a; --frame: #34363a;
  --user: #6fcf97; --assistant: #7ab8f5; --tool: #e0b060; }} }}
body {{ margin: 2rem auto; max-width: 52rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }}
h1 {{ font-size: 1.4rem; }}
h1, h2, a {{ overflow-wrap: anywhere; }}
h2 {{ font-size: .85rem; font-weight: 600; margin: 1.6rem 0 .3rem; color: var(--quiet); }}
p.facts {{ color: var(--quiet); font-size: .85rem; overflow-wrap: anywhere; }}
pre {{ margin: 0; padding: .2rem 0 .2rem .9rem; border-left: 3px solid var(--frame); white-space: pre-wrap;
  overflow-wrap: anywhere; font: inherit; }}
.tool pre, .system pre, .other pre {{ font: .85rem/1.45 ui-monospace, monospace; }}
.user h2 {{ color: var(--user); }} .user pre {{ border-color: var(--user); }}
.assistant h2 {{ color: var(--assistant); }}
.tool h2 {{ color: var(--tool); }}
a {{ color: var(--assistant); }}
</style>
</head>
<body>
"""
_FOOT = "</body>\n</html>\n"
_ROLES = ("user", "assistant", "tool", "system")


def escaped(text: str) -> str:
    """Return a text that shows as itself: markup escaped, control and bidirectional characters made visible."""
    return visible(text).translate(_ESCAPES)


def html_page(events: Events) -> Iterator[str]:
    """Yield the page, piece by piece."""
    session = events.session
    title = escaped(one_line(str(session.get("title") or "Session")))
    yield _HEAD.format(title=title)
    yield f"<h1>{title}</h1>\n"
    facts = [
        str(session["host"]),
        str(session["host_session"]),
        f"{human.moment(str(session.get('started') or ''))} UTC",
        str(session.get("cwd") or ""),
    ]
    yield f'<p class="facts">{escaped(" · ".join(fact for fact in facts if fact))}</p>\n'
    for event in events:
        role = str(event.get("role"))
        style = "tool" if event.get("kind") in ("tool-call", "tool-result") else role
        yield f'<section class="{style if style in _ROLES else "other"}">\n<h2>{escaped(event_head(event))}</h2>\n'
        yield f"<pre>\n{escaped(str(event.get('text') or ''))}</pre>\n</section>\n"
    yield _FOOT


def html_index(files: list[dict[str, Any]]) -> str:
    """Return a page that links every session."""
    parts = [_HEAD.format(title="Sessions"), "<h1>Sessions</h1>\n<ul>\n"]
    for facts in files:
        title = escaped(one_line(str(facts.get("title") or facts["session"])))
        about = f"{facts['host']}, {human.moment(str(facts.get('started') or ''))} UTC"
        parts.append(f'<li><a href="{escaped(str(facts["path"]))}">{title}</a> {escaped(about)}</li>\n')
    return "".join([*parts, "</ul>\n", _FOOT])
