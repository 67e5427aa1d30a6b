"""The text of an event whose line is long, which is never held as a whole.

Everything that `archive/ingest` asks of a text is answered from its parts, so that beside the line and its decoded
string there is no third copy of many megabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unabridged.archive import rendering
from unabridged.archive.chunking import cut_parts
from unabridged.hosts.contract import Block
from unabridged.schema import tokens
from unabridged.schema.ids import Digest
from unabridged.schema.records import PARTIAL


class LongText:
    """What `rendering.render` gives for a block, cut at `rendering.MAX_RENDERING` bytes."""

    def __init__(self, block: Block) -> None:
        """Measure the text of `block`."""
        self._block = block
        # Four bytes more: what is longer than the limit is then longer even without a character that does not fit.
        whole = sum(map(len, rendering.parts(block, rendering.MAX_RENDERING + 4)))
        self.flags = PARTIAL if whole > rendering.MAX_RENDERING else 0
        self.size = sum(map(len, self.parts())) if self.flags else whole  # bytes

    def parts(self) -> Iterator[bytes]:
        """Yield the text in parts of at most 1 MiB."""
        return rendering.parts(self._block, rendering.MAX_RENDERING)

    @property
    def beginning(self) -> bytes:
        """The first part."""
        return next(self.parts(), b"")

    @property
    def estimate(self) -> int:
        """Tokens, as `tokens.by_script` estimates them."""
        return tokens.by_script_of_parts(self.parts())

    def digest(self, media: Sequence[str]) -> Digest:
        """Return the block's digest, as `rendering.digest` makes it."""
        block = self._block
        return rendering.digest_of_parts(
            block.kind, block.role, block.tool, block.call, self.size, self.parts(), media
        )

    def chunks(self) -> Iterator[bytes]:
        """Yield the text as `chunking.cut` cuts it."""
        return cut_parts(self.parts())
