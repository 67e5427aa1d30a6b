"""What a stopped daemon's archive holds, as rows that can be compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.archiving import fingerprint
from unabridged.archive import log
from unabridged.archive.check import check
from unabridged.store.open import open_store


def rows_of(home: Path) -> list[tuple[str, str, str, str]]:
    """Return the sorted (source key, event digest, document id, document digest) of every project."""
    store = open_store(str(home / "store"), create=False)
    try:
        with store.snapshot() as reader:
            found: list[tuple[str, str, str, str]] = []
            for project in log.projects(reader):
                found.extend(fingerprint(reader, project.id))
            return sorted(found)
    finally:
        store.close()


def violations_of(home: Path) -> list[Any]:
    """Return what the archive's checker finds, everything unpacked and hashed."""
    store = open_store(str(home / "store"), create=False)
    try:
        with store.snapshot() as reader:
            return list(check(reader, deep=True))
    finally:
        store.close()
