"""The other archives that an agent serves: what stands in its files names them, and their journals say what was there.

Of two archives that were installed into one agent the later one holds it. So that either can be taken out first, the
later one learns from the journal of the earlier what stood before both, and an uninstallation leaves alone what another
archive holds.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from unabridged.cli import applying
from unabridged.cli import journal as journals
from unabridged.cli.journal import Journal
from unabridged.daemon.paths import HOME_VARIABLE, Layout, layout
from unabridged.errors import UnabridgedError
from unabridged.hosts.installing import PROJECT, Command, Facts, Installer, Kept, digest, naming
from unabridged.hosts.servers import line_words

OTHERS = 0o077  # a journal that somebody else may read is none of ours


@dataclass(frozen=True, slots=True)
class Holder:
    """Another archive: the home that commands name ("": the usual folders), where it is, its journal of the agent."""

    home: str
    place: str
    journal: Journal

    def una(self, *words: str) -> str:
        """Return a command line that is about this archive."""
        told = f"{HOME_VARIABLE}={shlex.quote(self.home)}" if self.home else f"env -u {HOME_VARIABLE}"
        return " ".join((told, "una", *words))


def commands(installer: Installer, facts: Facts) -> list[tuple[str, str, Command]]:
    """Return (kind, file, command) of all that stands in a host's files."""
    found: list[tuple[str, str, Command]] = []
    for probe in installer.probes(facts):
        content = applying.read(probe.path)
        if content is None:
            continue
        with naming(probe.path):
            found += [(probe.kind, probe.path, command) for command in probe.find(content)]
    return found


def archive(command: Command) -> str:
    """Return the home that a command is told, "" for the usual one."""
    words = command.words or line_words(command.line)
    if "--home" in words[:-1]:
        return words[words.index("--home") + 1]
    named = [word.partition("=")[2] for word in words if word.startswith(f"{HOME_VARIABLE}=")]
    return named[0] if named else str(command.env.get(HOME_VARIABLE, ""))


def others(place: Layout, installer: Installer, facts: Facts) -> tuple[Holder, ...]:
    """Return the archives other than this one that hold the agent, each with a journal that says so."""
    try:
        homes = {archive(command) for _, _, command in commands(installer, facts)}
    except UnabridgedError:
        return ()  # a file that is not understood: the edits say so
    found: list[Holder] = []
    for home in sorted(homes):
        there = layout(_told(facts.env, home))
        path = journals.path_of(there, installer.name, facts.scope, facts.project)
        if is_same(there.data, place.data) or not _is_ours(path, facts):
            continue
        try:
            journal = journals.read(path)
        except UnabridgedError:
            continue
        if (journal.host, journal.scope, journal.project) == (installer.name, facts.scope, facts.project):
            found.append(Holder(home, there.data, journal))
    return tuple(found)


def is_same(place: str, other: str) -> bool:
    """Tell whether two paths lead to one archive, one of them by a link perhaps."""
    return os.path.realpath(place) == os.path.realpath(other)


def _told(env: Mapping[str, str], home: str) -> dict[str, str]:
    rest = {name: value for name, value in env.items() if name != HOME_VARIABLE}
    return {**rest, HOME_VARIABLE: home} if home else rest


def _is_ours(path: Path, facts: Facts) -> bool:
    """Tell whether a journal can be trusted: this user's, read by nobody else, and not out of a project's checkout."""
    try:
        found = path.lstat()
    except (OSError, ValueError):
        return False
    inside = facts.scope == PROJECT and Path(os.path.realpath(path)).is_relative_to(
        os.path.realpath(facts.project)
    )
    return (
        stat.S_ISREG(found.st_mode)
        and found.st_uid == os.geteuid()
        and not found.st_mode & OTHERS
        and not inside
    )


def known(before: Journal, holders: Sequence[Holder]) -> dict[str, Kept]:
    """Return what is known of an agent's files: of several journals that one counts whose content stands there."""
    found = dict(before.files)
    for holder in holders:
        for path, entry in holder.journal.files.items():
            mine = found.get(path)
            if mine is None or digest(applying.read(path)) != mine.after:
                found[path] = entry
    return found


def with_folders(before: Journal, holders: Sequence[Holder]) -> Journal:
    """Return a journal that knows the folders which the others had made, too."""
    made = [folder for holder in holders for folder in holder.journal.folders]
    return replace(before, folders=tuple(dict.fromkeys((*before.folders, *made))))


def held(holders: Sequence[Holder]) -> set[str]:
    """Return the files that other archives hold."""
    return {path for holder in holders for path in holder.journal.files}
