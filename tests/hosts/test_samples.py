"""Real sessions of public repositories, where they are at hand: nothing of them is lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from unabridged.hosts import claude_code, pi
from unabridged.hosts.conformance import read_file, references_resolve, text_of, the_tree_is_kept
from unabridged.hosts.contract import Host
from unabridged.schema.records import HUMAN

SHARED = Path(os.environ.get("UNABRIDGED_SHARED") or Path(__file__).parents[3] / "shared")
SESSIONS = SHARED / "data" / "transcripts"

# Lines and prompts of persons, counted with the standard library's JSON and without the readers.
COUNTS: list[tuple[Host, str, int, int]] = [
    (claude_code.HOST, "claude-code/session-1.jsonl", 1028, 18),
    (claude_code.HOST, "claude-code/session-4.jsonl", 1020, 8),
    (pi.HOST, "pi/session-1.jsonl", 1013, 77),
    (pi.HOST, "pi/session-2.jsonl", 463, 44),
]


@pytest.mark.parametrize(("host", "name", "lines", "prompts"), COUNTS, ids=[item[1] for item in COUNTS])
def test_a_real_session_is_read_whole(host: Host, name: str, lines: int, prompts: int) -> None:
    path = SESSIONS / name
    if not path.is_file():
        pytest.skip("the sessions are not at hand")
    reading = read_file(host, path)
    assert len(reading.lines) == lines
    assert [line.problem for line in reading.lines if line.problem] == []
    assert sum(bool(block.flags & HUMAN) for block in reading.blocks()) == prompts
    assert all(
        text_of(block) or not block.pieces or block.kind == "tool-result" for block in reading.blocks()
    )
    references_resolve(host, path)
    the_tree_is_kept(host, path)
