"""The file that says where a listener is, for as long as it is there."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from unabridged.daemon import safety
from unabridged.errors import PathUnreadable


def write(path: str, url: str) -> None:
    """Write the file whole or not at all, for its owner alone; raise `PathUnreadable` or `UnsafePath`."""
    temporary = f"{path}.{os.getpid()}"
    try:
        descriptor = safety.open_private(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with os.fdopen(descriptor, "w") as file:
            file.write(url + "\n")
        Path(temporary).replace(path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise PathUnreadable(f"{path} cannot be written: {error.strerror}", path=path) from error


def remove(path: str, url: str) -> None:
    """Remove the file, unless another run has written it since."""
    with contextlib.suppress(OSError):
        if Path(path).read_text(encoding="utf-8") == url + "\n":
            Path(path).unlink()
