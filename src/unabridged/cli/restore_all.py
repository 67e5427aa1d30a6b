"""Writes every original file of the archive below one folder, each where its host would look for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from unabridged.api.original import Original
from unabridged.api.writing import NewFile, make_folder
from unabridged.cli import human, reading
from unabridged.cli.arguments import Arguments
from unabridged.cli.original import sameness
from unabridged.cli.progress import Progress
from unabridged.cli.screen import Screen
from unabridged.errors import NotRestorable, UnabridgedError, UnsafePath, WouldOverwrite

if TYPE_CHECKING:
    from unabridged.cli.connection import Caller

WIRE = "wire"  # the kind of what passed on the wire, which no host has as a file


def restore_all(arguments: Arguments) -> int:
    """Write every file of every session that has one; exit status of the worst problem.

    Sessions of hosts that take nothing back are counted, and no problem: there is no file to miss.
    """
    screen = arguments.screen
    folder = Path(arguments.text("all")).expanduser()
    make_folder(folder)
    client = arguments.client()
    asked = {"host": arguments.text("host")} if arguments.given("host") else {}
    files = _Folder(arguments, client, folder)
    written: list[dict[str, Any]] = []
    problems: list[dict[str, Any]] = []
    left: dict[str, int] = {}  # host → sessions that no host takes back
    seen: set[tuple[str, str]] = set()  # session, path: two sessions may have had a file in one place
    status = 0
    with Progress(screen, "restoring") as progress:
        for row, _ in reading.sessions(client, asked):
            # What never was a file, as notes, has no origin.
            for origin in _origins(client, str(row["session"])) if row["origins"] else ():
                if (str(row["session"]), origin) in seen:
                    continue
                seen.add((str(row["session"]), origin))
                try:
                    written.append(files.restore(row, origin))
                except NotRestorable:
                    left[str(row["host"])] = left.get(str(row["host"]), 0) + 1
                except UnabridgedError as error:
                    problems.append({"session": row["session"], "origin": origin, **error.to_dict()})
                    status = max(status, error.exit_code)
                progress.update({"done": len(seen), "unit": "files", "detail": origin})
    if arguments.flag("json"):
        screen.json({"files": written, "problems": problems, "left_out": left})
        return status
    _draw_all(screen, folder, written, problems)
    for host, count in sorted(left.items()):
        screen.line(f"  {human.plural(count, 'session')} of {host} left out, which has no file to go back to")
    return status


def _origins(client: Caller, session: str) -> list[str]:
    answer = client.call("original", {"session": session, "listing": True})
    return [str(origin["path"]) for origin in answer["origins"] if origin.get("kind") != WIRE]


class _Folder:
    """The files written by this run: two files of one session that the host would look for in one place get two."""

    def __init__(self, arguments: Arguments, client: Caller, folder: Path) -> None:
        self._client = client
        self._folder = folder
        self._force = arguments.flag("force")
        self._gaps = arguments.flag("allow-gaps")
        self._claimed: set[Path] = set()

    def restore(self, row: Mapping[str, Any], origin: str) -> dict[str, Any]:
        """Write one file, unless one of its content is there; return its facts."""
        session = str(row["session"])
        original = Original(partial(self._client.call, "original"), session, origin, self._gaps)
        place = inside(self._folder / str(row["host"]), _name(self._client, session, original))
        target, number = place, 1
        while target in self._claimed:
            if same(original.pieces(), target):
                return {"session": session, **original.facts(target)}
            number += 1
            target = place.with_name(f"{place.stem}~{number}{place.suffix}")
        self._claimed.add(target)
        make_folder(target.parent)
        try:
            with NewFile(target, self._force) as file:
                for piece in original.pieces():
                    file.write(piece)
        except WouldOverwrite:
            if not same(original.pieces(), target):
                raise
        return {"session": session, **original.facts(target)}


def _name(client: Caller, session: str, original: Original) -> str:
    """Return where the host looks for the file; a companion keeps its place beside the transcript."""
    name = str(original.page["name"])
    if name:
        return name
    main = client.call("original", {"session": session, "listing": True})
    place = PurePosixPath(str(main["path"])).parent
    path = PurePosixPath(str(original.page["path"]))
    beside = path.relative_to(place) if path.is_relative_to(place) else PurePosixPath(path.name)
    return str(PurePosixPath(str(main["name"])).parent / beside)


def same(pieces: Iterator[bytes], path: Path) -> bool:
    """Tell whether a file holds exactly these bytes."""
    with path.open("rb") as file:
        if not all(file.read(len(piece)) == piece for piece in pieces):
            return False
        return not file.read(1)


def inside(folder: Path, name: str) -> Path:
    """Return the path of a host's relative name below a folder; a name that leaves the folder is refused."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if not parts or name.startswith("/") or any(part == ".." or "\0" in part for part in parts):
        raise UnsafePath(
            f"the name {name!r} leads out of the folder", hint="Restore that session alone, with --to."
        )
    return folder.joinpath(*parts)


def _draw_all(
    screen: Screen, folder: Path, written: list[dict[str, Any]], problems: list[dict[str, Any]]
) -> None:
    identical = sum(1 for facts in written if facts["identical"])
    size = sum(int(facts["bytes"]) for facts in written)
    screen.line(
        f"{screen.archived(str(folder))}: {human.plural(len(written), 'file')}, {human.size(size)}, "
        f"{human.number(identical)} byte-identical to the originals"
    )
    for facts in written:
        if not facts["identical"]:
            screen.line(f"  {screen.archived(str(facts['path']))}  {sameness(facts)}")
    for problem in problems:
        screen.tell("error:", f"{problem['origin']}: {problem['message']}", "red")
