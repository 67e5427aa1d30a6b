"""Where sessions are, and how they are told from other files."""

from __future__ import annotations

import json
from pathlib import Path

from tests.hosts.opencode.recorded import MAIN, RECORDED, Hand, database, rows
from unabridged.hosts.contract import Candidate
from unabridged.hosts.opencode import HOST

EXPORT = RECORDED / "export.json"


def test_the_data_folder_is_the_same_everywhere_unless_it_is_configured() -> None:
    home = Path("/home/dev")
    usual = home / ".local/share/opencode"
    kilo = home / ".local" / "share" / "kilo"
    assert HOST.roots({}, home, "darwin") == HOST.roots({}, home, "linux") == [usual, kilo]
    assert HOST.roots({"XDG_DATA_HOME": "/srv"}, home, "linux") == [Path("/srv/opencode"), Path("/srv/kilo")]
    assert HOST.roots({"OPENCODE_DB": "other.db"}, home, "linux") == [usual, usual / "other.db", kilo]
    assert HOST.roots({"OPENCODE_DB": ":memory:"}, home, "linux") == [usual, kilo]


def test_databases_the_older_storage_and_exports_are_found(tmp_path: Path) -> None:
    Hand(tmp_path / "opencode.db").connection.close()
    Hand(tmp_path / "opencode-dev.db").connection.close()
    for folder in ("session/global", "message", "part"):
        (tmp_path / "storage" / folder).mkdir(parents=True)
    (tmp_path / "storage/session/global/ses_1.json").write_text('{"id":"ses_1"}')
    (tmp_path / "saved.json").write_bytes(EXPORT.read_bytes())
    (tmp_path / "auth.json").write_text("{}")
    found = [Path(candidate.path).name for candidate in HOST.find(tmp_path)]
    assert found == ["storage", "opencode-dev.db", "opencode.db", "saved.json"]
    assert {candidate.kind for candidate in HOST.find(tmp_path)} == {"rows"}


def test_what_is_named_is_a_candidate(tmp_path: Path) -> None:
    path = database(tmp_path)
    assert list(HOST.find(path)) == [Candidate(str(path), "rows")]
    (tmp_path / "s/session").mkdir(parents=True)
    (tmp_path / "s/message").mkdir()
    assert list(HOST.find(tmp_path / "s")) == [Candidate(str(tmp_path / "s"), "rows")]


def test_a_database_and_an_export_are_recognised_by_content(tmp_path: Path) -> None:
    hand = Hand(tmp_path / "a.db")
    hand.connection.execute("PRAGMA wal_checkpoint(truncate)")
    assert HOST.sniff(hand.path.read_bytes()[:65_536], Path("x"))
    far = hand.path.read_bytes()[:100]  # its declarations come later
    assert HOST.sniff(far, hand.path)
    assert not HOST.sniff(far, tmp_path / "missing.db")
    assert HOST.sniff(EXPORT.read_bytes()[:65_536], Path("full.jsonl"))
    compact = json.dumps(json.loads(EXPORT.read_text())).encode()
    assert HOST.sniff(compact[:65_536], Path("x"))


def test_other_databases_and_documents_are_not_taken() -> None:
    assert not HOST.sniff(b"SQLite format 3\x00" + b"CREATE TABLE session (id)", Path("opencode.db"))
    assert not HOST.sniff(b'{"info":{"id":"x"},"messages":[]}', Path("x"))
    assert not HOST.sniff(b'{"messages":[{"info":{"id":"ses_1"}}]}', Path("x"))


def test_lines_without_the_session_s_own_name_it_by_its_id(tmp_path: Path) -> None:
    lines, _ = rows(database(tmp_path), MAIN)
    head = HOST.head(Path("x"), lines[1:])
    assert head is not None
    assert (head.host_session, head.cwd) == (MAIN, "")
    assert HOST.head(Path("x"), []) is None


def test_sessions_of_the_host_that_is_made_of_this_one_are_found_and_read(tmp_path: Path) -> None:
    """Kilo Code 7.7 has the same tables, and some of its own, in a file of another name."""
    path = tmp_path / "kilo" / "kilo.db"
    path.parent.mkdir()
    hand = Hand(path, "ses_kilo", title="New session - 2026-11-30T18:35:57.096Z")
    hand.connection.execute("CREATE TABLE kilo_board (id TEXT PRIMARY KEY)")
    hand.message("msg_1", "user")
    hand.part("msg_1", "prt_1", "text", text="Why is it so?")
    (found,) = HOST.find(path.parent)
    assert found == Candidate(str(path), "rows")
    assert HOST.sniff(path.read_bytes()[:65_536], path)
    assert [stream.name for stream in HOST.streams(path)] == ["ses_kilo"]
    assert b"Why is it so?" in b"".join(rows(path, "ses_kilo")[0])
