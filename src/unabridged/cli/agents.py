"""The agents that `una install` knows, and what it tells their installers."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import unabridged
from unabridged.daemon.paths import HOME_VARIABLE, layout
from unabridged.errors import InvalidInput, PathUnreadable
from unabridged.hosts.claude_code.install import INSTALLER as CLAUDE_CODE
from unabridged.hosts.codex.install import INSTALLER as CODEX
from unabridged.hosts.installing import MARK, PROJECT, USER, Facts, Installer, Read, Target
from unabridged.hosts.tooled import CLINE, CURSOR, GEMINI, OPENCODE, PI

INSTALLERS: Mapping[str, Installer] = {
    installer.name: installer for installer in (CLAUDE_CODE, CODEX, OPENCODE, PI, GEMINI, CURSOR, CLINE)
}
HOOK = "hook.py"
READ_ONLY = ("aider", "chatgpt", "claude-ai")  # hosts whose conversations are read, and no more


def facts(environ: Mapping[str, str], *, scope: str = USER, project: str = "") -> Facts:
    """Return what this program, this user and this machine are. Raises `InvalidInput` without a home to write to."""
    home = environ.get("HOME", "")
    if not home.startswith("/"):
        home = os.path.expanduser("~")  # noqa: PTH111 - of the system's list of users
    if not home.startswith("/") or home == "/":
        raise InvalidInput(
            f"there is no home folder: HOME is {environ.get('HOME', '') or 'not set'}",
            hint="HOME=/your/folder una install …",
        )
    moved = environ.get("CODEX_HOME", "")
    found = Facts(
        home=home,
        env=environ if not moved else {**environ, "CODEX_HOME": os.path.realpath(moved)},  # as Codex names it
        platform=sys.platform,
        python=sys.executable,
        hook=str(Path(unabridged.__file__).with_name(HOOK)),
        una=_una(),
        archive=layout(environ).data if environ.get(HOME_VARIABLE) else "",
        scope=scope,
        project=project,
        version=unabridged.__version__,
    )
    for path in (found.home, found.python, found.hook, *found.una, found.archive, found.project):
        try:
            path.encode()
        except UnicodeEncodeError as error:
            raise PathUnreadable(
                f"{path!r} is not UTF-8", hint="Agents cannot be told such a path."
            ) from error
    return found


def _una() -> tuple[str, ...]:
    """Return the words that run this program from anywhere: never what a folder that they are run in holds (-P)."""
    beside = Path(sys.executable).with_name("una")
    if beside.exists():
        return (str(beside),)
    return (sys.executable, "-P", "-m", "unabridged")


def present(facts: Facts) -> list[str]:
    """Return the agents that are here: their command is on PATH, or their configuration is there."""
    path = facts.env.get("PATH")
    return [
        name
        for name, installer in INSTALLERS.items()
        if any(shutil.which(program, path=path) for program in installer.programs())
        or installer.present(facts, os.path.exists)
    ]


def every_target(installer: Installer, facts: Facts, read: Read) -> tuple[Target, ...]:
    """Return all files that any form of an installation touches."""
    full = installer.targets(replace(facts, mcp_only=False, statusline=True), read)
    return (*full, *installer.targets(replace(facts, mcp_only=True), read))


def is_of_user(installer: Installer, facts: Facts) -> bool:
    """Tell whether the files of a project's installation are the user's own: the project is their home folder."""
    if facts.scope != PROJECT:
        return False
    user = {probe.path for probe in installer.probes(replace(facts, scope=USER, project=""))}
    return any(probe.path in user for probe in installer.probes(facts))


def as_it_stands(installer: Installer, facts: Facts, read: Read) -> Facts:
    """Return what an installation that no journal tells of was told: only the tools, with a status line."""
    full = installer.targets(replace(facts, mcp_only=False, statusline=True), read)
    ours = {target.path: target.note for target in full if _stands(target, read(target.path))}
    others = {target.path for target in full} - {
        target.path for target in installer.targets(replace(facts, mcp_only=True), read)
    }
    return replace(
        facts,
        mcp_only=bool(others) and not others & ours.keys(),
        statusline="status line" in ours.values(),
    )


def _stands(target: Target, content: bytes | None) -> bool:
    if content is None or target.owned:
        return content is not None and MARK in content
    return target.take(content, None) != content


def named(words: Sequence[str]) -> list[Installer]:
    """Return the installers of some agents, by their names or by the commands that start them.

    Raises `InvalidInput`.
    """
    known = {program: name for name, installer in INSTALLERS.items() for program in installer.programs()}
    known |= {name: name for name in INSTALLERS}
    for word in words:
        if word in READ_ONLY:
            raise InvalidInput(
                f"{word} takes nothing that could be installed",
                hint="`una import` archives what it wrote; an export is named: `una import PATH`.",
            )
        if word not in known:
            raise InvalidInput(f"there is no agent `{word}`", hint=f"It knows: {', '.join(INSTALLERS)}.")
    return [INSTALLERS[name] for name in dict.fromkeys(known[word] for word in words)]


def project_folder(scope: str) -> str:
    """Return the folder that an installation of a project is for: the top of the current one's checkout, else itself.

    Agents read a project's settings there; a worktree's own top is meant in a worktree.
    """
    if scope != PROJECT:
        return ""
    here = Path.cwd()
    return str(next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here))
