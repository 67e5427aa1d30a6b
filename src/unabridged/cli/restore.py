"""una restore: write original files back."""

from __future__ import annotations

import binascii
import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from unabridged.cli import human, reading
from unabridged.cli.arguments import Arguments
from unabridged.cli.progress import Progress
from unabridged.cli.screen import Screen
from unabridged.cli.writing import NewFile, make_folder
from unabridged.errors import InvalidInput, UnabridgedError, UnsafePath, WouldOverwrite

if TYPE_CHECKING:
    from unabridged.cli.connection import Caller

STANDARD_OUTPUT = "-"
# Bytes of a page: as base64 well below a frame, large enough that paging costs nothing.
PAGE_BYTES = 4 << 20


def run(arguments: Arguments) -> int:
    """Restore one file, or every file of every session."""
    session = arguments.text("session")
    if arguments.given("all"):
        if session or arguments.given("to"):
            raise InvalidInput("--all takes no session and no --to", hint="una restore --all DIR")
        return _restore_all(arguments)
    if not session or not arguments.given("to"):
        raise InvalidInput(
            "`una restore` needs a session and --to PATH", hint="`una sessions` lists the sessions."
        )
    return _restore_one(arguments, session)


class Original:
    """The bytes of one original file, page by page; its facts are known once the first page came."""

    def __init__(self, client: Caller, session: str, origin: str = "", allow_gaps: bool = False) -> None:
        """Ask for the first page."""
        self._client = client
        self._gaps = allow_gaps
        self._asked: dict[str, Any] = {"session": session, "limit": PAGE_BYTES}
        if origin:
            self._asked["origin"] = origin
        if allow_gaps:
            self._asked["allow_gaps"] = True
        self.page = client.call("original", self._asked)
        self.size = int(self.page["size"])
        self._written = 0
        self._digest = hashlib.sha256()

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes in order."""
        self._written, self._digest = 0, hashlib.sha256()
        page = self.page
        while True:
            data = binascii.a2b_base64(page["data"])
            self._written += len(data)
            self._digest.update(data)
            yield data
            if page["done"]:
                return
            # A page with a gap is shorter than the range that it covers.
            covered = PAGE_BYTES if self._gaps else len(data)
            page = self._client.call("original", {**self._asked, "offset": int(page["offset"]) + covered})

    def facts(self, target: Path) -> dict[str, Any]:
        """Return what was written, for JSON and for drawing; the pieces have been taken before."""
        return {
            "path": str(target),
            "bytes": self._written,
            "sha256": self._digest.hexdigest(),
            "identical": bool(self.page["identical"]) and self._written == self.size,
            "redactions": int(self.page["redactions"]),
            "missing": self.size - self._written,
            "origin": self.page["path"],
            "name": self.page["name"],
            "generation": self.page.get("generation", 1),
        }


def _restore_one(arguments: Arguments, session: str) -> int:
    screen = arguments.screen
    to = arguments.text("to")
    original = Original(arguments.client(), session, _origin(arguments), arguments.flag("allow-gaps"))
    if to == STANDARD_OUTPUT:
        for piece in original.pieces():
            screen.raw(piece)
        return 0
    target = Path(to).expanduser()
    if target.is_dir() and not target.is_symlink():
        target = target / Path(str(original.page["path"])).name
    with Progress(screen, "restoring") as progress, NewFile(target, arguments.flag("force")) as file:
        _copy(original, file.write, progress)
    facts = {"session": session, **original.facts(target)}
    if arguments.flag("json"):
        screen.json(facts)
    else:
        _draw(screen, facts)
    return 0


def _origin(arguments: Arguments) -> str:
    origin = arguments.text("origin")
    path = Path(origin).expanduser()
    return str(path.absolute()) if origin and path.exists() else origin


def _copy(original: Original, write: Callable[[bytes], None], progress: Progress) -> None:
    done = 0
    for piece in original.pieces():
        write(piece)
        done += len(piece)
        progress.update({"done": done, "total": original.size})


def _draw(screen: Screen, facts: Mapping[str, Any]) -> None:
    screen.line(f"{screen.archived(str(facts['path']))}: {human.size(facts['bytes'])}, {sameness(facts)}")
    screen.line(screen.style(f"sha256 {facts['sha256']}", "dim"))
    screen.note(f"It was {facts['origin']}.")
    if facts["name"]:
        screen.note(f"Its host looks for it as {facts['name']}.")


def sameness(facts: Mapping[str, Any]) -> str:
    """Return whether the file is the original byte for byte, and why not."""
    if facts["identical"]:
        return "byte-identical to the original"
    reasons: list[str] = []
    if facts["redactions"]:
        reasons.append(human.plural(int(facts["redactions"]), "redaction"))
    if facts["missing"]:
        reasons.append(f"{human.size(facts['missing'])} missing")
    return f"not byte-identical to the original: {', '.join(reasons)}"


def _restore_all(arguments: Arguments) -> int:
    screen = arguments.screen
    folder = Path(arguments.text("all")).expanduser()
    make_folder(folder)
    client = arguments.client()
    asked = {"host": arguments.text("host")} if arguments.given("host") else {}
    written: list[dict[str, Any]] = []
    problems: list[dict[str, Any]] = []
    seen: set[str] = set()
    status = 0
    with Progress(screen, "restoring") as progress:
        for row, _ in reading.sessions(client, asked):
            for origin in _origins(client, str(row["session"])):
                if origin in seen:
                    continue
                seen.add(origin)
                try:
                    written.append(_restore_into(arguments, client, row, origin, folder))
                except UnabridgedError as error:
                    problems.append({"session": row["session"], "origin": origin, **error.to_dict()})
                    status = max(status, error.exit_code)
                progress.update({"done": len(seen), "unit": "files", "detail": origin})
    if arguments.flag("json"):
        screen.json({"files": written, "problems": problems})
        return status
    _draw_all(screen, folder, written, problems)
    return status


def _origins(client: Caller, session: str) -> list[str]:
    answer = client.call("original", {"session": session, "listing": True})
    return [str(origin["path"]) for origin in answer["origins"]]


def _restore_into(
    arguments: Arguments, client: Caller, row: Mapping[str, Any], origin: str, folder: Path
) -> dict[str, Any]:
    session = str(row["session"])
    original = Original(client, session, origin, arguments.flag("allow-gaps"))
    target = inside(folder / str(row["host"]), _name(client, session, original))
    make_folder(target.parent)
    try:
        with NewFile(target, arguments.flag("force")) as file:
            for piece in original.pieces():
                file.write(piece)
    except WouldOverwrite:
        if not _same(original.pieces(), target):
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


def _same(pieces: Iterator[bytes], path: Path) -> bool:
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
