"""una daemon login: have a daemon run while you are logged in, or no more."""

from __future__ import annotations

from unabridged.cli import agents, applying
from unabridged.cli import journal as journals
from unabridged.cli.arguments import Arguments
from unabridged.cli.journal import Journal
from unabridged.daemon import login
from unabridged.daemon.paths import layout
from unabridged.errors import Unsupported
from unabridged.hosts.installing import Edit, Kept, Target, digest, owned, plan, remove

HOST = "login"  # its journal's name
ACTIONS = ("status", "on", "off")


def run(arguments: Arguments) -> int:
    """Turn the service on or off, or tell which it is."""
    screen = arguments.screen
    action = arguments.text("action", "status")
    place, facts = layout(arguments.environ), agents.facts(arguments.environ)
    made = login.files(facts.platform, facts.home, arguments.environ, place, facts.python)
    if not made and action == "on":
        raise Unsupported("this system has no login service that is known", hint="Linux and macOS have one.")
    service = login.name(arguments.environ, place)
    targets = [owned(path, content, "login service") for path, content in made.items()]
    changed: list[Edit] = []
    if action != "status":
        with journals.locked(place, facts.home):
            before = journals.load(place, facts, HOST)
            kept = before.files
            edits = (
                plan(targets, applying.read, kept) if action == "on" else remove(targets, applying.read, kept)
            )
            after = _after(edits if action == "on" else (), facts.version)
            applying.apply(place, before, after, edits, targets)
        changed = [edit for edit in edits if edit.changes]
    on = _is_on(targets)
    steps = login.steps(facts.platform, service, on=action == "on") if changed else ()
    if arguments.flag("json"):
        paths = [edit.path for edit in changed]
        screen.json({"ok": True, "on": on, "service": service, "changed": paths, "steps": list(steps)})
        return 0
    state = "on: a daemon runs while you are logged in" if on else "off: a daemon runs when it is needed"
    screen.line(f"login service {service}: {state}")
    for edit in changed:
        screen.line(f"  {'gone' if edit.after is None else 'new':7}  {screen.archived(edit.path)}")
    for step in steps:
        screen.tell("at once:", step, "cyan")
    return 0


def _after(edits: tuple[Edit, ...], version: str) -> Journal:
    files = {edit.path: Kept(edit.original, digest(edit.after)) for edit in edits}
    return Journal(HOST, "user", version=version, files=files)


def _is_on(targets: list[Target]) -> bool:
    return bool(targets) and all(applying.read(target.path) is not None for target in targets)
