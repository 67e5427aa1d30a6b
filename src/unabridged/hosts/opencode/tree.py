"""Sessions in the host's older storage: one JSON file for each session, message and part."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from unabridged.errors import PathUnreadable, TranscriptChanged
from unabridged.hosts.contract import RowStream
from unabridged.hosts.opencode.rows import INFO, MESSAGE, PART, Key, Message, session_line

MAX_FILE = 64 << 20  # bytes of one message or part; longer ones are left out
NANOS = 1_000_000  # a millisecond
_message = msgspec.json.Decoder(Message)


def is_storage(path: Path) -> bool:
    """Tell whether a folder is such a storage."""
    return (path / "session").is_dir() and (path / "message").is_dir()


def streams(path: Path) -> list[RowStream]:
    """Return all sessions; the version changes when the session, its list of messages or its last message does."""
    found: list[RowStream] = []
    for file in _session_files(path):
        name = file.stem
        messages = path / "message" / name
        newest = max((entry.name for entry in _entries(messages)), default="")
        times = [_changed(file), _changed(messages)]
        if newest:
            times += [_changed(messages / newest), _changed(path / "part" / newest.removesuffix(".json"))]
        found.append(RowStream(name, ".".join(map(str, times))))
    return sorted(found, key=lambda stream: stream.name)


def _session_files(path: Path) -> Iterator[Path]:
    for project in _entries(path / "session"):
        for entry in _entries(Path(project.path)):
            if entry.name.endswith(".json"):
                yield Path(entry.path)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return what is in a folder by name; nothing where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _changed(path: Path) -> int:
    """Return when a file last changed, in milliseconds; 0 where there is none."""
    try:
        return path.stat().st_mtime_ns // NANOS
    except OSError:
        return 0


class Session:
    """One session; see `feed.Source`."""

    def __init__(self, path: Path, name: str) -> None:
        """Read session `name` of the storage at `path`."""
        self.name = name
        self._path = path
        self._files: dict[tuple[str, str], Path] = {}

    def session(self) -> bytes:
        """Return the session as its file has it."""
        for file in _session_files(self._path):
            if file.stem == self.name:
                return session_line(self.name, _read(file), INFO)
        raise TranscriptChanged("the session's file is gone", path=str(self._path))

    def keys(self) -> list[Key]:
        """Return all rows in the order of the conversation."""
        messages: list[Key] = []
        for entry in _entries(self._path / "message" / self.name):
            file = Path(entry.path)
            if file.suffix == ".json" and _is_small(file):
                self._files[MESSAGE, file.stem] = file
                messages.append(Key(MESSAGE, file.stem, file.stem, _created(file), _changed(file)))
        messages.sort(key=lambda key: key.place)
        return [key for message in messages for key in (*self._parts(message), message)]

    def _parts(self, message: Key) -> Iterator[Key]:
        for entry in _entries(self._path / "part" / message.id):
            file = Path(entry.path)
            if file.suffix == ".json" and _is_small(file):
                self._files[PART, file.stem] = file
                yield Key(PART, file.stem, message.id, message.created, _changed(file))

    def data(self, table: str, row: str) -> bytes:
        """Return a row's data."""
        file = self._files.get((table, row))
        return _read(file) if file is not None else b"null"


def _is_small(file: Path) -> bool:
    try:
        return file.stat().st_size <= MAX_FILE
    except OSError:
        return False


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError as error:
        raise TranscriptChanged("a file of the session is gone", path=str(file)) from error
    except OSError as error:
        raise PathUnreadable(path=str(file)) from error


def _created(file: Path) -> int:
    try:
        message = _message.decode(_read(file))
    except (msgspec.DecodeError, RecursionError):
        return 0
    return int(message.time.created or 0) if message.time is not None else 0
