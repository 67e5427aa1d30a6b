"""The note of a table of vectors: whose vectors they are, how many count, and how far in the log that goes."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from unabridged.errors import IndexCorrupt, IndexTooNew
from unabridged.index.indexer import read_watermarks, write_watermarks
from unabridged.models.identity import Identity
from unabridged.schema.ids import ProjectId

FORMAT = 2  # of files, rows and spans together; a table of another format is made anew
NOTE = "note.json"
ROWS, SIGNS, VECTORS, TOKENS = "rows", "signs", "vectors", "tokens"
ROW_BYTES = 72
TOKEN_BITS = 256  # dimensions of a token of which the signs are kept: more find hardly more


@dataclass(frozen=True, slots=True)
class Note:
    """What a note says: how many rows and tokens count. `checksum` is the CRC-32 of these rows."""

    format: int
    identity: Identity
    count: int = 0
    tokens: int = 0
    checksum: int = 0
    watermarks: Mapping[ProjectId, tuple[int, bytes]] = field(
        default_factory=dict[ProjectId, tuple[int, bytes]]
    )


def token_bytes(dimensions: int) -> int:
    """Return the bytes of one token."""
    return (min(dimensions, TOKEN_BITS) + 7) // 8


def widths(dimensions: int) -> dict[str, int]:
    """Return the bytes of one row in each file that has one for each span."""
    return {ROWS: ROW_BYTES, SIGNS: (dimensions + 63) // 64 * 8, VECTORS: 2 * dimensions}


def read_note(folder: Path) -> Note | None:
    """Return a table's note, None where there is no table; raise `IndexTooNew` or `IndexCorrupt`."""
    try:
        said = json.loads((folder / NOTE).read_bytes())
        if int(said["format"]) > FORMAT:
            raise IndexTooNew("the vectors were written by a newer version", format=said["format"])
        identity = Identity(
            str(said["model"]), str(said["revision"]), int(said["dimensions"]), str(said["pooling"])
        )
        marks = read_watermarks(str(said["watermarks"]))
        counts = int(said["count"]), int(said.get("tokens", 0))
        return Note(int(said["format"]), identity, *counts, int(said["checksum"]), marks)
    except FileNotFoundError:
        return None
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise IndexCorrupt("the note of the vectors cannot be read") from error


def write_note(folder: Path, note: Note) -> None:
    """Replace a table's note in one step, durably."""
    said = {
        "format": note.format,
        "model": note.identity.model,
        "revision": note.identity.revision,
        "dimensions": note.identity.dimensions,
        "pooling": note.identity.pooling,
        "count": note.count,
        "tokens": note.tokens,
        "checksum": note.checksum,
        "watermarks": write_watermarks(note.watermarks),
    }
    fresh = folder / f"{NOTE}.new"
    with fresh.open("w") as file:
        json.dump(said, file)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(folder / NOTE)
