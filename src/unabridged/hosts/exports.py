"""Exports: the conversations of an account in one document, or several, alone, in a folder or in a zip archive.

A document is an array of conversations and may have gigabytes. It is gone through once, element by element, to learn
where each conversation stands; then each is read from its place. Nothing is given of an export that is not whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

import msgspec

from unabridged.errors import (
    DamagedExport,
    LimitExceeded,
    NotATranscript,
    PathUnreadable,
    TranscriptChanged,
    UnabridgedError,
)
from unabridged.hosts import elements, zipped
from unabridged.hosts.contract import Candidate, RowStream
from unabridged.hosts.elements import Element, Torn
from unabridged.hosts.lines import values
from unabridged.hosts.walk import walk

ZIP = ".zip"
SNIFFED = 64 << 10  # bytes of a document that tell what it is
LARGEST = elements.TOO_LONG  # bytes of a conversation; a larger one is reported and left out
TOO_LARGE = "too-large-"  # begins the name of a conversation that is left out
ARRAY = "conversations"  # the member that holds them where the document is an object
DIGITS = 24  # of a version
SPACE = b"\xef\xbb\xbf \t\r\n"
REMEMBERED = 2  # exports whose contents a process knows at a time; a conversation takes some 500 bytes


_members = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Form(Protocol):
    """How one service writes its exports."""

    def wants(self, name: str) -> bool:
        """Tell whether a file of that name (without its folder) holds conversations."""
        ...

    def begins(self, head: bytes) -> bool:
        """Tell from its first bytes whether a document is one of this service's."""
        ...

    def looks_like(self, names: Sequence[str]) -> bool:
        """Tell by the names of its files whether an archive that cannot be read is one of this service's exports."""
        ...

    def name_of(self, element: bytes) -> str:
        """Return the id of a conversation, "" for an element that is none."""
        ...


class Place(NamedTuple):
    """Where a conversation stands: in which file of the archive ("" without one), from which byte on."""

    member: str
    offset: int
    size: int


class Conversation(NamedTuple):
    """A conversation of an export; several places when the export holds it more than once."""

    version: str  # a digest of its text
    places: tuple[Place, ...]


class Source(Protocol):
    """What a document is read from."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none at the end."""
        ...

    def seek(self, offset: int) -> None:
        """Read on from there."""
        ...


# --- finding ----------------------------------------------------------------------------------------------------------


def find(root: Path, form: Form) -> Iterator[Candidate]:
    """Yield archives, and files with the names of conversations; a root that is a file whatever its name."""
    for path in walk(root, lambda name: name.lower().endswith(ZIP) or form.wants(name)):
        yield Candidate(str(path), "rows")


def sniff(head: bytes, path: Path, form: Form) -> bool:
    """Tell whether a file is an export of this service. An archive that cannot be read is told by its files' names."""
    if not zipped.is_zip(head):
        return form.begins(head)
    try:
        members = zipped.members(path)
    except DamagedExport:
        return form.looks_like([head.decode("latin-1")])
    except UnabridgedError:
        return False
    wanted = _wanted(members, form)
    try:
        return any(form.begins(_beginning(path, member)) for member in wanted)
    except UnabridgedError:
        return form.looks_like([member.name for member in members])


def _wanted(members: Sequence[zipped.Member], form: Form) -> list[zipped.Member]:
    """Return the files of an archive that hold conversations; not the shadows that macOS adds."""
    found: list[zipped.Member] = []
    for member in sorted(members):
        folder, _, name = member.name.replace("\\", "/").rpartition("/")
        if form.wants(name) and not folder.startswith("__MACOSX"):
            found.append(member)
    return found


def _beginning(path: Path, member: zipped.Member) -> bytes:
    zipped.check(path, member)
    return zipped.Unpacked(path, member).read(SNIFFED)


# --- contents ---------------------------------------------------------------------------------------------------------


def streams(path: Path, form: Form) -> list[RowStream]:
    """Return the conversations of an export, in its order. Raises where the export is not whole, or is none."""
    found = [RowStream(name, item.version) for name, item in contents(path, form).items()]
    if not found:
        raise NotATranscript("the export has no conversation", path=str(path))
    return found


def contents(path: Path, form: Form) -> dict[str, Conversation]:
    """Return where each conversation of an export stands."""
    try:
        stat = path.stat()
    except OSError as error:
        raise PathUnreadable(error.strerror or "", path=str(path)) from error
    return _contents(path, form, (stat.st_ino, stat.st_size, stat.st_mtime_ns))


@lru_cache(maxsize=REMEMBERED)
def _contents(path: Path, form: Form, state: tuple[int, int, int]) -> dict[str, Conversation]:
    found: dict[str, Conversation] = {}
    for member in _documents(path, form, state):
        source = _opened(path, member, form, state)
        try:
            for element in _elements(source):
                _note(found, form, member, element)
        except Torn as error:
            raise DamagedExport(f"the export is not whole: {error}", path=str(path)) from error
    return found


def _documents(path: Path, form: Form, state: tuple[int, int, int]) -> list[str]:
    """Return the files of an archive that hold conversations; [""] for a document that stands alone."""
    archive = _archive(path, state)
    if archive is None:
        return [""]
    wanted = _wanted(archive, form)
    for member in wanted:
        zipped.check(path, member)
    # Several services have files of the same names: only this one's are read.
    return [member.name for member in wanted if form.begins(_beginning(path, member))]


@lru_cache(maxsize=REMEMBERED)
def _archive(path: Path, state: tuple[int, int, int]) -> tuple[zipped.Member, ...] | None:
    """Return the files of an archive; None for a file that is none. `state` is the file's, as a key."""
    del state
    try:
        with path.open("rb") as file:
            if not zipped.is_zip(file.read(len(zipped.MAGIC))):
                return None
    except OSError as error:
        raise PathUnreadable(error.strerror or "", path=str(path)) from error
    return tuple(zipped.members(path))


def _opened(path: Path, member: str, form: Form, state: tuple[int, int, int]) -> Source:
    if member:
        return _unpacked(path, member, form, state)
    return _Plain(path)


@lru_cache(maxsize=REMEMBERED)
def _unpacked(path: Path, member: str, form: Form, state: tuple[int, int, int]) -> zipped.Unpacked:
    """Return a file of an archive, which remembers the places that it went through."""
    found = next(item for item in _wanted(_archive(path, state) or (), form) if item.name == member)
    return zipped.Unpacked(path, found)


class _Plain:
    """A document that stands alone; the file is not held open between two pieces."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = 0

    def read(self, size: int, /) -> bytes:
        try:
            with self._path.open("rb") as file:
                file.seek(self._at)
                data = file.read(size)
        except OSError as error:
            raise PathUnreadable(error.strerror or "", path=str(self._path)) from error
        self._at += len(data)
        return data

    def seek(self, offset: int) -> None:
        self._at = offset


def _elements(source: Source) -> Iterator[Element]:
    """Yield the conversations of a document: an array of them, an object that holds one, or a conversation itself."""
    source.seek(0)
    head = source.read(SNIFFED)
    source.seek(0)
    if head.lstrip(SPACE)[:1] != b"{":
        yield from elements.elements(source)
        return
    single, size = True, 0
    for element in elements.elements(source, (ARRAY,)):
        size = element.offset + element.size
        if element.name == ARRAY and element.place >= 0:
            single = False
            yield element
    if single and size <= LARGEST:
        source.seek(0)
        text = b"".join(iter(lambda: source.read(SNIFFED), b""))
        data = text.strip(SPACE)
        yield Element("", 0, data, len(data), text.index(b"{"))


def _note(found: dict[str, Conversation], form: Form, member: str, element: Element) -> None:
    """Note an element of a document; what is no conversation costs only itself."""
    place = Place(member, element.offset, element.size)
    if element.size > LARGEST:
        found[f"{TOO_LARGE}{len(found)}"] = Conversation(str(element.size), (place,))
        return
    name = form.name_of(element.data)
    if not name:
        return
    before = found.get(name)
    if before is None:
        found[name] = Conversation(_version(element.data, ""), (place,))
    else:
        version = _version(element.data, before.version)
        found[name] = Conversation(version, (*before.places, place))


# --- one conversation -------------------------------------------------------------------------------------------------


def texts(path: Path, form: Form, name: str) -> list[bytes]:
    """Return the JSON text of a conversation, once for each time that the export holds it.

    Raises `TranscriptChanged` where it is not what it was when the export was gone through.
    """
    stat = path.stat()
    state = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
    conversation = _contents(path, form, state)[name]
    found: list[bytes] = []
    version = ""
    for place in conversation.places:
        if place.size > LARGEST:
            raise LimitExceeded(
                "a conversation of the export is larger than is read", limit=LARGEST, size=place.size
            )
        source = _opened(path, place.member, form, state)
        source.seek(place.offset)
        found.append(_exactly(source, place.size, path))
        version = _version(found[-1], version)
    if version != conversation.version:
        raise TranscriptChanged(path=str(path))
    return found


def _version(text: bytes, before: str) -> str:
    """Return a digest of a conversation's text, and of those that the export had of it before."""
    return hashlib.sha256(text + before.encode() if before else text).hexdigest()[:DIGITS]


def _exactly(source: Source, size: int, path: Path) -> bytes:
    parts: list[bytes] = []
    while size:
        part = source.read(size)
        if not part:
            raise TranscriptChanged(path=str(path))
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def members_of(text: bytes | msgspec.Raw) -> dict[str, msgspec.Raw]:
    """Return the members of an object as JSON text; of one that is damaged what can be read; of anything else none."""
    try:
        return _members.decode(text)
    except (msgspec.DecodeError, RecursionError):
        found: Any = next(iter(values(bytes(text)).items), None)
    if not isinstance(found, dict):
        return {}
    return {
        key: msgspec.Raw(msgspec.json.encode(value)) for key, value in cast("dict[str, Any]", found).items()
    }


def string_of(text: msgspec.Raw | None) -> str:
    """Return the string that is some JSON text, "" for anything else."""
    found: Any = next(iter(values(bytes(text)).items), None) if text is not None else None
    return found if isinstance(found, str) else ""
