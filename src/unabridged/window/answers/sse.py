"""Server-sent events out of pieces of any size (WHATWG HTML, section 9.2): only what their data says."""

from __future__ import annotations

MOST_LINE = 16 << 20  # bytes of one event: what goes on for longer is no event of a provider

DATA = b"data:"


class Events:
    """Takes a stream's bytes and gives the data of each event that is complete."""

    def __init__(self) -> None:
        """Begin at the beginning of a stream."""
        self._rest = bytearray()
        self._data = list[bytes]()
        self.broken = False

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the data of the events that end within this piece."""
        found = list[bytes]()
        if self.broken:
            return found
        plain = b"\r" not in piece
        if plain and b"\n" not in piece:
            self._rest += piece
            self.broken = len(self._rest) > MOST_LINE
            return found
        if self._rest:
            self._rest += piece
            piece, plain = bytes(self._rest), plain and b"\r" not in self._rest
        lines = (piece if plain else piece.replace(b"\r\n", b"\n")).split(b"\n")
        self._rest = bytearray(lines.pop())
        for line in lines:
            line = line.removesuffix(b"\r")
            if not line:
                if self._data:
                    found.append(b"\n".join(self._data))
                    self._data.clear()
            elif line.startswith(DATA):
                self._data.append(line[len(DATA) :].removeprefix(b" "))
        return found

    def end(self) -> list[bytes]:
        """Return the data of the last event, where a stream ends without an empty line."""
        return self.feed(b"\n\n")
