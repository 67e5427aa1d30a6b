"""Conversations of the command line: `chats/<hash of the folder>/<session>/store.db`, a store of blobs.

A blob is named by the hash of its content: a message, which is JSON, or a list of other blobs in the wire format of
Protocol Buffers (https://protobuf.dev/programming-guides/encoding/). The newest list is the conversation; older ones
tell where messages stood that are in it no more.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec

from unabridged.errors import UnabridgedError
from unabridged.hosts import given
from unabridged.hosts.contract import RowStream
from unabridged.hosts.cursor.places import path_of
from unabridged.hosts.cursor.rows import MESSAGE, SESSION, TOO_LONG
from unabridged.hosts.databases import has_table, opened
from unabridged.hosts.lines import TOO_LONG as LONGEST
from unabridged.hosts.oneline import as_json, one_line

BLOBS, META = "blobs", "meta"
HASH_BYTES = 32
NAME_CHARACTERS = 24  # of a blob's hash, which name a message
DEPTH = 8  # lists of lists
LINKS = 200_000  # blobs of one list that are followed
LENGTH_DELIMITED, VARINT, FIXED64, FIXED32 = 2, 0, 1, 5
WORKSPACE = b"file://"  # begins the folder, which stands among a list's other fields
SMALL = 1 << 20  # bytes of the description beside a database

Value = dict[str, Any]


def has_blobs(path: Path) -> bool:
    """Tell whether a database is such a store; False where it cannot be opened now."""
    try:
        with opened(path) as connection:
            return has_table(connection, BLOBS) and has_table(connection, META)
    except UnabridgedError:
        return False


def streams(path: Path) -> list[RowStream]:
    """Return the one session of a store; its version is that of its newest list."""
    with opened(path) as connection:
        about = _about(connection)
        version = f"{about.get('latestRootBlobId')}.{about.get('name')}"
    return [RowStream(_name(path, about), version)]


def rows(path: Path, state: bytes) -> tuple[list[bytes], bytes]:
    """Return new rows of the session, and the state behind them."""
    with opened(path) as connection:
        about = _about(connection)
        version = f"{about.get('latestRootBlobId')}.{about.get('name')}"
        return given.look(_Store(connection, path, about).rows(), version, state)


def _name(path: Path, about: Value) -> str:
    named: Any = about.get("agentId")
    return path.parent.name or (named if isinstance(named, str) else path.stem)


def _about(connection: sqlite3.Connection) -> Value:
    """Return what the store says of itself: JSON, mostly written in hexadecimal digits."""
    for (value,) in connection.execute("SELECT value FROM meta ORDER BY key").fetchall():
        text = value if isinstance(value, bytes) else str(value).encode()
        for form in (text, _unhexed(text)):
            try:
                found: Any = msgspec.json.decode(form)
            except (msgspec.DecodeError, RecursionError):
                continue
            if isinstance(found, dict) and "latestRootBlobId" in found:
                return cast("Value", found)
    return {}


def _unhexed(text: bytes) -> bytes:
    try:
        return bytes.fromhex(text.decode("ascii", "replace"))
    except ValueError:
        return b""


class _Store:
    """One reading of a store."""

    def __init__(self, connection: sqlite3.Connection, path: Path, about: Value) -> None:
        self._connection = connection
        self._path = path
        self._about = about
        self._folder = ""

    def rows(self) -> Iterator[given.Row]:
        """Yield the session's row, the conversation's messages, then those that are in it no more."""
        root: Any = self._about.get("latestRootBlobId")
        current = list(self._messages(root if isinstance(root, str) else "", 0))
        yield self._session()
        seen: dict[str, int] = {}
        before = ""
        for blob in current:
            seen[blob] = seen.get(blob, 0) + 1
            # The same words said twice are one blob.
            name = blob[:NAME_CHARACTERS] + (f".{seen[blob]}" if seen[blob] > 1 else "")
            row = self._row(name, before, blob)
            if row is not None:
                yield row
                before = name
        yield from self._taken_back(seen)

    def _taken_back(self, seen: dict[str, int]) -> Iterator[given.Row]:
        names = [
            str(row[0]) for row in self._connection.execute("SELECT id FROM blobs ORDER BY rowid").fetchall()
        ]
        before: dict[str, str] = {}
        for blob in reversed(names):  # the newest list says where a message stood
            data = self._data(blob)
            if not data.startswith(b"{"):
                last = ""
                for child in self._messages(blob, 0):
                    before.setdefault(child, last)
                    last = child[:NAME_CHARACTERS]
        for blob in names:
            if blob not in seen and self._data(blob).startswith(b"{"):
                row = self._row(blob[:NAME_CHARACTERS], before.get(blob, ""), blob)
                if row is not None:
                    yield row

    def _row(self, name: str, before: str, blob: str) -> given.Row | None:
        text = self._data(blob)
        if len(text) > LONGEST:
            return given.Row(name, as_json({"cursor": TOO_LONG, "name": name, "size": len(text)}) + b"\n")
        if b'"role"' not in text:
            return None
        members = {"cursor": MESSAGE, "name": name, "after": before}
        model: Any = self._about.get("lastUsedModel")
        if isinstance(model, str) and model:
            members["model"] = model
        return given.Row(name, as_json(members)[:-1] + b',"data":' + one_line(text) + b"}\n")

    def _messages(self, blob: str, depth: int) -> Iterator[str]:
        """Yield the messages of a blob in order: itself, or those that it lists."""
        data = self._data(blob)
        if data.startswith(b"{"):
            yield blob
        elif data and depth < DEPTH:
            for count, payload in enumerate(payloads(data)):
                if count >= LINKS:
                    return
                if len(payload) == HASH_BYTES:
                    yield from self._messages(payload.hex(), depth + 1)
                elif payload.startswith(WORKSPACE):
                    self._folder = self._folder or path_of(payload.decode("utf-8", "replace"))

    def _data(self, blob: str) -> bytes:
        found = self._connection.execute("SELECT data FROM blobs WHERE id = ?", (blob,)).fetchone()
        value: Any = found[0] if found else b""
        return value if isinstance(value, bytes) else str(value or "").encode("utf-8", "surrogatepass")

    def _session(self) -> given.Row:
        beside = _beside(self._path)
        kept: dict[str, Any] = {"cursor": SESSION, "id": _name(self._path, self._about)}
        for key, value in (
            ("cwd", beside.get("cwd") or self._folder),
            ("title", beside.get("title") or self._about.get("name")),
        ):
            if isinstance(value, str) and value:
                kept[key] = value
        created: Any = self._about.get("createdAt")
        if isinstance(created, (int, float)):
            kept["created"] = created
        return given.Row(SESSION, as_json(kept) + b"\n")


def _beside(path: Path) -> Value:
    """Return the description that newer versions put beside a store."""
    try:
        file = path.with_name("meta.json")
        found: Any = msgspec.json.decode(file.read_bytes() if file.stat().st_size <= SMALL else b"{}")
    except (OSError, msgspec.DecodeError, RecursionError):
        return {}
    return cast("Value", found) if isinstance(found, dict) else {}


def payloads(data: bytes) -> Iterator[bytes]:
    """Yield the values of a message's fields that have a length, in order; nothing behind what is no such message."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == LENGTH_DELIMITED:
            size, at = _varint(data, at)
            if size < 0 or at + size > len(data):
                return
            yield data[at : at + size]
            at += size
        elif kind == VARINT:
            _, at = _varint(data, at)
        elif kind in (FIXED64, FIXED32):
            at += 8 if kind == FIXED64 else 4
        else:
            return


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, and the place behind it; -1 where there is none."""
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    return -1, len(data)
