"""What one pass over a text has read already, so that text which repeats the beginnings of secrets costs no more."""

from __future__ import annotations

import re

from unabridged.archive.redact.members import Member, Walk

MAX_NAMES = 8  # members of one object that are taken for the name of its value

_RUN = re.compile(rb"[A-Za-z0-9_.~+/=%:@-]*+")


class Object:
    """The members of an object that was read, and how many of them were taken for its name."""

    __slots__ = ("members", "names", "walk")

    def __init__(self, walk: Walk, members: list[Member]) -> None:
        """Take the members in any order, and the walk that read them."""
        self.walk = walk
        self.members = members
        self.names = 0


class Seen:
    """What one pass over one text has read."""

    __slots__ = ("_objects", "_run", "_until", "looked")

    def __init__(self) -> None:
        """Begin a pass."""
        self._until: dict[str, int] = {}
        self._objects: dict[int, Object] = {}
        self._run = (0, 0)
        self.looked = 0
        """Bytes of runs that were looked through."""

    def is_read(self, kind: str, at: int) -> bool:
        """Tell whether a look of this kind has read what it would read from `at` on."""
        return at < self._until.get(kind, 0)

    def read(self, kind: str, until: int) -> None:
        """Remember that looks of this kind that begin before `until` would find nothing new."""
        self._until[kind] = until

    def object_at(self, text: bytes, at: int, bounds: tuple[int, int]) -> Object | None:
        """Return the object one of whose keys has its content at `at`; None where no quoted key begins there."""
        known = self._objects.get(at)
        if known is not None:
            return known
        walk = Walk.at_key(text, at, bounds)
        if walk is None:
            return None
        after = walk.members(at - walk.width)
        if not after:
            return Object(walk, [])
        before = Walk(text, bounds, walk.mark, walk.depth).members_before(at - walk.width)
        found = Object(walk, [*reversed(before), *after])
        for member in found.members:
            self._objects[member.key_start] = found
        return found

    def run_end(self, text: bytes, at: int) -> int:
        """Return where the characters of tokens end that stand at `at`."""
        start, end = self._run
        if not start <= at < end:
            run = _RUN.match(text, at)
            end = at if run is None else run.end()
            self._run = (at, end)
            self.looked += end - at
        return end
