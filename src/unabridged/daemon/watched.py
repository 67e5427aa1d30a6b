"""Which folders are watched for growing transcripts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from unabridged.hosts.contract import Host
from unabridged.schema.records import Origin

MAX_FOLDERS = 2_000  # watched at once; Linux grants a user 8,192 and more watches in all


@dataclass(frozen=True, slots=True)
class Watched:
    """The folders to watch, each with the hosts whose new files there are read (none: only known files are)."""

    folders: Mapping[str, frozenset[str]]
    left_out: int


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


def plan_watch(origins: Iterable[Origin], roots: Mapping[str, list[Path]]) -> Watched:
    """Choose the folders to watch: the places of hosts with their subfolders, then those of other known files."""
    known = list(origins)
    folders, left_out = dict[str, set[str]](), 0
    for host, places in used_roots(known, roots).items():
        for place in places:
            for folder in _folders(place):
                if len(folders) >= MAX_FOLDERS and folder not in folders:
                    left_out += 1
                else:
                    folders.setdefault(folder, set()).add(host)
    for origin in sorted(known, key=lambda item: -item.seen):
        folder = os.path.dirname(origin.path)
        if folder in folders or origin.kind == "sidecar":
            continue
        if len(folders) >= MAX_FOLDERS:
            left_out += 1
        else:
            folders[folder] = set()
    return Watched({folder: frozenset(hosts) for folder, hosts in folders.items()}, left_out)


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
