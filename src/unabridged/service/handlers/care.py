"""Checks and repairs: verify, doctor, index, project."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from unabridged.archive import check, links, log
from unabridged.archive.project import root_of
from unabridged.errors import InvalidInput, LimitExceeded, OutOfScope, UnabridgedError, by_code
from unabridged.schema.ids import GLOBAL, ProjectId
from unabridged.schema.records import PROJECT, Project
from unabridged.schema.scope import Level
from unabridged.service.caller import NO_HOST, Call, find_project
from unabridged.service.ports import Finding
from unabridged.service.requests import (
    DoctorAnswer,
    DoctorRequest,
    FeedbackAnswer,
    FeedbackRequest,
    IndexAnswer,
    IndexRequest,
    OutboxAnswer,
    OutboxRequest,
    ProjectAnswer,
    ProjectRequest,
    VerifyAnswer,
    VerifyRequest,
)

MAX_IDS = 1_000  # of one request
MAX_VIOLATIONS = 1_000  # listed; more of them say nothing new


def verify(call: Call, request: VerifyRequest) -> VerifyAnswer:
    """Check every invariant of the archive over one consistent state."""
    services, started = call.services, call.services.clock()
    checked, violations = dict[str, int](), list[dict[str, Any]]()

    def progress(project: str, title: str) -> None:
        call.check()
        call.progress(
            {"phase": "verify", "project": project, "check": title, "records": sum(checked.values())}
        )

    with services.store.snapshot() as reader:
        project = (
            find_project(reader, request.project, apart=call.services.folders.apart)
            if request.project
            else None
        )
        for violation in check.check(
            reader, deep=request.deep, project=project, checked=checked, progress=progress
        ):
            call.check()
            violations.append(asdict(violation))
            if len(violations) >= MAX_VIOLATIONS:
                break
    return VerifyAnswer(not violations, checked, violations, round(services.clock() - started, 3))


def doctor(call: Call, request: DoctorRequest) -> DoctorAnswer:
    """Look for what is wrong with the installation, and repair what can be repaired safely."""
    findings = [
        *call.services.daemon.examine(request.fix),
        *_store(call),
        *_index(call, request.fix),
        *_hosts(call),
    ]
    return DoctorAnswer(all(item.ok for item in findings), [asdict(item) for item in findings])


def _store(call: Call) -> Iterator[Finding]:
    try:
        with call.services.store.snapshot() as reader:
            count = len(log.projects(reader))
        usage = call.services.store.usage()
    except UnabridgedError as error:
        yield Finding("store", False, f"{error.code}: {error.message}", error.advice)
        return
    failure = by_code().get(usage.failure)
    if failure is not None:
        yield Finding("store", False, f"nothing can be written: {failure.code}", failure.hint)
        return
    engine, plural = call.services.store.capabilities.engine, "" if count == 1 else "s"
    yield Finding("store", True, f"{engine}, {count} project{plural}")


def _index(call: Call, fix: bool) -> Iterator[Finding]:
    status = call.services.index.status()
    state = str(status["state"])
    if status["ok"]:
        yield Finding("index", True, f"{state}, {status.get('behind', 0)} log entries behind")
    elif fix:
        call.services.index.rebuild(False, call.progress, call.check)
        yield Finding("index", True, f"it was {state}; it is made anew", fixed=True)
    else:
        yield Finding("index", False, f"{state}: {status.get('error', '')}", "`una index rebuild`")
    if status.get("damaged_events"):
        yield Finding(
            "index texts", False, f"{status['damaged_events']} events could not be read", "`una verify`"
        )


def _hosts(call: Call) -> Iterator[Finding]:
    """Tell of each host that is here; of the others in one line."""
    absent: list[str] = []
    for host in call.services.roots():
        there = [str(root["path"]) for root in host["roots"] if root["exists"]]
        count, name = host["transcripts"], str(host["host"])
        if there and not count:
            detail = f"sessions may lie in {there[0]}, none is archived"
            yield Finding(f"host {name}", True, detail, "`una import`")
        elif count:
            noun = "transcript" if count == 1 else "transcripts"
            yield Finding(f"host {name}", True, f"{count} {noun} archived")
        else:
            absent.append(name)
    if absent:
        yield Finding("other hosts", True, f"not on this machine: {', '.join(absent)}")


def index(call: Call, request: IndexRequest) -> IndexAnswer:
    """Show, rebuild or verify the search index."""
    control = call.services.index
    if request.action == "rebuild":
        control.rebuild(request.wait, call.progress, call.check)
    elif request.action == "verify":
        found = control.verify(call.progress, call.check)
        return IndexAnswer(bool(found["ok"]), found)
    elif request.action != "status":
        raise InvalidInput("action must be one of status, rebuild, verify", field="action")
    found = control.status()
    return IndexAnswer(bool(found["ok"]), found)


def feedback(call: Call, request: FeedbackRequest) -> FeedbackAnswer:
    """Tell how much is counted of what was recalled, or forget it."""
    if request.action not in ("status", "clear"):
        raise InvalidInput("action must be one of status, clear", field="action")
    counts = call.services.feedback
    cleared = counts.clear() if request.action == "clear" else 0
    return FeedbackAnswer(True, counts.facts(), cleared)


def outbox(call: Call, request: OutboxRequest) -> OutboxAnswer:
    """List the events that could not be applied, try them again, or drop them."""
    if call.caller.granted is not Level.ALL:
        raise OutOfScope("only a client that sees everything may look into the outbox")
    if len(request.ids) > MAX_IDS:
        raise LimitExceeded("too many ids", field="ids", limit=MAX_IDS, size=len(request.ids))
    kept, changed = call.services.outbox, 0
    if request.action == "replay":
        changed = kept.replay(request.ids)
    elif request.action == "drop":
        if not request.ids:
            raise InvalidInput("which entries to drop must be said", field="ids")
        changed = kept.drop(request.ids)
    elif request.action != "list":
        raise InvalidInput("action must be one of list, replay, drop", field="action")
    entries = kept.listed()
    return OutboxAnswer(not entries, kept.facts(), entries, changed)


def project(call: Call, request: ProjectRequest) -> ProjectAnswer:
    """List projects, show that of a folder, join two, or take one out of its links."""
    store, apart = call.services.store, call.services.folders.apart
    if request.action in ("link", "unlink"):
        for field in ("path", "other") if request.action == "link" else ("path",):
            if not getattr(request, field):
                raise InvalidInput(f"{field} is empty", field=field)
        if call.caller.granted is not Level.ALL:
            raise OutOfScope("only a client that sees everything may join projects")
        root = root_of(request.path, NO_HOST, apart=apart)
        if request.action == "link":
            other = root_of(request.other, NO_HOST, apart=apart)
            changed = store.commit(GLOBAL, links.plan_link(root, other, call.now))
        else:
            changed = store.commit(GLOBAL, links.plan_unlink(root, call.now))
        call.services.folders.forget()
        return ProjectAnswer([_project(item) for item in changed])
    with store.snapshot() as reader:
        if request.action == "list":
            return ProjectAnswer([_project(item) for item in call.visible(reader, log.projects(reader))])
        if request.action == "show":
            name: ProjectId = find_project(reader, request.path or call.caller.folder, apart=apart)
            found = reader.get(PROJECT, (GLOBAL, name))
            if found is not None and not call.visible(reader, [found]):
                raise OutOfScope("that project is outside what this client was granted")
            root = root_of(request.path or call.caller.folder, NO_HOST, apart=apart)
            return ProjectAnswer([_project(found) if found else {"project": name.hex(), "roots": [root]}])
    raise InvalidInput("action must be one of list, show, link, unlink", field="action")


def _project(record: Project) -> dict[str, Any]:
    return {
        "project": record.id.hex(),
        "name": record.name,
        "roots": record.roots,
        "links": [item.hex() for item in record.links],
    }
