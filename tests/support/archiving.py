"""Bytes into a store through the archive's one write path, without processes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from unabridged.archive.admission import Append, Appended, plan_append
from unabridged.archive.check import check
from unabridged.archive.ingest import Ingest
from unabridged.hosts.contract import Candidate, Head, Host
from unabridged.schema.ids import Micros, ProjectId, document_id, project_id
from unabridged.schema.records import DOCUMENT, EVENT, GENERATION, PATH, SESSION, Generation
from unabridged.store.contract import Reader, Store

ROOT = "/nowhere/toy"
PROJECT = project_id(ROOT)
NOW = Micros(1_700_000_000_000_000)


def slices(data: bytes, rng: random.Random | None) -> Iterator[bytes]:
    """Yield the data whole, or cut at random places."""
    at = 0
    while at < len(data):
        size = rng.randint(1, 400) if rng else len(data)
        yield data[at : at + size]
        at += size


def ingest(
    store: Store,
    host: Host,
    path: str,
    data: bytes,
    head: Head,
    redactor: Any,
    *,
    rng: random.Random | None = None,
    idle: bool = True,
    number: int = 1,
    prior: Generation | None = None,
    stop_after: int = 0,
) -> list[Appended]:
    """Admit a file's bytes behind `prior`; `stop_after` leaves after so many appends, as a kill would."""
    work = Ingest(host, Candidate(path, "file"), head, ROOT, PROJECT, redactor, prior, number)
    done = list[Appended]()

    def admit(appends: Iterator[Append]) -> bool:
        for append in appends:
            done.append(store.commit(PROJECT, plan_append(append, NOW)))
            if stop_after and len(done) >= stop_after:
                return False
        return True

    for block in slices(data[prior.source_offset if prior else 0 :], rng):
        if not admit(work.feed(block)):
            return done
    admit(work.finish(idle))
    return done


def newest(reader: Reader, origin: Any) -> Generation | None:
    """Return an origin's newest generation."""
    found = reader.scan(GENERATION, (PROJECT, origin), reverse=True, limit=1)
    return found[0] if found else None


def fingerprint(reader: Reader, project: ProjectId = PROJECT) -> list[tuple[str, str, str, str]]:
    """Return the sorted (source key, event digest, document id, document digest) rows of a project."""
    events = {event.ordinal: event for event in reader.scan(EVENT, (project,), limit=100_000)}
    documents = dict[int, list[Any]]()
    for document in reader.scan(DOCUMENT, (project,), limit=100_000):
        for ordinal in document.members:
            documents.setdefault(ordinal, []).append(document)
    rows = list[tuple[str, str, str, str]]()
    for session in reader.scan(SESSION, (project,), limit=100_000):
        for path in reader.scan(PATH, (project, session.session), limit=100_000):
            key = f"{session.host}:{session.host_session}:{path.native}"
            event = events[path.event]
            assert event.id[12:] == event.digest[:8]
            rows.extend(
                (key, event.digest.hex(), found.id.hex(), found.digest.hex())
                for found in documents.get(path.event, [])
            )
            if path.event not in documents:
                rows.append((key, event.digest.hex(), "", ""))
    assert document_id  # the ids derive from content; see schema/ids
    return sorted(rows)


def violations(reader: Reader) -> list[Any]:
    """Return everything that the archive's own checker finds."""
    return list(check(reader, deep=True))
