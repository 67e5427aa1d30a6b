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
