"""A session that was made from another one shares what it took over, and has the rest for itself."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.hosts.cline import tasks
from tests.hosts.cursor import stores
from tests.hosts.gemini import chats
from unabridged.hosts import cline, cursor, gemini
from unabridged.hosts.conformance import forks_share

OTHER = "99999999-bbbb-4bbb-8bbb-999999999999"


def test_a_copy_of_a_session_of_gemini_cli_shares(tmp_path: Path) -> None:
    said = [chats.user("u1", "How much?", 1), chats.answer("g1", "Forty tonnes.", 2, chats.READ)]
    parent, fork = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    parent.write_bytes(chats.lines([chats.header(), *said]))
    own = chats.user("u9", "And the ferry?", 9)
    fork.write_bytes(chats.lines([chats.header(OTHER), *said, own]))
    assert forks_share(gemini.HOST, parent, fork) == 5


def test_a_session_of_cline_that_goes_on_from_a_checkpoint_shares(tmp_path: Path) -> None:
    files: list[Path] = []
    own = tasks.message("u-9", "user", 9, tasks.text("And the ferry?"))
    for name, messages in (("a", tasks.newer()), ("b", [*tasks.newer()[:3], own])):
        path = tmp_path / name / f"{name}.messages.json"
        path.parent.mkdir()
        path.write_bytes(tasks.whole(messages, sessionId=name))
        rows = tmp_path / f"{name}.jsonl"
        rows.write_bytes(b"".join(tasks.rows_of(path)[0]))
        files.append(rows)
    assert forks_share(cline.HOST, *files) == 7


def test_a_duplicate_of_a_conversation_of_cursor_shares(tmp_path: Path) -> None:
    said = [
        stores.bubble(f"{number}" * 36, 1 + number % 2, f"words {number}", number) for number in range(1, 5)
    ]
    path = tmp_path / "state.vscdb"
    with closing(stores.tables(path)) as connection:
        stores.talk(connection, stores.TALK, said)
        stores.talk(connection, OTHER, [*said[:2], stores.bubble("9" * 36, 1, "And the ferry?", 9)])
    files: list[Path] = []
    for name in (stores.TALK, OTHER):
        rows = tmp_path / f"{name}.jsonl"
        rows.write_bytes(b"".join(stores.rows_of(path, name)[0]))
        files.append(rows)
    assert forks_share(cursor.HOST, *files) == 2


def test_the_same_words_in_two_sessions_of_the_command_line_are_two(tmp_path: Path) -> None:
    identities: list[set[str]] = []
    for folder in ("a", "b"):
        path = stores.store(tmp_path / folder, stores.messages())
        rows = stores.rows_of(path, stores.CHAT)[0]
        head = cursor.HOST.head(path, [rows[0].replace(stores.CHAT.encode(), folder.encode())])
        assert head is not None
        reader = cursor.HOST.reader(str(path), head, b"", 1)
        identities.append({block.identity for row in rows for block in reader.read(row, 1).blocks})
    assert not identities[0] & identities[1]
