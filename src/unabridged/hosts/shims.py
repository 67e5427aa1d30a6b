"""The extensions that hosts load: files that come along, with the command in them that starts Unabridged.

Their first line says the command; as it stands it is `una`, found by the PATH of the host.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import resources

BEGINS = "const UNA = "
# By host: the file, and what stands beside it.
FILES: Mapping[str, tuple[str, ...]] = {"opencode": ("shim.js",), "pi": ("shim.ts", "package.json")}


def placed(host: str, command: Sequence[str]) -> dict[str, bytes]:
    """Return the files of a host's extension by their names, with a command that starts Unabridged in them."""
    folder = resources.files(f"unabridged.hosts.{host}")
    return {
        name: with_command((folder / name).read_text(encoding="utf-8"), command).encode()
        for name in FILES[host]
    }


def with_command(text: str, command: Sequence[str]) -> str:
    """Return an extension with another command; a text that has none as it is."""
    first, line, rest = text.partition("\n")
    if not first.startswith(BEGINS):
        return text
    return f"{BEGINS}{json.dumps(list(command), ensure_ascii=False)}; // written by `una install`{line}{rest}"
