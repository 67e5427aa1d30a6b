"""A record of every kind, made from numbers, so that engines can be filled with all of them."""

from __future__ import annotations

import hashlib
from typing import Any, cast

import msgspec
from msgspec import inspect

from unabridged.schema import records as r
from unabridged.schema.ids import (
    GLOBAL,
    ChunkDigest,
    Digest,
    DocumentId,
    EventId,
    Micros,
    Ordinal,
    OriginId,
    ProjectId,
    SessionId,
    SourceHash,
)
from unabridged.schema.kinds import Kind

START = Micros(1_790_000_000_000_000)


def sha(*parts: object) -> bytes:
    """Return a SHA-256 of some values."""
    return hashlib.sha256(repr(parts).encode()).digest()


def session(number: int) -> SessionId:
    """Return the id of a numbered session."""
    return SessionId(sha("session", number)[:16])


def event(project: ProjectId, ordinal: int, text: str = "hello") -> r.Event:
    """Return an event whose id follows from its ordinal."""
    digest = Digest(sha("event", ordinal))
    return r.Event(
        project=project,
        ordinal=Ordinal(ordinal),
        id=EventId(digest[:20]),
        session=session(1),
        seq=ordinal,
        host="claude-code",
        native=f"line-{ordinal}/0",
        kind="text",
        role="user",
        flags=r.HUMAN,
        time=Micros(START + ordinal),
        offset_minutes=-90,
        tool="",
        call="",
        paths=["/src/x.py", ""],
        parent="",
        digest=digest,
        rendering=1,
        ruleset=1,
        size=len(text.encode("utf-8", "surrogatepass")),
        tokens=2,
        origin=OriginId(sha("origin")[:16]),
        generation=1,
        offset=ordinal * 1000,
        length=1000,
        pieces=[text, [0, "message", "content", 0, "text"], [r.CHUNK, "00ff"]],
        media=[r.Media("image/png", 12, "ab" * 32, [0, "source", "data"], "shot.png")],
    )


def path(project: ProjectId, seq: int, of: SessionId | None = None) -> r.Path:
    """Return one step of a session."""
    owner = session(1) if of is None else of
    return r.Path(
        project, owner, seq, Ordinal(seq), SourceHash(sha("source", owner, seq)[:16]), f"line-{seq}"
    )


def document(project: ProjectId, ordinal: int, subject: str = "") -> r.Document:
    """Return a document of one event."""
    digest = Digest(sha("document", ordinal))
    return r.Document(
        project=project,
        ordinal=Ordinal(ordinal),
        id=DocumentId(digest[:20]),
        version=1,
        kind="turn",
        session=session(ordinal % 3),
        seq_from=ordinal,
        seq_to=ordinal,
        members=[Ordinal(ordinal)],
        digest=digest,
        size=5,
        tokens=2,
        started=START,
        ended=START,
        retention="conversation",
        title="a title",
        subject_key=subject,
    )


def home(number: int, host_session: str) -> r.Home:
    """Return the home of a numbered session."""
    return r.Home(GLOBAL, session(number), ProjectId(sha("home")[:16]), "codex", host_session)


def segment(project: ProjectId, start: int, data: bytes) -> r.Segment:
    """Return a stored run of bytes."""
    return r.Segment(
        project,
        OriginId(sha("origin")[:16]),
        1,
        start,
        len(data),
        Digest(hashlib.sha256(data).digest()),
        0,
        0,
        data,
    )


def chunk(project: ProjectId, data: bytes) -> r.Chunk:
    """Return a stored payload."""
    return r.Chunk(project, ChunkDigest(hashlib.sha256(data).digest()), len(data), 0, 0, data)


def meta(name: str, value: bytes = b"") -> r.Meta:
    """Return a named value."""
    return r.Meta(GLOBAL, name, value)


def every_kind(project: ProjectId, n: int) -> dict[str, msgspec.Struct]:
    """Return one record of every kind by the kind's name; different numbers give different keys.

    The values follow from the declarations: whatever a field may hold, some of it is there.
    """
    made: dict[str, msgspec.Struct] = {kind.name: of_kind(kind, project, n) for kind in r.KINDS}
    made["segment"] = segment(project, n, b"run %d" % n)  # with digests that are right
    made["chunk"] = chunk(project, b"piece %d" % n)
    return made


def of_kind(kind: Kind[Any], project: ProjectId, n: int) -> Any:
    """Return a record of a kind with no field empty or zero."""
    parts = dict(kind.key) | {name: part for index in kind.indexes for name, part in index.fields}
    values: dict[str, Any] = {}
    for field in cast("inspect.StructType", inspect.type_info(kind.record)).fields:
        name, part = field.name, parts.get(field.name)
        if name == "project":
            values[name] = project
        elif part is not None and part.kind == "fixed":
            values[name] = sha(kind.name, name, n)[: part.size]
        else:
            values[name] = _value(field.type, name, n)
    return kind.record(**values)


def _value(kind: inspect.Type, name: str, n: int) -> Any:
    if isinstance(kind, inspect.IntType):
        return n
    if isinstance(kind, inspect.StrType):
        return f"{name}-{n} é"
    if isinstance(kind, inspect.BytesType):
        return sha(name, n)
    if isinstance(kind, inspect.BoolType):
        return True
    if isinstance(kind, inspect.ListType):
        return [_value(kind.item_type, name, n), _value(kind.item_type, name, n + 1)]
    if isinstance(kind, inspect.DictType):
        return {"b": "1", "a": "2"}
    if isinstance(kind, inspect.UnionType):
        return _value(kind.types[n % len(kind.types)], name, n)
    if isinstance(kind, inspect.StructType):
        return kind.cls(**{field.name: _value(field.type, field.name, n) for field in kind.fields})
    raise AssertionError(f"a field has a type without a sample: {name} {kind}")
