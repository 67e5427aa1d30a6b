"""Our MCP server's entry in a host's JSON file of servers, and our hooks in its file of hooks."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from unabridged.hosts import jsonc
from unabridged.hosts.installing import Command, Target, is_our_server, server_words, was_installed


def server_target(path: str, keys: Sequence[str], entry: Mapping[str, Any]) -> Target:
    """Return the target that holds the entry at some keys of a JSON file; a user's own entry there stays."""

    def add(current: bytes | None) -> bytes:
        text = jsonc.text_of(current or b"")
        there = jsonc.at(jsonc.parse(text).value, keys)
        if there is not None and not was_installed(there):
            return current or b""  # as good as ours, or meant to be another
        return jsonc.put(text, keys, dict(entry)).encode()

    def take(current: bytes, before: bytes | None) -> bytes | None:
        text = jsonc.text_of(current)
        if not was_installed(jsonc.at(jsonc.parse(text).value, keys)):
            return current
        earlier = jsonc.text_of(before) if before is not None else None
        return jsonc.taken(jsonc.drop(text, keys, earlier), before)

    return Target(path, add, take, "MCP server")


def commands_at(content: bytes, keys: Sequence[str], env: str = "env") -> Sequence[Command]:
    """Return our server as a file of servers has it at some keys; `env` is what the host calls its variables."""
    entry = jsonc.at(jsonc.values(content), keys)
    return (server_command(keys[-1], entry, env),) if is_our_server(entry) else ()


def server_command(name: str, entry: Any, env: str = "env") -> Command:
    """Return what an entry starts, with the variables that it gives; `env` is what the host calls them."""
    variables = {
        key: value for key, value in jsonc.members_at(entry, [env]).items() if isinstance(value, str)
    }
    return Command(name, words=server_words(entry), env=variables)


def pristine(target: Target, current: bytes | None) -> bytes | None:
    """Return a file's content without our part, where no journal says what it was."""
    return None if current is None else target.take(current, None)


def hook_commands(content: bytes) -> Sequence[Command]:
    """Return the command lines of a file of hooks, by event."""
    hooks = jsonc.members_at(jsonc.values(content), ["hooks"])
    found: list[Command] = []
    for event in hooks:
        for group in jsonc.items_at(hooks, [event]):
            for handler in jsonc.items_at(group, ["hooks"]):
                line = jsonc.at(handler, ["command"])
                if isinstance(line, str) and is_our_hook(line):
                    found.append(Command(event, line=line))
    return found


def line_words(line: str) -> tuple[str, ...]:
    """Return the words of a shell's line; none where its quotes do not close."""
    try:
        return tuple(shlex.split(line))
    except ValueError:
        return ()


def is_our_hook(line: str) -> bool:
    """Tell whether a command line runs our hook file."""
    return "hook.py" in line and "-I -S -E" in line
