"""Puts the plugin into Claude Code, or its MCP server alone."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Callable, Sequence
from typing import Any, cast

from unabridged.hosts import jsonc
from unabridged.hosts.claude_code import plugin
from unabridged.hosts.installing import (
    MCP_NAME,
    PROJECT,
    USER,
    Command,
    Facts,
    Installer,
    Probe,
    Read,
    Target,
    mcp_entry,
    naming,
    owned,
)
from unabridged.hosts.servers import commands_at, hook_commands, line_words, server_target

STATUS_LINE = "statusLine"
SERVERS = "mcpServers"
_LOCAL = f"{plugin.NAME}@skills-dir"  # as Claude Code names what lies in the folder
MOST_WORDS = 4  # that start this program: `python -P -m unabridged`


def config_folder(facts: Facts) -> str:
    """Return the user's configuration folder."""
    named = [part.strip() for part in facts.env.get("CLAUDE_CONFIG_DIR", "").split(",") if part.strip()]
    return named[0] if named else posixpath.join(facts.home, ".claude")


def plugin_folder(facts: Facts) -> str:
    """Return where the plugin goes: Claude Code loads it from there without being told."""
    base = config_folder(facts) if facts.scope == USER else posixpath.join(facts.project, ".claude")
    return posixpath.join(base, "skills", plugin.NAME)


def settings_file(facts: Facts) -> str:
    """Return the settings that the status line stands in; those of a project are this user's own."""
    if facts.scope == PROJECT:
        return posixpath.join(facts.project, ".claude", "settings.local.json")
    return posixpath.join(config_folder(facts), "settings.json")


def servers_file(facts: Facts) -> str:
    """Return the file of MCP servers."""
    if facts.scope == PROJECT:
        return posixpath.join(facts.project, ".mcp.json")
    moved = facts.env.get("CLAUDE_CONFIG_DIR", "")
    return posixpath.join(config_folder(facts) if moved else facts.home, ".claude.json")


class ClaudeCodeInstaller:
    """See `hosts.installing.Installer`."""

    name = "claude-code"
    title = "Claude Code"
    scopes: Sequence[str] = (USER, PROJECT)
    one_scope = False  # it loads one plugin of a name

    def present(self, facts: Facts, exists: Callable[[str], bool]) -> bool:
        """Tell by the configuration folder."""
        return exists(config_folder(facts))

    def replaces(self, facts: Facts) -> str:
        """Return the beginning of a variable; it has no way to write one that is none (seen in 2.1.332)."""
        del facts
        return r"\$\{"

    def programs(self) -> tuple[str, ...]:
        """Return the command."""
        return ("claude",)

    def targets(self, facts: Facts, read: Read) -> tuple[Target, ...]:
        """Return the plugin's files and the status line's place, or the file of MCP servers."""
        if facts.mcp_only:
            return (_server(facts),)
        folder = plugin_folder(facts)
        commands = plugin.Commands(facts.hook_line(self.name), facts.una_line(), mcp_entry(facts))
        made = plugin.local_files(commands, facts.version)
        targets = [owned(posixpath.join(folder, path), text, "plugin", folder) for path, text in made.items()]
        if facts.statusline and _line_of_user(facts, read) is None:
            targets.append(_status_line(facts))
        return tuple(targets)

    def notes(self, facts: Facts, read: Read) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Tell of a status line that was left alone, of trust, of the restart."""
        notes: list[str] = []
        theirs = None if facts.mcp_only or not facts.statusline else _line_of_user(facts, read)
        if theirs is not None:
            notes.append(
                f"Your own status line stays; `{facts.una_line('window', 'statusline')}` prints ours, from the same "
                "standard input."
            )
        if not facts.mcp_only and not plugin.runs_in_text(facts.una_line()):
            notes.append(
                "The commands /una:status, /una:why and /una:window are left out: Claude Code would misread a path "
                "with such characters in them."
            )
        steps = ["Start Claude Code anew; sessions that run go on without it."]
        if facts.scope == PROJECT:
            steps.append(
                "Accept Claude Code's trust dialog in this folder: it loads nothing of a project before."
            )
        return tuple(notes), tuple(steps)

    def probes(self, facts: Facts) -> tuple[Probe, ...]:
        """Return the plugin's hooks and server, and the server of an installation without a plugin."""
        folder = plugin_folder(facts)
        return (
            Probe("hook", posixpath.join(folder, "hooks", "hooks.json"), hook_commands),
            Probe("mcp", posixpath.join(folder, ".mcp.json"), server_commands),
            Probe("mcp", servers_file(facts), server_commands),
        )

    def listing(self, facts: Facts) -> tuple[tuple[str, ...], str]:
        """Return the list of its plugins; those of a project depend on the folder's trust."""
        wanted = not facts.mcp_only and facts.scope == USER
        return (("claude", "plugin", "list", "--json"), f'"{plugin.NAME}@') if wanted else ((), "")

    def troubles(self, facts: Facts, read: Read) -> tuple[tuple[str, str], ...]:
        """Tell of settings that turn hooks or the plugin off, and of a server that is registered twice."""
        found: list[tuple[str, str]] = []
        plugged = read(posixpath.join(plugin_folder(facts), ".mcp.json")) is not None
        for path in (settings_file(facts), posixpath.join(config_folder(facts), "settings.json")):
            settings = _read_values(read, path)
            if settings.get("disableAllHooks") is True:
                found.append((f"{path} turns all hooks off", "Remove `disableAllHooks` from it."))
            enabled = settings.get("enabledPlugins")
            plugins = cast("dict[str, Any]", enabled) if isinstance(enabled, dict) else {}
            if plugins.get(_LOCAL) is False:
                found.append((f"{path} turns the plugin off", f"`claude plugin enable {_LOCAL}`"))
            found += [
                _beside(path, name) for name, on in plugins.items() if plugged and on and _is_copy(name)
            ]
        for path in (servers_file(facts),) if plugged and not facts.mcp_only else ():
            if server_commands(read(path) or b"{}"):
                scope = "user" if facts.scope == USER else "project"
                found.append(
                    (
                        f"the MCP server is in the plugin and in {path}: its tools are there twice",
                        f"`claude mcp remove --scope {scope} {MCP_NAME}`",
                    )
                )
        return tuple(dict.fromkeys(found))


def server_commands(content: bytes) -> Sequence[Command]:
    """Return our server in a file of MCP servers."""
    return commands_at(content, [SERVERS, MCP_NAME])


def _is_copy(name: str) -> bool:
    return name.startswith(f"{plugin.NAME}@") and name != _LOCAL


def _beside(path: str, name: str) -> tuple[str, str]:
    """Tell of a marketplace's copy: Claude Code (seen in 2.1.332) loads that one, and nothing twice."""
    return (
        f"{path} has the plugin {name} of a marketplace: Claude Code uses that one, and what is here stands idle",
        f"`claude plugin uninstall {name}`, or `una uninstall claude-code` if that one is meant.",
    )


def _line_of_user(facts: Facts, read: Read) -> Any:
    """Return the status line that is not ours, None where there is none."""
    line = _read_values(read, settings_file(facts)).get(STATUS_LINE)
    return None if line is None or _is_our_line(line) else line


def _is_our_line(line: Any) -> bool:
    command = jsonc.at(line, ["command"])
    words, home = line_words(command) if isinstance(command, str) else (), ""
    if words and words[0].startswith("UNABRIDGED_HOME="):
        home, words = f"UNABRIDGED_HOME={shlex.quote(words[0].partition('=')[2])} ", words[1:]
    program = words[:-2]
    known = (len(program) == 1 and posixpath.basename(program[0]) == "una") or (
        "-m" in program[-2:-1] and "unabridged" in program[-1:] and len(program) <= MOST_WORDS
    )
    # Anything more is a line of the user's own in which ours is a part.
    return known and words[-2:] == ("window", "statusline") and command.strip() == home + shlex.join(words)


def _status_line(facts: Facts) -> Target:
    command = {"type": "command", "command": facts.una_line("window", "statusline"), "padding": 0}

    def add(current: bytes | None) -> bytes:
        return jsonc.put(jsonc.text_of(current or b""), [STATUS_LINE], command).encode()

    def take(current: bytes, before: bytes | None) -> bytes | None:
        text = jsonc.text_of(current)
        if not _is_our_line(jsonc.at(jsonc.parse(text).value, [STATUS_LINE])):
            return current
        return jsonc.taken(jsonc.drop(text, [STATUS_LINE], _text(before)), before)

    return Target(settings_file(facts), add, take, "status line")


def _server(facts: Facts) -> Target:
    return server_target(servers_file(facts), [SERVERS, MCP_NAME], mcp_entry(facts, type="stdio"))


def _text(data: bytes | None) -> str | None:
    return jsonc.text_of(data) if data is not None else None


def _read_values(read: Read, path: str) -> dict[str, Any]:
    with naming(path):
        return jsonc.values(read(path))


INSTALLER: Installer = ClaudeCodeInstaller()
