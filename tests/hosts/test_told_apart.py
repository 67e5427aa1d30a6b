"""Every known host is asked about every file: only its own host knows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.hosts.cline import tasks
from tests.hosts.cursor import stores
from tests.hosts.gemini import chats
from unabridged.service.hosts import HOSTS

HISTORY = "api_conversation_history.json"


def documents() -> dict[str, tuple[str, bytes]]:
    """Files by what they are: the host, the bytes."""
    messages = [row for row in chats.session() if "id" in row]
    contents = [{"role": "user", "parts": [{"text": "ok"}]}]
    return {
        "gemini rows": ("gemini", chats.lines(chats.session())),
        "gemini document": ("gemini", chats.document(messages)),
        "gemini saved chat": ("gemini", json.dumps(contents, indent=2).encode()),
        "gemini saved chat of newer versions": ("gemini", json.dumps({"history": contents}).encode()),
        "cline session": ("cline", tasks.whole(tasks.newer())),
        "cline task": ("cline", json.dumps(tasks.older(), indent=2).encode()),
        "cline task in one line": ("cline", json.dumps(tasks.stamped(tasks.older())).encode()),
        "roo task": ("cline", json.dumps({"version": 2, "messages": tasks.parted()}).encode()),
        "cline shown": ("cline", json.dumps(tasks.shown()).encode()),
        "cursor transcript": ("cursor", stores.transcript_lines()),
    }


@pytest.mark.parametrize("what", documents())
def test_a_file_has_one_host(what: str, tmp_path: Path) -> None:
    host, data = documents()[what]
    path = tmp_path / "renamed.json"
    path.write_bytes(data)
    assert [name for name, other in HOSTS.items() if other.sniff(data[: 64 << 10], path)] == [host]


def test_a_task_in_its_folder_is_found_by_its_host_alone(tmp_path: Path) -> None:
    plain = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    path = tasks.task_file(tmp_path, plain)
    assert path.name == HISTORY
    knowing = [name for name, host in HOSTS.items() if host.sniff(path.read_bytes(), path)]
    assert knowing == ["cline"]


def test_a_database_has_one_host(tmp_path: Path) -> None:
    for path in (stores.editor(tmp_path / "User"), stores.store(tmp_path / ".cursor", stores.messages())):
        head = path.read_bytes()[: 64 << 10]
        assert [name for name, host in HOSTS.items() if host.sniff(head, path)] == ["cursor"]
