"""Which folders are watched for growing transcripts."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from unabridged.hosts.contract import Host
from unabridged.schema.records import Origin

MAX_FOLDERS = 2_000  # watched at once; Linux grants a user 8,192 and more watches in all

_JOURNAL = re.compile(r"(.+)-(?:user|project-[0-9a-f]{16})\.json")  # the name of an installation's file


@dataclass(frozen=True, slots=True)
class Watched:
    """The folders to watch, each with the hosts whose new files there are read (none: only known files are).

    awaited: places of hosts that are not there yet, whose nearest folders are watched until they are.
    """

    folders: Mapping[str, frozenset[str]]
    left_out: int
    awaited: Mapping[str, str]


def used_roots(origins: Iterable[Origin], roots: Mapping[str, list[Path]]) -> dict[str, list[Path]]:
    """Return the places of each host that something was imported from."""
    used = dict[str, list[Path]]()
    paths = list(origins)
    for host, places in roots.items():
        for place in places:
            real = os.path.realpath(place)
            inside = real.rstrip("/") + "/"
            if any(
                item.host == host and (item.path.startswith(inside) or item.path == real) for item in paths
            ):
                used.setdefault(host, []).append(Path(real))
    return used


def installed_hosts(journals: Path) -> frozenset[str]:
    """Return the hosts for which something is installed, by the names of the files in the folder that notes it."""
    try:
        names = os.listdir(journals)
    except OSError:
        return frozenset()
    return frozenset(found[1] for name in names if (found := _JOURNAL.fullmatch(name)))


def plan_watch(
    origins: Iterable[Origin], roots: Mapping[str, list[Path]], installed: Collection[str] = ()
) -> Watched:
    """Choose the folders to watch: the places of hosts with their subfolders, then those of other known files.

    A host's places count once something was imported from them, or from the time on that it is installed.
    """
    known = list(origins)
    places = used_roots(known, roots)
    awaited = dict[str, str]()
    for host in sorted(roots.keys() & installed):
        for place in map(os.path.realpath, roots[host]):
            if Path(place) in places.get(host, ()):
                continue
            if os.path.exists(place):
                places.setdefault(host, []).append(Path(place))
            else:
                awaited[place] = host
    folders, left_out = dict[str, set[str]](), 0
    for host, found in places.items():
        for place in found:
            for folder in _folders(place):
                if len(folders) >= MAX_FOLDERS and folder not in folders:
                    left_out += 1
                else:
                    folders.setdefault(folder, set()).add(host)
    others = [os.path.dirname(item.path) for item in _last_first(known)] + [*map(_nearest, awaited)]
    for folder in others:
        if folder in folders:
            continue
        if len(folders) >= MAX_FOLDERS:
            left_out += 1
        else:
            folders[folder] = set()
    return Watched({folder: frozenset(hosts) for folder, hosts in folders.items()}, left_out, awaited)


def _last_first(known: Iterable[Origin]) -> list[Origin]:
    return sorted((item for item in known if item.kind != "sidecar"), key=lambda item: -item.seen)


def _nearest(place: str) -> str:
    """Return the last folder on the way to a place that is there."""
    folder = os.path.dirname(place)
    while not os.path.isdir(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return folder


def _folders(place: Path) -> list[str]:
    """Return a place and the folders below it, the ones changed last first, so that a bound keeps the live ones."""
    if not place.is_dir():
        return [str(place.parent)]
    found = list[tuple[float, str]]()
    for folder, _, _ in os.walk(place):
        try:
            found.append((-os.stat(folder).st_mtime, folder))
        except OSError:
            continue  # it went away meanwhile
    return [str(place), *(folder for _, folder in sorted(found) if folder != str(place))]


def host_roots(
    hosts: Mapping[str, Host], env: Mapping[str, str], home: Path, platform: str
) -> dict[str, list[Path]]:
    """Return each host's places."""
    return {name: list(host.roots(env, home, platform)) for name, host in hosts.items()}
