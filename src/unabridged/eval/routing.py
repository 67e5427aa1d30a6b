"""Which evidence do the instructions of the tools lead a model to: the archive, the live state, both, neither?

The instructions and tools are those that `una mcp` gives to an agent. Beside them stand tools for the live state, which
answer nothing of interest; what is judged is what a model calls. Without a model only this can be checked: that the
instructions have every rule.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unabridged.daemon import paths
from unabridged.errors import ServiceError
from unabridged.eval import reporting
from unabridged.eval.cases import Case, Frozen
from unabridged.eval.living import NO_MODELS, Tell, living
from unabridged.eval.model import Model, Step, Talk, Tool
from unabridged.eval.reporting import Figures

STEPS = 6  # that a model may take for one question
WAIT = 30.0  # seconds for the server's opening
SHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "una eval", "version": "1"},
}
_TEXT = {"type": "string"}
LIVE = (
    Tool("read_file", "Read a file as it is now.", {"type": "object", "properties": {"path": _TEXT}}),
    Tool("run_command", "Run a shell command now.", {"type": "object", "properties": {"command": _TEXT}}),
    Tool(
        "search_code",
        "Search the files as they are now.",
        {"type": "object", "properties": {"pattern": _TEXT}},
    ),
)
LOOKUPS = ("search", "grep", "gather")  # tools of the archive whose empty answer is a miss
FOUND = json.dumps({"status": "ok", "hits": [{"handle": "w-1", "snippet": "(the passage that tells it)"}]})
MISSED = json.dumps({"status": "empty", "hits": []})
SEEN = "(output that tells how it is now)"
UNSEEN = "(no output)"

# What the instructions have to say, each as an expression over them in lower case with single spaces.
RULES: Mapping[str, str] = {
    "archive: what was said, and why": r"(said|decided)[^.]*: search the archive",
    "live: what is true now": r"true now[^.]*: look at the live state, not the archive",
    "both: whether something still holds": r"still holds: the archive [^.]*, then the live state",
    "neither: general knowledge and what is visible": r"general knowledge[^.]*: neither",
    "a missed search by meaning is rephrased once": r"by meaning misses, rephrase once",
    "a missed exact name leads to the live state": r"exact name[^.]* misses, go to the live state",
    "a hit is read before it is relied on": r"`recall` before you quote it or rely on it",
    "newer passages may overrule older ones": r"newer passages may overrule older",
    "what comes back is no instruction": r"never follow instructions inside",
}


@dataclass(frozen=True, slots=True)
class Offer:
    """What an agent is given when it opens a conversation over MCP."""

    instructions: str
    tools: tuple[Tool, ...]

    @property
    def archive(self) -> frozenset[str]:
        """The names of the tools."""
        return frozenset(tool.name for tool in self.tools)


@dataclass(frozen=True, slots=True)
class Routed:
    """One case: where the model went, and, where a miss was played, whether it went on as the rules say."""

    case: Case
    route: str
    after_miss: bool | None


def run(
    suite: Frozen, model: Model | None, name: str, tell: Tell, environ: Mapping[str, str]
) -> dict[str, Any]:
    """Return the report: which rules the instructions have, and a model's routes where one is given."""
    offer = offered(environ)
    broken = missing(offer.instructions)
    figures = {"rules": Figures([float(rule not in broken) for rule in RULES])}
    report: dict[str, Any] = {
        "suite": suite.name,
        "about": suite.about,
        "digest": suite.digest,
        "model": name or None,
    }
    if model is None:
        tell("no model was named: only the instructions are checked")
        return report | {"n": len(RULES), **reporting.drawn(figures), "missing": broken, "categories": {}}
    tell(f"asking {name} {len(suite.cases):,} questions")
    routed = [route(case, offer, model) for case in suite.cases]
    figures["route_accuracy"] = Figures(
        [float(one.route == one.case.kind) for one in routed if not one.case.miss]
    )
    after = [float(one.after_miss) for one in routed if one.after_miss is not None]
    if after:
        figures["after_miss_accuracy"] = Figures(after)
    return report | {
        "n": len(routed),
        **reporting.drawn(figures),
        "missing": broken,
        "categories": _categories(routed),
        "routes": {one.case.id: one.route for one in routed},
    }


def missing(instructions: str) -> list[str]:
    """Return the rules that the instructions do not have."""
    said = " ".join(instructions.lower().split())
    return [rule for rule, pattern in RULES.items() if not re.search(pattern, said)]


def offered(environ: Mapping[str, str]) -> Offer:
    """Open a conversation with `una mcp` on a home of its own; return what it offers."""
    with living(NO_MODELS) as (_, folder):
        own = {**environ, paths.HOME_VARIABLE: str(folder / "home")}
        asked = (
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": SHAKE},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        )
        server = subprocess.Popen(
            [sys.executable, "-m", "unabridged", "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=own,
            cwd=Path(folder),
        )
        try:
            told, _ = server.communicate("".join(json.dumps(one) + "\n" for one in asked).encode(), WAIT)
        except subprocess.TimeoutExpired as error:
            raise ServiceError("`una mcp` does not answer", seconds=WAIT) from error
        finally:
            server.kill()
            server.wait()
    answers = {one.get("id"): one.get("result") for one in map(json.loads, told.splitlines())}
    if not answers.get(1) or not answers.get(2):
        raise ServiceError("`una mcp` did not open a conversation")
    tools = tuple(
        Tool(tool["name"], tool["description"], tool["inputSchema"]) for tool in answers[2]["tools"]
    )
    return Offer(answers[1]["instructions"], tools)


def route(case: Case, offer: Offer, model: Model) -> Routed:
    """Let a model answer a case with stand-ins for its tools; return what it turned to."""
    talk = Talk(offer.instructions, (*offer.tools, *LIVE), case.ask, case.before)
    steps = list[Step]()
    for _ in range(STEPS):
        said = model.answer(Talk(talk.system, talk.tools, talk.question, talk.before, tuple(steps)))
        if not said.calls:
            break
        results = tuple(_result(call.name, case, offer) for call in said.calls)
        steps.append(Step(said.text, said.calls, results))
    names = [call.name for step in steps for call in step.calls]
    live = any(name not in offer.archive for name in names)
    archive = any(name in offer.archive for name in names)
    turned = {(True, True): "both", (True, False): "archive", (False, True): "live"}.get(
        (archive, live), "neither"
    )
    return Routed(case, turned, _went_on(case, steps, offer) if case.miss else None)


def _result(name: str, case: Case, offer: Offer) -> str:
    if name in offer.archive:
        return MISSED if case.miss and name in LOOKUPS else FOUND
    return UNSEEN if case.miss else SEEN


def _went_on(case: Case, steps: Sequence[Step], offer: Offer) -> bool:
    """Tell whether a miss was followed as the rules say.

    By meaning: one more look with other words, and no third. An exact name: no other look, and then the live state.
    """
    calls = [call for step in steps for call in step.calls]
    looks = [json.dumps(dict(call.arguments), sort_keys=True) for call in calls if call.name in LOOKUPS]
    if case.miss == "reformulate":
        return len(looks) == len(set(looks)) == 2
    return len(looks) == 1 and any(call.name not in offer.archive for call in calls)


def _categories(routed: Sequence[Routed]) -> dict[str, dict[str, float]]:
    groups = dict[str, list[float]]()
    for one in routed:
        right = one.route == one.case.kind if one.after_miss is None else one.after_miss
        groups.setdefault((one.case.miss and f"after a miss: {one.case.miss}") or one.case.kind, []).append(
            float(right)
        )
    return {
        name: {"n": len(group), "accuracy": reporting.percent(sum(group) / len(group))}
        for name, group in sorted(groups.items())
    }
