"""Where rollouts are, and how they are told from other files."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import zstandard

from tests.hosts.codex.rollout import PARENT, THREAD, encoded, header, read, said
from unabridged.hosts.codex import HOST
from unabridged.hosts.contract import Candidate, Head

RECORDED = Path(__file__).parents[1] / "fixtures" / "codex"
NAME = f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl"


def test_the_host_s_folder_is_the_configured_one_or_the_usual_one() -> None:
    home = Path("/home/dev")
    assert HOST.roots({}, home, "linux") == [home / ".codex"]
    assert HOST.roots({"CODEX_HOME": "/srv/codex"}, home, "darwin") == [Path("/srv/codex")]


def put(path: Path, data: bytes = b"{}\n") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return str(path)


def test_running_and_archived_rollouts_are_found_and_nothing_else(tmp_path: Path) -> None:
    running = put(tmp_path / "sessions/2026/05/01" / NAME)
    packed = put(tmp_path / "sessions/2026/05/02" / f"{NAME}.zst")
    archived = put(tmp_path / "archived_sessions" / NAME)
    for other in (
        "history.jsonl",
        "session_index.jsonl",
        "state_5.sqlite",
        "log/codex.jsonl",
        "sessions/x.json",
    ):
        put(tmp_path / other)
    assert list(HOST.find(tmp_path)) == [Candidate(path, "file") for path in (running, packed, archived)]


def test_of_a_compressed_rollout_and_its_plain_twin_the_plain_one_is_read(tmp_path: Path) -> None:
    plain = put(tmp_path / NAME)
    put(tmp_path / f"{NAME}.zst")
    assert list(HOST.find(tmp_path)) == [Candidate(plain, "file")]


def test_a_named_file_is_a_candidate_under_any_name(tmp_path: Path) -> None:
    path = put(tmp_path / "copy.txt", b"\n".join(encoded([header()])))
    assert list(HOST.find(Path(path))) == [Candidate(path, "file")]


def test_a_document_of_the_first_versions_is_a_stream(tmp_path: Path) -> None:
    document = {
        "session": {"id": THREAD, "timestamp": "2025-05-01T10:00:00.000Z", "instructions": ""},
        "items": [],
    }
    path = put(tmp_path / "rollout-2025-05-01-x.json", json.dumps(document, indent=2).encode())
    assert list(HOST.find(tmp_path)) == [Candidate(path, "rows")]


def test_rollouts_are_recognised_by_content() -> None:
    data = (RECORDED / "main.jsonl").read_bytes()
    assert HOST.sniff(data[:4096], Path("full.txt"))
    assert HOST.sniff(zstandard.compress(data)[:65_536], Path("a.zst"))
    assert HOST.sniff(b"\n".join(encoded([said("user", "a slice without a header")])), Path("x"))
    assert HOST.sniff(b'{"id":"x","timestamp":"2025-07-01","instructions":null}\n', Path("x"))


def test_a_compressed_rollout_whose_first_block_is_cut_off_is_told_by_its_name() -> None:
    noise = random.Random(5).randbytes(200_000)
    head = zstandard.compress(noise.hex().encode())[:65_536]
    assert HOST.sniff(head, Path(f"{NAME}.zst"))
    assert not HOST.sniff(head, Path("backup.zst"))


def test_the_newest_name_that_a_person_gave_is_the_title(tmp_path: Path) -> None:
    put(
        tmp_path / "session_index.jsonl",
        b'{"id":"other","thread_name":"Other"}\n'
        + b"".join(
            b'{"id":"%b","thread_name":"%b"}\n' % (THREAD.encode(), name) for name in (b"Old", b"Ports")
        )
        + b'{"torn',
    )
    for place in (f"sessions/2026/05/01/{NAME}", f"archived_sessions/{NAME}"):
        head = HOST.head(Path(put(tmp_path / place)), encoded([header()]))
        assert head is not None
        assert head.title == "Ports"
    other = HOST.head(Path("elsewhere.jsonl"), encoded([header()]))
    assert other is not None
    assert other.title == ""


def test_a_header_longer_than_what_is_looked_at_is_recognised() -> None:
    (line,) = encoded([header(base_instructions={"text": "x" * 100_000})])
    assert HOST.sniff(line[:65_536], Path("x"))


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}',
        b'{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"a"}}',
        b'{"type":"response_item","payload":"text"}',
        b"\x28\xb5\x2f\xfdbroken",
    ],
)
def test_files_of_others_are_not_taken(line: bytes) -> None:
    assert not HOST.sniff(line + b"\n", Path(NAME))


def test_a_fork_and_a_subagent_name_their_parent() -> None:
    fork = read([header(forked_from_id=PARENT, forked_from_ordinal_exclusive=41)])[0]
    assert fork == Head(THREAD, "/home/dev/app", PARENT, "fork", "40")
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 2}}}
    side = read([header(source=spawn, forked_from_id=PARENT)])[0]
    assert (side.parent, side.relation) == (PARENT, "subagent")
    review = read([header(source={"subagent": "review"})])[0]
    assert (review.parent, review.relation) == ("", "")


def test_a_copied_header_names_the_parent_where_the_own_one_does_not() -> None:
    assert read([header(), header(PARENT), said("user", "a")])[0] == Head(
        THREAD, "/home/dev/app", PARENT, "fork"
    )


def test_a_segment_of_a_thread_belongs_to_the_thread() -> None:
    base = {"thread_id": PARENT, "end_byte_offset": 9, "end_ordinal_exclusive": 3}
    head, _ = read([header(history_base=base)], f"rollout-2026-05-01T10-00-00-{THREAD}_{PARENT}.jsonl")
    assert (head.host_session, head.relation) == (THREAD, "")


def test_a_piece_without_a_header_is_named_by_its_file() -> None:
    assert read([said("user", "a")], NAME)[0] == Head(THREAD)
    assert read([said("user", "a")], "piece.jsonl")[0] == Head("piece")


def test_lines_that_tell_nothing_yet_give_no_name() -> None:
    assert HOST.head(Path(NAME), []) is None
    assert HOST.head(Path(NAME), [b"", b"not json"]) is None
