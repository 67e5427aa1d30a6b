"""Starts the daemon of a home for a hook, which does not wait: `python -m unabridged.app.starter DATA CONFIG STATE`.

It ends as soon as the daemon answers. Why none came is written where `una status` and `una doctor` find it; the hooks'
breaker (see daemon/hookbreaker) keeps them from asking again and again.
"""

from __future__ import annotations

import os
import sys

from unabridged.daemon import hookbreaker, starting
from unabridged.daemon.client import answers
from unabridged.daemon.paths import Layout
from unabridged.errors import UnabridgedError

INHERITED = 256  # descriptors of a host that a daemon would keep open for as long as it runs


def main(arguments: list[str]) -> int:
    """Start a daemon unless one runs; return an exit status."""
    os.closerange(3, INHERITED)
    layout = Layout(*arguments)
    try:
        starting.start(layout, lambda: answers(layout.socket))
    except UnabridgedError as error:
        hookbreaker.note(layout, error)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
