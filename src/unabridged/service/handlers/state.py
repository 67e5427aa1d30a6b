"""How things are: ping, status, stats, daemon.status, shutdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unabridged.archive import log
from unabridged.errors import DiskFull, DiskLow, IndexError_, StoreFailed, by_code
from unabridged.schema.records import COUNTERS, Counters, Project
from unabridged.service.caller import Call
from unabridged.service.handlers.spending import spending
from unabridged.service.handlers.told import told
from unabridged.service.requests import (
    DaemonAnswer,
    Empty,
    McpAnswer,
    PingAnswer,
    ShutdownRequest,
    StatsAnswer,
    StatsRequest,
    StatusAnswer,
)
from unabridged.store.contract import Reader


def ping(call: Call, _: Empty) -> PingAnswer:
    """Answer at once."""
    return PingAnswer(True, call.services.daemon.pid, call.services.version)


def status(call: Call, _: Empty) -> StatusAnswer:
    """Tell how the archive, the index, the daemon and the hosts are, and what is wrong with them."""
    services = call.services
    with services.store.snapshot() as reader:
        rows = _projects(call, reader)
    usage = services.store.usage()
    store = {
        "engine": services.store.capabilities.engine,
        "bytes_on_disk": usage.bytes_on_disk,
        "reclaimable": usage.reclaimable,
        "projects": len(rows),
        **_sums([counters for _, counters in rows]),
    }
    index = {**services.index.status(), "semantic": services.semantic()}
    disk = services.daemon.disk()
    problems = [*_storage(disk, usage.failure), *_index(index), *services.daemon.problems()]
    return StatusAnswer(
        not problems,
        services.version,
        store,
        index,
        {**services.daemon.facts(), "disk": disk, "tailing": services.daemon.tailing()},
        services.roots(),
        problems,
    )


def stats(call: Call, request: StatsRequest) -> StatsAnswer:
    """Count what is kept and what it takes, and what requests came to."""
    services = call.services
    with services.store.snapshot() as reader:
        rows = _projects(call, reader)
        names = [project.id for project, _ in rows]
        window = spending(call, reader, names, request.session, request.limit)
        unasked = told(call, reader, names, request.session)
    usage = services.store.usage()
    projects = [
        {"project": project.id.hex(), "name": project.name, "roots": project.roots, **_sums([counters])}
        for project, counters in rows
    ]
    index, semantic = services.index.status(), services.semantic()
    disk = {
        **services.daemon.disk(),
        "store": usage.bytes_on_disk,
        "index": index.get("bytes_on_disk", 0),
        "vectors": semantic.get("bytes_on_disk", 0),
        "reclaimable": usage.reclaimable,
    }
    totals = {"projects": len(rows), "records": usage.records, **_sums([counters for _, counters in rows])}
    return StatsAnswer(
        True, totals, projects, disk, services.daemon.slow(), services.feedback.facts(), window, unasked
    )


def daemon_status(call: Call, _: Empty) -> DaemonAnswer:
    """Tell about the process alone."""
    info = call.services.daemon
    return DaemonAnswer(True, {**info.facts(), "disk": info.disk(), "tailing": info.tailing()}, info.slow())


def mcp(call: Call, _: Empty) -> McpAnswer:
    """Have the process that speaks MCP run."""
    socket, pid = call.services.speaker(call.check)
    return McpAnswer(socket, pid)


def shutdown(call: Call, request: ShutdownRequest) -> PingAnswer:
    """Begin to drain and stop."""
    call.services.daemon.stop(request.reason or "asked by a client")
    return PingAnswer(True, call.services.daemon.pid, call.services.version)


def _storage(disk: dict[str, Any], failure: str) -> Iterator[dict[str, Any]]:
    """Say why nothing, or nothing more, is written to the disk."""
    if failure and failure != DiskFull.code:
        kind = by_code().get(failure, StoreFailed)
        yield {"code": failure, "message": f"nothing can be written: {kind().message}", "hint": kind.hint}
    if disk.get("full") or failure == DiskFull.code:
        yield {
            "code": DiskFull.code,
            "message": "the disk is full: nothing can be written",
            "hint": DiskFull.hint,
            **disk,
        }
    elif disk.get("low"):
        yield {
            "code": DiskLow.code,
            "message": "too little free disk space to admit more",
            "hint": DiskLow.hint,
            **disk,
        }


def _index(index: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if not index.get("ok", False):
        yield {
            "code": f"index-{index.get('state', 'failed')}",
            "message": "search answers may be incomplete",
            "hint": by_code().get(str(index.get("error")), IndexError_).hint,
        }


def _projects(call: Call, reader: Reader) -> list[tuple[Project, Counters]]:
    """Return the projects that the caller may see, with what is counted of them."""
    found = call.visible(reader, log.projects(reader))
    counters = reader.get_many(COUNTERS, [(project.id,) for project in found])
    return [(project, count or Counters(project.id)) for project, count in zip(found, counters, strict=True)]


def _sums(counters: list[Counters]) -> dict[str, int]:
    return {
        "events": sum(item.events for item in counters),
        "documents": sum(item.documents for item in counters),
        "raw_bytes": sum(item.raw_bytes for item in counters),
        "stored_bytes": sum(item.stored_bytes for item in counters),
        "positions": sum(item.next_position - 1 for item in counters),
    }
