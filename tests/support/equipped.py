"""Real agents, each with an archive that is installed in it; Claude Code and Codex are driven to every event."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.daemon.living import Home
from tests.support import provider_anthropic, provider_openai
from tests.support.client_claude import ClaudeCode
from tests.support.client_codex import Codex, thread_of
from tests.support.client_opencode import OpenCode
from tests.support.client_pi import Pi
from tests.support.installed import Installed
from tests.support.provider import Call, Provider, Reply, Turn

ASKED, TASK = "Find it, please.", "Look for iridium."  # of a person, and of the agent that it sends
SENT, FOUND = "It is rhenium5.", "So it is rhenium6."  # what both answer
SUMMARY = "Nothing much."
BEFORE_THE_LAST = 2  # results of calls
# What Codex's model reports so that it makes its history short before the next turn.
LONG = {"input_tokens": 25_000, "output_tokens": 10, "total_tokens": 25_010}
AGENT_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Equipped:
    """An agent with everything that `una install` gives it. `name`: what the archive calls it."""

    name: str
    client: Any
    installed: Installed
    provider: Provider

    def events(self) -> set[str]:
        """The events of its hooks."""
        return {
            "SessionStart",
            "UserPromptSubmit",
            "PreCompact",
            "PostCompact",
            "Stop",
            "SubagentStop",
            "SessionEnd",
        }

    def session(self) -> str:
        """The host's name of the session that a person had last."""
        return _MAIN[self.name](self.client)

    def resume(self, prompt: str, session: str) -> str:
        """Go on with a session."""
        words = ("--resume",) if self.name == "claude-code" else ("resume",)
        return self.client.say(prompt, *words, session)

    def fork(self, prompt: str, session: str) -> str:
        """Go on apart from a session."""
        words = ("--resume", session, "--fork-session") if self.name == "claude-code" else ("fork", session)
        return self.client.say(prompt, *words)

    def compact(self, session: str) -> None:
        """Have it make a session short: Claude Code is told to, Codex does when it believes its window full."""
        if self.name == "claude-code":
            self.resume("/compact", session)
        else:
            self.provider.then(Reply("All of it.", usage=LONG))
            self.resume("Much, please.", session)
            self.resume("And on.", session)

    def transcripts(self) -> list[str]:
        """All files of all its sessions."""
        return [str(path) for path in sorted(sessions_folder(self.client).rglob("*.jsonl"))]


def sessions_folder(client: Any) -> Path:
    """Where a client keeps what was said."""
    if isinstance(client, Codex):
        return client.root / "sessions"
    return client.data if isinstance(client, OpenCode) else client.sessions


def model(turn: Turn) -> Reply | None:
    """Send an agent when asked to, wait for it and answer; be that agent; make a summary."""
    if ASKED in turn.prompt:
        codex = "Agent" not in turn.tools and "task" not in turn.tools
        if not turn.results:
            return Reply("I ask.", [send(turn)])
        if codex and len(turn.results) < BEFORE_THE_LAST:
            wait = {"targets": AGENT_ID.findall(turn.results[0])[:1]}
            return Reply("I wait.", [Call("wait_agent", wait, namespace="multi_agent_v1")])
        return Reply(FOUND)
    if "<subagent_notification>" in turn.prompt:  # how Codex tells what the agent said
        return Reply(FOUND)
    if TASK in turn.prompt:
        return Reply(SENT)
    if "CRITICAL: Respond with TEXT ONLY" in turn.prompt:
        return Reply(f"<summary>{SUMMARY}</summary>")
    return Reply(SUMMARY) if "CONTEXT CHECKPOINT" in turn.prompt else None


def send(turn: Turn) -> Call:
    """The call that sends another agent."""
    asked = {"description": "look", "prompt": TASK}
    if "Agent" in turn.tools:
        return Call("Agent", {**asked, "subagent_type": "general-purpose"})
    if "task" in turn.tools:
        return Call("task", {**asked, "subagent_type": "general"})
    return Call("spawn_agent", {"message": TASK}, namespace="multi_agent_v1")


def claude_code(home: Home, folder: Path, provider: Provider) -> Equipped:
    """Claude Code with its plugin."""
    client = ClaudeCode(folder / "a machine", provider.url)
    installed = Installed(home, client.env, client.project)
    home.connect()  # a hook would start whatever is installed
    installed.una("install", "claude-code")
    return Equipped("claude-code", client, installed, provider)


def codex(home: Home, folder: Path, provider: Provider) -> Equipped:
    """Codex with hooks that are trusted."""
    client = Codex(folder / "a machine", provider.url, "model_auto_compact_token_limit = 20000")
    installed = Installed(home, client.env, client.project)
    home.connect()  # a hook would start whatever is installed
    installed.una("install", "codex", "--trust")
    return Equipped("codex", client, installed, provider)


def opencode(home: Home, folder: Path, provider: Provider) -> Equipped:
    """OpenCode with its extension."""
    return _extended("opencode", OpenCode(folder / "a machine", provider.url), home, provider)


def pi(home: Home, folder: Path, provider: Provider) -> Equipped:
    """Pi with its extension."""
    return _extended("pi", Pi(folder / "a machine", provider.url), home, provider)


def _extended(name: str, client: OpenCode | Pi, home: Home, provider: Provider) -> Equipped:
    installed = Installed(home, client.env, client.project)
    home.connect()
    installed.una("install", name)
    return Equipped(name, client, installed, provider)


def _last_thread(client: Codex) -> str:
    """The last thread that a person began: those of agents name where they come from."""
    own = [path for path in client.transcripts() if b'"subagent"' not in path.read_bytes()[:65_536]]
    return thread_of(own[-1])


_MAIN: Mapping[str, Callable[[Any], str]] = {
    "claude-code": lambda client: client.transcripts()[-1].stem,
    "codex": _last_thread,
}
Make = Callable[[Home, Path, Provider], Equipped]
EQUIPPED: Mapping[str, tuple[Make, object]] = {
    "claude-code": (claude_code, provider_anthropic),
    "codex": (codex, provider_openai),
}
# Those with extensions are not driven to events: their extensions tell of them.
EXTENDED: Mapping[str, tuple[Make, object]] = {
    **EQUIPPED,
    "opencode": (opencode, provider_openai),
    "pi": (pi, provider_anthropic),
}
