"""The entry point of worker processes: `python -m unabridged.app.worker ROLE DESCRIPTOR PARENT`."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import threading
import time

PARENT_SECONDS = 1.0  # between two looks at the parent, where the kernel does not end us with it
# Workers give way to the daemon, whose answers people wait for; the index gives way to reading: what is durable can be
# indexed at any time. An agent waits for what is asked through MCP.
# Vectors give way like the index; whoever asks them waits.
NICE = {"ingest": 10, "index": 19, "mcp": 0, "embed": 19, "ask": 0}
# Objects allocated before the collector looks: a batch holds as many that are in no cycle.
COLLECT_AFTER = 50_000


def main(arguments: list[str]) -> int:
    """Run one role until the daemon closes the channel."""
    role, descriptor, parent = arguments[0], int(arguments[1]), int(arguments[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's interrupt is for the daemon, which ends us
    die_with(parent)
    os.nice(NICE.get(role, 5))
    # Each role imports what it alone needs: a worker's start is time that an import waits.
    if role == "ingest":
        from unabridged.app.ingesting import work
    elif role == "index":
        from unabridged.app.indexing import work
    elif role in ("embed", "ask"):
        from unabridged.app.embedding import work
    elif role == "mcp":
        from unabridged.mcp.serving import work
    else:
        raise SystemExit(f"there is no role {role}")
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 20, 50)
    return work(socket.socket(fileno=descriptor))


def die_with(parent: int) -> None:
    """End this process when its parent ends, however that happens."""
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None, use_errno=True).prctl(set_parent_death_signal, signal.SIGKILL)
    else:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # it ended before we asked
        os._exit(0)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_SECONDS)
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
