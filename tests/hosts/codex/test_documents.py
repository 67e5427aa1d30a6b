"""A document of the first versions is read as a stream of rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from unabridged.hosts.codex import HOST
from unabridged.hosts.conformance import text_of
from unabridged.hosts.contract import Block, Head
from unabridged.schema.records import HUMAN

SESSION = {"timestamp": "2025-05-01T10:00:00.000Z", "id": "0196", "instructions": "Be brief — “always”."}


def message(role: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


def write(path: Path, *items: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"session": SESSION, "items": items}, indent=2, ensure_ascii=False))
    return path


def read(lines: list[bytes]) -> list[Block]:
    head = HOST.head(Path("x"), lines)
    assert head is not None
    reader = HOST.reader("x", head, b"", 1)
    return [
        block
        for number, line in enumerate(lines, 1)
        for block in reader.read(line.rstrip(b"\n"), number).blocks
    ]


def test_a_document_is_one_stream_whose_rows_are_read_like_a_rollout(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.json", message("user", "ok"), message("assistant", "done"), message("user", "ok")
    )
    (stream,) = HOST.streams(path)
    lines, _ = HOST.rows(path, stream.name, b"")
    assert stream.name == "0196"
    assert HOST.head(path, lines) == Head("0196")
    found = read(lines)
    assert [text_of(block) for block in found] == ["ok", "done", "ok"]
    assert [block.flags for block in found] == [HUMAN, 0, HUMAN]
    assert len({block.identity for block in found}) == 3
    assert {block.time for block in found} == {1_746_093_600_000_000}


def test_only_new_items_are_given_again(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", message("user", "a"))
    before = HOST.streams(path)
    first, state = HOST.rows(path, "0196", b"")
    assert HOST.rows(path, "0196", state) == ([], state)
    write(path, message("user", "a"), message("assistant", "b"))
    assert HOST.streams(path) != before
    more, _ = HOST.rows(path, "0196", state)
    assert [text_of(block) for block in read([*first, *more])] == ["a", "b"]
    assert len(more) == 1


def test_a_document_that_begins_differently_is_given_anew(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", message("user", "a"), message("assistant", "b"))
    first, state = HOST.rows(path, "0196", b"")
    write(path, message("user", "other"))
    again, _ = HOST.rows(path, "0196", state)
    assert len(again) == 2
    assert b"".join(HOST.restore([*first, *again])) == path.read_bytes()


@pytest.mark.parametrize("cut", [1, 50, 1 << 20])
def test_the_document_is_written_back_byte_for_byte(tmp_path: Path, cut: int) -> None:
    path = write(
        tmp_path / "a.json",
        message("user", "Zeile\nmit „Anführung“ \\ 🙂"),
        {"type": "reasoning", "summary": []},
    )
    lines, _ = HOST.rows(path, "0196", b"")
    kept = b"".join(lines)
    pieces = [kept[at : at + cut] for at in range(0, len(kept), cut)]
    assert b"".join(HOST.restore(pieces)) == path.read_bytes()


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"session":1,"items":[]}', b'{"session":{},"items":{}}']
)
def test_what_is_no_document_holds_no_stream(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(data)
    assert HOST.streams(path) == []
    assert HOST.rows(path, "x", b"") == ([], b"")
    assert HOST.streams(tmp_path / "missing.json") == []
