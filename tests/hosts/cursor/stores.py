"""Cursor's conversations as its editor, its command line and its transcripts have them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from unabridged.hosts.cursor import HOST

PROJECT = "/home/ann/harbour"
TALK = "11111111-aaaa-4aaa-8aaa-111111111111"
SIDE = "22222222-aaaa-4aaa-8aaa-222222222222"
OLD = "33333333-aaaa-4aaa-8aaa-333333333333"
CHAT = "44444444-aaaa-4aaa-8aaa-444444444444"
TABS = "workbench.panel.aichat.view.aichat.chatdata"
SECRET = "never-to-be-read-9f8e7d"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

Value = dict[str, Any]


# --- the editor -------------------------------------------------------------------------------------------------------


def bubble(name: str, kind: int, text: str, second: int = 0, **more: Any) -> Value:
    stamp = f"2026-03-01T10:00:{second:02d}.000Z"
    return {"_v": 3, "type": kind, "bubbleId": name, "text": text, "createdAt": stamp, **more}


def tool(name: str, call: str, args: Value, result: Any, status: str = "completed") -> Value:
    made = {"name": name, "toolCallId": call, "rawArgs": json.dumps(args), "status": status}
    return made if result is None else {**made, "result": json.dumps(result)}


def bubbles() -> list[Value]:
    """A conversation with calls, a picture, an error."""
    run = tool("run_terminal_cmd", "call_2", {"command": "wc -l"}, {"output": "2", "exitCode": 3})
    own = tool("mcp_unabridged_search", "call_3", {"query": "crane"}, None, "running")
    return [
        bubble("b1", 1, "How much does the harbour crane lift?", 1, workspaceUris=[f"file://{PROJECT}"]),
        bubble("b2", 2, "", 2, thinking={"text": "The notes should say it."}),
        bubble(
            "b3",
            2,
            "",
            3,
            toolFormerData=tool("read_file", "call_1", {"path": "notes.txt"}, {"contents": "40 t"}),
        ),
        bubble("b4", 2, "I count the lines.", 4, toolFormerData=run),
        bubble("b5", 2, "It lifts forty tonnes.", 5, modelInfo={"modelName": "other-model"}),
        bubble("b6", 1, "Look at this plan", 6, images=[{"mimeType": "image/png", "data": PNG}]),
        bubble("b7", 2, "naïve 数据库 🙂", 7, errorDetails={"message": "The connection was lost."}),
        bubble("b8", 2, "", 8, toolFormerData=own),
    ]


def described(composer: str, names: list[str], **more: Any) -> Value:
    headers = [{"bubbleId": bubble_name, "type": 2} for bubble_name in names]
    own = {
        "_v": 10,
        "composerId": composer,
        "createdAt": 1_772_359_200_000,
        "fullConversationHeadersOnly": headers,
        "modelConfig": {"modelName": "fake-model"},
        "blobEncryptionKey": SECRET,
    }
    return {**own, **more}


def put(connection: sqlite3.Connection, key: str, value: Any) -> None:
    connection.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, json.dumps(value, ensure_ascii=False)))


def put_setting(connection: sqlite3.Connection, key: str, value: Any) -> None:
    connection.execute("INSERT INTO ItemTable VALUES (?, ?)", (key, json.dumps(value)))


def talk(connection: sqlite3.Connection, talk_name: str, said: list[Value], **more: Any) -> None:
    """Write a conversation, or write it anew."""
    for item in said:
        put(connection, f"bubbleId:{talk_name}:{item['bubbleId']}", item)
    put(
        connection,
        f"composerData:{talk_name}",
        described(talk_name, [item["bubbleId"] for item in said], **more),
    )


def tables(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")
    for table in ("ItemTable", "cursorDiskKV"):
        connection.execute(
            f"CREATE TABLE IF NOT EXISTS {table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"
        )
    return connection


def editor(user: Path) -> Path:
    """The editor's database, with a conversation, its subagent's, one of an older version, and a draft."""
    path = user / "globalStorage" / "state.vscdb"
    with closing(tables(path)) as connection:
        connection.execute("INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', ?)", (SECRET,))
        talk(connection, TALK, bubbles(), name="Load of the crane", workspaceIdentifier={"id": "w1"})
        said = [bubble("s1", 1, "Who owns the crane?", 1), bubble("s2", 2, "The port.", 2)]
        talk(connection, SIDE, said, subagentInfo={"parentComposerId": TALK})
        inline = [bubble("o1", 1, "And the ferry?", 1), bubble("o2", 2, "Twenty cars.", 2)]
        put(connection, f"composerData:{OLD}", {**described(OLD, []), "conversation": inline})
        put(connection, "composerData:draft", described("draft", []))
        put(connection, "bubbleId:other:x", None)
    workspace = user / "workspaceStorage" / "w1"
    workspace.mkdir(parents=True, exist_ok=True)
    (workspace / "workspace.json").write_text(json.dumps({"folder": f"file://{PROJECT}"}))
    return path


def workspace_chat(user: Path) -> Path:
    """A workspace's database of a version that kept conversations there."""
    path = user / "workspaceStorage" / "w2" / "state.vscdb"
    with closing(tables(path)) as connection:
        connection.execute("DROP TABLE cursorDiskKV")
        said = [{"type": "user", "text": "How deep is it?"}, {"type": "ai", "rawText": "Nine metres."}]
        tab = {"tabId": "tab-1", "chatTitle": "Depth", "bubbles": said, "lastSendTime": 1}
        put_setting(connection, TABS, {"tabs": [tab, {"tabId": "empty"}]})
        put_setting(connection, "composer.composerData", {"allComposers": [{"composerId": OLD}]})
    (path.parent / "workspace.json").write_text(json.dumps({"folder": f"file://{PROJECT}%20two"}))
    return path


# --- the command line -------------------------------------------------------------------------------------------------


def messages() -> list[Value]:
    """Messages of a session of the command line."""
    asked = "<user_info>\nOS: linux\n</user_info>\n<user_query>\nHow much does the crane lift?\n</user_query>"
    call = {"type": "tool-call", "toolCallId": "c1", "toolName": "Read", "args": {"path": "notes.txt"}}
    result = {"type": "tool-result", "toolCallId": "c1", "toolName": "Read", "result": "40 t"}
    failed = {"type": "tool-result", "toolCallId": "c2", "toolName": "Shell", "result": "no", "isError": True}
    options = {"cursor": {"modelName": "model-of-block"}}
    return [
        {"role": "system", "content": "You are an AI coding assistant."},
        {"role": "user", "content": asked},
        {
            "id": "1",
            "role": "assistant",
            "content": [{"type": "reasoning", "text": "hm", "providerOptions": options}, call],
        },
        {"role": "tool", "id": "c1", "content": [result]},
        {"role": "tool", "id": "c2", "content": [failed]},
        {"id": "1", "role": "assistant", "content": [{"type": "text", "text": "It lifts forty tonnes."}]},
        {"role": "user", "content": "<user_query>\nok\n</user_query>"},
        {"role": "user", "content": "<user_query>\nok\n</user_query>"},
    ]


def field(number: int, payload: bytes) -> bytes:
    """A field of a message of Protocol Buffers that has a length."""
    size = len(payload)
    length = bytes([size]) if size < 0x80 else bytes([size & 0x7F | 0x80, size >> 7])
    return bytes([number << 3 | 2]) + length + payload


def store(cursor: Path, said: list[Value], earlier: list[Value] | None = None) -> Path:
    """A session's store; `earlier`: the conversation as it was before it was taken back."""
    path = cursor / "chats" / "5f0c" / CHAT / "store.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("CREATE TABLE IF NOT EXISTS blobs (id TEXT PRIMARY KEY, data BLOB)")
        connection.execute("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT)")
        root = ""
        for conversation in ([earlier] if earlier else []) + [said]:
            root = listed(connection, conversation)
        about = {
            "agentId": CHAT,
            "latestRootBlobId": root,
            "name": "Crane",
            "createdAt": 1_772_359_200_000,
            "lastUsedModel": "fake-model",
        }
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('0', ?)", (json.dumps(about).encode().hex(),))
    return path


def listed(connection: sqlite3.Connection, said: list[Value]) -> str:
    """Write messages and the list of them; returns the list's name."""
    data = b""
    for message in said:
        text = json.dumps(message, ensure_ascii=False).encode()
        digest = hashlib.sha256(text)
        connection.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?)", (digest.hexdigest(), text))
        data += field(1, digest.digest())
    data += field(9, f"file://{PROJECT}".encode()) + b"\x10\x07"
    root = hashlib.sha256(data).hexdigest()
    connection.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?)", (root, data))
    return root


# --- transcripts ------------------------------------------------------------------------------------------------------


def transcript_lines() -> bytes:
    """A transcript of the host's own."""
    asked = f"<user_info>\nWorkspace Path: {PROJECT}\n</user_info>\n<user_query>\nHow much?\n</user_query>"
    use = {"type": "tool_use", "name": "Read", "input": {"path": "notes.txt"}}
    rows: list[Value] = [
        {"role": "user", "message": {"content": [{"type": "text", "text": asked}]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "I look."}, use]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "Forty tonnes."}]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "[REDACTED]"}]}},
        {"type": "turn_ended", "status": "completed"},
    ]
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def transcript(cursor: Path, name: str, below: str = "") -> Path:
    """A transcript where the host has it; `below`: the session that it is a subagent's of."""
    folder = cursor / "projects" / "home-ann-harbour" / "agent-transcripts" / (below or name)
    folder = folder / "subagents" if below else folder
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_bytes(transcript_lines())
    return path


def rows_of(path: Path, stream: str, state: bytes = b"") -> tuple[list[bytes], bytes]:
    """All that further looks at a conversation give."""
    found: list[bytes] = []
    while True:
        more, state = HOST.rows(path, stream, state)
        if not more:
            return found, state
        found += more
