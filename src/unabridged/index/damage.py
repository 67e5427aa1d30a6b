"""Whether the files of an index are what was written.

Each file ends with a footer: a JSON object with the CRC-32 of everything before it, the object's length and a magic
number, four bytes each, little-endian. The files of a segment never change.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

MAGIC = 1337
ENDINGS = frozenset((".term", ".idx", ".pos", ".fieldnorm", ".fast", ".store", ".del"))
BLOCK = 4 << 20  # bytes read at a time
FOOTER_MOST = 4_096  # bytes; a footer has about a hundred


def damaged(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (file name, what is wrong) for every damaged file of the index at `path`; reads all of it."""
    for file in sorted(path.iterdir()):
        if file.suffix in ENDINGS and (wrong := _wrong(file)):
            yield file.name, wrong


def _wrong(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            size = opened.seek(0, 2)
            opened.seek(max(0, size - 8))
            tail = opened.read(8)
            length = int.from_bytes(tail[:4], "little")
            if int.from_bytes(tail[4:], "little") != MAGIC or length > min(FOOTER_MOST, size - 8):
                return "no footer: the file is cut or was overwritten"
            opened.seek(size - 8 - length)
            footer: Any = json.loads(opened.read(length))
            opened.seek(0)
            crc, left = 0, size - 8 - length
            while left and (block := opened.read(min(BLOCK, left))):
                crc = zlib.crc32(block, crc)
                left -= len(block)
    except FileNotFoundError:
        return ""  # a merge removed it meanwhile
    except (OSError, ValueError) as error:
        return f"not readable: {error}"
    stated = cast("dict[str, Any]", footer).get("crc") if isinstance(footer, dict) else None
    return "" if crc == stated else "the content differs from its checksum"
