"""una doctor: look for what is wrong."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from unabridged.cli import agents, applying, login, probing
from unabridged.cli import journal as journals
from unabridged.cli.arguments import Arguments
from unabridged.cli.install import install
from unabridged.cli.progress import Progress
from unabridged.cli.uninstall import uninstall
from unabridged.daemon import examine
from unabridged.daemon.paths import Layout, layout
from unabridged.errors import (
    Cancelled,
    InvalidSetting,
    Refused,
    ServiceError,
    StoreError,
    UnabridgedError,
    UnknownSetting,
)
from unabridged.hosts.installing import PROJECT, USER, Facts, Installer
from unabridged.service.ports import Finding


def run(arguments: Arguments) -> int:
    """Run every check; exit status 1 when one of them still fails."""
    screen = arguments.screen
    fix = arguments.flag("fix")
    try:
        with Progress(screen, "checking") as progress:
            answer = arguments.client().call("doctor", {"fix": fix}, on_progress=progress.update)
    except (ServiceError, StoreError, Refused, InvalidSetting, UnknownSetting) as error:
        answer = _without_daemon(layout(arguments.environ), fix, error)
        if any(check["fixed"] for check in answer["checks"]):
            answer = _asked_again(arguments, answer)
    found = _agents(arguments, fix)
    answer["checks"] = [*answer["checks"], *found]
    answer["ok"] = answer["ok"] and all(check["ok"] for check in found)
    if arguments.flag("json"):
        screen.json(answer)
        return 0 if answer["ok"] else 1
    width = max((len(str(check["check"])) for check in answer["checks"]), default=0)
    for check in answer["checks"]:
        mark = screen.style("ok   ", "green") if check["ok"] else screen.style("wrong", "red")
        if check.get("fixed"):
            mark = screen.style("fixed", "yellow")
        detail = screen.archived(str(check.get("detail") or ""))
        screen.line(f"{mark}  {str(check['check']).ljust(width)}  {detail}".rstrip())
        if not check["ok"] and check.get("hint"):
            screen.line(f"       {check['hint']}")
    wrong = sum(1 for check in answer["checks"] if not check["ok"])
    if wrong and not arguments.flag("fix"):
        screen.tell("hint:", "`una doctor --fix` repairs what can be repaired safely.", "yellow")
    return 0 if answer["ok"] else 1


def _agents(arguments: Arguments, fix: bool) -> list[dict[str, Any]]:
    """Return what is found of the agents that we are installed into; `fix`: what is stale is installed anew."""
    try:
        return [asdict(finding) for finding in _installed(arguments, fix)]
    except UnabridgedError as error:
        return [asdict(Finding("agents", False, error.message, error.advice))]


def _installed(arguments: Arguments, fix: bool) -> list[Finding]:
    """Check every installation; `fix`: mend those that are not well, each for itself."""
    probe = arguments.flag("probe")
    found = list(probing.checks(arguments.environ, probe=probe))
    if not fix or all(finding.ok for finding in found):
        return found
    place, more = layout(arguments.environ), list[Finding]()
    mended = set[str]()
    for path in journals.damaged(place):
        aside = journals.put_aside(place, path)
        mended.add(journals.named(path))
        more += _anew(arguments, path, aside)
    for installer, facts, journal in probing.installations(arguments.environ):
        name = probing.name_of(installer, facts)
        if journals.is_orphan(journal):
            more.append(_forgotten(place, installer, facts))
        elif journal.files and any(probing.is_about(finding, name) and not finding.ok for finding in found):
            more += _mended(arguments, installer, facts)
            mended.add(name)
    after = [
        replace(finding, fixed=finding.ok and any(probing.is_about(finding, name) for name in mended))
        for finding in probing.checks(arguments.environ, probe=probe)
    ]
    return [*after, *more]


def _anew(arguments: Arguments, path: Path, aside: Path) -> list[Finding]:
    """Install anew what a damaged journal was about, where that is known, as it stands."""
    place = layout(arguments.environ)
    for scope in (USER, PROJECT):
        facts = agents.facts(arguments.environ, scope=scope, project=agents.project_folder(scope))
        for name, installer in agents.INSTALLERS.items():
            if journals.path_of(place, name, scope, facts.project).name != path.name:
                continue
            try:
                stood = agents.as_it_stands(installer, facts, applying.read)
            except UnabridgedError as error:
                detail = f"{path} was damaged and is now {aside}; not installed anew: {error.message}"
                hint = f"Mend that file; then `una install {name}{' --scope project' * (scope == PROJECT)}`"
                return [Finding(probing.name_of(installer, facts), False, detail, hint)]
            return _mended(arguments, installer, stood)
    again = "`una daemon login on`" if journals.named(path) == login.HOST else "`una install` in that project"
    return [Finding(journals.named(path), True, f"{path} was damaged and is now {aside}", again, fixed=True)]


def _forgotten(place: Layout, installer: Installer, facts: Facts) -> Finding:
    """Take out what is left of an installation whose project is not there any more."""
    name = probing.name_of(installer, facts)
    try:
        uninstall(place, installer, facts, dry=False)
    except UnabridgedError as error:
        return Finding(name, False, f"not taken out: {error.message}", error.advice)
    return Finding(
        name, True, f"{facts.project} is not there any more: its installation is forgotten", fixed=True
    )


def _mended(arguments: Arguments, installer: Installer, facts: Facts) -> list[Finding]:
    """Install anew; returns what kept it from that."""
    try:
        install(arguments, installer, facts, dry=False)
    except UnabridgedError as error:
        name = probing.name_of(installer, facts)
        return [Finding(name, False, f"not mended: {error.message}", error.advice)]
    return []


def _asked_again(arguments: Arguments, before: dict[str, Any]) -> dict[str, Any]:
    """Return what a daemon says now that its files are mended, with what was; where there still is none, what was."""
    try:
        answer = arguments.client().call("doctor", {"fix": True})
    except (ServiceError, StoreError, Refused, InvalidSetting, UnknownSetting):
        return before
    mended = {check["check"]: check for check in before["checks"] if check["fixed"]}
    return {**answer, "checks": [mended.get(check["check"], check) for check in answer["checks"]]}


def _without_daemon(place: Layout, fix: bool, error: UnabridgedError) -> dict[str, Any]:
    """Return what can be checked when no daemon answers: its files, and why it does not."""
    if isinstance(error, Cancelled):
        raise error
    found = [asdict(finding) for finding in examine.files(place, fix, running=False)]
    found.append(
        {"check": "daemon", "ok": False, "detail": error.message, "hint": error.advice, "fixed": False}
    )
    return {"ok": False, "checks": found}
