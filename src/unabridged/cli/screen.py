"""Where a verb writes: answers to standard output, everything else to standard error.

An answer on a terminal is drawn (colour, width, archived text made visible); in a pipe it is exact text in UTF-8; with
`--json` it is one JSON document. Messages, hints and progress never touch standard output.
"""

from __future__ import annotations

import os
import sys

from unabridged.cli.safe import visible
from unabridged.errors import UnabridgedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, BinaryIO, TextIO

_STYLES = {
    "bold": "\x1b[1m",
    "dim": "\x1b[2m",
    "red": "\x1b[31m",
    "green": "\x1b[32m",
    "yellow": "\x1b[33m",
    "blue": "\x1b[34m",
    "cyan": "\x1b[36m",
}
_RESET = "\x1b[0m"

# Columns of a terminal that does not say, and the bounds within which a drawing still reads well.
DEFAULT_WIDTH = 80
LEAST_WIDTH = 40
MOST_WIDTH = 160


class Screen:
    """Standard output and standard error with what is known of them."""

    def __init__(self, environ: Mapping[str, str], out: TextIO, err: TextIO) -> None:
        """Look once at both streams; `environ` tells NO_COLOR, TERM and COLUMNS."""
        self._out = out
        self._err = err
        self.terminal = _is_terminal(out)
        self.messages_terminal = _is_terminal(err)
        plain = bool(environ.get("NO_COLOR")) or environ.get("TERM") == "dumb"
        self._colour = self.terminal and not plain
        self._colour_messages = self.messages_terminal and not plain
        self.width = _width(environ, out if self.terminal else err)

    # --- answers ------------------------------------------------------------------------------------------------

    def line(self, text: str = "") -> None:
        """Write one line of an answer; the text is already safe (see `archived`)."""
        self.write(text + "\n")

    def write(self, text: str) -> None:
        """Write a piece of an answer as it is, in UTF-8 unless a terminal wants another encoding."""
        buffer = _buffer(self._out)
        if buffer is None:
            self._out.write(text)
            return
        encoding = (self._out.encoding or "utf-8") if self.terminal else "utf-8"
        self.raw(text.encode(encoding, "backslashreplace"))

    def raw(self, data: bytes) -> None:
        """Write bytes of an answer exactly."""
        buffer = _buffer(self._out)
        if buffer is None:
            self._out.write(data.decode("utf-8", "replace"))
            return
        try:
            buffer.write(data)
        except OSError as error:
            self._give_up(error)

    def json(self, value: Any) -> None:
        """Write one JSON document on a line of its own, in ASCII: nothing in it can steer a terminal."""
        from unabridged.daemon.wirejson import dumps  # the `json` module costs more than a search

        self.write(dumps(value) + "\n")

    def archived(self, text: str) -> str:
        """Return archived text as this output may show it: escaped on a terminal, exact in a pipe."""
        return visible(text) if self.terminal else text

    def style(self, text: str, *styles: str) -> str:
        """Return the text in a colour or weight, on a terminal that wants it."""
        if not self._colour or not text:
            return text
        return "".join(_STYLES[style] for style in styles) + text + _RESET

    # --- messages -----------------------------------------------------------------------------------------------

    def note(self, text: str = "") -> None:
        """Write a message for the person at the keyboard; whatever it quotes is made visible."""
        self.flush()
        self._err.write(_encodable(visible(text), self._err) + "\n")
        self._err.flush()

    def tell(self, label: str, text: str, style: str = "") -> None:
        """Write a message that begins with a label: `error: …`, `hint: …`."""
        shown = label
        if style and self._colour_messages:
            shown = _STYLES[style] + label + _RESET
        self.flush()
        self._err.write(f"{shown} {_encodable(visible(text), self._err)}\n")
        self._err.flush()

    def overwrite(self, text: str) -> None:
        """Replace the message line on a terminal (for progress); an empty text clears it."""
        self._err.write("\r\x1b[K" + _encodable(visible(text), self._err))
        self._err.flush()

    def flush(self) -> None:
        """Push what was written to standard output."""
        try:
            self._out.flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """Raise what ends a command whose output goes nowhere; a pipe without a reader stays as it is."""
        if isinstance(error, BrokenPipeError):
            raise error
        # What is still buffered is written again when the interpreter ends, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._out.fileno())
        raise UnabridgedError(f"the output cannot be written: {error.strerror}", hint="") from error


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # a closed stream
        return False


def _buffer(stream: TextIO) -> BinaryIO | None:
    return getattr(stream, "buffer", None)


def _encodable(text: str, stream: TextIO) -> str:
    if text.isascii():
        return text
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _width(environ: Mapping[str, str], stream: TextIO) -> int:
    columns = environ.get("COLUMNS", "")
    found = int(columns) if columns.isdecimal() and columns.isascii() else 0
    if not found:
        try:
            found = os.get_terminal_size(stream.fileno()).columns
        except (OSError, ValueError):
            found = 0
    return min(max(found or DEFAULT_WIDTH, LEAST_WIDTH), MOST_WIDTH)


def standard(environ: Mapping[str, str]) -> Screen:
    """Return the screen of this process. A stream that was closed before the program began takes everything."""
    return Screen(environ, _open(sys.stdout), _open(sys.stderr))


def _open(stream: TextIO | None) -> TextIO:
    return stream if stream is not None else open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123
