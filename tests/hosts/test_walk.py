"""Which files lie below a folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from unabridged.hosts.walk import walk


def names(root: Path) -> list[str]:
    return [str(path.relative_to(root)) for path in walk(root, lambda name: name.endswith(".jsonl"))]


def test_files_come_sorted_at_any_depth(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a/z.jsonl", "a/b/c.jsonl", "c/x.txt", "a.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert names(tmp_path) == ["a/b/c.jsonl", "a/z.jsonl", "a.jsonl", "b.jsonl"]


def test_a_folder_named_like_a_transcript_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").mkdir()
    (tmp_path / "x.jsonl" / "y.jsonl").write_text("x")
    assert names(tmp_path) == ["x.jsonl/y.jsonl"]


def test_a_file_and_links_to_it_count_once(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text("x")
    (tmp_path / "a.jsonl").symlink_to(tmp_path / "m.jsonl")
    (tmp_path / "z.jsonl").symlink_to("m.jsonl")
    (tmp_path / "gone.jsonl").symlink_to("nowhere")
    assert names(tmp_path) == ["m.jsonl"]


def test_a_link_to_a_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.jsonl").write_text("x")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    assert names(tmp_path) == ["a/x.jsonl"]


def test_a_named_file_is_taken_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "talk.log").write_text("x")
    assert list(walk(tmp_path / "talk.log", lambda name: False)) == [tmp_path / "talk.log"]


def test_what_cannot_be_read_or_does_not_exist_is_skipped(tmp_path: Path) -> None:
    assert list(walk(tmp_path / "absent", lambda name: True)) == []
    if os.geteuid() == 0:
        pytest.skip("root may read every folder")
    (tmp_path / "shut").mkdir(mode=0)
    (tmp_path / "b.jsonl").write_text("x")
    assert names(tmp_path) == ["b.jsonl"]


def test_a_fifo_is_no_transcript(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "b.jsonl").write_text("x")
    assert names(tmp_path) == ["b.jsonl"]
