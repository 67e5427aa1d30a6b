"""una export: write sessions for reading elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from unabridged.api.writing import NewFile, make_folder
from unabridged.cli import human, reading
from unabridged.cli.arguments import Arguments
from unabridged.cli.export_html import html_index, html_page
from unabridged.cli.export_jsonl import FORMAT, VERSION, json_lines, line
from unabridged.cli.export_markdown import markdown, markdown_index
from unabridged.cli.progress import Progress
from unabridged.errors import InvalidInput

Write = Callable[[reading.Events], Iterator[str]]

# format -> (suffix, writer of one session)
_WRITERS: dict[str, tuple[str, Write]] = {
    "markdown": (".md", markdown),
    "html": (".html", html_page),
    "jsonl": (".jsonl", json_lines),
}
_INDEXES: dict[str, tuple[str, Callable[[list[dict[str, Any]]], str]]] = {
    "markdown": ("README.md", markdown_index),
    "html": ("index.html", html_index),
}
MANIFEST = "manifest.json"


def run(arguments: Arguments) -> int:
    """Write one session to a file or standard output, or all of them into a folder."""
    session = arguments.text("session")
    if arguments.given("all"):
        if session or arguments.given("to"):
            raise InvalidInput("--all takes no session and no --to", hint="una export --all DIR")
        return _export_all(arguments)
    if not session:
        raise InvalidInput(
            "`una export` needs a session, or --all DIR", hint="`una sessions` lists the sessions."
        )
    return _export_one(arguments, reading.session_of(arguments.client(), session))


def _format(arguments: Arguments) -> str:
    """Return the form that is asked for, else the one whose files are named as --to is, else Markdown."""
    if arguments.given("format"):
        return arguments.text("format")
    ending = Path(arguments.text("to", "")).suffix.lower()
    return next((form for form, (suffix, _) in _WRITERS.items() if suffix == ending), "markdown")


def _export_one(arguments: Arguments, session: str) -> int:
    screen = arguments.screen
    _, write = _WRITERS[_format(arguments)]
    events = reading.Events(arguments.client(), session, arguments.flag("reasoning"))
    if not arguments.given("to") or arguments.text("to") == "-":
        if arguments.flag("json"):
            raise InvalidInput("--json tells what was written, so it needs --to PATH", hint="")
        for piece in write(events):
            screen.raw(piece.encode("utf-8", "replace"))
        return 0
    target = Path(arguments.text("to")).expanduser()
    facts = _written(target, write(events), arguments.flag("force"))
    facts["session"] = events.session["session"]
    if arguments.flag("json"):
        screen.json(facts)
    else:
        screen.line(f"{screen.archived(str(target))}: {human.size(facts['bytes'])}")
    return 0


def _written(target: Path, pieces: Iterator[str], force: bool) -> dict[str, Any]:
    digest, size = hashlib.sha256(), 0
    with NewFile(target, force) as file:
        for piece in pieces:
            data = piece.encode("utf-8", "replace")
            digest.update(data)
            size += len(data)
            file.write(data)
    return {"path": str(target), "bytes": size, "sha256": digest.hexdigest()}


def _export_all(arguments: Arguments) -> int:
    screen = arguments.screen
    form = _format(arguments)
    suffix, write = _WRITERS[form]
    folder = Path(arguments.text("all")).expanduser()
    force = arguments.flag("force")
    make_folder(folder)
    client = arguments.client()
    asked = {"host": arguments.text("host")} if arguments.given("host") else {}
    files: list[dict[str, Any]] = []
    with Progress(screen, "exporting") as progress:
        for row, _ in reading.sessions(client, asked):
            name = f"{row['host']}/{row['session']}{suffix}"
            make_folder(folder / str(row["host"]))
            events = reading.Events(client, str(row["session"]), arguments.flag("reasoning"))
            facts = _written(folder / name, write(events), force)
            files.append({**facts, "path": name, **_facts(row)})
            progress.update({"done": len(files), "unit": "sessions", "detail": name})
    if form in _INDEXES:
        name, make = _INDEXES[form]
        facts = _written(folder / name, iter([make(files)]), force)
        files.append({**facts, "path": name})
    manifest = {"format": FORMAT, "version": VERSION, "writes": form, "files": files}
    _written(folder / MANIFEST, iter([line(manifest)]), force)
    if arguments.flag("json"):
        screen.json({"path": str(folder), **manifest})
    else:
        size = sum(int(facts["bytes"]) for facts in files)
        screen.line(f"{screen.archived(str(folder))}: {human.plural(len(files), 'file')}, {human.size(size)}")
    return 0


def _facts(row: Mapping[str, Any]) -> dict[str, Any]:
    names = ("session", "host", "host_session", "title", "started", "ended", "events")
    return {name: row[name] for name in names if name in row}
