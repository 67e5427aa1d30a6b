"""An agent with our own extension in it, its model behind it without a gateway, and what is to hold of that."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.daemon.living import Home, until
from tests.support import provider_anthropic, provider_openai
from tests.support.provider import Provider
from tests.support.provider_meter import Meter
from tests.support.story import Story
from tests.support.talks import HOSTS, Host, OpenCodeHost, PiHost
from tests.support.windowed import Session, addresses, environment, named, recalled
from unabridged.daemon.client import Client
from unabridged.hosts import shims
from unabridged.window.messages import Kind
from unabridged.window.providers.adapters import ADAPTERS

COMMAND = [sys.executable, "-m", "unabridged"]
# A command for Pi's remote control, which has none that goes to another place of a session's tree.
BACK = """export default function (pi) {
  pi.registerCommand("back", { handler: async (entry, ctx) => { await ctx.navigateTree(entry.trim()); } });
}
"""


def place(host: Host, home: Home, work: Path) -> None:
    """Put the extension where the host looks for it."""
    files = shims.placed(host.name, COMMAND)
    client: Any = host._client  # type: ignore[attr-defined]
    client.env |= {name: value for name, value in environment(home).items() if name != "PATH"}
    if isinstance(host, PiHost):
        folder = work / "package"
        folder.mkdir(exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
        (client.agent / "settings.json").write_text(json.dumps({"packages": [str(folder)]}))
        (client.agent / "extensions").mkdir(exist_ok=True)
        (client.agent / "extensions" / "back.ts").write_text(BACK)
    else:
        folder = client.home / "config" / "opencode" / "plugin"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "unabridged.js").write_bytes(files["shim.js"])


@contextmanager
def beside(
    home: Home, folder: Path, name: str, steps: int, window: int, *, shim: bool = True
) -> Iterator[Session]:
    """An agent with the extension, in a story of so many steps, its model's window of so many tokens."""
    meter, stories = Meter(window), list[Story]()
    with Provider(
        [provider_anthropic, provider_openai], model=lambda turn: stories[0].model(turn), meter=meter
    ) as provider:
        folder.mkdir(parents=True, exist_ok=True)
        host: Any = HOSTS[name](folder, provider.url, window=window)
        if shim:
            place(host, home, folder)
        story = Story(steps, host)
        story.lay_out(host.project)
        stories.append(story)
        session = Session(host, story, provider, meter, home)
        try:
            yield session
        finally:
            if session.talk is not None:
                session.talk.end()


def servers(parent: int) -> list[int]:
    """The processes that make windows for a host's process."""
    found = list[int]()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            above = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if words[-3:-1] == [b"window", b"serve"] and above == parent:
            found.append(int(entry.name))
    return found


def kill_servers(parent: int) -> int:
    """Kill them; returns how many there were."""
    found = servers(parent)
    for pid in found:
        os.kill(pid, signal.SIGKILL)
    until(lambda: not set(found) & set(servers(parent)), "what was killed is still there")
    return len(found)


def conversations(host: Host) -> Iterator[list[dict[str, Any]]]:
    """The host's own messages of each of its conversations, as its extension gets them."""
    if isinstance(host, PiHost):
        for path in host.transcripts():
            rows = [json.loads(line) for line in path.read_text().splitlines()]
            yield [
                row["message"]
                for row in rows
                if row["type"] == "message" and row["message"]["role"] != "system"
            ]
        return
    assert isinstance(host, OpenCodeHost)
    (path,) = host.transcripts()
    with closing(sqlite3.connect(path)) as connection:
        parts: dict[str, list[dict[str, Any]]] = {}
        for row, message, data in connection.execute("SELECT id, message_id, data FROM part ORDER BY id"):
            parts.setdefault(message, []).append({**json.loads(data), "id": row})
        talks: dict[str, list[dict[str, Any]]] = {}
        rows = connection.execute("SELECT id, session_id, data FROM message ORDER BY time_created, id")
        for row, session, data in rows:
            info = {**json.loads(data), "id": row, "sessionID": session}
            talks.setdefault(session, []).append({"info": info, "parts": parts.get(row, [])})
    yield from talks.values()


def texts(host: Host) -> dict[str, str]:
    """Each text that the host has, by its name in its conversation without the address."""
    found: dict[str, str] = {}
    adapter = ADAPTERS[host.name]
    for messages in conversations(host):
        body = json.dumps({"model": "m", "messages": messages}, ensure_ascii=False, separators=(",", ":"))
        for item in adapter.read(body.encode()).conversation.items:
            for at, part in enumerate(item.parts):
                if part.text and part.kind in (Kind.TEXT, Kind.RESULT, Kind.CALL):
                    found[item.name(at)] = part.text
    return found


def lost(session: Session, client: Client, steps: int) -> list[str]:
    """What of all that the host has and the provider did not get in the end cannot be recalled byte for byte.

    The last answer is in no request yet; it is in the host's own transcript only.
    """
    where, wrong = addresses(session.provider.requests), list[str]()
    shown = "\n".join(last.text() for last in session.provider.requests[-1:])
    last = f"[answer {steps - 1}]"
    for name, text in texts(session.host).items():
        if text.startswith(last):
            continue
        if json.dumps(text, ensure_ascii=False)[1:-1] in shown or _object_shown(text, shown):
            continue
        got = [recalled(client, f"{address}:{name}") for address in where]
        if text not in got:
            wrong.append(f"{name}: {text[:60]!r} is {[str(one)[:60] for one in got]!r}")
    return wrong


def _object_shown(text: str, shown: str) -> bool:
    return text.startswith("{") and json.dumps(json.loads(text), ensure_ascii=False) in shown


def unresolved(session: Session, client: Client) -> list[str]:
    """Names in what was sent to the provider that recall nothing."""
    return [name for name in named(session.provider.requests) if recalled(client, name) is None]


def windows(client: Client) -> list[Mapping[str, Any]]:
    """The windows of main conversations."""
    found = client.call("windows", {"scope": "all"})["windows"]
    return [window for window in found if not window["side"]]
