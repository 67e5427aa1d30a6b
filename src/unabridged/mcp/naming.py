"""Handles of passages where a session or a document is meant."""

from __future__ import annotations

from typing import Any

from unabridged.daemon.link import Link
from unabridged.errors import InvalidInput, NotFound
from unabridged.retrieve.locator import HANDLE_PREFIX, PREFIX

FEW_TOKENS = 200  # of a passage that is only asked where it stands


async def resolve(link: Link, asked: dict[str, Any], path: str, means: str) -> None:
    """Replace the handle of a passage by its session or document; leave any other name as it is."""
    outer, _, inner = path.partition(".")
    holder, name = (asked[outer], inner) if inner else (asked, outer)
    value = holder[name]
    if not value.startswith((HANDLE_PREFIX, PREFIX)):
        return
    try:
        found = await link.call("recall", {"target": value, "max_tokens": FEW_TOKENS, "counts": False})
    except InvalidInput as error:
        if error.details.get("field") != "target":
            raise
        return  # a host may name its sessions so
    if not found[means]:
        raise NotFound(f"the passage is {found['status']}", field=name, status=found["status"])
    holder[name] = found[means]
