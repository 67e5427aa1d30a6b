"""Conversations with programs that use a provider's own client, and with aider."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support import provider_anthropic, provider_openai
from tests.support.clients import PLAIN, VARIABLE, client_file
from tests.support.lines import ANSWERS_WITHIN, ENDS_WITHIN, Lines
from tests.support.provider import Call

PROGRAM = Path(__file__).with_name("sdk_program.mjs")
SDKS = {
    "anthropic": ("@anthropic-ai/sdk/index.mjs", provider_anthropic),
    "responses": ("openai/index.mjs", provider_openai),
    "chat": ("openai/index.mjs", provider_openai),
}


class SdkTalk:
    """One process of the program."""

    def __init__(
        self, command: Sequence[str | Path], cwd: Path, env: dict[str, str], errors: Path, state: Path
    ) -> None:
        self.session = str(state)
        self._lines = Lines(command, cwd, env, errors)

    def say(self, prompt: str) -> str:
        self._lines.send({"prompt": prompt})
        return str(self._lines.until(lambda line: "answer" in line)[-1]["answer"])

    def end(self) -> None:
        self._lines.end()

    def kill(self) -> None:
        self._lines.kill()


class SdkHost:
    """The program with one of the clients; the base URL and the key come from its environment."""

    def __init__(self, form: str, work: Path, url: str, *, before: Sequence[str] = ()) -> None:
        module, self.api = SDKS[form]
        self.name, self._form, self._work, self._before = f"sdk-{form}", form, work, before
        self._node, self._module = client_file("node24", "node/bin/node"), client_file("sdk", module)
        self.project = work / "project"
        self.project.mkdir(parents=True, exist_ok=True)
        self.env = {"HOME": str(work), "ANTHROPIC_API_KEY": "test", "OPENAI_API_KEY": "test"}
        if url:
            self.env |= {"ANTHROPIC_BASE_URL": url, "OPENAI_BASE_URL": f"{url}/v1"}

    def read(self, path: str) -> Call:
        return Call("run", {"command": f"cat < {path}"})

    def show(self, path: str) -> Call:
        return Call("run", {"command": f"cat {path}"})

    def write(self, path: str, text: str) -> Call:
        return Call("run", {"command": f"cat > {path} <<'END'\n{text}END"})

    def command(self) -> list[str | Path]:
        """How it is started."""
        return [self._node, PROGRAM, self._form, self._module]

    def talk(self, session: str = "", *, fork: bool = False) -> SdkTalk:
        state = Path(session) if session else self._work / "history.json"
        if fork:
            copy = state.with_name("fork.json")
            copy.write_bytes(state.read_bytes())
            state = copy
        return SdkTalk(
            [*self._before, *self.command(), state], self.project, self.env, self._work / "sdk.err", state
        )

    def transcripts(self) -> list[Path]:
        return []

    def kept(self) -> str:
        return "\n".join(path.read_text() for path in self._work.glob("*.json"))


class AiderTalk:
    """aider with its input piped in; a prompt is one line."""

    session = ""

    def __init__(self, command: Sequence[str | Path], cwd: Path, env: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [str(part) for part in command],
            cwd=cwd,
            env={**PLAIN, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._said: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def say(self, prompt: str) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(prompt.split()) + "\n")
        self._process.stdin.flush()
        said = list[str]()
        while not said or not said[-1].startswith("Tokens: "):  # its last line of an answer
            said.append(self._said.get(timeout=ANSWERS_WITHIN))
            assert said[-1], "".join(said[-20:])
        return "".join(said)

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(ENDS_WITHIN)
        self._reader.join(ENDS_WITHIN)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join(ENDS_WITHIN)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.put(line)
        self._said.put("")


class AiderHost:
    """aider without tools and without git; its own summaries, which it makes by its own count, are off."""

    name, api = "aider", provider_openai

    def __init__(self, work: Path, url: str, *, before: Sequence[str] = ()) -> None:
        self._program = Path(os.environ.get(VARIABLE, "")) / "aider" / "bin" / "aider"
        if not self._program.is_file():
            pytest.skip(f"aider is not installed in a venv of its own below {VARIABLE}")
        self._work, self._before, self.project = work, before, work / "project"
        # It looks for a table of models on the network unless it has a fresh one.
        table = work / ".aider" / "caches" / "model_prices_and_context_window.json"
        for folder in (self.project, table.parent):
            folder.mkdir(parents=True, exist_ok=True)
        table.write_text(json.dumps({"x": {}}))
        self.env = {"HOME": str(work), "OPENAI_API_KEY": "test", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        self.env["TERM"] = "dumb"
        if url:
            self.env["OPENAI_API_BASE"] = f"{url}/v1"

    def command(self) -> list[str | Path]:
        """How it is started."""
        plain = (
            "no-analytics no-check-update no-show-model-warnings no-git yes-always no-pretty no-fancy-input"
        )
        switches = [f"--{name}" for name in (*plain.split(), "no-detect-urls", "no-suggest-shell-commands")]
        values = ["--max-chat-history-tokens", "10000000", "--chat-mode", "ask", "--map-tokens", "0"]
        return [self._program, "--model", "openai/fake-gpt", *switches, *values]

    def talk(self, session: str = "", *, fork: bool = False) -> AiderTalk:
        again = ["--restore-chat-history"] if session else []
        return AiderTalk([*self._before, *self.command(), *again], self.project, self.env)

    def transcripts(self) -> list[Path]:
        return []

    def kept(self) -> str:
        return (self.project / ".aider.chat.history.md").read_text()
