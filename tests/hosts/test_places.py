"""Where a file goes back to never leaves the folder that it is put into."""

from __future__ import annotations

import pytest

from unabridged.hosts.names import place_below


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/home/a/.gemini/tmp/p/chats/s.jsonl", "p/chats/s.jsonl"),
        ("C:\\Users\\a\\.gemini\\tmp\\p\\chats\\s.jsonl", "p/chats/s.jsonl"),
        ("/tmp/x/.gemini/tmp/p/s.jsonl", "p/s.jsonl"),
        ("/home/a/tmp/../../etc/s.jsonl", "etc/s.jsonl"),
        ("/home/a/s.jsonl", ""),
        ("/home/a/tmp/s.json", ""),
        ("tmp", ""),
        ("", ""),
    ],
)
def test_the_place_of_a_file_below_a_folder(path: str, place: str) -> None:
    assert place_below("tmp", path) == place
