"""An original file as the archive gives it back: page by page, with what is known of it."""

from __future__ import annotations

import binascii
import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

Ask = Callable[[Mapping[str, Any]], Mapping[str, Any]]  # runs the operation `original`

# Bytes of a page: as base64 well below a frame, large enough that paging costs nothing.
PAGE_BYTES = 4 << 20


class Original:
    """The bytes of one original file, page by page; its facts are known once the first page came."""

    def __init__(
        self, ask: Ask, session: str, origin: str = "", allow_gaps: bool = False, generation: int = 0
    ) -> None:
        """Ask for the first page; `generation` is the number of an older content, 0 the newest."""
        self._ask = ask
        self._gaps = allow_gaps
        self._asked: dict[str, Any] = {"session": session, "limit": PAGE_BYTES}
        if origin:
            self._asked["origin"] = origin
        if allow_gaps:
            self._asked["allow_gaps"] = True
        if generation:
            self._asked["generation"] = generation
        self.page = ask(self._asked)
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
            page = self._ask({**self._asked, "offset": int(page["offset"]) + covered})

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
            "generations": self.page.get("generations") or [self.page.get("generation", 1)],
        }
