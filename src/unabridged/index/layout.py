"""How a window is laid out as a document of the lexical index.

The field `words` holds the window's words with their positions, so that phrases are found; `names` its names, of which
only the presence counts.
`tags` holds exact values to filter by, `paths` every path under the names that a filter may give it. The numbers are
columns: they come back with a hit without a look at stored documents, of which there are none but the note.

The note is one document that holds no window: the index's format and what its writer last committed. It is replaced in
the same commit as the windows that it speaks of, so both are there or neither.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NewType

import msgspec

from unabridged.errors import LimitExceeded
from unabridged.index.analysis.fields import analyse
from unabridged.index.analysis.names import is_name

FORMAT = 1  # of fields, analysis and windows together; an index of another format is built anew
MOST_PATHS = 64  # of one window's event
MOST_FOLDERS = 32  # of one path
WORDS, NAMES, TAGS, PATHS = "words", "names", "tags", "paths"
FIELDS = (WORDS, NAMES, TAGS, PATHS)
NOTE = "~note"  # a term that no text has, since analysis keeps no tilde
TAGS_REMEMBERED = 1_024  # sets of tags, which nearly all windows of a session share
_LENGTH_BITS = 24  # of `place`; the other 40 are the start
_PROJECT_BITS, _ORDINAL_BITS, _WINDOW_BITS = 20, 32, 12  # of `key`


class LexicalDoc(msgspec.Struct, frozen=True, gc=False):
    """One window of one event's text, as the index takes it.

    `start` and `end` are byte offsets in the event's text, `time` is in microseconds, `weight` is a class of
    `scoring.WEIGHTS`. `paths` are files that the event names as a tool's argument.
    """

    project: bytes  # 16 bytes
    session: bytes  # 16 bytes
    ordinal: int
    window: int
    start: int
    end: int
    text: str
    time: int = 0
    role: str = ""
    kind: str = ""
    host: str = ""
    tool: str = ""
    weight: int = 0
    side: bool = False
    paths: tuple[str, ...] = ()


Ready = NewType("Ready", str)  # a window as the index takes it: its fields as a JSON object


class _Fields(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A window as the index's fields hold it; see `index/engine`."""

    key: int
    place: int
    project: int
    weight: int
    time: int
    tags: str
    words: str
    names: str = ""
    paths: str = ""


_json = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class LexicalFilter:
    """What a hit has to be; an empty set means any. Times are microseconds, `until` exclusive, 0 for none.

    `exclude` are (project, ordinal) of events that must not come back. `path` is a path, its end at a separator, or a
    folder above it. `words` are plain words of which a window has to hold one; `allows` does not look for them.
    """

    projects: frozenset[bytes] = frozenset()
    sessions: frozenset[bytes] = frozenset()
    roles: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    path: str = ""
    since: int = 0
    until: int = 0
    side: bool = True
    exclude: frozenset[tuple[bytes, int]] = field(default_factory=frozenset[tuple[bytes, int]])
    words: frozenset[str] = frozenset()

    def tag_groups(self) -> list[list[str]]:
        """Return groups of tags: a window has to have one of each group."""
        groups = (
            [project_tag(project) for project in self.projects],
            ["s:" + session.hex() for session in self.sessions],
            [_tag("r:", role) for role in self.roles],
            [_tag("k:", kind) for kind in self.kinds],
            [_tag("h:", host) for host in self.hosts],
            [_tag("t:", tool) for tool in self.tools],
        )
        return [sorted(group) for group in groups if group]

    def allows(self, doc: LexicalDoc) -> bool:
        """Tell whether a window passes, by the same rules as a search of the index."""
        held = set(tags(doc))
        if not all(held.intersection(group) for group in self.tag_groups()):
            return False
        if doc.side and not self.side:
            return False
        if self.path and self.path_name not in path_names(doc.paths):
            return False
        if (self.since and doc.time < self.since) or (self.until and doc.time >= self.until):
            return False
        return (doc.project, doc.ordinal) not in self.exclude

    @property
    def path_name(self) -> str:
        """The path as `paths` holds it."""
        return _path(self.path).rstrip("/") if self.path else ""


SIDE_TAG = "side"


def field_of(term: str) -> str:
    """Return the field that a term stands in."""
    return NAMES if is_name(term) else WORDS


def project_prefix(project: bytes) -> int:
    """Return the part of a project's id that stands in its column; the whole is in its tag."""
    return int.from_bytes(project[:8], "big")


def project_tag(project: bytes) -> str:
    """Return the tag of a project's windows."""
    return "p:" + project.hex()


def tags(doc: LexicalDoc) -> list[str]:
    """Return the exact values that a window can be filtered by."""
    return _tags(doc.project, doc.session, doc.role, doc.kind, doc.host, doc.tool, doc.side).split()


@lru_cache(TAGS_REMEMBERED)
def _tags(project: bytes, session: bytes, role: str, kind: str, host: str, tool: str, side: bool) -> str:
    found = [project_tag(project), "s:" + session.hex()]
    named = (("r:", role), ("k:", kind), ("h:", host), ("t:", tool))
    found += [_tag(prefix, value) for prefix, value in named if value]
    if side:
        found.append(SIDE_TAG)
    return " ".join(found)


def path_names(paths: Iterable[str]) -> list[str]:
    """Return every name of paths: whole, each end that begins at a separator, each folder above."""
    found = dict[str, None]()
    for given in list(paths)[:MOST_PATHS]:
        path = _path(given)
        found[path] = None
        cuts = [at for at, char in enumerate(path) if char == "/"]
        for at in cuts[-MOST_FOLDERS:]:
            found[path[at + 1 :]] = None
        for at in cuts[:MOST_FOLDERS]:
            found[path[:at]] = None
    found.pop("", None)
    return list(found)


def _tag(prefix: str, value: str) -> str:
    return prefix + "_".join(value.split())


def _path(path: str) -> str:
    return "_".join(path.replace("\\", "/").split())


def ready(doc: LexicalDoc) -> Ready:
    """Return what the index's fields hold of a window."""
    terms = analyse(doc.text)
    fields = _Fields(
        key(doc.project, doc.ordinal, doc.window),
        place(doc.start, doc.end),
        project_prefix(doc.project),
        doc.weight,
        doc.time,
        _tags(doc.project, doc.session, doc.role, doc.kind, doc.host, doc.tool, doc.side),
        terms.words,
        terms.names,
        " ".join(path_names(doc.paths)) if doc.paths else "",
    )
    return Ready(_json(fields).decode())


def key(project: bytes, ordinal: int, window: int) -> int:
    """Return the number that windows are looked up by; raise `LimitExceeded` for an ordinal beyond its bits.

    Two projects may share their few bits, so a look-up that must be exact also asks for the project's tag. Keys of one
    project are dense, which keeps their dictionary small.
    """
    if not (0 <= ordinal < 1 << _ORDINAL_BITS and 0 <= window < 1 << _WINDOW_BITS):
        raise LimitExceeded("the index cannot hold that window", ordinal=ordinal, window=window)
    bits = int.from_bytes(project[:4], "big") >> (32 - _PROJECT_BITS)
    return (bits << _ORDINAL_BITS | ordinal) << _WINDOW_BITS | window


def key_span(project: bytes, ordinal: int) -> tuple[int, int]:
    """Return the first and the last key that windows of an event can have."""
    first = key(project, ordinal, 0)
    return first, first + (1 << _WINDOW_BITS) - 1


def key_project(packed: int) -> int:
    """Return the bits of its project that a key has."""
    return packed >> _ORDINAL_BITS + _WINDOW_BITS


def split_key(packed: int) -> tuple[int, int]:
    """Return (ordinal, window)."""
    return packed >> _WINDOW_BITS & (1 << _ORDINAL_BITS) - 1, packed & (1 << _WINDOW_BITS) - 1


def place(start: int, end: int) -> int:
    """Return a window's byte range as one number; raise `LimitExceeded` for one beyond its bits."""
    if not (0 <= start < 1 << 64 - _LENGTH_BITS and 0 <= end - start < 1 << _LENGTH_BITS):
        raise LimitExceeded("the index cannot hold that window", start=start, end=end)
    return start << _LENGTH_BITS | end - start


def split_place(packed: int) -> tuple[int, int]:
    """Return (start, end)."""
    start = packed >> _LENGTH_BITS
    return start, start + (packed & (1 << _LENGTH_BITS) - 1)
