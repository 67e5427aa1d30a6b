"""The entry point of the commands `unabridged` and `una`."""

from __future__ import annotations

import _signal  # `signal` brings `enum` along
import atexit
import os
import sys

INTERRUPTED = 130  # what a shell reports of a program that SIGINT ended


def main() -> int:
    """Run the command line and return its exit status; a process in which nothing is left to do ends here."""
    _interruptible(False)
    from unabridged.cli import entry

    _interruptible(True)
    try:
        status = entry.main()
    except KeyboardInterrupt:
        status = INTERRUPTED
    _interruptible(False)
    if not _left():
        _leave(status)
    return status


def _interruptible(on: bool) -> None:
    """Have a verb hear of SIGINT; where none runs there is nothing to tidy up, and the signal just ends the process."""
    handlers = _signal.SIG_DFL, _signal.default_int_handler
    before, after = handlers if on else reversed(handlers)
    if _signal.getsignal(_signal.SIGINT) == before:
        _signal.signal(_signal.SIGINT, after)


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
