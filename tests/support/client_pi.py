"""Pi in a folder of its own, talking to a `Provider`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.clients import client_file, run_client

MODEL = "local/fake-claude"


class Pi:
    """One installation: `home`, `agent` and `project` below `work`."""

    def __init__(self, work: Path, url: str, context: int = 200_000) -> None:
        # Pi needs a newer Node.js than most machines have.
        self.node = client_file("node24", "node/bin/node")
        self.script = client_file("pi", "@earendil-works/pi-coding-agent/dist/bundle/cli.js")
        self.home, self.agent, self.project = work / "home", work / "agent", work / "project"
        for folder in (self.home, self.agent, self.project):
            folder.mkdir(parents=True, exist_ok=True)
        model = {"id": "fake-claude", "contextWindow": context, "maxTokens": 4000, "reasoning": True}
        local = {"baseUrl": url, "apiKey": "test", "api": "anthropic-messages", "models": [model]}
        (self.agent / "models.json").write_text(json.dumps({"providers": {"local": local}}))
        self.env = {
            "HOME": str(self.home),
            "PI_CODING_AGENT_DIR": str(self.agent),
            "PI_OFFLINE": "1",
            "PI_TELEMETRY": "0",
            "PI_SKIP_VERSION_CHECK": "1",
        }

    def say(self, prompt: str, *arguments: str) -> str:
        """One prompt in print mode; returns the answer."""
        command = [self.node, self.script, "-p", *arguments, "--model", MODEL, prompt]
        return run_client(command, self.project, self.env)

    @property
    def sessions(self) -> Path:
        """The sessions root."""
        return self.agent / "sessions"

    def transcripts(self) -> list[Path]:
        """All sessions, oldest first."""
        return sorted(self.sessions.rglob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
