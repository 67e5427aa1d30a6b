"""una install: put the archive into the coding agents of this machine."""

from __future__ import annotations

import difflib
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import unabridged
from unabridged.cli import agents, applying, holders, human
from unabridged.cli import journal as journals
from unabridged.cli.arguments import Arguments
from unabridged.cli.failure import report
from unabridged.cli.holders import Holder
from unabridged.cli.journal import Journal
from unabridged.cli.screen import Screen
from unabridged.cli.status import HOOKED
from unabridged.daemon.paths import Layout, layout
from unabridged.errors import InvalidInput, Refused, UnabridgedError
from unabridged.hosts.installing import PROJECT, USER, Facts, Installer, Kept, Plan, check_told, digest, plan

YES = ("y", "yes")


@dataclass(frozen=True, slots=True)
class Done:
    """One agent's installation, or what it would be."""

    installer: Installer
    plan: Plan
    spared: tuple[str, ...] = ()
    updated: str = ""  # the version that was there before
    holders: tuple[Holder, ...] = ()  # other archives that held the agent


@dataclass(frozen=True, slots=True)
class Failed:
    """One agent of several in which it could not be done; the others are not kept from it."""

    installer: Installer
    error: UnabridgedError

    def draw(self, screen: Screen, what: str) -> None:
        """Name the agent, and then the error."""
        screen.line(f"{screen.style(self.installer.title, 'bold')}: {what}")
        report(screen, self.error, as_json=False)

    def told(self, facts: Facts) -> dict[str, Any]:
        """Return it for a program."""
        return {"agent": self.installer.name, "scope": facts.scope, "error": self.error.to_dict()}


def run(arguments: Arguments) -> int:
    """Install into the named agents, or into those that are here and wanted."""
    screen = arguments.screen
    scope = arguments.text("scope", USER)
    facts = agents.facts(arguments.environ, scope=scope, project=agents.project_folder(scope))
    facts = replace(
        facts,
        mcp_only=arguments.flag("mcp-only"),
        statusline=not arguments.flag("no-statusline"),
        trust=arguments.flag("trust"),
    )
    _check_user(facts)
    named, dry = arguments.list("agent"), arguments.flag("dry-run")
    if not named:
        named, trusted = _chosen(arguments, facts)
        facts = replace(facts, trust=trusted)
    wanted = agents.named(named)
    done, failed = list[Done](), list[Failed]()
    for installer in wanted:
        try:
            _check_scope(arguments, installer, facts)
            done.append(install(arguments, installer, facts, dry=dry))
        except UnabridgedError as error:
            if len(wanted) == 1:
                raise
            failed.append(Failed(installer, error))
    status = failed[0].error.exit_code if failed else 0
    if arguments.flag("json"):
        rows = [*(_told(one, facts) for one in done), *(one.told(facts) for one in failed)]
        screen.json({"ok": not failed, "dry_run": dry, "agents": rows})
        return status
    for one in done:
        _draw(arguments, one, facts, dry)
    for one in failed:
        one.draw(screen, "not installed")
    if not wanted:
        screen.line("no agent was named, nothing is changed")
    elif done and not dry:
        if not Path(layout(arguments.environ).store).is_dir():
            screen.tell("next:", "`una import` archives what they have written so far.", "cyan")
        if any(one.installer.name not in HOOKED for one in done):
            screen.tell(
                "hint:",
                "What has no hooks is archived while a daemon runs; `una daemon login on` keeps one running.",
                "yellow",
            )
        screen.tell(
            "hint:", "`una doctor --probe` tries every hook and server as the agents start them.", "yellow"
        )
    return status


def _check_user(facts: Facts) -> None:
    """Refuse a home that is not there, and root in the home of who asked `sudo` for it.

    They could not change what root writes there any more.
    """
    if not Path(facts.home).is_dir():
        raise InvalidInput(f"there is no home folder {facts.home}", hint="HOME=/your/folder una install …")
    owner = str(Path(facts.home).stat().st_uid)
    if os.geteuid() == 0 and owner != "0" and owner == facts.env.get("SUDO_UID"):
        raise Refused(
            f"this would write into {facts.home} as root", hint="Run it as that user, without `sudo`."
        )


def _check_scope(arguments: Arguments, installer: Installer, facts: Facts) -> None:
    """Refuse a scope that the agent does not have, or whose files are those of the other one."""
    if facts.scope not in installer.scopes:
        raise InvalidInput(
            f"{installer.title} has no settings of a project", hint="Leave --scope project out."
        )
    if agents.is_of_user(installer, facts):
        raise InvalidInput(
            f"{facts.project} is no project for {installer.title}: what it reads there is the user's",
            hint="Leave --scope project out, or run it in the project's own folder.",
        )
    _refuse_double(arguments, installer, facts)


def _refuse_double(arguments: Arguments, installer: Installer, facts: Facts) -> None:
    """Refuse what would run a host's hooks twice in one folder."""
    others = [
        journal
        for journal in journals.every(layout(arguments.environ))
        if journal.host == installer.name and journal.scope != facts.scope and not journals.is_orphan(journal)
    ]
    if installer.one_scope and others and not facts.mcp_only:
        where = (
            "for all your projects"
            if facts.scope == PROJECT
            else "in " + ", ".join(one.project for one in others)
        )
        raise Refused(
            f"{installer.title} has it {where} already: its hooks would run twice",
            hint=f"`una uninstall {installer.name}"
            + (" --scope project` there first." if facts.scope == USER else "` first, or leave it at that."),
        )


def install(arguments: Arguments, installer: Installer, facts: Facts, *, dry: bool) -> Done:
    """Install into one agent; with `dry` only tell what would be done."""
    place = layout(arguments.environ)
    check_told(installer, facts)
    if dry:
        return _planned(place, installer, facts, journals.load(place, facts, installer.name))
    with journals.locked(place, facts.home):
        before = journals.load(place, facts, installer.name)
        found = _planned(place, installer, facts, before)
        wanted = {target.path for target in installer.targets(facts, applying.read)}
        files = {
            edit.path: Kept(edit.original, digest(edit.after))
            for edit in found.plan.edits
            if edit.path in wanted and edit.after != edit.original
        }
        known = {"python": facts.python, "hook": facts.hook, "una": list(facts.una), "archive": facts.archive}
        known |= {"mcp_only": facts.mcp_only, "statusline": facts.statusline}
        after = Journal(installer.name, facts.scope, facts.project, facts.version, facts=known, files=files)
        others = agents.every_target(installer, facts, applying.read)
        before = holders.with_folders(before, found.holders)
        spared = applying.apply(place, before, after, found.plan.edits, others)
    return replace(found, spared=tuple(spared))


def _planned(place: Layout, installer: Installer, facts: Facts, before: Journal) -> Done:
    read = applying.read
    others = agents.every_target(installer, facts, read)
    held = holders.others(place, installer, facts)
    edits = plan(installer.targets(facts, read), read, holders.known(before, held), others)
    notes, steps = installer.notes(facts, read)
    taken = tuple(f"It led to another archive, {one.place}, which is used here no more." for one in held)
    return Done(installer, Plan(edits, (*taken, *notes), steps), updated=before.version, holders=held)


def _chosen(arguments: Arguments, facts: Facts) -> tuple[list[str], bool]:
    """Return the agents that are here and that the person wants, and whether Codex's hooks are to be trusted."""
    found = [name for name in agents.present(facts) if _fits(agents.INSTALLERS[name], facts)]
    screen = arguments.screen
    if not found:
        raise InvalidInput(
            "no agent was found on this machine", hint=f"Name one: {', '.join(agents.INSTALLERS)}."
        )
    if arguments.flag("yes") or arguments.flag("dry-run"):
        return found, facts.trust
    if not sys.stdin.isatty() or not screen.messages_terminal:
        raise InvalidInput(
            f"found {', '.join(found)}; which of them is not said",
            hint=f"`una install {' '.join(found)}`, or `una install --yes` for all of them.",
        )
    screen.note("`una install --dry-run` shows every change, `una uninstall` takes each back.")
    wanted = [name for name in found if _asked(arguments, f"Install into {agents.INSTALLERS[name].title}?")]
    trusted = facts.trust
    if "codex" in wanted and not trusted and not facts.mcp_only:
        trusted = _asked(arguments, "Codex runs only hooks that you trust. Trust those of unabridged?")
    return wanted, trusted


def _fits(installer: Installer, facts: Facts) -> bool:
    return facts.scope in installer.scopes and not agents.is_of_user(installer, facts)


def _asked(arguments: Arguments, question: str) -> bool:
    arguments.screen.overwrite(f"{question} [y/N] ")
    return sys.stdin.readline().strip().lower() in YES


def _draw(arguments: Arguments, one: Done, facts: Facts, dry: bool) -> None:
    screen = arguments.screen
    changes = [edit for edit in one.plan.edits if edit.changes]
    verb = "would be installed" if dry else "installed"
    if not changes:
        verb = "is up to date"
    elif one.updated and one.updated == unabridged.__version__:
        verb = "would be updated" if dry else "updated"
    elif one.updated:
        verb = f"would be updated from {one.updated}" if dry else f"updated from {one.updated}"
    screen.line(f"{screen.style(one.installer.title, 'bold')}: {verb}")
    for edit in changes:
        what = "new" if edit.before is None else "gone" if edit.after is None else "changed"
        screen.line(
            f"  {what.ljust(7)}  {screen.archived(human.place(edit.path, facts.home))}  ({edit.note})"
        )
        if dry:
            for line in diff(edit.before, edit.after):
                screen.line("    " + screen.archived(line))
    for path in one.spared:
        screen.tell("note:", f"your changes of a file of ours are kept in {path}", "yellow")
    for note in one.plan.notes:
        screen.tell("note:", note, "yellow")
    if changes and not dry:
        for step in one.plan.steps:
            screen.tell("next:", step, "cyan")


def diff(before: bytes | None, after: bytes | None) -> list[str]:
    """Return what changes in a file, as lines of a unified diff."""
    old, new = ((text or b"").decode("utf-8", "replace").splitlines() for text in (before, after))
    return list(difflib.unified_diff(old, new, lineterm="", n=2))[2:]


def _told(one: Done, facts: Facts) -> dict[str, Any]:
    return {
        "agent": one.installer.name,
        "scope": facts.scope,
        "updated_from": one.updated or None,
        "files": [
            {
                "path": edit.path,
                "change": "create" if edit.before is None else "remove" if edit.after is None else "edit",
                "note": edit.note,
                "diff": diff(edit.before, edit.after),
            }
            for edit in one.plan.edits
            if edit.changes
        ],
        "kept": list(one.spared),
        "notes": list(one.plan.notes),
        "steps": list(one.plan.steps),
    }
