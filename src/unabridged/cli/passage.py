"""What search, grep share: the filters they send, the hits they draw."""

from __future__ import annotations

import os

from unabridged.cli import human
from unabridged.cli.columns import columns_of, cut, wrap
from unabridged.cli.safe import one_line
from unabridged.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from unabridged.cli.arguments import Arguments
    from unabridged.cli.screen import Screen

# Lines of a snippet on a terminal: enough to judge a hit, few enough to see ten of them.
SNIPPET_LINES = 4
# Columns that a title gets on a narrow terminal.
LEAST_TITLE = 20
_BANDS = {"high": "green", "moderate": "cyan", "some": "yellow", "low": "dim"}
_INDENT = "    "


def project(arguments: Arguments) -> str:
    """Return --project as the daemon takes it: a path is made absolute, an id stays."""
    name = arguments.text("project")
    if not name:
        return ""
    from pathlib import Path  # a search without --project starts faster without it

    path = Path(name).expanduser()
    return str(path.absolute()) if os.sep in name or name.startswith((".", "~")) or path.is_dir() else name


def filters(arguments: Arguments) -> dict[str, Any]:
    """Return the `Filters` that the options give, without what was not given."""
    lists = {"kind": "kinds", "role": "roles", "tool": "tools", "host": "hosts"}
    found: dict[str, Any] = {
        field: arguments.list(name) for name, field in lists.items() if arguments.given(name)
    }
    for name in ("path", "since", "until", "session", "branch"):
        if arguments.given(name):
            found[name] = arguments.text(name)
    if arguments.flag("no-side"):
        found["side"] = False
    if arguments.flag("superseded"):
        found["superseded"] = True
    return found


def request(arguments: Arguments, names: Sequence[str]) -> dict[str, Any]:
    """Return the fields that search and grep have in common, and the numbers and texts named."""
    asked: dict[str, Any] = {}
    for name in ("scope", "cursor", *names):
        if arguments.given(name):
            field = name.replace("-", "_")
            asked[field] = (
                arguments.number(name) if name in ("limit", "per-session") else arguments.text(name)
            )
    if arguments.given("project"):
        asked["project"] = project(arguments)
    for name, field in (("expand", "expansion"), ("working-set", "working_set")):
        if arguments.given(name):
            asked[field] = arguments.list(name)
    if arguments.given("context"):
        asked["session_context"] = arguments.text("context")
    narrowed = filters(arguments)
    if narrowed:
        asked["filters"] = narrowed
    return asked


def words(arguments: Arguments, name: str) -> str:
    """Return a query's words; without a relation there have to be some."""
    found = arguments.list(name) if arguments.given(name) else []
    query = " ".join(found)
    if not query.strip() and not arguments.given("relation"):
        verb = arguments.verb.name
        wrong = f"is given an empty {name.upper()}" if found else f"needs {name.upper()}"
        raise InvalidInput(f"`una {verb}` {wrong}", hint=f"`una {verb} --help` shows what it takes.")
    return query


def draw_hit(screen: Screen, place: int, hit: Mapping[str, Any]) -> None:
    """Write one hit: what and where, its snippet, how to recall it."""
    band = str(hit.get("band", ""))
    what = " ".join(str(hit[name]) for name in ("role", "kind", "tool") if hit.get(name))
    facts = [str(hit.get("host", "")), human.moment(str(hit.get("time", ""))), what]
    head = " · ".join(fact for fact in facts if fact)
    title = one_line(str(hit.get("title", "")))
    head = screen.archived(head + (" · superseded" if hit.get("superseded") else ""))
    line = f"{place:>3} {screen.style(band, _BANDS.get(band, 'dim'))}  {screen.style(head, 'dim')}"
    room = screen.width - columns_of(f"{place:>3} {band}  {head}  ")
    if title and not str(hit.get("snippet", "")).startswith(title):
        title = screen.archived(title)
        line += f"  {screen.style(cut(title, max(room, LEAST_TITLE)) if screen.terminal else title, 'bold')}"
    screen.line(line)
    for shown in _snippet(screen, hit):
        screen.line(_INDENT + shown)
    screen.line(_INDENT + screen.style(_recall(hit), "dim"))


def _recall(hit: Mapping[str, Any]) -> str:
    parts = [f"una recall {hit.get('handle') or hit.get('locator')}"]
    if hit.get("replaced_by"):
        parts.append(f"now {hit['replaced_by']}")
    if hit.get("tokens"):
        parts.append(f"{human.number(int(hit['tokens']))} tokens")
    if hit.get("similar"):
        parts.append(f"{human.plural(int(hit['similar']), 'near-duplicate')} left out")
    if hit.get("completeness", "complete") != "complete":
        parts.append(f"indexed {hit['completeness']}")
    return " · ".join(parts)


def _snippet(screen: Screen, hit: Mapping[str, Any]) -> list[str]:
    text = str(hit.get("excerpt") or hit.get("snippet", ""))
    if not screen.terminal:
        return text.splitlines()
    lines = wrap(screen.archived(text), screen.width - len(_INDENT))
    if len(lines) > SNIPPET_LINES:
        lines = [*lines[: SNIPPET_LINES - 1], lines[SNIPPET_LINES - 1] + " …"]
    terms = [str(term) for term in hit.get("terms") or () if len(str(term)) > 1]
    return [mark(screen, line, terms) for line in lines]


def mark(screen: Screen, line: str, terms: Sequence[str]) -> str:
    """Return the line with the matched terms in bold, longest first, whatever their case."""
    lower = line.lower()
    if not terms or len(lower) != len(line) or screen.style("x", "bold") == "x":
        return line
    marked = [False] * len(line)
    for term in terms:
        needle = term.lower()
        start = lower.find(needle)
        while start >= 0:
            marked[start : start + len(needle)] = [True] * len(needle)
            start = lower.find(needle, start + len(needle))
    pieces: list[str] = []
    start = 0
    for end in range(1, len(line) + 1):
        if end == len(line) or marked[end] != marked[start]:
            piece = line[start:end]
            pieces.append(screen.style(piece, "bold") if marked[start] else piece)
            start = end
    return "".join(pieces)
