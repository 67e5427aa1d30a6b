"""Installs our MCP server into hosts that take an entry in a JSON file, or a file of ours where they load one.

Where each host's file lies: Cursor as its own documentation says; Gemini CLI 0.61, Cline 3.0, OpenCode 1.18 and Pi 1.6
as they were seen to read it.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unabridged.hosts import shims
from unabridged.hosts.installing import (
    MCP_NAME,
    PROJECT,
    USER,
    Command,
    Facts,
    Probe,
    Read,
    Target,
    mcp_entry,
    owned,
)
from unabridged.hosts.servers import commands_at, server_target

Files = Callable[[Facts, Read], Sequence[str]]
Content = Callable[[Facts], Mapping[str, bytes]]


def no_files(facts: Facts) -> Mapping[str, bytes]:
    """Return that a host loads nothing of ours."""
    del facts
    return {}


@dataclass(frozen=True, slots=True)
class ServerInstaller:
    """See `hosts.installing.Installer`.

    folder: the host's own, by which it is seen to be here. user, project: its files of servers. keys: where ours stands
    in them. loaded: files of ours by their paths, which bring the tools themselves.
    variables_of: a pattern of what it takes for a variable in its file of servers.
    """

    name: str
    title: str
    commands: tuple[str, ...]
    folder: Callable[[Facts], str]
    user: Files
    project: Files | None
    keys: tuple[str, ...] = ("mcpServers", MCP_NAME)
    entry: Callable[[Facts], Mapping[str, Any]] = mcp_entry
    variables: str = "env"
    loaded: Content = no_files
    variables_of: str = r"\$"
    one_scope: bool = False

    @property
    def scopes(self) -> Sequence[str]:
        """The scopes that it has settings for."""
        return (USER,) if self.project is None else (USER, PROJECT)

    def programs(self) -> tuple[str, ...]:
        """Return the names of its commands."""
        return self.commands

    def replaces(self, facts: Facts) -> str:
        """Return how variables begin in its file of servers; what it loads of ours it takes as it stands."""
        return "" if not facts.mcp_only and self.loaded(facts) else self.variables_of

    def present(self, facts: Facts, exists: Callable[[str], bool]) -> bool:
        """Tell by its folder."""
        return exists(self.folder(facts))

    def targets(self, facts: Facts, read: Read) -> tuple[Target, ...]:
        """Return what it loads, else its files of servers."""
        loaded = no_files(facts) if facts.mcp_only else self.loaded(facts)
        if loaded:
            root = posixpath.dirname(next(iter(loaded))) if len(loaded) > 1 else ""
            return tuple(owned(path, content, "extension", root) for path, content in loaded.items())
        return tuple(server_target(path, self.keys, self.entry(facts)) for path in self._files(facts, read))

    def notes(self, facts: Facts, read: Read) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Tell how it begins to count."""
        del facts, read
        return (), (f"Start {self.title} anew; sessions that run go on without it.",)

    def probes(self, facts: Facts) -> tuple[Probe, ...]:
        """Return the servers in its files."""

        def found(content: bytes) -> Sequence[Any]:
            return commands_at(content, self.keys, self.variables)

        extensions = (Probe("mcp", path, extension_commands) for path in self.loaded(facts))
        return (*extensions, *(Probe("mcp", path, found) for path in self._files(facts, _nothing)))

    def listing(self, facts: Facts) -> tuple[tuple[str, ...], str]:
        """Return none: nothing of its own is asked."""
        del facts
        return (), ""

    def troubles(self, facts: Facts, read: Read) -> tuple[tuple[str, str], ...]:
        """Return none: an entry of ours in its file takes the place of the one that an extension brings."""
        del facts, read
        return ()

    def _files(self, facts: Facts, read: Read) -> Sequence[str]:
        if facts.scope == PROJECT:
            return self.project(facts, read) if self.project is not None else ()
        return self.user(facts, read)


def _nothing(path: str) -> bytes | None:
    del path
    return b""


def _config(facts: Facts) -> str:
    return facts.env.get("XDG_CONFIG_HOME") or posixpath.join(facts.home, ".config")


def below_home(*parts: str) -> Files:
    """Return where one file of a user lies."""
    return lambda facts, _: (posixpath.join(facts.home, *parts),)


def below_project(*parts: str) -> Files:
    """Return where one file of a project lies."""
    return lambda facts, _: (posixpath.join(facts.project, *parts),)


def opencode_folder(facts: Facts) -> str:
    """Return OpenCode's configuration folder."""
    if facts.scope == PROJECT:
        return posixpath.join(facts.project, ".opencode")
    return posixpath.join(_config(facts), "opencode")


def _opencode_file(facts: Facts, read: Read) -> Sequence[str]:
    """Return the file that is there, of the two names that it may have."""
    folder = facts.project if facts.scope == PROJECT else opencode_folder(facts)
    plain, commented = (posixpath.join(folder, name) for name in ("opencode.json", "opencode.jsonc"))
    return (commented,) if read(commented) is not None and read(plain) is None else (plain,)


def _opencode_entry(facts: Facts) -> Mapping[str, Any]:
    entry: dict[str, Any] = {"type": "local", "command": list(facts.mcp_words()), "enabled": True}
    return {**entry, "environment": facts.mcp_env()} if facts.mcp_env() else entry


def pi_folder(facts: Facts) -> str:
    """Return Pi's folder."""
    if facts.scope == PROJECT:
        return posixpath.join(facts.project, ".pi")
    return facts.env.get("PI_CODING_AGENT_DIR") or posixpath.join(facts.home, ".pi", "agent")


def _pi_file(facts: Facts, read: Read) -> Sequence[str]:
    del read
    return (posixpath.join(pi_folder(facts), "mcp.json"),)


def _gemini_home(facts: Facts) -> str:
    return facts.env.get("GEMINI_CLI_HOME") or facts.home


def _cline_folder(facts: Facts) -> str:
    return facts.env.get("CLINE_DIR") or posixpath.join(facts.home, ".cline")


def _cline_files(facts: Facts, read: Read) -> Sequence[str]:
    """Return the file of all its forms; where older ones of its editor extension are, those too."""
    data = facts.env.get("CLINE_DATA_DIR") or posixpath.join(_cline_folder(facts), "data")
    name = "cline_mcp_settings.json"
    moved = facts.env.get("CLINE_MCP_SETTINGS_PATH", "")
    base = (facts.home, "Library", "Application Support") if facts.platform == "darwin" else (_config(facts),)
    older = [
        posixpath.join(*base, editor, "User", "globalStorage", "saoudrizwan.claude-dev", "settings", name)
        for editor in ("Code", "Code - Insiders", "VSCodium", "Cursor")
    ]
    return (moved or posixpath.join(data, "settings", name), *(path for path in older if read(path)))


def _cline_entry(facts: Facts) -> Mapping[str, Any]:
    return mcp_entry(facts, disabled=False)


def _extension(host: str, folder: Callable[[Facts], str], *, plain: str = "") -> Content:
    """Return what makes the files of a host's extension: a folder of them, or one file of the name `plain`."""

    def made(facts: Facts) -> Mapping[str, bytes]:
        told = ("/usr/bin/env", f"UNABRIDGED_HOME={facts.archive}") if facts.archive else ()
        files = shims.placed(host, (*told, *facts.una))
        base = folder(facts)
        if plain:
            return {posixpath.join(base, plain): content for content in files.values()}
        return {posixpath.join(base, MCP_NAME, name): content for name, content in files.items()}

    return made


def extension_commands(content: bytes) -> Sequence[Command]:
    """Return the server that an extension registers: its first line says what starts us."""
    line = content.decode("utf-8", "replace").partition("\n")[0]
    if not line.startswith(shims.BEGINS):
        return ()
    words = json.loads(line.removeprefix(shims.BEGINS).partition("; //")[0])
    return (Command("extension", words=(*words, "mcp")),)


OPENCODE = ServerInstaller(
    "opencode",
    "OpenCode",
    ("opencode",),
    opencode_folder,
    _opencode_file,
    _opencode_file,
    ("mcp", MCP_NAME),
    _opencode_entry,
    "environment",
    _extension(
        "opencode", lambda facts: posixpath.join(opencode_folder(facts), "plugin"), plain="unabridged.js"
    ),
    r"\{(?:env|file):",
)
PI = ServerInstaller(
    "pi",
    "Pi",
    ("pi",),
    pi_folder,
    _pi_file,
    _pi_file,
    entry=lambda facts: mcp_entry(facts, exposure="direct"),  # else it hides the tools behind one of its own
    loaded=_extension("pi", lambda facts: posixpath.join(pi_folder(facts), "extensions")),
)
GEMINI = ServerInstaller(
    "gemini",
    "Gemini CLI",
    ("gemini",),
    lambda facts: posixpath.join(_gemini_home(facts), ".gemini"),
    lambda facts, _: (posixpath.join(_gemini_home(facts), ".gemini", "settings.json"),),
    below_project(".gemini", "settings.json"),
)
CURSOR = ServerInstaller(
    "cursor",
    "Cursor",
    ("cursor", "cursor-agent"),
    lambda facts: posixpath.join(facts.home, ".cursor"),
    below_home(".cursor", "mcp.json"),
    below_project(".cursor", "mcp.json"),
)
CLINE = ServerInstaller(
    "cline",
    "Cline",
    ("cline",),
    _cline_folder,
    _cline_files,
    None,
    entry=_cline_entry,
)
