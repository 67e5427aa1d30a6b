"""A conversation over the pipe: every tool, what goes wrong, and nothing but messages on standard output."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import jsonschema

from tests.daemon.living import SESSION, Home, alive, children, transcript, until
from tests.mcp.conftest import Enter
from unabridged.mcp import opening
from unabridged.mcp.pipe import MAX_LINE
from unabridged.schema import tokens

FRAME_TOKENS = 200  # of an answer's first and last line, its label, its cursor
IDLE = 0.5  # seconds after which a daemon that nobody needs ends

# Writes to standard output, as some libraries do, whenever the process connects to anything.
NOISY = """
import os, sys
def hear(event, _):
    if event == "socket.connect":
        print("a library says hello", flush=True)
        os.write(1, b"and so does another\\n")
sys.addaudithook(hear)
"""


def test_every_tool_answers(shared: Home, enter: Enter, tmp_path: Path) -> None:
    agent = enter(shared)
    path = transcript(tmp_path / "t.jsonl", SESSION, 3, folder=str(tmp_path / "project"), words="zirconium")
    with shared.connect() as client:
        client.call("import", {"paths": [str(path)], "host": "claude-code"}, timeout=60.0)
    assert [tool["name"] for tool in agent.ask("tools/list")["result"]["tools"]] == [
        *("search", "grep", "recall", "gather", "traverse", "sessions", "remember", "correct", "status")
    ]
    hits = agent.data("search", query="zirconium1", limit=2)["hits"]
    assert "zirconium1" in hits[0]["snippet"]
    passage = agent.data("recall", target=hits[0]["handle"], neighbors=1)
    assert passage["status"] == "resolved"
    assert "zirconium1" in passage["text"]
    assert "\n| user says zirconium1" in agent.text("recall", target=hits[0]["handle"], neighbors=1)
    assert len(agent.data("grep", pattern="says zirconium[0-9]", roles=["user"])["hits"]) == 3
    (session,) = agent.data("sessions", host="claude-code")["sessions"]
    assert session["host_session"] == SESSION
    assert "events of" in agent.text("status")
    assert agent.data("status")["ok"] is True
    assert agent.data("remember", text="Zirconium is not zinc.", title="metals")["document"]
    assert agent.data("search", query="zinc")["hits"][0]["host"] == "note"
    assert agent.data("correct", target=hits[0]["handle"], text="It was zirconium7.")["corrects"]


def test_a_question_is_gathered_and_its_conversation_walked(
    shared: Home, enter: Enter, tmp_path: Path
) -> None:
    agent = enter(shared, tmp_path / "gathering")
    other = "33333333-2222-4333-8444-555555555555"
    folder = str(tmp_path / "gathering")
    path = transcript(tmp_path / "g.jsonl", other, 8, folder=folder, words="beryllium", filler=60)
    with shared.connect() as client:
        client.call("import", {"paths": [str(path)], "host": "claude-code"}, timeout=60.0)
    packet = agent.data("gather", query="beryllium5", limit=1, max_tokens=900)
    assert packet["status"] == "ok"
    (hit,) = [item for item in packet["evidence"] if item.get("hit")]
    assert "beryllium5" in hit["text"]
    assert agent.data("recall", target=hit["handle"], max_tokens=20_000)["text"] == hit["text"]
    text = agent.text("gather", query="beryllium5", limit=1, max_tokens=900)
    assert tokens.by_script(text.encode()) < 900 + FRAME_TOKENS
    assert packet["next"]
    more = agent.data("gather", query="beryllium5", limit=1, max_tokens=900, cursor=packet["next"])
    texts = [item["text"] for item in [*packet["evidence"], *more["evidence"]]]
    assert len(texts) == len(set(texts))
    assert agent.refusal("gather", query="other", cursor=packet["next"])["code"] == "invalid-cursor"
    page = agent.data("traverse", target=hit["handle"], before=1, after=1)
    assert [step.get("hit", False) for step in page["steps"]] == [False, True, False]
    later = agent.data("traverse", target=hit["handle"], after=2, cursor=page["next"])
    assert len(later["steps"]) == 2
    assert "missing" in agent.text("traverse", target="wsymn0bc0g0ckw")
    for name, arguments in (("gather", {"query": "beryllium1"}), ("traverse", {"target": hit["handle"]})):
        (listed,) = [tool for tool in agent.ask("tools/list")["result"]["tools"] if tool["name"] == name]
        jsonschema.validate(agent.data(name, **arguments), listed["outputSchema"])


def test_a_handle_stands_for_its_session_and_its_document(shared: Home, enter: Enter, tmp_path: Path) -> None:
    agent = enter(shared, tmp_path / "handles")
    agent.data("remember", text="The valve opens at 40 bar.")
    (hit,) = agent.data("search", query="valve")["hits"]
    (same,) = agent.data("search", query="valve", session=hit["handle"])["hits"]
    assert same["handle"] == hit["handle"]
    assert agent.data("grep", pattern="valve", session=hit["session"])["hits"]
    newer = agent.data("remember", text="The valve opens at 42 bar.", supersedes=hit["handle"])
    older = agent.data("recall", target=hit["handle"])
    assert older["status"] == "superseded"
    assert older["replaced_by"] == newer["handle"]


def test_errors_are_results_that_a_model_can_act_on(shared: Home, enter: Enter) -> None:
    agent = enter(shared)
    assert agent.refusal("search")["code"] == "invalid-input"
    assert agent.refusal("recall", target="no such thing")["hint"]
    assert agent.refusal("grep", pattern="(")["code"] == "invalid-pattern"
    assert agent.refusal("search", query="x", session="w000000000000000")["code"] in (
        "invalid-input",
        "session-not-found",
    )
    assert agent.refusal("search", query="x", cursor="nonsense")["code"] == "invalid-cursor"
    assert agent.ask("tools/call", {"name": "erase", "arguments": {}})["error"]["code"] == -32602
    assert agent.ask("no/such/method")["error"]["code"] == -32601
    assert agent.ask("ping")["result"] == {}


def test_separators_in_archived_text_are_no_ends_of_lines(shared: Home, enter: Enter, tmp_path: Path) -> None:
    agent = enter(shared, tmp_path / "separators")
    text = "The gauge\u2028reads\u2029nine\x85bar."
    agent.data("remember", text=text)
    (hit,) = agent.data("search", query="gauge")["hits"]
    assert agent.data("recall", target=hit["handle"])["text"] == text


def test_any_text_is_a_query(shared: Home, enter: Enter) -> None:
    agent = enter(shared)
    for query in ("", "AND OR NOT", '"', "(", "*", "a\0b", "数据库迁移", "\u2028", "x" * 100_000):
        assert agent.data("search", query=query)["status"] in ("ok", "empty")


def test_lines_that_are_no_messages_are_answered_and_the_conversation_goes_on(
    shared: Home, enter: Enter
) -> None:
    agent = enter(shared)
    for line, code in (
        (b"hello\n", opening.PARSE),
        (b"\xff\xfe\n", opening.PARSE),
        (b'{"jsonrpc": "2.0", "id": 9, "me\n', opening.PARSE),
        (b"[" * 100_000 + b"\n", opening.PARSE),
        (b"[1, 2]\n", opening.INVALID_REQUEST),
        (b"null\n", opening.INVALID_REQUEST),
    ):
        agent.raw(line)
        assert agent.answer(None)["error"]["code"] == code
    for odd in ({"params": [1]}, {"params": 7}, {"jsonrpc": "1.0"}, {"id": True}, {"id": None}, {"id": {}}):
        message = {"jsonrpc": "2.0", "id": "odd", "method": "ping", **odd}
        agent.send(message)
        expected = message["id"] if isinstance(message["id"], str) else None
        assert agent.answer(expected)["error"]["code"] == opening.INVALID_REQUEST
    agent.raw(b"\n  \n\r\n" + b'{"jsonrpc": "2.0"}\n')
    agent.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}})
    agent.send({"jsonrpc": "2.0", "method": "notifications/nobody/knows"})
    assert agent.data("status")["ok"] is True


def test_a_message_that_is_too_long_costs_itself_alone(shared: Home, enter: Enter) -> None:
    agent = enter(shared)
    agent.raw(b'{"jsonrpc": "2.0", "id": 1, "x": "' + b"x" * MAX_LINE + b'"}\n')
    assert agent.answer(None)["error"]["code"] == opening.INVALID_REQUEST
    assert agent.data("status")["ok"] is True


# https://github.com/campfirein/byterover-cli/pull/278, https://github.com/hurttlocker/o8/issues/1541 and
# https://github.com/mcp-hangar/mcp-hangar/issues/563: what a library prints stands between the messages.
def test_nothing_that_a_library_prints_reaches_the_host(shared: Home, enter: Enter, tmp_path: Path) -> None:
    (tmp_path / "noise").mkdir()
    (tmp_path / "noise" / "sitecustomize.py").write_text(NOISY)
    paths = os.pathsep.join((str(tmp_path / "noise"), os.environ.get("PYTHONPATH", "")))
    agent = enter(shared, env={"PYTHONPATH": paths})
    assert agent.data("status")["ok"] is True  # `Agent` fails on a line that is no message
    agent.process.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
    assert agent.process.wait(30) == 0
    assert agent.process.stderr is not None
    said = agent.process.stderr.read()
    assert b"a library says hello" in said
    assert b"and so does another" in said


def test_a_client_of_the_newest_protocol_needs_no_handshake(shared: Home, enter: Enter) -> None:
    agent = enter(shared, begin=False)
    meta = {
        opening.VERSION_KEY: opening.ENVELOPES[-1],
        opening.CLIENT_KEY: {"name": "a test", "version": "1"},
        opening.ABILITIES_KEY: {},
    }
    assert agent.ask("server/discover", {"_meta": meta})["result"]["supportedVersions"] == [
        *opening.ENVELOPES
    ]
    answer = agent.ask("tools/call", {"name": "status", "arguments": {}, "_meta": meta})
    assert answer["result"]["structuredContent"]["ok"] is True


def test_a_discovery_can_be_followed_by_the_older_handshake(shared: Home, enter: Enter) -> None:
    agent = enter(shared, begin=False)
    meta = {
        opening.VERSION_KEY: opening.ENVELOPES[-1],
        opening.CLIENT_KEY: {"name": "a test", "version": "1"},
        opening.ABILITIES_KEY: {},
    }
    agent.ask("server/discover", {"_meta": meta})
    agent.begin()
    assert agent.data("status")["ok"] is True


def test_a_cancelled_request_is_withdrawn_and_never_answered(shared: Home, enter: Enter) -> None:
    agent = enter(shared)
    agent.data("status")
    os.kill(shared.pid, signal.SIGSTOP)
    try:
        number = agent.request("tools/call", {"name": "search", "arguments": {"query": "x"}})
        agent.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        assert agent.ask("ping")["result"] == {}
    finally:
        os.kill(shared.pid, signal.SIGCONT)
    assert agent.data("status")["ok"] is True
    assert number not in [message.get("id") for message in agent.heard]


def test_many_requests_at_once_are_each_answered(shared: Home, enter: Enter) -> None:
    agent = enter(shared)
    numbers = [agent.request("tools/call", {"name": "status", "arguments": {}}) for _ in range(40)]
    for number in numbers:
        assert number in [message.get("id") for message in agent.heard] or agent.answer(number)["result"]


def test_a_pipe_whose_host_leaves_answers_what_it_was_asked_and_ends(shared: Home, enter: Enter) -> None:
    agent = enter(shared, begin=False)
    shake: dict[str, Any] = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a test", "version": "1"},
    }
    agent.request("initialize", shake)
    agent.request("tools/call", {"name": "status", "arguments": {}})
    output, _ = agent.process.communicate(timeout=60)
    lines = [json.loads(line) for line in output.splitlines()]
    assert [line["id"] for line in lines] == [1, 2]
    assert lines[1]["result"]["structuredContent"]["ok"] is True
    assert agent.process.returncode == 0


def test_agents_share_one_process_that_ends_with_the_daemon(home: Home, enter: Enter, tmp_path: Path) -> None:
    agents = [enter(home, tmp_path / name) for name in ("a", "b")]
    for agent in agents:
        agent.data("status")
    with home.connect() as client:
        told = [client.call("mcp") for _ in range(2)]
        assert told[0] == told[1]
        pid = told[0]["pid"]
        assert pid in children(home.pid)
        assert client.call("daemon.status")["daemon"]["mcp"] == {"pid": pid, "agents": 2}
        daemon = home.pid
        client.call("shutdown")
    until(lambda: not alive(daemon) and not alive(pid))
    assert not Path(told[0]["socket"]).exists()
    assert [agent.end() for agent in agents] == [0, 0]


def test_an_open_conversation_keeps_the_daemon_and_its_end_lets_it_go(home: Home, enter: Enter) -> None:
    home.configure(disk={"free_bytes": 0}, daemon={"idle_seconds": IDLE})
    agent = enter(home)
    agent.ask("ping")
    daemon = home.pid
    with home.connect() as client:
        pid = client.call("mcp")["pid"]
    agent.ask("ping")
    time.sleep(4 * IDLE)  # nobody asks anything, but the agent is still there
    assert alive(daemon)
    agent.end()
    until(lambda: not alive(daemon) and not alive(pid))
    assert not alive(daemon)


def test_every_handle_that_a_tool_gives_is_taken_by_every_tool(
    shared: Home, enter: Enter, tmp_path: Path
) -> None:
    agent = enter(shared, tmp_path / "everywhere")
    folder = str(tmp_path / "everywhere")
    path = transcript(tmp_path / "e.jsonl", "8" * 8 + SESSION[8:], 3, folder=folder, words="tellurium")
    with shared.connect() as client:
        client.call("import", {"paths": [str(path)], "host": "claude-code"}, timeout=60.0)
    noted = agent.data("remember", text="Tellurium is brittle.")
    second = agent.data("correct", target=noted["handle"], text="Tellurium is brittle and rare.")
    given = {
        "search": agent.data("search", query="tellurium1")["hits"][0]["handle"],
        "grep": agent.data("grep", pattern="tellurium1")["hits"][0]["handle"],
        "gather": agent.data("gather", query="tellurium1")["evidence"][0]["handle"],
        "remember": noted["handle"],
        "correct": second["handle"],
        "corrects": second["corrects"],
        "replaced_by": agent.data("recall", target=noted["handle"])["replaced_by"],
    }
    steps = agent.data("traverse", target=given["search"])["steps"]
    given["traverse"] = steps[0]["handle"]
    for source, handle in given.items():
        assert len(handle) <= 24, source
        assert agent.data("recall", target=handle)["text"], source
        assert agent.data("traverse", target=handle)["steps"], source
        for tool in ("search", "gather"):
            agent.data(tool, query="tellurium", session=handle, working_set=[handle])
        assert agent.data("grep", pattern="[Tt]ellurium", session=handle)["hits"], source
    newest = agent.data("remember", text="Tellurium is rare.", supersedes=given["correct"])
    assert agent.data("recall", target=given["remember"])["replaced_by"] == newest["handle"]
    for source in ("search", "traverse", "grep"):
        if agent.data("recall", target=given[source])["status"] == "resolved":
            assert agent.data("correct", target=given[source], text=f"No, says {source}.")["corrects"]
    refused = agent.refusal("correct", target=given["remember"], text="Too late.")
    assert refused["code"] == "conflict"
    assert agent.data("recall", target=refused["details"]["live_handle"])["status"] == "resolved"
