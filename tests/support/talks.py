"""Conversations with real agents in which one process takes many prompts, as their own user interfaces drive them."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from tests.support import provider_anthropic, provider_openai
from tests.support.client_claude import ClaudeCode
from tests.support.client_codex import Codex
from tests.support.client_opencode import MODEL as OPENCODE_MODEL
from tests.support.client_opencode import OpenCode
from tests.support.client_pi import MODEL as PI_MODEL
from tests.support.client_pi import Pi
from tests.support.clients import PLAIN
from tests.support.lines import ANSWERS_WITHIN, ENDS_WITHIN, Lines
from tests.support.provider import Call
from unabridged.gateway.clients import PI_EXTENSION

# Tokens; what a host believes its model to take, where nothing is to make it compact.
ENDLESS = 10_000_000


class Talk(Protocol):
    """One process of a host, in one conversation. `session` is the host's id of it."""

    session: str

    def say(self, prompt: str) -> str:
        """One prompt; returns the answer."""
        ...

    def end(self) -> None:
        """End the process as its user would."""
        ...

    def kill(self) -> None:
        """Kill the process."""
        ...


class Host(Protocol):
    """One host in a folder of its own. `before` is put before its command."""

    name: str
    project: Path
    api: Any

    def read(self, path: str) -> Call: ...

    def show(self, path: str) -> Call: ...

    def write(self, path: str, text: str) -> Call: ...

    def talk(self, session: str = "", *, fork: bool = False) -> Talk:
        """Begin a conversation, take one up, or fork one."""
        ...

    def transcripts(self) -> list[Path]:
        """Where the host keeps its conversations; nothing for one that does not."""
        ...

    def kept(self) -> str:
        """All that the host itself keeps of its conversations, as text."""
        ...


class ClaudeTalk:
    """Claude Code with its input as a stream of messages."""

    def __init__(self, command: Sequence[str | Path], client: ClaudeCode, errors: Path) -> None:
        self.session = ""
        self._lines = Lines(command, client.project, client.env, errors)

    def say(self, prompt: str) -> str:
        self._lines.send({"type": "user", "message": {"role": "user", "content": prompt}})
        said = self._lines.until(lambda line: line.get("type") == "result")[-1]
        assert not said["is_error"], said
        self.session = said["session_id"]
        return str(said["result"])

    def end(self) -> None:
        self._lines.end()

    def kill(self) -> None:
        self._lines.kill()


class ClaudeHost:
    """Claude Code."""

    name, api = "claude-code", provider_anthropic

    def __init__(
        self, work: Path, url: str, *, window: int = ENDLESS, before: Sequence[str] = (), model: str = ""
    ) -> None:
        del window  # it knows its models
        self._client, self._work, self._before = ClaudeCode(work, url), work, before
        self._model = model or "claude-opus-5-5"
        self.more = list[str]()  # arguments
        self.env, self.project = self._client.env, self._client.project

    def read(self, path: str) -> Call:
        return Call("Read", {"file_path": str(self.project / path)})

    def show(self, path: str) -> Call:
        return Call("Bash", {"command": f"cat {path}"})

    def write(self, path: str, text: str) -> Call:
        return Call("Write", {"file_path": str(self.project / path), "content": text})

    def talk(self, session: str = "", *, fork: bool = False) -> ClaudeTalk:
        again = ["--resume", session] if session else []
        forms = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        command = [
            *self._before,
            self._client.binary,
            "-p",
            *forms,
            "--model",
            self._model,
            *self.more,
            *again,
        ]
        return ClaudeTalk([*command, *["--fork-session"] * fork], self._client, self._work / "claude.err")

    def transcripts(self) -> list[Path]:
        return self._client.transcripts()

    def kept(self) -> str:
        return "\n".join(path.read_text() for path in self.transcripts())


class CodexTalk:
    """Codex as a server for user interfaces."""

    def __init__(
        self, command: Sequence[str | Path], client: Codex, errors: Path, session: str, fork: bool
    ) -> None:
        self._numbers = count(1)
        self._lines = Lines(command, client.project, client.env, errors)
        self._ask("initialize", {"clientInfo": {"name": "tests", "version": "1"}})
        self._lines.send({"jsonrpc": "2.0", "method": "initialized"})
        method = "thread/fork" if fork else "thread/resume" if session else "thread/start"
        about = {"threadId": session} if session else {}
        self.session = self._ask(method, {**about, "cwd": str(client.project)})["thread"]["id"]

    def say(self, prompt: str) -> str:
        self._ask("turn/start", {"threadId": self.session, "input": [{"type": "text", "text": prompt}]})
        heard = self._lines.until(lambda line: line.get("method") == "turn/completed")
        assert heard[-1]["params"]["turn"]["status"] == "completed", heard[-3:]
        items = [line["params"]["item"] for line in heard if line.get("method") == "item/completed"]
        return str([item["text"] for item in items if item["type"] == "agentMessage"][-1])

    def _ask(self, method: str, params: Mapping[str, Any]) -> Any:
        number = next(self._numbers)
        self._lines.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        said = self._lines.until(lambda line: line.get("id") == number)[-1]
        assert "result" in said, said
        return said["result"]

    def end(self) -> None:
        self._lines.end()

    def kill(self) -> None:
        self._lines.kill()


class CodexHost:
    """Codex."""

    name, api = "codex", provider_openai

    def __init__(self, work: Path, url: str, *, window: int = ENDLESS, before: Sequence[str] = ()) -> None:
        # It takes a model that it does not know to have 258,400 tokens at most, and compacts before that.
        self._client, self._work, self._before = Codex(work, url, window=window), work, before
        self.env, self.project = self._client.env, self._client.project

    def read(self, path: str) -> Call:
        return Call("exec_command", {"cmd": f"cat < {path}"})

    def show(self, path: str) -> Call:
        return Call("exec_command", {"cmd": f"cat {path}"})

    def write(self, path: str, text: str) -> Call:
        return Call("exec_command", {"cmd": f"cat > {path} <<'END'\n{text}END"})

    def talk(self, session: str = "", *, fork: bool = False) -> CodexTalk:
        command = [*self._before, self._client.program, "app-server"]
        return CodexTalk(command, self._client, self._work / "codex.err", session, fork)

    def transcripts(self) -> list[Path]:
        return self._client.transcripts()

    def kept(self) -> str:
        return "\n".join(path.read_text() for path in self.transcripts())


class OpenCodeTalk:
    """OpenCode as a server, spoken to over HTTP."""

    def __init__(
        self, command: Sequence[str | Path], client: OpenCode, errors: Path, session: str, fork: bool
    ) -> None:
        with errors.open("ab") as file:
            self._process = subprocess.Popen(
                [str(part) for part in command],
                cwd=client.project,
                env={**PLAIN, **client.env},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
            )
        assert self._process.stdout is not None
        said = ""
        while not (found := re.search(r"http://[0-9.]+:[0-9]+", said)):
            said = self._process.stdout.readline()
            assert said, errors.read_text()[-3000:]
        self._url = found[0]
        if fork:
            session = str(self._ask(f"/session/{session}/fork", {})["id"])
        self.session = session or str(self._ask("/session", {})["id"])

    def say(self, prompt: str) -> str:
        provider, model = OPENCODE_MODEL.split("/")
        body = {
            "model": {"providerID": provider, "modelID": model},
            "parts": [{"type": "text", "text": prompt}],
        }
        said = self._ask(f"/session/{self.session}/message", body)
        assert not said["info"].get("error"), said
        return "".join(part["text"] for part in said["parts"] if part["type"] == "text")

    def say_in(self, folder: Path, prompt: str) -> None:
        """One prompt in a new session that works in another folder."""
        where = f"?directory={quote(str(folder))}"
        session = self._ask(f"/session{where}", {})["id"]
        provider, model = OPENCODE_MODEL.split("/")
        body = {
            "model": {"providerID": provider, "modelID": model},
            "parts": [{"type": "text", "text": prompt}],
        }
        assert not self._ask(f"/session/{session}/message{where}", body)["info"].get("error")

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def compact(self) -> None:
        """Have it make its history short."""
        provider, model = OPENCODE_MODEL.split("/")
        assert self._ask(f"/session/{self.session}/summarize", {"providerID": provider, "modelID": model})

    def _ask(self, path: str, body: Any) -> Any:
        request = urllib.request.Request(
            self._url + path, json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=ANSWERS_WITHIN) as answer:
            return json.load(answer)

    def end(self) -> None:
        self._process.terminate()
        self._wait()

    def kill(self) -> None:
        self._process.kill()
        self._wait()

    def _wait(self) -> None:
        try:
            self._process.wait(ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


class OpenCodeHost:
    """OpenCode."""

    name, api = "opencode", provider_openai

    def __init__(self, work: Path, url: str, *, window: int = ENDLESS, before: Sequence[str] = ()) -> None:
        self._client, self._work, self._before = OpenCode(work, url, window), work, before
        self.env, self.project = self._client.env, self._client.project

    def read(self, path: str) -> Call:
        return Call("read", {"filePath": str(self.project / path)})

    def show(self, path: str) -> Call:
        return Call("bash", {"command": f"cat {path}", "description": "Shows a file"})

    def write(self, path: str, text: str) -> Call:
        return Call("write", {"filePath": str(self.project / path), "content": text})

    def talk(self, session: str = "", *, fork: bool = False) -> OpenCodeTalk:
        command = [*self._before, self._client.program, "serve", "--port", "0"]
        return OpenCodeTalk(command, self._client, self._work / "opencode.err", session, fork)

    def transcripts(self) -> list[Path]:
        return [self._client.database]

    def kept(self) -> str:
        with closing(sqlite3.connect(self._client.database)) as connection:
            return "\n".join(row[0] for row in connection.execute("SELECT data FROM part"))


class PiTalk:
    """Pi under remote control."""

    def __init__(self, command: Sequence[str | Path], client: Pi, errors: Path) -> None:
        self._lines = Lines(command, client.project, client.env, errors)
        self._lines.send({"type": "get_state"})
        state = self._lines.until(lambda line: line.get("command") == "get_state")[-1]["data"]
        self.session = state["sessionFile"]

    def say(self, prompt: str) -> str:
        self._lines.send({"type": "prompt", "message": prompt})
        heard = self._lines.until(lambda line: line.get("type") == "agent_settled")
        ended = [line["message"] for line in heard if line.get("type") == "message_end"]
        last = [message for message in ended if message["role"] == "assistant"][-1]
        assert last["stopReason"] == "stop", last
        return "".join(part["text"] for part in last["content"] if part["type"] == "text")

    @property
    def pid(self) -> int:
        """The process."""
        return self._lines.process.pid

    def typed(self, words: str, ends: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
        """What a person types; returns what is told until the line that ends it."""
        self._lines.send({"type": "prompt", "message": words})
        return self._lines.until(ends)

    def ask(self, command: dict[str, Any]) -> Any:
        """One command of its remote control; returns the answer to it."""
        self._lines.send(command)
        return self._lines.until(
            lambda line: line.get("type") == "response" and line.get("command") == command["type"]
        )[-1]

    def end(self) -> None:
        self._lines.end()

    def kill(self) -> None:
        self._lines.kill()


class PiHost:
    """Pi; `extended`, with its own provider and with the extension that `una run pi` gives it."""

    name, api = "pi", provider_anthropic

    def __init__(
        self,
        work: Path,
        url: str,
        *,
        window: int = ENDLESS,
        before: Sequence[str] = (),
        extended: bool = False,
    ) -> None:
        self._client, self._work, self._before = Pi(work, url, window), work, before
        self.env, self.project = self._client.env, self._client.project
        self._words = ["--model", PI_MODEL]
        if extended:
            known = {"modelOverrides": {"claude-sonnet-4-5": {"contextWindow": window, "maxTokens": 4000}}}
            settings = {"providers": {"anthropic": known}}
            (self._client.agent / "models.json").write_text(json.dumps(settings))
            self.env |= {
                "ANTHROPIC_BASE_URL": url,
                "OPENAI_BASE_URL": f"{url}/v1",
                "ANTHROPIC_API_KEY": "test",
            }
            self._words = ["-e", PI_EXTENSION, "--provider", "anthropic", "--model", "claude-sonnet-4-5"]

    def read(self, path: str) -> Call:
        return Call("read", {"path": path})

    def show(self, path: str) -> Call:
        return Call("bash", {"command": f"cat {path}"})

    def write(self, path: str, text: str) -> Call:
        return Call("write", {"path": path, "content": text})

    def talk(self, session: str = "", *, fork: bool = False) -> PiTalk:
        client = self._client
        again = ["--fork" if fork else "--session", session] if session else []
        command = [*self._before, client.node, client.script, "--mode", "rpc", *self._words, *again]
        return PiTalk(command, client, self._work / "pi.err")

    def transcripts(self) -> list[Path]:
        return self._client.transcripts()

    def kept(self) -> str:
        return "\n".join(path.read_text() for path in self.transcripts())


HOSTS = {"claude-code": ClaudeHost, "codex": CodexHost, "opencode": OpenCodeHost, "pi": PiHost}
