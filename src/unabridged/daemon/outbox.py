"""The folder where hooks leave events while no daemon answers: one small file each, coordinates only.

A file is an entry once it has its name: `hookclient.py` writes it beside, flushes it, renames it. What is useless goes
to `quarantine/`, the reason beside it, until somebody replays or drops it. Nothing in the folder is trusted: links are
not followed, and whatever is no entry neither stops anybody nor is touched.
"""

from __future__ import annotations

import heapq
import json
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from unabridged.daemon import safety
from unabridged.errors import NotFound, PathUnreadable

VERSION = 1
ENDING, REASON = ".json", ".why"
QUARANTINE = "quarantine"
MAX_BYTES = 16 << 10  # of an entry; hooks write at most 4 KiB
MAX_TEXT = 4_096  # characters of a path or name in it
MAX_COUNTED = 100_000  # entries that are counted; there may be more
MAX_LISTED = 1_000  # entries listed
MAX_QUARANTINED = 10_000  # entries kept in quarantine, the newest ones
STALE_SECONDS = 3_600.0  # after which a file whose hook was ended while it wrote is removed
ATTEMPTS = 5  # that an entry gets
_ATTEMPT = re.compile(r"\.f([1-9])$")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,255}")
_SHARED = "tool-"  # names that a later event of the session may take: they are renamed before they are read
_UNFINISHED = ".new"

Known = Callable[[str], bool]


class Entry(msgspec.Struct, frozen=True):
    """An event's coordinates (see `hookclient.coordinates`)."""

    host: str
    event: str
    session: str = ""
    transcript: str = ""
    size: int = 0
    inode: int = 0
    uuid: str = ""
    machine: str = ""
    sequence: str = ""
    time: int = 0
    agent: str = ""
    agent_transcript: str = ""
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class Held:
    """An entry in quarantine: its id, why it is there, and what it says, as far as it can be read."""

    id: str
    code: str
    message: str
    attempts: int
    entry: Entry | None

    def shown(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        said = self.entry or Entry("", "")
        return {
            "id": self.id,
            "state": "quarantined",
            "code": self.code,
            "message": self.message,
            "attempts": self.attempts,
            "host": said.host,
            "event": said.event,
            "session": said.session,
            "transcript": said.transcript,
            "time": said.time,
        }


class Useless(Exception):
    """An entry that can never be used. code, message: why."""

    def __init__(self, code: str, message: str) -> None:
        """Say why."""
        super().__init__(message)
        self.code, self.message = code, message


_entries = msgspec.json.Decoder(Entry)


class Outbox:
    """One home's outbox. Several processes may add to it, the daemon alone takes from it."""

    def __init__(self, folder: str) -> None:
        """Use a folder, which need not exist."""
        self.folder = folder
        self.quarantine = os.path.join(folder, QUARANTINE)

    # --- what waits ---------------------------------------------------------------------------------------------------

    def oldest(self, most: int, but: frozenset[str] = frozenset()) -> list[str]:
        """Return the names of at most so many entries that wait, the oldest first, without those of `but`.

        Raises `UnsafePath` where others could have put something into the folder, `PathUnreadable`.
        """
        return heapq.nsmallest(most, (name for name in self._names() if name not in but))

    def waiting(self) -> int:
        """Return how many entries wait, as far as they are counted."""
        return sum(1 for _, _ in zip(self._names(), range(MAX_COUNTED), strict=False))

    def take(self, name: str) -> str:
        """Return the name under which nobody replaces an entry any more; raises FileNotFoundError."""
        if not name.startswith(_SHARED):
            return name
        own = f"{time.time_ns():016x}-{name}"
        os.rename(os.path.join(self.folder, name), os.path.join(self.folder, own))
        return own

    def read(self, name: str, known: Known) -> Entry:
        """Return an entry; raise `Useless`, or OSError where it cannot be read now."""
        entry = _read(os.path.join(self.folder, name))
        if not known(entry.host):
            raise Useless("unknown-host", "this build does not know that host")
        return entry

    def done(self, names: Iterable[str]) -> None:
        """Remove entries that were applied."""
        for name in names:
            _unlink(os.path.join(self.folder, name))

    def failed(self, name: str, code: str, message: str) -> str:
        """Count a failed attempt; return the entry's new name, "" when it went to quarantine."""
        stem, count = _attempts(name)
        if count + 1 >= ATTEMPTS:
            self.hold(name, code, message)
            return ""
        new = f"{stem}.f{count + 1}{ENDING}"
        os.rename(os.path.join(self.folder, name), os.path.join(self.folder, new))
        return new

    def tidy(self) -> None:
        """Remove what hooks left unfinished when they were ended."""
        for entry in self._scan():
            if entry.name.startswith(".") and entry.name.endswith(_UNFINISHED):
                try:
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > STALE_SECONDS:
                        _unlink(entry.path)
                except OSError:
                    continue  # its hook has just finished it

    # --- quarantine ---------------------------------------------------------------------------------------------------

    def hold(self, name: str, code: str, message: str) -> None:
        """Put something into quarantine, as it is."""
        safety.private_folder(self.quarantine, create=True)
        stem, count = _attempts(name)
        place = os.path.join(self.quarantine, stem)
        why = {"code": code, "message": message, "attempts": count + 1, "time": int(time.time())}
        descriptor = safety.open_private(place + REASON, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            os.write(descriptor, json.dumps(why).encode())
        finally:
            os.close(descriptor)
        os.rename(os.path.join(self.folder, name), place + ENDING)

    def held(self) -> list[Held]:
        """Return what lies in quarantine, oldest first."""
        return [self._held(stem) for stem in heapq.nsmallest(MAX_LISTED, self._stems())]

    def held_count(self) -> int:
        """Return how much lies in quarantine."""
        return sum(1 for _ in self._stems())

    def replay(self, ids: Sequence[str]) -> int:
        """Let entries of quarantine (none named: all) wait again; return how many. Raises `NotFound`."""
        found = self._named(ids)
        for stem in found:
            os.rename(os.path.join(self.quarantine, stem + ENDING), os.path.join(self.folder, stem + ENDING))
            _unlink(os.path.join(self.quarantine, stem + REASON))
        return len(found)

    def drop(self, ids: Sequence[str]) -> int:
        """Remove entries of quarantine for good; return how many. Raises `NotFound`."""
        found = self._named(ids)
        for stem in found:
            _remove(os.path.join(self.quarantine, stem + ENDING))
            _unlink(os.path.join(self.quarantine, stem + REASON))
        return len(found)

    def trim(self) -> int:
        """Remove the oldest of a quarantine that holds too many; return how many."""
        over = self.held_count() - MAX_QUARANTINED
        return self.drop(heapq.nsmallest(over, self._stems())) if over > 0 else 0

    def _named(self, ids: Sequence[str]) -> list[str]:
        there = set(self._stems())
        for name in ids:
            if name not in there:
                raise NotFound(f"nothing of that name is in quarantine: {name[:80]!r}", hint="`una outbox`")
        return sorted(ids or there)

    def _stems(self) -> Iterator[str]:
        try:
            with os.scandir(self.quarantine) as found:
                yield from (item.name.removesuffix(ENDING) for item in found if item.name.endswith(ENDING))
        except OSError:
            return

    def _held(self, stem: str) -> Held:
        place = os.path.join(self.quarantine, stem)
        try:
            entry: Entry | None = _read(place + ENDING)
        except (Useless, OSError):
            entry = None
        try:
            with open(place + REASON, "rb") as file:
                why: dict[str, Any] = msgspec.json.decode(file.read(MAX_BYTES), type=dict[str, Any])
        except (OSError, msgspec.DecodeError):
            why = {}
        return Held(
            stem, str(why.get("code", "")), str(why.get("message", "")), int(why.get("attempts", 0)), entry
        )

    # --- the folder ---------------------------------------------------------------------------------------------------

    def _scan(self) -> Iterator[os.DirEntry[str]]:
        if not os.path.lexists(self.folder):
            return
        safety.private_folder(self.folder)
        try:
            found = os.scandir(self.folder)
        except OSError as error:
            raise PathUnreadable(
                f"{self.folder} cannot be read: {error.strerror}", path=self.folder
            ) from error
        with found:
            yield from found

    def _names(self) -> Iterator[str]:
        return (
            item.name for item in self._scan() if item.name.endswith(ENDING) and _NAME.fullmatch(item.name)
        )


def _attempts(name: str) -> tuple[str, int]:
    """Return an entry's name without its attempts, and how many failed."""
    stem = name.removesuffix(ENDING)
    found = _ATTEMPT.search(stem)
    return (stem[: found.start()], int(found[1])) if found else (stem, 0)


def _read(path: str) -> Entry:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
            raise Useless(
                "unsafe-path", "it is a symbolic link, or something else that cannot be opened"
            ) from error
        raise
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            raise Useless("unsafe-path", "it is no file of ours")
        if found.st_size > MAX_BYTES:
            raise Useless("limit-exceeded", "it is too large for an entry")
        data = os.read(descriptor, MAX_BYTES)
    finally:
        os.close(descriptor)
    try:
        entry = _entries.decode(data)
    except msgspec.ValidationError as error:
        raise Useless("invalid-input", "it is no entry") from error
    except msgspec.DecodeError as error:
        raise Useless("not-json", "it is not JSON") from error
    if entry.version != VERSION:
        raise Useless("unknown-version", "it is of a version that this build does not know")
    if any(
        len(text) > MAX_TEXT or "\0" in text
        for text in (entry.transcript, entry.agent_transcript, entry.session)
    ):
        raise Useless("invalid-input", "a path or name in it is none")
    return entry


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def _remove(path: str) -> None:
    """Remove a file, or an empty folder that lay in an entry's place."""
    try:
        _unlink(path)
    except (IsADirectoryError, PermissionError):
        os.rmdir(path)
