"""Claude Code in a folder of its own, talking to a `Provider`."""

from __future__ import annotations

import itertools
import json
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tests.support.clients import PLAIN, RUN_WITHIN, client_file, run_client

KEY = "sk-ant-test-not-a-key"


class ClaudeCode:
    """One installation: `home`, `config` and `project` below `work`."""

    def __init__(self, work: Path, url: str) -> None:
        self.binary = client_file(
            "claude",
            "@anthropic-ai/claude-code-linux-x64/claude",
            "@anthropic-ai/claude-code/bin/claude.exe",
        )
        self.home, self.config, self.project = work / "home", work / "config", work / "project"
        for folder in (self.home, self.config, self.project):
            folder.mkdir(parents=True, exist_ok=True)
        settings = {"permissions": {"allow": ["Bash", "Read", "Write", "Edit", "Agent"]}}
        (self.config / "settings.json").write_text(json.dumps(settings))
        self.env = {
            "HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.config),
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "8000",  # it asks for 128,000, more than small windows have
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def say(self, prompt: str, *arguments: str) -> str:
        """One prompt in print mode; returns the answer."""
        return run_client([self.binary, "-p", prompt, *arguments], self.project, self.env)

    def timed(self, prompts: Sequence[str]) -> list[float]:
        """Prompts in one process, each behind the answer to the one before; returns its seconds: from its start to the
        first answer, for each further answer, and from the end of its input to its own.
        """
        streams = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
        times = [time.monotonic()]
        with subprocess.Popen(
            [str(self.binary), "-p", *streams],
            cwd=self.project,
            env={**PLAIN, **self.env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            for prompt in prompts:
                said = {"type": "user", "message": {"role": "user", "content": prompt}}
                process.stdin.write(json.dumps(said) + "\n")
                process.stdin.flush()
                if not any(json.loads(line).get("type") == "result" for line in process.stdout):
                    break
                times.append(time.monotonic())
            process.stdin.close()
            process.stdout.read()
            status = process.wait(RUN_WITHIN)
        times.append(time.monotonic())
        assert status == 0
        assert len(times) == len(prompts) + 2
        return [later - sooner for sooner, later in itertools.pairwise(times)]

    @property
    def sessions(self) -> Path:
        """The sessions root."""
        return self.config / "projects"

    def transcripts(self) -> list[Path]:
        """The transcripts of main sessions, oldest first."""
        return sorted(self.sessions.glob("*/*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
