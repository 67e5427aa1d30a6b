"""una uninstall: take the archive out of the coding agents; what stood in their files before comes back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

from unabridged.cli import agents, applying, holders, human
from unabridged.cli import journal as journals
from unabridged.cli.arguments import Arguments
from unabridged.cli.holders import Holder
from unabridged.cli.install import Failed, diff
from unabridged.cli.journal import Journal
from unabridged.daemon.paths import Layout, layout
from unabridged.errors import UnabridgedError
from unabridged.hosts.installing import USER, Edit, Facts, Installer, Kept, Target, digest, remove, without


@dataclass(frozen=True, slots=True)
class Undone:
    """One agent's uninstallation; `holders` are other archives, which it was left to."""

    installer: Installer
    changes: tuple[Edit, ...]
    spared: tuple[str, ...]
    holders: tuple[Holder, ...]


def run(arguments: Arguments) -> int:
    """Uninstall from the named agents, or from all that the journal names."""
    screen = arguments.screen
    scope = arguments.text("scope", USER)
    facts = agents.facts(arguments.environ, scope=scope, project=agents.project_folder(scope))
    place = layout(arguments.environ)
    names = arguments.list("agent") or [
        name for name in agents.INSTALLERS if journals.path_of(place, name, scope, facts.project).exists()
    ]
    dry = arguments.flag("dry-run")
    wanted = agents.named(names)
    told, failed = list[dict[str, object]](), list[Failed]()
    for installer in wanted:
        try:
            done = uninstall(place, installer, facts, dry=dry)
        except UnabridgedError as error:
            if len(wanted) == 1:
                raise
            failed.append(Failed(installer, error))
            continue
        told.append(_told(done, scope))
        if not arguments.flag("json"):
            _draw(arguments, done, facts, dry)
    status = failed[0].error.exit_code if failed else 0
    if arguments.flag("json"):
        rows = [*told, *(one.told(facts) for one in failed)]
        screen.json({"ok": not failed, "dry_run": dry, "agents": rows})
        return status
    for one in failed:
        one.draw(screen, "not uninstalled")
    if not wanted:
        screen.line("nothing is installed" + (" in this project" if facts.project else ""))
    return status


def uninstall(place: Layout, installer: Installer, facts: Facts, *, dry: bool) -> Undone:
    """Take our part out of one agent's files; what another archive holds by now stays."""
    with nullcontext() if dry else journals.locked(place, facts.home):
        before = journals.load(place, facts, installer.name)
        held = holders.others(place, installer, facts)
        others = holders.held(held)
        targets = [
            target
            for target in agents.every_target(installer, facts, applying.read)
            if target.path not in others
        ]
        kept = {path: entry for path, entry in before.files.items() if path not in others}
        edits = remove(targets, applying.read, kept)
        empty = Journal(installer.name, facts.scope, facts.project)
        spared = [] if dry else applying.apply(place, before, empty, edits, targets)
        if not dry:
            _rebase(place, before, targets, edits)
    return Undone(installer, tuple(edit for edit in edits if edit.changes), tuple(spared), held)


def _rebase(place: Layout, gone: Journal, targets: Sequence[Target], edits: Sequence[Edit]) -> None:
    """Take what has gone out of what other journals of this home know as what stood before them.

    Codex keeps the trust of several projects in one file: each of its journals has the earlier ones' in it.
    """
    known = {target.path: target for target in reversed(targets)}
    changed = {edit.path: edit for edit in edits if edit.changes}
    for journal in journals.every(place):
        shared = [path for path in journal.files if path in gone.files and path in known]
        if not shared:
            continue
        files = dict(journal.files)
        for path in shared:
            entry, edit = files[path], changed.get(path)
            before = without(known[path], entry.before, gone.files[path])
            same = edit is not None and digest(edit.before) == entry.after
            files[path] = Kept(before, digest(edit.after) if edit is not None and same else entry.after)
        journals.write(place, replace(journal, files=files))


def _draw(arguments: Arguments, done: Undone, facts: Facts, dry: bool) -> None:
    screen = arguments.screen
    verb = "would be uninstalled" if dry else "uninstalled"
    if not done.changes:
        verb = "is left to another archive" if done.holders else "nothing of ours is there"
    screen.line(f"{screen.style(done.installer.title, 'bold')}: {verb}")
    for edit in done.changes:
        what = "gone" if edit.after is None else "changed"
        screen.line(
            f"  {what.ljust(7)}  {screen.archived(human.place(edit.path, facts.home))}  ({edit.note})"
        )
        if dry:
            for line in diff(edit.before, edit.after):
                screen.line("    " + screen.archived(line))
    for holder in done.holders:
        scope = " --scope project" if facts.project else ""
        screen.tell(
            "note:",
            f"it leads to {screen.archived(holder.place)} by now; out of that: "
            f"`{holder.una('uninstall', done.installer.name)}{scope}`",
            "yellow",
        )
    for path in done.spared:
        screen.tell("note:", f"your changes of a file of ours are kept in {path}", "yellow")


def _told(done: Undone, scope: str) -> dict[str, object]:
    return {
        "agent": done.installer.name,
        "scope": scope,
        "files": _rows(done.changes),
        "kept": list(done.spared),
        "left_to": [holder.place for holder in done.holders],
    }


def _rows(changes: Sequence[Edit]) -> list[dict[str, object]]:
    return [
        {
            "path": edit.path,
            "change": "remove" if edit.after is None else "edit",
            "note": edit.note,
            "diff": diff(edit.before, edit.after),
        }
        for edit in changes
    ]
