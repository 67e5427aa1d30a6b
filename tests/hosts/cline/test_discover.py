"""Cline's conversations are found in every editor, and told from other files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.hosts.cline.tasks import (
    AGENT,
    PROJECT,
    SESSION,
    TASK,
    newer,
    older,
    rows_of,
    session_files,
    shown,
    task_file,
    whole,
)
from unabridged.errors import NotRestorable
from unabridged.hosts.cline import HOST
from unabridged.hosts.contract import Head

HOME = Path("/home/ann")
CLINE = "User/globalStorage/saoudrizwan.claude-dev/tasks"


def head(path: Path) -> Head:
    found = HOST.head(path, rows_of(path)[0])
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("platform", "env", "wanted"),
    [
        ("linux", {}, HOME / ".cline/data/sessions"),
        ("linux", {}, HOME / ".config/Code" / CLINE),
        ("linux", {"XDG_CONFIG_HOME": "/cfg"}, Path("/cfg/VSCodium") / CLINE),
        ("linux", {}, HOME / ".vscode-server/data" / CLINE),
        ("darwin", {}, HOME / "Library/Application Support/Cursor" / CLINE),
        ("win32", {"APPDATA": "/r"}, Path("/r/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks")),
        ("win32", {}, HOME / "AppData/Roaming/Code/User/globalStorage/kilocode.kilo-code/tasks"),
        ("linux", {"CLINE_DIR": "/c"}, Path("/c/data/sessions")),
        ("linux", {"CLINE_DATA_DIR": "/d"}, Path("/d/tasks")),
        ("linux", {"CLINE_SESSION_DATA_DIR": "/s"}, Path("/s")),
    ],
)
def test_conversations_lie_where_the_editor_or_a_variable_says(
    platform: str, env: dict[str, str], wanted: Path
) -> None:
    assert wanted in HOST.roots(env, HOME, platform)


def test_each_conversation_is_found_once_and_nothing_beside_it(tmp_path: Path) -> None:
    main, side = session_files(tmp_path / "data")
    (main.parent / f"{SESSION}.compaction.json").write_text('{"version":1,"messages":[]}')
    path = task_file(tmp_path, older())
    task_file(tmp_path, shown(), "ui_messages.json")
    task_file(tmp_path, {}, "task_metadata.json")
    copies = path.parent / "checkpoints" / "tasks" / "x"
    copies.mkdir(parents=True)
    (copies / "api_conversation_history.json").write_text("[]")
    alone = task_file(tmp_path / "lost", shown(), "ui_messages.json")
    found = [(Path(item.path), item.kind) for item in HOST.find(tmp_path)]
    assert sorted(found) == sorted((item, "rows") for item in (main, side, path, alone))


def test_a_document_is_known_by_what_it_holds(tmp_path: Path) -> None:
    elsewhere = Path("renamed.json")
    assert HOST.sniff(whole(newer()), elsewhere)
    assert HOST.sniff(json.dumps(older()).encode(), elsewhere)
    assert HOST.sniff(json.dumps({"version": 2, "messages": older()}).encode(), elsewhere)
    assert HOST.sniff(json.dumps(shown()).encode(), elsewhere)
    plain = json.dumps([{"role": "user", "content": "hello"}]).encode()
    assert not HOST.sniff(plain, elsewhere)  # anybody's messages
    assert HOST.sniff(plain, Path("tasks/1/api_conversation_history.json"))
    assert not HOST.sniff(b'{"sessionId":"x","projectHash":"y","messages":[]}', elsewhere)  # Gemini CLI's


def test_a_session_is_described_by_its_manifest(tmp_path: Path) -> None:
    main, side = session_files(tmp_path)
    assert head(main) == Head(SESSION, PROJECT, title="Load of the crane")
    assert head(side) == Head(f"{SESSION}__{AGENT}", PROJECT, SESSION, "subagent")


def test_a_title_that_the_host_makes_later_is_told(tmp_path: Path) -> None:
    main, _ = session_files(tmp_path)
    rows, state = rows_of(main)
    manifest = main.with_name(f"{SESSION}.json")
    manifest.write_text(json.dumps({"cwd": PROJECT, "metadata": {"title": "Crane and ferry"}}))
    more, _ = rows_of(main, state)
    reader = HOST.reader(str(main), Head(SESSION, PROJECT, title="Load of the crane"), b"", 1)
    news = [reader.read(row, 1).news for row in [*rows, *more]]
    assert [item.title for item in news if item is not None] == ["Crane and ferry"]


def test_a_task_is_described_by_the_hosts_lists(tmp_path: Path) -> None:
    path = task_file(tmp_path, older())
    assert head(path) == Head(TASK, PROJECT)  # what the model was told
    state = tmp_path / "state"
    state.mkdir()
    entry = {"id": TASK, "task": "Lift it\nnow", "cwdOnTaskInitialization": "/srv/a"}
    (state / "taskHistory.json").write_text(json.dumps([{"id": 7}, {"id": "other", "task": "no"}, entry]))
    assert head(path) == Head(TASK, "/srv/a", title="Lift it")
    item = {"id": TASK, "task": "Roo's", "workspace": "/srv/b", "parentTaskId": "parent-task"}
    path.with_name("history_item.json").write_text(json.dumps(item))
    assert head(path) == Head(TASK, "/srv/b", "parent-task", "subagent", title="Roo's")


def test_nothing_is_written_back() -> None:
    assert HOST.restore_name(Head(SESSION), "x") == ""
    with pytest.raises(NotRestorable):
        HOST.restore([])
