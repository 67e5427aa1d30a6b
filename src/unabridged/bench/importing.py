"""How fast do transcripts come in, until they are durable and until they can be found?"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from unabridged.bench import figures, home, importrival, processes
from unabridged.bench.home import Home
from unabridged.bench.load import settle
from unabridged.bench.setup import Result, Setup, conditions, passages
from unabridged.bench.transcripts import Transcripts
from unabridged.errors import NoTranscripts
from unabridged.store.open import open_store

EACH = 8 << 20  # bytes of one generated transcript
MEGABYTE = 1_000_000

NOTES = [
    "Both read the same files just after they were written, so from the page cache.",
    "Ours keeps every byte of the files and can write them back; the rival keeps the texts of messages only.",
    "`disk_share`: store and index on disk divided by the files' size; after compaction where it says so.",
]


def measure(setup: Setup) -> Result:
    """Import `size` MB of generated transcripts, or those below `source`; then again, verified, compacted."""
    writer = passages(setup)
    with home.temporary(setup.keep) as place:
        files = _files(setup, place, Transcripts(writer))
        size = sum(path.stat().st_size for path in files)
        theirs = _rival(setup, place, files)
        place.start()
        found = _import(setup, place, files)
        found |= _again(setup, place, files, size)
        found["finds_rewrite"] = _rewrite(place, files)
        settle(place)
        found["disk_share"] = figures.rounded(place.size() / size)
        place.stop()
        setup.tell("compacting")
        with closing(open_store(place.layout.store)) as store:
            store.compact()
        found["disk_share_compacted"] = figures.rounded(place.size() / size)
    rate = theirs["mb_per_second"]
    ratio = {
        "durable": {"mb_per_second": figures.over(found["durable"]["mb_per_second"], rate)},
        "searchable": {"mb_per_second": figures.over(found["searchable"]["mb_per_second"], rate)},
        "verify_to_sha256": figures.over(found["verify_mb_per_second"], found["sha256_mb_per_second"]),
        "disk_share_compacted": figures.over(theirs["disk_share"], found["disk_share_compacted"]),
    }
    rival = {
        "durable": {"mb_per_second": rate},
        "searchable": {"mb_per_second": rate},
        "disk_share_compacted": theirs["disk_share"],
        "peak_private_mib": theirs["peak_private_mib"],
    }
    more = {"files": len(files), "bytes": size, "real": bool(setup.source)}
    return Result(found, rival, ratio, conditions(setup, writer, **more), NOTES)


def _files(setup: Setup, place: Home, transcripts: Transcripts) -> list[Path]:
    """Return the transcripts: generated ones, or copies of real ones, which must not grow meanwhile."""
    folder = place.work / "transcripts"
    if not setup.source:
        setup.tell(f"writing {setup.size} MB of transcripts")
        return transcripts.write(folder, setup.size * MEGABYTE, EACH)
    files = list[Path]()
    for root in setup.source:
        for path in sorted(root.rglob("*.jsonl")) if root.is_dir() else [root]:
            target = folder / f"{len(files):06d}" / path.name
            target.parent.mkdir(parents=True)
            shutil.copy2(path, target)
            files.append(target)
    if not files:
        raise NoTranscripts("there are no .jsonl files there", paths=[str(root) for root in setup.source])
    return files


def _rival(setup: Setup, place: Home, files: Sequence[Path]) -> dict[str, Any]:
    setup.tell("importing with the rival")
    facts = importrival.measured(place.work, files)
    return {
        "mb_per_second": figures.rounded(facts["bytes"] / facts["seconds"] / MEGABYTE),
        "disk_share": figures.rounded(facts["disk_bytes"] / facts["bytes"]),
        "peak_private_mib": figures.rounded(facts["peak_private_bytes"] / 2**20),
    }


def _import(setup: Setup, place: Home, files: Sequence[Path]) -> dict[str, Any]:
    setup.tell("importing")
    paths = list(map(str, files))
    with processes.Peak(place.pids) as peak:
        answer = place.call("import", paths=paths)
    size, lines = answer["bytes"] / MEGABYTE, answer["lines"]
    found = {
        "durable": {"mb_per_second": figures.rounded(size / answer["durable_seconds"])},
        "searchable": {"mb_per_second": figures.rounded(size / answer["seconds"])},
        "lines": {name: lines[name] for name in ("read", "new", "known", "unreadable")},
        "events": answer["events"],
        "redactions": answer["redactions"],
        "complete": bool(answer["searchable"]),
    }
    if processes.available():
        found["peak_private_mib"] = figures.rounded(peak.private / 2**20)
    return found


def _again(setup: Setup, place: Home, files: Sequence[Path], size: int) -> dict[str, Any]:
    """Import the unchanged files again, then with every byte hashed, beside SHA-256 of the same files."""
    setup.tell("importing the unchanged files again")
    paths = list(map(str, files))
    again = place.call("import", paths=paths)
    before = _hash(files)
    started = time.perf_counter()
    verified = place.call("import", paths=paths, verify=True)
    seconds = time.perf_counter() - started
    hashing = (before + _hash(files)) / 2
    return {
        "unchanged": {
            "seconds": again["seconds"],
            "skipped": again["skipped"],
            "files": again["files"],
            "lines_new": again["lines"]["new"],
        },
        "verify_mb_per_second": figures.rounded(size / seconds / MEGABYTE),
        "verify_lines_new": verified["lines"]["new"],
        "sha256_mb_per_second": figures.rounded(size / hashing / MEGABYTE),
    }


def _hash(files: Sequence[Path]) -> float:
    """Return the seconds that SHA-256 of all files takes, one after the other."""
    started = time.perf_counter()
    for path in files:
        with path.open("rb") as file:
            hashlib.file_digest(file, "sha256")
    return time.perf_counter() - started


def _rewrite(place: Home, files: Sequence[Path]) -> bool:
    """Change a letter of the last file, restore size and time; tell whether a verifying import takes it in."""
    path = files[-1]
    before, data = path.stat(), bytearray(path.read_bytes())
    at = data.rfind(b'"text":"') + 8
    data[at] = ord("q") if data[at] != ord("q") else ord("x")
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    answer = place.call("import", paths=[str(path)], verify=True)
    return bool(answer["lines"]["new"])
