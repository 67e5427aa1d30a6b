"""Gemini CLI in a folder of its own, talking to a `Provider`; what it writes down, read without our reader."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.support import provider_gemini
from tests.support.clients import client_file, run_client
from tests.support.provider import Call

MODEL = "gemini-2.5-pro"
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}


class Gemini:
    """One installation: `home` and `project` below `work`. A prompt is a process; the second one goes on."""

    name, api = "gemini", provider_gemini

    def __init__(self, work: Path, url: str) -> None:
        self.node = client_file("node24", "node/bin/node")
        self.script = client_file("gemini", "@google/gemini-cli/bundle/gemini.js")
        self.home, self.project = work / "home", work / "project"
        self.settings = self.home / ".gemini" / "settings.json"
        for folder in (self.settings.parent, self.project):
            folder.mkdir(parents=True, exist_ok=True)
        self.settings.write_text(json.dumps(SETTINGS, indent=2) + "\n")
        self.env = {"HOME": str(self.home), "GEMINI_API_KEY": "test", "GOOGLE_GEMINI_BASE_URL": url}
        self.env["NO_BROWSER"] = "1"
        self._more: list[str] = []

    def say(self, prompt: str) -> str:
        """One prompt in headless mode; returns the answer."""
        more, self._more = self._more, ["--resume", "latest"]
        return self.run("-m", MODEL, "--yolo", "-p", prompt, *more)

    def run(self, *words: str) -> str:
        """Any command."""
        return run_client([self.node, self.script, *words], self.project, self.env)

    def listed(self) -> str:
        """What it says of its MCP servers; it connects to each."""
        return run_client([self.node, self.script, "mcp", "list"], self.project, self.env, errors=True)

    def end(self) -> None:
        """Nothing of it stays."""

    def ours(self, tool: str, given: Mapping[str, Any]) -> Call:
        """A call of a tool of ours."""
        return Call(f"mcp_unabridged_{tool}", given)

    def looks(self) -> list[Call]:
        """Calls of its own tools: a file is read, a command fails."""
        shell = {"command": "echo hafnium; exit 3", "description": "say"}
        return [Call("read_file", {"file_path": "a.txt"}), Call("run_shell_command", shell)]

    def transcripts(self) -> list[Path]:
        """The files of the one session: one for each minute in which it was begun or gone on with."""
        return sorted((self.home / ".gemini" / "tmp").glob("*/chats/session-*.jsonl"))

    def said(self) -> Iterator[tuple[str, str]]:
        """Source keys and texts of what its files hold."""
        lines = [line for path in self.transcripts() for line in path.read_text().splitlines()]
        rows = [json.loads(line) for line in lines]
        session = rows[0]["sessionId"]
        known = {row["id"]: row for row in rows if "id" in row}
        for name, row in known.items():
            content = row["content"]
            if row["type"] == "gemini" and content:
                yield f"gemini:{session}:{name}", content
            elif row["type"] == "user" and "text" in content[0] and len(content) == 1:
                yield f"gemini:{session}:{name}", content[0]["text"]
            for number, call in enumerate(row.get("toolCalls", ())):
                (part,) = call["result"]
                response = part["functionResponse"]["response"]
                yield f"gemini:{session}:{name}#{2 * number + 2}", response["output"]
