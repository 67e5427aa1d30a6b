"""A daemon on a home of its own, with a suite's conversations in it."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from unabridged.daemon import paths
from unabridged.daemon.client import Client
from unabridged.errors import ModelError
from unabridged.eval.suite import Conversation
from unabridged.eval.transcripts import Written

LOOK_SECONDS, TELL_SECONDS = 0.25, 10.0  # between two looks at the vectors, and between two words about them
NO_MODELS = "[semantic]\nenabled = false\n"
Tell = Callable[[str], None]


@contextmanager
def living(settings: str) -> Generator[tuple[Client, Path]]:
    """Start a daemon with these settings; give a client of it and a folder, which both end with the block."""
    folder = Path(tempfile.mkdtemp(prefix="una-eval-")).resolve()
    layout = paths.layout({paths.HOME_VARIABLE: str(folder / "home")})
    try:
        (folder / "home").mkdir(mode=0o700)
        (folder / "home" / "config.toml").write_text(settings, encoding="utf-8")
        with Client(layout, name="una eval", scope="all") as client:
            try:
                yield client, folder
            finally:
                client.call("shutdown", {"reason": "the evaluation is over"})
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def imported(
    client: Client, folder: Path, conversations: Sequence[Conversation], tell: Tell
) -> list[Written]:
    """Write the conversations as transcripts of a host and import them, each into a project of its own."""
    written = [Written(folder, conversation) for conversation in conversations]
    files = [str(path) for one in written for path in one.files]
    tell(f"importing {len(files):,} sessions")
    client.call("import", {"paths": files}, on_progress=lambda _: None)
    return written


def embedded(client: Client, tell: Tell) -> None:
    """Wait until every text has its vectors; raise `ModelError` when they cannot be made."""
    told = 0.0
    while True:
        found = client.call("status", {})["index"]["semantic"]
        if found["state"] == "failed":
            raise ModelError("the texts cannot be embedded", why=found["error"])
        if found["state"] in ("full", "current") and not found["behind"]:
            return
        if time.monotonic() - told > TELL_SECONDS:
            told = time.monotonic()
            tell(f"embedding: {found.get('spans', 0):,} spans")
        time.sleep(LOOK_SECONDS)
