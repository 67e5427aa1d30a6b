"""Real agents with our MCP server registered: as a command that they start, or at an address.

Each function makes the agent in a folder, talking to a `Provider`, and says how its model names a tool of ours.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support import provider_anthropic, provider_openai
from tests.support.client_claude import ClaudeCode
from tests.support.client_codex import Codex
from tests.support.client_opencode import OpenCode
from tests.support.client_pi import Pi
from tests.support.provider import Call, Provider

COMMAND = (sys.executable, "-m", "unabridged", "mcp")


@dataclass(frozen=True)
class Server:
    """How our server is reached: a command that a host starts, or an address with its headers.

    env: for that command, or of the host itself, whose configuration may name a variable as `${NAME}`.
    """

    env: Mapping[str, str] = field(default_factory=dict[str, str])
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    name: str = "unabridged"


@dataclass(frozen=True)
class Agent:
    """One agent; `say` is one prompt of its user, `call` a call of a tool of ours by its model."""

    project: Path
    say: Callable[[str], str]
    call: Callable[[str, Mapping[str, Any]], Call]


def over_a_pipe(home: Path) -> Server:
    """Our server as a command, for an archive at `home`."""
    return Server({"UNABRIDGED_HOME": str(home), "PYTHONPATH": os.environ.get("PYTHONPATH", "")})


def claude_code(folder: Path, provider: Provider, server: Server) -> Agent:
    """Claude Code, with the file that `--mcp-config` names."""
    client = ClaudeCode(folder, provider.url)
    at = {"type": "http", "url": server.url, "headers": dict(server.headers)}
    started = {"command": COMMAND[0], "args": list(COMMAND[1:]), "env": dict(server.env)}
    client.env.update(server.env if server.url else {})
    path = folder / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {server.name: at if server.url else started}}))
    more = ("--mcp-config", str(path), "--allowedTools", f"mcp__{server.name}")
    return Agent(
        client.project,
        lambda prompt: client.say(prompt, *more),
        lambda name, given: Call(f"mcp__{server.name}__{name}", given),
    )


def codex(folder: Path, provider: Provider, server: Server) -> Agent:
    """Codex, with its configuration."""
    client = Codex(folder, provider.url)
    table = f"mcp_servers.{server.name}"
    if server.url:
        client.env.update(server.env)
        lines, values = [f"[{table}]", f"url = {json.dumps(server.url)}"], dict(server.headers)
        if values.get("Authorization", "").startswith("Bearer ${"):  # it has a setting of its own for that
            lines.append(f'bearer_token_env_var = "{values.pop("Authorization")[len("Bearer ${") : -1]}"')
        lines.append(f"[{table}.http_headers]")
    else:
        lines = [
            f"[{table}]",
            f"command = {json.dumps(COMMAND[0])}",
            f"args = {json.dumps(list(COMMAND[1:]))}",
        ]
        lines.append(f"[{table}.env]")
        values = server.env
    lines += [f"{json.dumps(name)} = {json.dumps(value)}" for name, value in values.items()]
    with (client.root / "config.toml").open("a") as file:
        file.write("\n" + "\n".join(lines) + "\n")
    return Agent(
        client.project, client.say, lambda name, given: Call(name, given, namespace=f"mcp__{server.name}")
    )


def opencode(folder: Path, provider: Provider, server: Server) -> Agent:
    """OpenCode, with its configuration."""
    client = OpenCode(folder, provider.url)
    client.env.update(server.env if server.url else {})
    path = Path(client.env["OPENCODE_CONFIG"])
    config: dict[str, Any] = json.loads(path.read_text())
    at = {"type": "remote", "url": server.url, "headers": dict(server.headers), "oauth": False}
    started = {"type": "local", "command": list(COMMAND), "environment": dict(server.env), "enabled": True}
    path.write_text(json.dumps({**config, "mcp": {server.name: at if server.url else started}}))
    return Agent(client.project, client.say, lambda name, given: Call(f"{server.name}_{name}", given))


def pi(folder: Path, provider: Provider, server: Server) -> Agent:
    """Pi, with the tools shown to its model one by one."""
    client = Pi(folder, provider.url)
    client.env.update(server.env if server.url else {})
    at = {"url": server.url, "headers": dict(server.headers)}
    started = {"command": COMMAND[0], "args": list(COMMAND[1:]), "env": dict(server.env)}
    entry = {**(at if server.url else started), "exposure": "direct"}
    (client.agent / "mcp.json").write_text(json.dumps({"mcpServers": {server.name: entry}}))
    return Agent(client.project, client.say, lambda name, given: Call(f"mcp__{server.name}__{name}", given))


# Each agent with the provider that it speaks to.
HOSTS: Mapping[str, tuple[Callable[[Path, Provider, Server], Agent], Any]] = {
    "claude-code": (claude_code, provider_anthropic),
    "codex": (codex, provider_openai),
    "opencode": (opencode, provider_openai),
    "pi": (pi, provider_anthropic),
}
