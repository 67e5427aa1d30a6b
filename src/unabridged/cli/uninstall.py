"""una uninstall: take the archive out of the coding agents; what stood in their files before comes back."""

from __future__ import annotations

from contextlib import nullcontext

from unabridged.cli import agents, applying
from unabridged.cli import journal as journals
from unabridged.cli.arguments import Arguments
from unabridged.cli.install import diff
from unabridged.cli.journal import Journal
from unabridged.daemon.paths import layout
from unabridged.hosts.installing import USER, Edit, remove


def run(arguments: Arguments) -> int:
    """Uninstall from the named agents, or from all that the journal names."""
    screen = arguments.screen
    scope = arguments.text("scope", USER)
    facts = agents.facts(arguments.environ, scope=scope, project=agents.project_folder(scope))
    place = layout(arguments.environ)
    names = arguments.list("agent") or [
        journal.host
        for journal in journals.every(place)
        if journal.host in agents.INSTALLERS and (journal.scope, journal.project) == (scope, facts.project)
    ]
    dry = arguments.flag("dry-run")
    told: list[dict[str, object]] = []
    for installer in agents.named(names):
        with nullcontext() if dry else journals.locked(place, facts.home):
            before = journals.load(place, facts, installer.name)
            targets = agents.every_target(installer, facts, applying.read)
            edits = remove(targets, applying.read, before.files)
            empty = Journal(installer.name, facts.scope, facts.project)
            spared = [] if dry else applying.apply(place, before, empty, edits, targets)
        changes = [edit for edit in edits if edit.changes]
        told.append({"agent": installer.name, "scope": scope, "files": _rows(changes), "kept": spared})
        if not arguments.flag("json"):
            _draw(arguments, installer.title, changes, spared, dry)
    if arguments.flag("json"):
        screen.json({"ok": True, "dry_run": dry, "agents": told})
    elif not told:
        screen.line("nothing is installed" + (" in this project" if facts.project else ""))
    return 0


def _draw(arguments: Arguments, title: str, changes: list[Edit], spared: list[str], dry: bool) -> None:
    screen = arguments.screen
    verb = "nothing of ours is there" if not changes else "would be uninstalled" if dry else "uninstalled"
    screen.line(f"{screen.style(title, 'bold')}: {verb}")
    for edit in changes:
        what = "gone" if edit.after is None else "changed"
        screen.line(f"  {what.ljust(7)}  {screen.archived(edit.path)}  ({edit.note})")
        if dry:
            for line in diff(edit.before, edit.after):
                screen.line("    " + screen.archived(line))
    for path in spared:
        screen.tell("note:", f"your changes of a file of ours are kept in {path}", "yellow")


def _rows(changes: list[Edit]) -> list[dict[str, object]]:
    return [
        {
            "path": edit.path,
            "change": "remove" if edit.after is None else "edit",
            "note": edit.note,
            "diff": diff(edit.before, edit.after),
        }
        for edit in changes
    ]
