"""Tries what stands in agents' files: each hook with the very line that the agent runs, each server as it starts it."""

from __future__ import annotations

import json
import os
import secrets
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from unabridged.cli import agents, applying, holders
from unabridged.cli import journal as journals
from unabridged.cli.journal import Journal
from unabridged.daemon.paths import layout
from unabridged.errors import UnabridgedError
from unabridged.hosts.hooks import PROBE
from unabridged.hosts.installing import PROJECT, USER, Command, Facts, Installer
from unabridged.hosts.servers import line_words
from unabridged.service.ports import Finding

SECONDS = 20.0  # a hook gives up after one; a server may first have to start the daemon on a busy machine
# Asked only whether the agent has loaded us; nothing else of it has to run for that.
QUIET = {
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
}
PROTOCOL = "2025-11-25"


def installations(environ: Mapping[str, str]) -> list[tuple[Installer, Facts, Journal]]:
    """Return what is installed: all of this home's journals, and what stands in files without one."""
    place = layout(environ)
    found: list[tuple[Installer, Facts, Journal]] = []
    for journal in journals.every(place):
        facts = agents.facts(environ, scope=journal.scope, project=journal.project)
        if journal.host in agents.INSTALLERS:
            found.append((agents.INSTALLERS[journal.host], _as_installed(facts, journal), journal))
    known = {(journal.host, journal.scope, journal.project) for _, _, journal in found}
    unknown = set(journals.damaged(place))
    for scope in (USER, PROJECT):
        facts = agents.facts(environ, scope=scope, project=agents.project_folder(scope))
        for name, installer in agents.INSTALLERS.items():
            here = (name, scope, facts.project)
            if journals.path_of(place, *here) in unknown or here in known or scope not in installer.scopes:
                continue
            if _has_ours(installer, facts) and not agents.is_of_user(installer, facts):
                found.append((installer, facts, Journal(name, scope, facts.project)))
    return found


def _as_installed(facts: Facts, journal: Journal) -> Facts:
    return replace(
        facts,
        mcp_only=bool(journal.facts.get("mcp_only")),
        statusline=bool(journal.facts.get("statusline", True)),
    )


def checks(environ: Mapping[str, str], *, probe: bool) -> Iterator[Finding]:
    """Check every installation; with `probe` also try what the agents would run."""
    for path in journals.damaged(layout(environ)):
        detail = f"{path} cannot be read: it says what stood in the agent's files before"
        yield Finding(
            journals.named(path), False, detail, "`una doctor --fix` moves it away and installs anew."
        )
    found = installations(environ)
    for installer, facts, journal in found:
        if journals.is_orphan(journal):
            detail = f"{facts.project} is not there any more, where it was installed"
            yield Finding(name_of(installer, facts), False, detail, "`una doctor --fix` forgets it.")
            continue
        try:
            yield from _checked(installer, facts, journal, probe=probe)
        except UnabridgedError as error:
            yield Finding(name_of(installer, facts), False, error.message, error.advice)
    yield from _doubles([one for one in found if not journals.is_orphan(one[2])])


def _doubles(found: Sequence[tuple[Installer, Facts, Journal]]) -> Iterator[Finding]:
    for installer, facts, _ in found:
        twice = [other for one, other, _ in found if one is installer and other.scope != facts.scope]
        if facts.scope == USER and twice:
            where = ", ".join(other.project for other in twice)
            harm = "its hooks run twice there" if installer.one_scope else "the copy of the user is used"
            yield Finding(
                name_of(installer, facts),
                not installer.one_scope,
                f"installed for all projects and in {where}: {harm}",
                f"In that folder: `una uninstall {installer.name} --scope project`",
            )


def is_about(finding: Finding, name: str) -> bool:
    """Tell whether a finding is about the installation of a name."""
    words = finding.check.split()
    return words[: 1 + (PROJECT in words[1:2])] == name.split()


def name_of(installer: Installer, facts: Facts, what: str = "") -> str:
    """Return how findings name an installation, or a part of it."""
    return " ".join(
        part for part in (installer.name, "project" if facts.scope == PROJECT else "", what) if part
    )


def _has_ours(installer: Installer, facts: Facts) -> bool:
    """Tell whether something of ours stands in a host's files; one that is not understood is the host's affair."""
    try:
        return bool(holders.commands(installer, facts))
    except UnabridgedError:
        return False


def _checked(installer: Installer, facts: Facts, journal: Journal, *, probe: bool) -> Iterator[Finding]:
    again = f"`una install {installer.name}`" + (" --scope project" if facts.scope == PROJECT else "")
    standing = holders.commands(installer, facts)
    if not journal.files:
        detail = "stands in its files, but this home did not put it there: another home or installation did"
        yield Finding(name_of(installer, facts), True, detail, f"{again} takes it over.")
    elif journal.version != facts.version or journal.state != journals.APPLIED:
        old = f"installed by version {journal.version}, this is {facts.version}"
        detail = old if journal.state == journals.APPLIED else "an installation did not come to its end"
        yield Finding(name_of(installer, facts), False, detail, again)
    else:
        yield Finding(name_of(installer, facts), True, f"installed by version {journal.version}")
    yield from _gone(installer, facts, journal, again)
    for kind, what in (("hook", "hooks"), ("mcp", "tools")):
        named = [(path, command) for one, path, command in standing if one == kind]
        wanted = kind == "mcp" or not facts.mcp_only
        if (
            journal.files
            and wanted
            and not named
            and any(one.kind == kind for one in installer.probes(facts))
        ):
            yield Finding(name_of(installer, facts, what), False, "none of ours stands in its files", again)
        yield from _usable(installer, facts, what, named, again)
        if probe:
            strange = [command for _, command in named if not _is_safe(installer, facts, command)]
            if strange:
                detail = (
                    f"{', '.join(command.name for command in strange)}: not tried, another command than ours"
                )
                yield Finding(name_of(installer, facts, what), False, detail, again)
            yield from _tried(installer, facts, kind, what, [one for one in named if one[1] not in strange])
    if facts.env.get("UNABRIDGED_HOOKS") == "off" and any(one == "hook" for one, _, _ in standing):
        yield Finding(
            name_of(installer, facts, "hooks"), False, "UNABRIDGED_HOOKS=off keeps them silent", "Unset it."
        )
    for detail, hint in installer.troubles(facts, applying.read):
        yield Finding(name_of(installer, facts), False, detail, hint)
    if probe and installer.listing(facts)[0]:
        yield from _listed(installer, facts)


def _gone(installer: Installer, facts: Facts, journal: Journal, again: str) -> Iterator[Finding]:
    gone = [path for path, kept in journal.files.items() if kept.after and applying.read(path) is None]
    if gone:
        yield Finding(name_of(installer, facts), False, f"{gone[0]} is gone, {len(gone)} files in all", again)


def _usable(
    installer: Installer, facts: Facts, what: str, named: Sequence[tuple[str, Command]], again: str
) -> Iterator[Finding]:
    """Name programs and files that a command names and that are not there, and archives that are not this one."""
    told = set[str]()
    for path, command in named:
        words = command.words or line_words(command.line)
        missing = [
            word for word in words if word.startswith("/") and _is_program(word) and not Path(word).exists()
        ]
        other = holders.archive(command)
        mine = layout(facts.env).data
        if missing and missing[0] not in told:
            told.add(missing[0])
            yield Finding(
                name_of(installer, facts, what), False, f"{path} names {missing[0]}, which is gone", again
            )
        elif other and not holders.is_same(other, mine) and other not in told:
            told.add(other)
            detail = f"{path} leads to another archive: {other}"
            yield Finding(name_of(installer, facts, what), False, detail, again)


def _is_safe(installer: Installer, facts: Facts, command: Command) -> bool:
    """Tell whether a command may be run: a project's files can come from anybody, so only what we would write."""
    if facts.scope != PROJECT:
        return True
    if command.line:
        return command.line == facts.hook_line(installer.name)
    told = ("/usr/bin/env", f"UNABRIDGED_HOME={facts.archive}") if facts.archive else ()
    known = (facts.mcp_words(), (*told, *facts.mcp_words()))
    return command.words in known and dict(command.env) in ({}, facts.mcp_env())


def _is_program(word: str) -> bool:
    return word.endswith(("hook.py", "una", "unabridged")) or "python" in Path(word).name


def _tried(
    installer: Installer, facts: Facts, kind: str, what: str, named: Sequence[tuple[str, Command]]
) -> Iterator[Finding]:
    """Run each command that is not the same as one before, once."""
    by_command: dict[str, list[str]] = {}
    commands: dict[str, Command] = {}
    for _, command in named:
        key = repr((command.line, command.words, sorted(command.env.items())))
        by_command.setdefault(key, []).append(command.name)
        commands[key] = command
    for key, names in by_command.items():
        wrong = (_try_hook if kind == "hook" else _try_server)(commands[key], facts)
        shown = ", ".join(names)
        if wrong.startswith("ok"):
            yield Finding(name_of(installer, facts, what), True, f"{shown}: {wrong.removeprefix('ok ')}")
        else:
            yield Finding(
                name_of(installer, facts, what), False, f"{shown}: {wrong}", "`una daemon logs` may tell why."
            )


def _try_hook(command: Command, facts: Facts) -> str:
    """Run a hook's line as a host does; returns `ok …`, or what is wrong."""
    mark = secrets.token_hex(8)
    said = {"hook_event_name": "SessionStart", "session_id": "probe", "cwd": _folder(facts), PROBE: mark}
    done = _run(["/bin/sh", "-c", command.line], json.dumps(said), facts, {})
    if isinstance(done, str):
        return done
    if done.returncode != 0:
        return f"status {done.returncode}: {done.stderr.strip()[-200:]}"
    if mark not in done.stdout:
        return "it ran, but nothing came back from the daemon"
    return "ok arrived at the daemon"


def _try_server(command: Command, facts: Facts) -> str:
    """Start a server as a host does and ask for its tools; returns `ok …`, or what is wrong."""
    about = {"name": "una doctor", "version": facts.version}
    opening = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": about}
    lines: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = _run(command.words, text, facts, command.env)
    if isinstance(done, str):
        return done
    try:
        answers = {row.get("id"): row for row in map(json.loads, done.stdout.splitlines())}
        server = cast("dict[str, Any]", answers[1]["result"]["serverInfo"])
        tools = cast("list[Any]", answers[2]["result"]["tools"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"it does not answer as a server does: {(done.stderr or done.stdout).strip()[-200:]}"
    if not tools:
        return "it offers no tools"
    return f"ok {len(tools)} tools of {server.get('name')} {server.get('version')}"


def _listed(installer: Installer, facts: Facts) -> Iterator[Finding]:
    """Ask the agent itself whether it has loaded us."""
    words, mark = installer.listing(facts)
    program = shutil.which(words[0], path=facts.env.get("PATH"))
    if program is None:
        return
    done = _run([program, *words[1:]], "", facts, QUIET)
    there = not isinstance(done, str) and done.returncode == 0 and mark in done.stdout
    name = name_of(installer, facts, "loaded")
    if there:
        yield Finding(name, True, f"`{shlex.join(words)}` names it")
    else:
        detail = done if isinstance(done, str) else f"`{shlex.join(words)}` does not name it"
        yield Finding(name, False, detail, f"A newer {installer.title} may be needed.")


def _run(
    words: Sequence[str], text: str, facts: Facts, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str] | str:
    try:
        return subprocess.run(
            list(words),
            input=text,
            env={**facts.env, **env},
            cwd=_folder(facts),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {SECONDS:.0f} s"
    except OSError as error:
        return f"{words[0]} cannot be started: {error.strerror}"


def _folder(facts: Facts) -> str:
    return facts.project or os.getcwd()  # noqa: PTH109
