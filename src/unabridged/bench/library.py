"""An archive of so many windows, and the same windows in the rival's database.

Each window is one event of a transcript that holds little else, imported through the daemon as any transcript is: real
ones hold five times as many bytes, of which a search sees nothing. What is made is kept with the folder and gone on
with later.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unabridged.bench import home
from unabridged.bench.home import Home
from unabridged.bench.load import settle
from unabridged.bench.passages import CHARS, Passages, Window
from unabridged.bench.setup import Setup, passages
from unabridged.bench.transcripts import FILE_WINDOWS, text_lines
from unabridged.errors import Incomplete, InvalidInput

MANIFEST = "library.json"
CONFIG = "config.toml"
FORMAT = 1
TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS windows(id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS words
    USING fts5(text, content='windows', content_rowid='id', tokenize='porter unicode61');
"""
LOAD_LEAST, LOAD_MOST = 32 << 20, 512 << 20  # bytes that are imported beside a measurement


@dataclass(frozen=True, slots=True)
class Library:
    """What was built: `windows` of the generator, 1 to `windows` being the rival's ids; a kept one may have more than
    was asked for, and `setup` says how many.
    """

    setup: Setup
    place: Home
    writer: Passages
    windows: int
    database: Path
    status: dict[str, Any]  # of our index

    @property
    def load_size(self) -> int:
        """Bytes of an import that goes on beside: as many as the library's own text, within limits."""
        return min(LOAD_MOST, max(LOAD_LEAST, self.windows * CHARS))


@contextmanager
def built(setup: Setup, *, rival: bool = True, settings: str = "") -> Generator[Library]:
    """Give a library of `size` windows with its daemon running; `rival`: with the rival's database.

    `settings` is what the configuration of its home says.
    """
    writer = passages(setup)
    with home.temporary(setup.keep) as place:
        if settings:
            place.data.mkdir(mode=0o700, exist_ok=True)
            (place.data / CONFIG).write_text(settings, encoding="utf-8")
        place.start()
        manifest = _manifest(place, writer)
        database = place.folder / "rival.db"
        _fill(setup, place, writer, manifest, database if rival else None)
        setup.tell("waiting for the index to merge")
        status = settle(place)
        windows = int(manifest["windows"])
        yield Library(replace(setup, size=windows), place, writer, windows, database, status)


def _manifest(place: Home, writer: Passages) -> dict[str, Any]:
    made = {"format": FORMAT, "seed": writer.seed, "corpus": writer.corpus.digest(), "chars": CHARS}
    path = place.folder / MANIFEST
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {**made, "windows": 0}
    differing = [name for name, value in made.items() if found.get(name) != value]
    if differing:
        raise InvalidInput(
            "the folder holds a library of other text",
            field="keep",
            differing=differing,
            hint="Name another folder, or remove it.",
        )
    return found


def _fill(
    setup: Setup, place: Home, writer: Passages, manifest: dict[str, Any], database: Path | None
) -> None:
    """Add windows until there are enough: in our archive, and in the rival's database where there is to be one."""
    if database is not None:
        _fill_rival(setup, writer, int(manifest["windows"]), database)
    while manifest["windows"] < setup.size:
        first = int(manifest["windows"]) + 1
        count = min(FILE_WINDOWS, setup.size - first + 1)
        setup.tell(f"building: {first - 1:,} of {setup.size:,} windows")
        lot = [writer.window(number) for number in range(first, first + count)]
        path = place.work / f"windows-{first:09d}.jsonl"
        with path.open("wb") as file:
            file.writelines(text_lines(writer.rng(-first), first // FILE_WINDOWS, lot))
        answer = place.call("import", paths=[str(path)])
        # Nothing is read of a lot that was imported just before an earlier run ended.
        if answer["lines"]["read"] not in (0, count) or answer["problems"] or not answer["searchable"]:
            raise Incomplete("the import did not take every window", lines=answer["lines"], wanted=count)
        path.unlink()
        if database is not None:
            _insert(database, first, lot)
        manifest["windows"] = first + count - 1
        (place.folder / MANIFEST).write_text(json.dumps(manifest))
    if database is not None:
        setup.tell("optimizing the rival's index")
        with closing(_open(database)) as db:
            _optimize(db)


def _fill_rival(setup: Setup, writer: Passages, windows: int, database: Path) -> None:
    """Give the rival the windows that a kept library has already and it has not."""
    with closing(_open(database)) as db:
        held = int(db.execute("SELECT coalesce(max(id), 0) FROM windows").fetchone()[0])
    for first in range(held + 1, windows + 1, FILE_WINDOWS):
        setup.tell(f"building the rival: {first - 1:,} of {windows:,} windows")
        last = min(first + FILE_WINDOWS, windows + 1)
        _insert(database, first, [writer.window(number) for number in range(first, last)])


def _insert(database: Path, first: int, windows: Sequence[Window]) -> None:
    with closing(_open(database)) as db:
        held = int(db.execute("SELECT coalesce(max(id), 0) FROM windows").fetchone()[0])
        rows = [(first + at, window.text) for at, window in enumerate(windows) if first + at > held]
        db.execute("BEGIN")
        db.executemany("INSERT INTO windows(id, text) VALUES (?, ?)", rows)
        db.executemany("INSERT INTO words(rowid, text) VALUES (?, ?)", rows)
        db.execute("PRAGMA user_version = 0")
        db.execute("COMMIT")


def _open(database: Path) -> sqlite3.Connection:
    db = sqlite3.connect(database, isolation_level=None)
    db.executescript(TABLES)
    return db


def _optimize(db: sqlite3.Connection) -> None:
    """Merge the rival's index into one part: the best state that it can be in. Once, until something is added."""
    if db.execute("PRAGMA user_version").fetchone()[0]:
        return
    db.execute("INSERT INTO words(words) VALUES ('optimize')")
    db.execute("PRAGMA user_version = 1")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
