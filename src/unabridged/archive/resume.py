"""Where reading of a transcript goes on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from unabridged.schema.records import Generation


@dataclass(frozen=True, slots=True)
class FileState:
    """What the file system says of a transcript now."""

    inode: int
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """How to go on: `action` is "unchanged", "append" (behind `prior`) or "new" (generation `number`, from 0)."""

    action: str
    number: int
    prior: Generation | None
    why: str


ReadAt = Callable[[int, int], bytes]  # offset, size → at most that many bytes


def resume_point(
    prior: Generation | None, now: FileState, read_at: ReadAt, *, trust_stat: bool = True
) -> ResumePoint:
    """Decide how to go on with a file whose last known generation is `prior`.

    Size, inode and mtime as they were mean unchanged (unless not `trust_stat`). Else the remembered first and last
    consumed bytes must still be where they were: then it was appended to; anything else is a new generation.
    """
    if prior is None:
        return ResumePoint("new", 1, None, "first seen")
    stat = (now.inode, now.size, now.mtime_ns)
    consumed = prior.source_offset + prior.pending
    if trust_stat and stat == (prior.inode, prior.size, prior.mtime_ns):
        return ResumePoint("unchanged", prior.number, prior, "same inode, size and time")
    if now.size < prior.source_offset:
        return ResumePoint("new", prior.number + 1, None, "shorter than what was read")
    if not _matches(prior.head, 2, 0, read_at):
        return ResumePoint("new", prior.number + 1, None, "begins differently")
    if not _matches(prior.tail, 4, prior.source_offset, read_at, ends=True):
        return ResumePoint("new", prior.number + 1, None, "differs before the place where reading stopped")
    if now.size == consumed and not prior.pending:
        return ResumePoint("append", prior.number, prior, "nothing new")
    return ResumePoint("append", prior.number, prior, "grown")


def _matches(memory: bytes, width: int, offset: int, read_at: ReadAt, *, ends: bool = False) -> bool:
    if not memory:
        return True
    size = int.from_bytes(memory[:width], "big")
    found = read_at(offset - size if ends else offset, size)
    return len(found) == size and hashlib.sha256(found).digest() == memory[width:]
