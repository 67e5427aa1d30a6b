"""The entry point of the commands `unabridged` and `una`."""

from __future__ import annotations

import atexit
import os
import sys

from unabridged.cli import entry


def main() -> int:
    """Run the command line and return its exit status; a process in which nothing is left to do ends here."""
    status = entry.main()
    if not _left():
        _leave(status)
    return status


def _left() -> bool:
    """Tell whether something waits for the interpreter's end: an exit handler, a thread, a profiler, a prompt."""
    handlers = getattr(atexit, "_ncallbacks", lambda: 1)  # no public name tells it
    return bool(
        handlers() or "threading" in sys.modules or sys.getprofile() or sys.gettrace() or sys.flags.inspect
    )


def _leave(status: int) -> None:
    """End at once: an interpreter that first takes itself apart needs three milliseconds more, a tenth of a search."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # closed before the program began
                stream.flush()
    except (OSError, ValueError):
        return  # the interpreter says what is wrong with a stream
    os._exit(status)
