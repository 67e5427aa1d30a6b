"""Lines of a conversation on the wire as blocks."""

from __future__ import annotations

from unabridged.hosts.contract import EMPTY, Line


class Reader:
    """Reads one conversation; see `hosts.contract.LineReader`."""

    def __init__(self, host: str, conversation: bytes, form: str, side: bool, state: bytes) -> None:
        """Go on from `state`, or start with b""."""
        self._made = (host, conversation, form, side, state)

    def state(self) -> bytes:
        """Return what a new reader needs to go on."""
        return b""

    def read(self, line: bytes, number: int) -> Line:  # noqa: ARG002
        """Read one item."""
        return EMPTY
