"""Where a rollout goes back to."""

from __future__ import annotations

import pytest

from unabridged.hosts.codex import HOST
from unabridged.hosts.contract import Head

THREAD = "01a22990-1234-7000-8000-000000000001"
FILE = f"rollout-2026-11-29T23-07-05-{THREAD}.jsonl"
PLACE = f"sessions/2026/11/29/{FILE}"


@pytest.mark.parametrize(
    "origin",
    [
        f"/home/dev/.codex/sessions/2026/11/29/{FILE}",
        f"/home/dev/.codex/archived_sessions/{FILE}",
        f"/home/dev/.codex/sessions/2026/11/29/{FILE}.zst",
        f"C:\\Users\\Dev\\.codex\\sessions\\2026\\11\\29\\{FILE}",
    ],
)
def test_a_rollout_goes_into_the_folder_of_its_date_uncompressed(origin: str) -> None:
    assert HOST.restore_name(Head(THREAD), origin) == PLACE


def test_a_rollout_of_another_name_gets_the_name_that_its_thread_s_time_gives() -> None:
    assert HOST.restore_name(Head(THREAD), "/tmp/copy.jsonl") == (
        f"sessions/2026/11/29/rollout-2026-11-29T23-07-17-{THREAD}.jsonl"
    )


@pytest.mark.parametrize("thread", ["x", "not-a-uuid", "ffffffff-ffff-7fff-ffff-ffffffffffff"])
def test_a_thread_without_a_time_still_has_a_place(thread: str) -> None:
    assert HOST.restore_name(Head(thread), "x").endswith(f"-{thread}.jsonl")


def test_a_document_of_the_first_versions_keeps_its_name() -> None:
    assert (
        HOST.restore_name(Head("x"), "/a/rollout-2025-05-01-x.json") == "sessions/rollout-2025-05-01-x.json"
    )


def test_kept_bytes_come_back_as_they_are_however_they_are_cut() -> None:
    assert b"".join(HOST.restore([b'{"a"', b":1}\n\n\xff"])) == b'{"a":1}\n\n\xff'
    assert b"".join(HOST.restore([])) == b""
