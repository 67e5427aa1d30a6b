"""The Cline CLI in a folder of its own, talking to a `Provider`; what it writes down, read without our reader.

Only its Agent Client Protocol (https://agentclientprotocol.com) takes several prompts of a session without a terminal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.support import provider_openai
from tests.support.clients import client_file, run_client
from tests.support.lines import Lines
from tests.support.provider import Call

PROVIDER, MODEL = "openai-compatible", "fake-gpt"
PROGRAMS = [f"@cline/cli-linux-{machine}/bin/cline" for machine in ("x64", "arm64")]


class Cline:
    """One installation: `home` and `project` below `work`. Its one process starts with the first prompt."""

    name, api = "cline", provider_openai

    def __init__(self, work: Path, url: str) -> None:
        self.program = client_file("cline", *PROGRAMS)
        self.home, self.project, self._work = work / "home", work / "project", work
        self.settings = self.home / ".cline" / "data" / "settings" / "cline_mcp_settings.json"
        for folder in (self.settings.parent, self.project):
            folder.mkdir(parents=True, exist_ok=True)
        provider = {"provider": PROVIDER, "apiKey": "test", "model": MODEL, "baseUrl": f"{url}/v1"}
        at = {"settings": provider, "updatedAt": "2026-11-30T10:00:00.000Z", "tokenSource": "manual"}
        known = {"version": 1, "lastUsedProvider": PROVIDER, "modes": {}, "providers": {PROVIDER: at}}
        self.settings.with_name("providers.json").write_text(json.dumps(known))
        self.env = {"HOME": str(self.home), "CLINE_PROVIDER": PROVIDER, "CLINE_MODEL": MODEL}
        # Without the first it leaves a process of its own behind; the second stands for a login.
        self.env |= {"CLINE_SESSION_BACKEND_MODE": "local", "CLINE_API_KEY": "test"}
        self._lines: Lines | None = None
        self._session = ""
        self._asked = 0

    def say(self, prompt: str) -> str:
        """One prompt; returns what the model said to it."""
        if self._lines is None:
            self._lines = Lines([self.program, "--acp"], self.project, self.env, self._work / "acp.err")
            self._call("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
            begun = self._call("session/new", {"cwd": str(self.project), "mcpServers": []})
            self._session = begun[-1]["result"]["sessionId"]
        given = {"sessionId": self._session, "prompt": [{"type": "text", "text": prompt}]}
        updates = [said["params"].get("update", {}) for said in self._call("session/prompt", given)[:-1]]
        chunks = [item["content"] for item in updates if item.get("sessionUpdate") == "agent_message_chunk"]
        return "".join(chunk["text"] for chunk in chunks)

    def _call(self, method: str, given: Mapping[str, Any]) -> list[Any]:
        """What comes up to the answer, with it; each request for a permission is granted."""
        assert self._lines is not None
        self._asked += 1
        number, found = self._asked, list[Any]()
        self._lines.send({"jsonrpc": "2.0", "id": number, "method": method, "params": dict(given)})
        while True:
            found += self._lines.until(lambda said: "id" in said)
            last = found[-1]
            if "method" not in last:
                assert last["id"] == number
                assert "error" not in last, last
                return found
            chosen = {"outcome": "selected", "optionId": last["params"]["options"][0]["optionId"]}
            self._lines.send({"jsonrpc": "2.0", "id": last["id"], "result": {"outcome": chosen}})

    def listed(self) -> str:
        """What it says of its MCP servers."""
        return run_client([self.program, "config", "mcp"], self.project, self.env)

    def end(self) -> None:
        """End its process."""
        if self._lines is not None:
            self._lines.end()

    def ours(self, tool: str, given: Mapping[str, Any]) -> Call:
        """A call of a tool of ours."""
        return Call(f"unabridged__{tool}", given)

    def looks(self) -> list[Call]:
        """Calls of its own tools: a file is read, a command fails."""
        read = {"files": [{"path": str(self.project / "a.txt")}]}
        return [Call("read_files", read), Call("run_commands", {"commands": ["echo hafnium; exit 3"]})]

    def transcripts(self) -> list[Path]:
        """The file of the one session."""
        return list((self.home / ".cline" / "data" / "sessions").glob("*/*.messages.json"))

    def said(self) -> Iterator[tuple[str, str]]:
        """Source keys and texts of what its file holds."""
        (path,) = self.transcripts()
        document = json.loads(path.read_text())
        for message in document["messages"]:
            several = len(message["content"]) > 1
            for index, block in enumerate(message["content"]):
                key = f"cline:{document['sessionId']}:{message['id']}" + (f"#{index}" if several else "")
                if block["type"] == "text":
                    text = block["text"].removesuffix("</user_input>")
                    yield key, text.partition('mode="act">')[2] if message["role"] == "user" else text
                elif block["type"] == "tool_result":
                    items = block["content"]
                    if all("query" in item for item in items):
                        yield key, "\n".join(_outcome(item) for item in items)


def _outcome(item: Mapping[str, Any]) -> str:
    return "\n".join(item[name] for name in ("query", "result", "error") if item.get(name))
