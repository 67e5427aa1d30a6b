"""Runs the suite of relations: the latest of a kind is one place, several, or nowhere, and the answer says which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unabridged.daemon.client import Client
from unabridged.errors import UnabridgedError
from unabridged.eval import reporting
from unabridged.eval.cases import Case, Frozen
from unabridged.eval.living import NO_MODELS, Tell, imported, living
from unabridged.eval.reporting import Figures
from unabridged.eval.transcripts import Written

FAILED = "failed-attempts"  # all of them are wanted, not the latest alone
OPERATION = {FAILED: "latest-failure"}  # kinds that the operation has another name for
RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class Resolved:
    """One case: the status that was told, and whether that and the place are right."""

    case: Case
    status: str
    right: bool


def run(suite: Frozen, tell: Tell) -> dict[str, Any]:
    """Ask for every relation; return the report."""
    with living(NO_MODELS) as (client, folder):
        written = imported(client, folder, suite.conversations, tell)
        projects = {one.name: place for one, place in zip(suite.conversations, written, strict=True)}
        tell(f"{suite.name}: {len(suite.cases):,} questions")
        found = [_resolve(client, case, projects[case.project]) for case in suite.cases]
    return report(suite, found)


def report(suite: Frozen, found: Sequence[Resolved]) -> dict[str, Any]:
    """Return measures over all, over what can be resolved, and of certainty that is not warranted."""
    there = [one for one in found if one.case.status == RESOLVED]
    uncertain = [one for one in found if one.case.status != RESOLVED]
    figures = {
        "accuracy": Figures([float(one.right) for one in found]),
        "status_accuracy": Figures([float(one.status == one.case.status) for one in found]),
    }
    if there:
        figures["resolution_accuracy"] = Figures([float(one.right) for one in there])
    if uncertain:
        figures["false_certainty"] = Figures([float(one.status == RESOLVED) for one in uncertain])
    groups = dict[str, list[Resolved]]()
    for one in found:
        groups.setdefault(one.case.kind, []).append(one)
        groups.setdefault(f"expected {one.case.status}", []).append(one)
    return {
        "suite": suite.name,
        "n": len(found),
        **reporting.drawn(figures),
        "categories": {
            name: {
                "n": len(group),
                "accuracy": reporting.percent(sum(one.right for one in group) / len(group)),
            }
            for name, group in sorted(groups.items())
        },
        "statuses": reporting.counted([one.status for one in found]),
        "about": suite.about,
        "digest": suite.digest,
    }


def _resolve(client: Client, case: Case, written: Written) -> Resolved:
    relation = OPERATION.get(case.kind, case.kind)
    request: dict[str, Any] = {
        "query": case.ask,
        "relation": relation,
        "project": written.project,
        "scope": "project",
    }
    if case.session:
        request["filters"] = {"session": written.host_session(case.session)}
    try:
        answer = client.call("search", request)
    except UnabridgedError as error:
        return Resolved(case, error.code, right=False)
    status = str(answer["account"]["relation"]["status"])
    right = status == case.status and (status != RESOLVED or _placed(case, answer["hits"], written))
    return Resolved(case, status, right)


def _placed(case: Case, hits: Sequence[Mapping[str, Any]], written: Written) -> bool:
    """Tell whether the first hit is a wanted message; of failed attempts, whether every one is among the hits."""
    keys = [name for hit in hits for key in hit["source_keys"] if (name := written.turn_of(key))]
    if case.kind == FAILED:
        return all(not piece.isdisjoint(keys) for piece in case.pieces)
    return bool(keys) and all(keys[0] in piece for piece in case.pieces)
