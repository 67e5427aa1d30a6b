"""An export that is not whole gives a reason and nothing else; memory does not grow with it."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from tests.hosts.chatgpt import written as chatgpt
from tests.hosts.claude_ai import written as claude
from unabridged.errors import (
    DamagedExport,
    EncryptedExport,
    LimitExceeded,
    NotATranscript,
    PathUnreadable,
    TranscriptChanged,
    UnsafeExport,
)
from unabridged.hosts import chatgpt as chatgpt_host
from unabridged.hosts import claude_ai as claude_host
from unabridged.hosts import exports
from unabridged.hosts.contract import Host

HOSTS: list[Host] = [chatgpt_host.HOST, claude_host.HOST]


def owners(path: Path) -> list[str]:
    """The hosts that take a file for theirs."""
    head = path.read_bytes()[: 64 << 10]
    return [host.name for host in HOSTS if host.sniff(head, path)]


def owner(path: Path) -> Host:
    """The one host that takes a file for its own."""
    (name,) = owners(path)
    return next(host for host in HOSTS if host.name == name)


@pytest.fixture(params=["chatgpt", "claude-ai"])
def packed(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A whole archive of either service."""
    path = tmp_path / "export.zip"
    if request.param == "chatgpt":
        return chatgpt.archive(path, [chatgpt.talk()])
    return claude.archive(path, [claude.chat()])


def changed(path: Path, **members: bytes) -> Path:
    """The archive with other members."""
    with zipfile.ZipFile(path) as old:
        held = {info.filename: old.read(info) for info in old.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in (held | members).items():
            new.writestr(name, data)
    return path


def test_each_service_knows_its_own_archive(tmp_path: Path) -> None:
    assert owners(chatgpt.archive(tmp_path / "a.zip", [chatgpt.talk()])) == ["chatgpt"]
    assert owners(claude.archive(tmp_path / "b.zip", [claude.chat()])) == ["claude-ai"]
    assert owners(chatgpt.document(tmp_path / "a.json", [chatgpt.talk()])) == ["chatgpt"]
    assert owners(claude.document(tmp_path / "b.json", [claude.chat()])) == ["claude-ai"]


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b"[1,2]", b"# mapping", b'"mapping"', b"PK\x03\x04", b"\x00" * 99]
)
def test_something_else_is_no_export(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(content)
    assert owners(path) == []


def test_an_archive_of_something_else_is_no_export(tmp_path: Path) -> None:
    path = tmp_path / "photos.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.json", "{}")
        archive.writestr("conversations.json", "[]")
    assert owners(path) == []


def test_an_archive_that_is_cut_off_is_told(packed: Path) -> None:
    packed.write_bytes(packed.read_bytes()[:-60])
    with pytest.raises(DamagedExport):
        owner(packed).streams(packed)


def test_a_document_that_is_cut_off_is_told_and_gives_nothing(packed: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        data = archive.read("conversations.json")
    for text in (data[:-1], data[: len(data) * 9 // 10], data + b"[]"):
        alone = tmp_path / "conversations.json"
        alone.write_bytes(text)
        with pytest.raises(DamagedExport):
            owner(alone).streams(alone)
        made = changed(packed, **{"conversations.json": text})
        with pytest.raises(DamagedExport):
            owner(made).streams(made)


def test_an_encrypted_archive_is_told(packed: Path) -> None:
    data = bytearray(packed.read_bytes())
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        data[at + 8] |= 1
        at = data.find(b"PK\x01\x02", at + 4)
    packed.write_bytes(data)
    with pytest.raises(EncryptedExport):
        owner(packed).streams(packed)


def test_a_bomb_is_told(packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        data = archive.read("conversations.json")
    made = changed(packed, **{"conversations.json": data[:-1] + b" " * (100 << 20) + b"]"})
    with pytest.raises(UnsafeExport):
        owner(made).streams(made)


def test_a_path_that_leads_out_of_the_archive_is_told(packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        data = archive.read("conversations.json")
    made = changed(packed, **{"../../conversations.json": data})
    with pytest.raises(UnsafeExport):
        owner(made).streams(made)


def test_nothing_is_written_beside_an_export(packed: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    (name,) = owners(packed)
    for host in HOSTS:
        if host.name == name:
            for stream in host.streams(packed):
                host.rows(packed, stream.name, b"")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_conversation_that_is_too_large_is_reported_and_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small, large = chatgpt.Talk("small"), chatgpt.Talk("large")
    small.say("user", "hello")
    large.say("user", "x" * 5_000)
    path = chatgpt.document(tmp_path / "conversations.json", [large, small])
    monkeypatch.setattr(exports, "LARGEST", 4_000)
    first, second = chatgpt_host.HOST.streams(path)
    assert second.name == "small"
    assert chatgpt.said(chatgpt.rows(path, "small")[0]) == [("text", "user", "hello")]
    with pytest.raises(LimitExceeded):
        chatgpt_host.HOST.rows(path, first.name, b"")


def test_an_export_without_a_conversation_is_none(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{"mapping": []}]))
    with pytest.raises(NotATranscript):
        chatgpt_host.HOST.streams(path)


def test_an_export_that_went_away_is_told(tmp_path: Path) -> None:
    with pytest.raises(PathUnreadable):
        chatgpt_host.HOST.streams(tmp_path / "gone.json")


def test_an_export_that_is_replaced_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    one, two = chatgpt.Talk("one"), chatgpt.Talk("two")
    one.say("user", "first")
    two.say("user", "second")
    chatgpt.document(path, [one])
    _, state = chatgpt.rows(path, "one")
    path.unlink()
    chatgpt.document(path, [two])
    assert chatgpt.rows(path, "one", state) == ([], state)
    assert chatgpt.said(chatgpt.rows(path, "two")[0]) == [("text", "user", "second")]


def test_an_export_that_changes_while_it_is_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    made = chatgpt.Talk("one")
    made.say("user", "first")
    chatgpt.document(path, [made])
    chatgpt_host.HOST.streams(path)
    kept = path.stat()
    path.write_bytes(path.read_bytes().replace(b"first", b"other"))
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    with pytest.raises(TranscriptChanged):
        chatgpt_host.HOST.rows(path, "one", b"")
