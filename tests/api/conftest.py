"""Homes with the sample transcripts in them, for the tests of this folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import unabridged
from tests.daemon.living import Home
from unabridged import Archive

WRITTEN = (
    1_794_000_000  # seconds since 1970 that the samples count as written at: their last turns are closed
)


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples") / "s"
    shutil.copytree(Path(unabridged.__file__).parent / "samples", folder)
    for path in folder.rglob("*.jsonl"):
        os.utime(path, (WRITTEN, WRITTEN))
    return folder


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    """A home that has the samples, for copying."""
    home = Home(tmp_path_factory.mktemp("filled") / "h")
    home.configure(disk={"free_bytes": 0})
    with Archive.open(home.folder, in_process=True, create=True, project=samples) as archive:
        assert archive.import_([samples]).searchable
    return home.folder


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A home without anything in it; its daemon is ended whatever the test does."""
    made = Home(tmp_path / "h")
    made.configure(disk={"free_bytes": 0}, ingest={"tail": False})
    yield made
    made.end()


@pytest.fixture
def copied(tmp_path: Path, filled: Path) -> Iterator[Home]:
    """A home with the samples."""
    shutil.copytree(filled, tmp_path / "h", ignore=shutil.ignore_patterns("run", "logs"))
    made = Home(tmp_path / "h")
    yield made
    made.end()


@pytest.fixture
def inside(copied: Home) -> Iterator[Archive]:
    """The samples, in this process."""
    with Archive.open(copied.folder, in_process=True, project="") as archive:
        yield archive


@pytest.fixture
def opened(copied: Home) -> Iterator[Callable[..., Archive]]:
    """Opens archives through the daemon of the samples' home."""
    made: list[Archive] = []

    def make(**facts: object) -> Archive:
        archive = Archive(copied.folder, **{"project": "", **facts})  # pyright: ignore[reportArgumentType]
        copied.pids.add(copied.pid)
        made.append(archive)
        return archive

    yield make
    for archive in made:
        archive.close()
