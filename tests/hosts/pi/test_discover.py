"""Where Pi's sessions are, which files are some, and where they go back to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hosts.pi.listed import BRANCH, SESSION, branch, listed
from unabridged.hosts.contract import Candidate, Head
from unabridged.hosts.pi import HOST

HOME = Path("/home/dev")
RECORDED = Path(__file__).parents[1] / "fixtures" / "pi"
UUID7 = "01a22994-1aec-72ad-ba84-ae63446679e6"


@pytest.mark.parametrize(
    ("env", "first"),
    [
        ({}, []),
        ({"PI_CODING_AGENT_DIR": "/p"}, ["/p/sessions"]),
        ({"PI_CODING_AGENT_SESSION_DIR": "/s", "PI_CODING_AGENT_DIR": "/p"}, ["/s", "/p/sessions"]),
    ],
)
def test_the_roots_follow_the_environment(env: dict[str, str], first: list[str]) -> None:
    usual = ["/home/dev/.pi/agent/sessions", "/home/dev/.omp/agent/sessions"]
    assert [str(path) for path in HOST.roots(env, HOME, "linux")] == [*first, *usual]


# https://github.com/Dicklesworthstone/coding_agent_session_search/issues/85: sessions in nested folders
def test_sessions_are_found_at_any_depth(tmp_path: Path) -> None:
    deep = tmp_path / "--home-dev--" / "sub" / "agents"
    deep.mkdir(parents=True)
    path = listed(deep)
    (deep / "notes.txt").write_text("x")
    assert list(HOST.find(tmp_path)) == [Candidate(str(path), "file")]


def test_a_session_is_known_by_its_header(tmp_path: Path) -> None:
    data = listed(tmp_path).read_bytes()
    assert HOST.sniff(data, Path("x"))
    assert HOST.sniff(b"\n" + data, Path("x"))
    assert not HOST.sniff(data.split(b"\n", 1)[1], Path("x.jsonl"))
    assert not HOST.sniff(b'{"type":"session","id":"x"}\n', Path("x.jsonl"))


def test_a_session_whose_header_is_damaged_is_known_by_its_entries_and_named_by_its_file() -> None:
    entry = (
        b'{"type":"message","id":"a1","parentId":null,"timestamp":"2026-11-06T15:02:41.000Z",'
        b'"message":{"role":"user","content":"hi"}}'
    )
    lines = [b'{"type":"session","version":3,"id":"0', entry]
    path = Path(f"2026-11-06T15-02-40-118Z_{SESSION}.jsonl")
    assert HOST.sniff(b"\n".join(lines), path)
    assert HOST.head(path, lines) == Head(SESSION, "")
    assert HOST.head(Path("copied.jsonl"), lines) == Head("copied", "")
    listed_entry = entry.replace(b'"id":"a1","parentId":null,', b"")
    assert HOST.sniff(b"\n".join([lines[0], listed_entry]), path)
    assert not HOST.sniff(b"not json\n" + b'{"type":"message","text":"hi"}', path)
    assert HOST.head(path, lines[:1]) is None


def head_of(path: Path, lines: int = 9) -> Head | None:
    return HOST.head(path, path.read_bytes().splitlines()[:lines])


def test_a_head_is_the_sessions_header(tmp_path: Path) -> None:
    assert head_of(listed(tmp_path), 1) == Head(SESSION, "/home/dev/project")


@pytest.mark.parametrize("stamped_anew", [False, True])
def test_a_branch_of_version_1_names_its_parent(tmp_path: Path, stamped_anew: bool) -> None:
    path = branch(listed(tmp_path), tmp_path, stamped_anew=stamped_anew)
    assert head_of(path, 1) is None
    assert head_of(path) == Head(BRANCH, "/home/dev/project", SESSION, "fork")


def test_a_fork_begins_with_what_it_copied() -> None:
    main, fork = sorted(RECORDED.glob("*.jsonl"))
    found = head_of(fork)
    assert found is not None
    assert (found.parent, found.relation) == (main.stem.partition("_")[2], "fork")


def test_a_session_that_only_names_another_goes_on_from_it(tmp_path: Path) -> None:
    header = (
        b'{"type":"session","version":3,"id":"n","timestamp":"2026-01-01T00:00:00Z","cwd":"/x",'
        b'"parentSession":"C:\\\\s\\\\2025-01-01T00-00-00-000Z_old.jsonl"}'
    )
    row = b'{"type":"message","id":"a","timestamp":"2026-01-01T00:00:01Z","message":{"role":"user","content":"x"}}'
    assert HOST.head(tmp_path / "x", [header, row]) == Head("n", "/x", "old", "continuation")


@pytest.mark.parametrize(
    ("session", "origin", "expected"),
    [
        ("s", "/h/.pi/agent/sessions/--x--/a/2025_s.jsonl", "--x--/a/2025_s.jsonl"),
        ("s", "C:\\Users\\d\\.pi\\agent\\sessions\\--C--x--\\2025_s.jsonl", "--C--x--/2025_s.jsonl"),
        ("s", "/tmp/2025-01-01_s.jsonl", "--home-dev-project--/2025-01-01_s.jsonl"),
        ("s", "/tmp/copy.jsonl", "--home-dev-project--/1970-01-01T00-00-00-000Z_s.jsonl"),
        (UUID7, "/tmp/copy", f"--home-dev-project--/2026-11-29T23-11-41-804Z_{UUID7}.jsonl"),
    ],
)
def test_a_session_goes_where_the_host_looks_for_it(session: str, origin: str, expected: str) -> None:
    assert HOST.restore_name(Head(session, "/home/dev/project"), origin) == expected
