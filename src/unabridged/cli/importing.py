"""una import: archive transcripts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import unabridged
from unabridged.cli import human
from unabridged.cli.arguments import Arguments
from unabridged.cli.progress import Progress
from unabridged.cli.screen import Screen
from unabridged.cli.table import draw
from unabridged.daemon.paths import hosts_moved
from unabridged.errors import Cancelled, DaemonUnavailable, PathNotFound, Unreadable

# Unreadable lines that are listed one by one; the count says how many there are in all.
LISTED_PROBLEMS = 20
# MB/s below which the rate of an import is the time of its start, not its speed.
LEAST_RATE = 1.0
UNKNOWN = "–"  # stands for the size of what lies in a host's database, or in a document that is written anew

_KEPT = "What was read is kept; the same command goes on where it stopped."
_PHASES = {"find": "looking and importing", "read": "importing", "index": "making searchable"}

# Queries that find something in the sample.
SAMPLE_QUERIES = ("why did the flash write fail", "BMP390_I2C_ADDR", "气压传感器")


def run(arguments: Arguments) -> int:
    """Send the paths, show progress, account for every line."""
    screen = arguments.screen
    asked = _request(arguments)
    label = "looking" if arguments.flag("dry-run") else "importing"
    try:
        with Progress(screen, label) as progress:
            answer = arguments.client().call(
                "import", asked, on_progress=lambda news: progress.update(told(news))
            )
    except KeyboardInterrupt:
        raise Cancelled("the import was stopped", hint=_KEPT) from None
    except DaemonUnavailable as error:
        # Only a daemon that was there can have read something.
        raise DaemonUnavailable(error.message, hint=f"{_KEPT} {error.advice}", **error.details) from error
    unreadable = int(answer["lines"].get("unreadable", 0)) + _lost_files(answer)
    if arguments.flag("json"):
        screen.json(answer)
    elif arguments.flag("dry-run"):
        _draw_found(screen, answer)
    else:
        _draw(screen, answer)
        if arguments.flag("sample"):
            _draw_next(screen)
    return Unreadable.exit_code if unreadable else 0


def _request(arguments: Arguments) -> dict[str, Any]:
    paths = [str(Path(path).expanduser().absolute()) for path in arguments.list("path")]
    for path in paths:
        if not os.path.lexists(path):
            raise PathNotFound(f"there is nothing at {path}")
    if arguments.flag("sample"):
        paths.append(sample_folder())
    environ = arguments.environ
    asked: dict[str, Any] = {"paths": paths}
    moved = hosts_moved(environ)
    if moved:
        asked["env"] = moved
    if arguments.given("host"):
        asked["host"] = arguments.text("host")
    if arguments.flag("dry-run"):
        asked["dry_run"] = True
    if arguments.flag("verify"):
        asked["verify"] = True
    return asked


def sample_folder() -> str:
    """Return the folder of the sample transcripts that ship with the program."""
    return str(Path(unabridged.__file__).parent / "samples")


def told(news: Mapping[str, Any]) -> dict[str, Any]:
    """Return an import's progress notification as `Progress` takes it."""
    phase = str(news.get("phase") or "")
    done, files = int(news.get("files_done") or 0), int(news.get("files") or 0)
    return {
        "label": _PHASES.get(phase, phase),
        "done": news.get("bytes_done"),
        # While more files are being found, what is left is not known.
        "total": 0 if phase == "find" else news.get("bytes"),
        "detail": f"{human.number(done)} of {human.plural(files, 'file')}",
    }


def _lost_files(answer: Mapping[str, Any]) -> int:
    return sum(1 for problem in answer["problems"] if not problem.get("line"))


def _draw(screen: Screen, answer: Mapping[str, Any]) -> None:
    lines: Mapping[str, int] = answer["lines"]
    files, skipped = int(answer.get("files") or 0), int(answer.get("skipped") or 0)
    if not files and not answer["problems"]:
        _draw_nothing(screen)
        return
    if files and files == skipped:
        screen.line(f"{human.plural(files, 'file')}, unchanged since the last import")
        _draw_problems(screen, answer)
        return
    unchanged = f", {human.number(skipped)} of them unchanged" if skipped else ""
    seconds = float(answer["seconds"])
    rate = answer["bytes"] / seconds / 1e6 if seconds >= 1 else 0.0
    speed = f" ({rate:.1f} MB/s)" if rate >= LEAST_RATE else ""
    screen.line(
        f"{human.plural(files, 'file')}{unchanged}: {human.size(answer['bytes'])} read in {human.span(seconds)}{speed}"
    )
    counts = [
        human.plural(int(answer[name]), name.removesuffix("s"))
        for name in ("sessions", "events", "documents")
    ]
    screen.line(", ".join(counts))
    parts = [f"{human.number(int(lines.get(name, 0)))} {name}" for name in ("new", "known", "unreadable")]
    screen.line(f"{human.plural(int(lines.get('read', 0)), 'line')}: {', '.join(parts)}")
    if answer.get("redactions"):
        screen.line(f"{human.plural(int(answer['redactions']), 'secret')} replaced before being stored")
    _draw_problems(screen, answer)
    if not answer.get("searchable", True):
        screen.note("Some of it is not searchable yet; `una index status` tells how far the index is.")


def _draw_problems(screen: Screen, answer: Mapping[str, Any]) -> None:
    problems: list[Mapping[str, Any]] = list(answer["problems"])
    for problem in problems[:LISTED_PROBLEMS]:
        line = f":{problem['line']}" if problem.get("line") else ""
        place = screen.archived(f"{problem['path']}{line}")
        screen.line(f"  {place}  {screen.style(str(problem['code']), 'yellow')}  {problem['message']}")
    more = len(problems) - LISTED_PROBLEMS if len(problems) > LISTED_PROBLEMS else 0
    more += int(answer.get("problems_omitted") or 0)
    if more:
        screen.line(f"  … and {human.number(more)} more (--json lists them)")


def _draw_found(screen: Screen, answer: Mapping[str, Any]) -> None:
    found: list[Mapping[str, Any]] = list(answer.get("found") or ())
    if not found and not answer["problems"]:
        _draw_nothing(screen)
        return
    totals: dict[str, list[int]] = {}
    for entry in found:
        count = totals.setdefault(str(entry.get("host") or "?"), [0, 0, 0])
        count[0] += 1
        count[1] += int(entry.get("size") or 0)
        count[2] += 1 if entry.get("action") == "unchanged" else 0
    rows = [
        (host, human.number(files), human.number(known), human.size(size) if size else UNKNOWN)
        for host, (files, size, known) in sorted(totals.items())
    ]
    draw(screen, ("host", "files", "unchanged", "size"), rows, right=(1, 2, 3))
    _draw_problems(screen, answer)
    screen.note("Nothing was changed; `una import` reads them.")


def _draw_nothing(screen: Screen) -> None:
    screen.note("No transcript was found.")
    screen.tell("hint:", "Name a file or folder, `una import PATH`, or try `una import --sample`.", "yellow")


def _draw_next(screen: Screen) -> None:
    screen.note()
    screen.note("Try next:")
    for query in SAMPLE_QUERIES:
        screen.note(f"  una search '{query}' --scope all")
    screen.note("  una sessions")
    screen.note("  una recall HANDLE     (the handle under a hit)")
