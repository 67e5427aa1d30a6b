"""Which thread a header names, and which it comes from."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from unabridged.hosts.codex.rows import Rare


class Lineage(NamedTuple):
    """Where a thread comes from. `side`: it is a subagent; `depth`: how many agents stand above it."""

    parent: str = ""
    relation: str = ""  # "fork", "subagent", or ""
    fork_native: str = ""
    side: bool = False
    depth: int = 0


def lineage(header: Rare) -> Lineage:
    """Read the lineage that a thread's own header tells."""
    fork = header.forked_from_id or ""
    agent = subagent(header.source)
    if agent is None and header.thread_source != "subagent":
        if not fork or fork == header.id:
            return Lineage()
        return Lineage(fork, "fork", left_at(header))
    spawn: Any = agent.get("thread_spawn") if agent is not None else None
    row = cast("dict[str, Any]", spawn) if isinstance(spawn, dict) else {}
    named, depth = row.get("parent_thread_id"), row.get("depth")
    parent = named if isinstance(named, str) else header.parent_thread_id or fork
    relation = "subagent" if parent else ""
    return Lineage(parent, relation, left_at(header), True, depth if isinstance(depth, int) else 1)


def subagent(source: Any) -> dict[str, Any] | None:
    """Return what a header's `source` tells of a subagent; None where the thread is none."""
    if not isinstance(source, dict):
        return None
    row = cast("dict[str, Any]", source)
    for key in ("subagent", "sub_agent", "subAgent"):
        if key in row:
            found: Any = row[key]
            return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    return None


def left_at(header: Rare) -> str:
    """Return the ordinal of the parent's last row that belongs to the thread too."""
    end = header.forked_from_ordinal_exclusive
    if end is None and header.history_base is not None:
        end = header.history_base.end_ordinal_exclusive
    return str(end - 1) if end else ""
