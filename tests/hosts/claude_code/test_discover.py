"""Where Claude Code's transcripts are, and which files are some."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.hosts.claude_code.rows import OTHER, SESSION, assistant, encode, head_of, text, uid, user, write
from unabridged.hosts.claude_code import HOST
from unabridged.hosts.contract import Candidate, Head

HOME = Path("/home/dev")


@pytest.mark.parametrize(
    ("env", "roots"),
    [
        ({}, ["/home/dev/.claude/projects", "/home/dev/.config/claude/projects"]),
        ({"XDG_CONFIG_HOME": "/xdg"}, ["/home/dev/.claude/projects", "/xdg/claude/projects"]),
        ({"CLAUDE_CONFIG_DIR": "/c"}, ["/c/projects"]),
        ({"CLAUDE_CONFIG_DIR": "/c, /d"}, ["/c/projects", "/d/projects"]),
    ],
)
@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_roots_follow_the_environment(env: dict[str, str], roots: list[str], platform: str) -> None:
    assert [str(path) for path in HOST.roots(env, HOME, platform)] == roots


def test_transcripts_are_found_with_what_belongs_to_them(tmp_path: Path) -> None:
    project = tmp_path / "-home-dev-project"
    main = write(project / f"{SESSION}.jsonl", user(1, "a"))
    agent = write(project / SESSION / "subagents" / "agent-a1.jsonl", user(1, "a"))
    note = write(project / SESSION / "subagents" / "agent-a1.meta.json", b"{}")
    output = write(project / SESSION / "tool-results" / "b1.txt", b"long")
    listed = write(project / SESSION / "tool-results" / "b2.jsonl", b"{}")
    old_agent = write(project / "agent-b2.jsonl", user(1, "a"))
    write(project / "memory" / "MEMORY.md", b"x")
    write(tmp_path / "history.jsonl", b"{}")
    (project / "folder.jsonl").mkdir()
    inside = write(project / "folder.jsonl" / "c.jsonl", user(1, "a"))
    found = list(HOST.find(tmp_path))
    assert sorted(found, key=lambda item: item.path) == sorted(
        [
            Candidate(str(main), "file"),
            Candidate(str(agent), "file"),
            Candidate(str(note), "sidecar", str(agent)),
            Candidate(str(output), "sidecar", str(main)),
            Candidate(str(listed), "sidecar", str(main)),
            Candidate(str(old_agent), "file"),
            Candidate(str(inside), "file"),
        ],
        key=lambda item: item.path,
    )


def test_a_file_that_is_named_is_taken_whatever_its_name(tmp_path: Path) -> None:
    path = write(tmp_path / "full.txt", user(1, "a"))
    assert list(HOST.find(path)) == [Candidate(str(path), "file")]


@pytest.mark.parametrize(
    "first",
    [
        user(1, "a"),
        {"type": "summary", "summary": "x", "leafUuid": uid(1)},
        {"type": "file-history-snapshot", "messageId": uid(1), "snapshot": {}},
        {"type": "queue-operation", "operation": "dequeue", "sessionId": SESSION},
    ],
)
def test_a_transcript_is_known_by_its_first_rows(first: dict[str, Any]) -> None:
    (line,) = encode(first)
    assert HOST.sniff(line + b"\n", Path("x.jsonl"))
    assert HOST.sniff(b"not json\n" + line + b"\n", Path("x.jsonl"))
    assert HOST.sniff(b"\xef\xbb\xbf" + line + b"\r\n", Path("x.jsonl"))


# https://github.com/anthropics/claude-code/issues/23072: a very large first prompt
@pytest.mark.parametrize(
    "opening",
    [
        b'{"parentUuid":null,"isSidechain":false,"promptId":"p","type":"user","message":{"content":"',
        b'{"parentUuid": null, "isSidechain": false, "userType": "external", "message": {"content": "',
        b'{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"',
    ],
)
def test_a_first_line_longer_than_the_head_of_the_file_is_known(opening: bytes) -> None:
    assert HOST.sniff(opening + b"x" * (64 << 10), Path("x.jsonl"))
    assert not HOST.sniff(b'{"text":"' + b"x" * (64 << 10), Path("x.jsonl"))


@pytest.mark.parametrize(
    "line",
    [
        b'{"sessionId":"x","projectHash":"y","startTime":"z"}',
        b'{"type":"session","id":"x","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}',
        b'{"timestamp":"x","type":"session_meta","payload":{"id":"x"}}',
        b'{"type":"session.start","data":{"sessionId":"x"},"id":"y"}',
    ],
)
def test_transcripts_of_other_hosts_are_not_its_own(line: bytes) -> None:
    assert not HOST.sniff(line + b"\n", Path(f"{SESSION}.jsonl"))


def test_the_head_waits_for_a_row_of_a_session(tmp_path: Path) -> None:
    leading: list[dict[str, Any]] = [
        {"type": "file-history-snapshot", "messageId": uid(1), "snapshot": {}},
        {"type": "queue-operation", "operation": "enqueue", "content": "a", "sessionId": SESSION},
    ]
    assert head_of(write(tmp_path / "x.jsonl", *leading)) is None
    found = head_of(write(tmp_path / "y.jsonl", *leading, user(1, "a"), user(2, "b", cwd="/elsewhere")))
    assert found == Head(SESSION, "/home/dev/project")


def test_a_head_is_read_past_broken_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", b"null", b"{broken", b"", user(1, "a"))
    assert head_of(path) == Head(SESSION, "/home/dev/project")


def test_a_subagents_file_is_a_session_with_a_parent(tmp_path: Path) -> None:
    side: dict[str, Any] = {"isSidechain": True, "agentId": "a1"}
    expected = Head(f"{SESSION}/agent-a1", "/home/dev/project", SESSION, "subagent")
    for name in ("agent-a1.jsonl", "renamed.jsonl"):
        assert (
            head_of(write(tmp_path / name, user(1, "a", **side), assistant(2, [text("b")], 1, **side)))
            == expected
        )
    mixed = write(tmp_path / "main.jsonl", user(1, "a", **side), user(2, "main"))
    assert head_of(mixed) == Head(SESSION, "/home/dev/project")


def test_a_branch_names_its_parent_when_the_host_does(tmp_path: Path) -> None:
    copied = user(1, "a", forkedFrom={"sessionId": OTHER, "messageUuid": uid(1)})
    assert head_of(write(tmp_path / "x.jsonl", copied)) == Head(SESSION, "/home/dev/project", OTHER, "fork")
