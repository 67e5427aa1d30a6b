"""Where a transcript goes back to."""

from __future__ import annotations

import pytest

from tests.hosts.claude_code.rows import SESSION
from unabridged.hosts.claude_code import HOST
from unabridged.hosts.claude_code.write import project_folder
from unabridged.hosts.contract import Head

MAIN = Head(SESSION, "/home/dev/my.project")
AGENT = Head(f"{SESSION}/agent-a1", "/home/dev/my.project", SESSION, "subagent")


@pytest.mark.parametrize(
    ("head", "origin", "expected"),
    [
        (MAIN, f"/home/dev/.claude/projects/-home-dev/{SESSION}.jsonl", f"-home-dev/{SESSION}.jsonl"),
        (MAIN, f"C:\\Users\\dev\\.claude\\projects\\C--x\\{SESSION}.jsonl", f"C--x/{SESSION}.jsonl"),
        (MAIN, "/tmp/copy.jsonl", f"-home-dev-my-project/{SESSION}.jsonl"),
        (
            AGENT,
            f"/h/projects/-x/{SESSION}/subagents/agent-a1.jsonl",
            f"-x/{SESSION}/subagents/agent-a1.jsonl",
        ),
        (AGENT, "/tmp/copy.jsonl", f"-home-dev-my-project/{SESSION}/subagents/agent-a1.jsonl"),
        # A folder of the person's own that is called so is none of the host's.
        (MAIN, "/home/dev/projects/copy.jsonl", f"-home-dev-my-project/{SESSION}.jsonl"),
    ],
)
def test_a_transcript_goes_where_the_host_looks_for_it(head: Head, origin: str, expected: str) -> None:
    assert HOST.restore_name(head, origin) == expected


def test_a_long_folder_name_is_cut_as_the_host_cuts_it() -> None:
    cwd = "/srv/example/" + "/".join(["a-long-folder-name-🙂"] * 12)
    # The folder that 2.1.332 made for this directory.
    made = "-srv-example-" + "a-long-folder-name----" * 8 + "a-long-fold-yynusr"
    assert project_folder(cwd) == made


def test_the_bytes_go_back_as_they_were_kept() -> None:
    lines = [b'{"a":1}\r\n', b"\n", b"broken", b"\xff\n"]
    assert list(HOST.restore(lines)) == lines
    assert HOST.decode(b"x") == b"x"
