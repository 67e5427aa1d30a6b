"""Where a host works: the folder that it was started in, or the roots that it names."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

ROOTS_SECONDS = 2.0  # that a host may take to say where it works
MOST_ROOTS = 64  # of one host that are looked at

Context = ServerRequestContext[dict[str, Any], Any]


async def place(context: Context, folder: str) -> str:
    """Return the folder that an agent works in: the one it was started in, unless its roots all lie elsewhere."""
    roots = await _roots(context)
    if not roots or any(_within(folder, root) for root in roots):
        return folder
    return roots[0]


async def _roots(context: Context) -> list[str]:
    """Return the folders that the host names as its roots; none when it names none or cannot be asked."""
    abilities = context.session.client_capabilities
    if abilities is None or abilities.roots is None or not context.session.can_send_request:
        return []
    try:
        async with asyncio.timeout(ROOTS_SECONDS):
            told = await context.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
    except (TimeoutError, MCPError):
        return []
    found = [_path(str(root.uri)) for root in told.roots[:MOST_ROOTS]]
    return [path for path in found if path]


def _path(uri: str) -> str:
    parts = urlsplit(uri)
    path = unquote(parts.path)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or "\0" in path:
        return ""
    return path if Path(path).is_dir() else ""


def _within(folder: str, root: str) -> bool:
    if not folder:
        return False
    real, place = os.path.realpath(root), os.path.realpath(folder)
    return place == real or place.startswith(real.rstrip("/") + "/")
