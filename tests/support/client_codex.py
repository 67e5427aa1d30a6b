"""Codex in a folder of its own, talking to a `Provider`."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.clients import client_file, run_client

TARGETS = (
    ("x64", "x86_64-unknown-linux-musl"),
    ("arm64", "aarch64-unknown-linux-musl"),
)
CONFIG = """\
model = "fake-gpt"
model_provider = "local"
model_context_window = {window}
{more}
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[features]
plugins = false  # they would be looked for on the network
[analytics]
enabled = false
[model_providers.local]
name = "Local"
base_url = "{url}/v1"
env_key = "LOCAL_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects."{project}"]
trust_level = "trusted"
"""
_THREAD = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Codex:
    """One installation: `home`, the host's folder `root`, and `project` below `work`; `more` is configuration."""

    def __init__(self, work: Path, url: str, more: str = "", window: int = 200_000) -> None:
        places = [f"@openai/codex-linux-{arch}/vendor/{target}/bin/codex" for arch, target in TARGETS]
        self.program = client_file("codex", *places)
        self.home, self.root, self.project = work / "home", work / "codex", work / "project"
        for folder in (self.home, self.root, self.project):
            folder.mkdir(parents=True, exist_ok=True)
        config = CONFIG.format(url=url, project=self.project, more=more, window=window)
        (self.root / "config.toml").write_text(config)
        self.env = {
            "HOME": str(self.home),
            "CODEX_HOME": str(self.root),
            "LOCAL_KEY": "test",
            "RUST_LOG": "error",
        }

    def say(self, prompt: str, *arguments: str) -> str:
        """One prompt; `arguments` may be `resume THREAD` or `fork THREAD`. Returns the answer."""
        command = [self.program, "exec", *arguments[:1], "--skip-git-repo-check", *arguments[1:], prompt]
        return run_client(command, self.project, self.env)

    def transcripts(self) -> list[Path]:
        """All rollouts, oldest first."""
        return sorted((self.root / "sessions").rglob("rollout-*"), key=lambda path: path.name)


def thread_of(path: Path) -> str:
    """The thread that a rollout's name names."""
    return _THREAD.findall(path.name)[-1]
