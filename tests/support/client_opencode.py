"""OpenCode in a folder of its own, talking to a `Provider`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.clients import client_file, run_client

MODEL = "local/fake-gpt"


class OpenCode:
    """One installation: `home` with its data folder, and `project` below `work`."""

    def __init__(self, work: Path, url: str, context: int = 60_000) -> None:
        self.program = client_file(
            "opencode", "opencode-linux-x64/bin/opencode", "opencode-linux-arm64/bin/opencode"
        )
        self.home, self.project = work / "home", work / "project"
        self.data = self.home / "data" / "opencode"
        for folder in (self.home, self.project):
            folder.mkdir(parents=True, exist_ok=True)
        limit = {"context": context, "output": 4000}
        models = {name: {"name": name, "limit": limit} for name in ("fake-gpt", "fake-small")}
        local = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Local",
            "options": {"baseURL": f"{url}/v1", "apiKey": "test"},
            "models": models,
        }
        config = {
            "autoupdate": False,
            "share": "disabled",
            "model": MODEL,
            "small_model": "local/fake-small",
            "enabled_providers": ["local"],
            "provider": {"local": local},
            "permission": {"bash": "allow", "read": "allow", "edit": "allow", "task": "allow"},
        }
        (work / "opencode.json").write_text(json.dumps(config))
        self.env = {
            "HOME": str(self.home),
            **{
                f"XDG_{kind.upper()}_HOME": str(self.home / kind)
                for kind in ("data", "config", "cache", "state")
            },
            "OPENCODE_CONFIG": str(work / "opencode.json"),
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
            # A registry that is not there: the client would install plugins from the real one.
            "npm_config_registry": "http://127.0.0.1:9/",
            "npm_config_fetch_retries": "0",
        }

    def say(self, prompt: str, *arguments: str) -> str:
        """One prompt; `arguments` may be `-c`, or `-s SESSION`. Returns the answer."""
        return self.run("run", "-m", MODEL, *arguments, prompt)

    def run(self, *arguments: str | Path) -> str:
        """Any command."""
        return run_client([self.program, *arguments], self.project, self.env)

    def sessions(self) -> list[dict[str, Any]]:
        """All sessions of the project that have no parent."""
        found: list[dict[str, Any]] = json.loads(self.run("session", "list", "--format", "json") or "[]")
        return found

    @property
    def database(self) -> Path:
        """Where the sessions are."""
        return self.data / "opencode.db"
