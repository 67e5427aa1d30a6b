"""The folders that a daemon needs, made and checked before anything in them is opened."""

from __future__ import annotations

import os

from unabridged.daemon import safety
from unabridged.daemon.config import Config


def prepare(config: Config) -> None:
    """Make and check the folders; raise `UnsafePath` or `UnsupportedFilesystem`."""
    layout = config.layout
    safety.owned_folder(layout.data, create=True)
    safety.private_folder(layout.run, create=True)
    folder = os.path.dirname(layout.socket)
    if folder != layout.run:
        safety.private_folder(folder, create=True)
    for path in (layout.store, layout.index, layout.keys):
        if os.path.lexists(path):
            safety.private_folder(path)
