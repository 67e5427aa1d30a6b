"""Puts a daemon together."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import unabridged
from unabridged.daemon import keyring
from unabridged.daemon.config import Config
from unabridged.daemon.disk import DiskGuard
from unabridged.daemon.dispatch import SlowRequests
from unabridged.daemon.events import Events
from unabridged.daemon.feedback import Counts
from unabridged.daemon.idleturns import IdleTurns
from unabridged.daemon.importing import Importing
from unabridged.daemon.indexing import Indexing
from unabridged.daemon.info import Info
from unabridged.daemon.jobs import Ground, Rules
from unabridged.daemon.known import Known
from unabridged.daemon.logs import Log
from unabridged.daemon.prices import price_table
from unabridged.daemon.running import Parts, Seen
from unabridged.daemon.speaking import Speaking
from unabridged.daemon.tailing import Tailing
from unabridged.daemon.vectors import Vectors
from unabridged.daemon.watched import host_roots
from unabridged.daemon.zone import LocalZone
from unabridged.schema.ids import Micros
from unabridged.service.compose import HOSTS, ruleset, text_redactor
from unabridged.service.folders import Folders
from unabridged.service.ports import HOUR, HintLimits, Services
from unabridged.service.retrieval import Retrieval
from unabridged.store.contract import Store

MOST_WORKERS = (
    2  # ingest workers unless the settings say otherwise: more would take the machine from its user
)


def compose(config: Config, store: Store, log: Log, explicit: bool) -> Parts:
    """Put a daemon together around an open store."""
    layout = config.layout
    guard = DiskGuard(layout.data, config.number("disk.free_bytes"))
    slow = SlowRequests(config.number("daemon.slow_ms"))
    info = Info(config, unabridged.__version__, guard, slow, lambda _: None, explicit)
    idle = IdleTurns(config.seconds("ingest.idle_seconds"), time.monotonic)
    growth = [time.monotonic()]
    known, rules = Known(store), _rules(config)
    errors = layout.errors
    index, vectors = Indexing(store, layout.index, log, errors), Vectors(store, config, log, errors)
    speaking, counts = Speaking(layout, log, errors), _counts(config, store, log)
    seen = Seen(idle)

    def admit() -> None:
        index.give_way()
        guard.admit()

    def grown() -> None:
        index.poke()
        vectors.poke()

    ground = Ground(store, known, log, rules, _now, admit, grown, seen)
    workers = config.number("ingest.workers") or min(MOST_WORKERS, os.cpu_count() or 1)
    importing = Importing(ground, workers, index, time.monotonic, errors)
    index.helpers = importing.help

    def roots() -> dict[str, list[Path]]:
        return host_roots(HOSTS, config.env, Path(rules.home), sys.platform)

    outbox = Events(layout, store, importing, frozenset(HOSTS), roots, log)
    if config.flag("ingest.tail"):
        grew, notes = lambda: growth.__setitem__(0, time.monotonic()), Path(layout.installations)
        seen.tailing = Tailing(importing, known, store, log, roots, _now, grew, notes)
    info.workers, info.agents, info.outbox = importing.facts, speaking.facts, outbox.facts
    info.follower = seen.tailing.facts if seen.tailing is not None else _not_followed
    redact = text_redactor(rules.redact, rules.literals, rules.patterns)
    services = Services(
        store=store,
        hosts=HOSTS,
        importer=importing,
        index=index,
        daemon=info,
        now=_now,
        clock=time.monotonic,
        version=info.version,
        roots=lambda: _listed(roots(), known),
        redact=lambda text: redact(text)[0],
        ruleset=ruleset(rules.redact),
        retrieval=Retrieval(
            keyring.locators(layout.keys),
            index.finder,
            redact,
            index.generation,
            LocalZone(),
            index.recent,
            vectors,
            cues=config.texts("search.cues"),
        ),
        speaker=speaking.reach,
        feedback=counts,
        semantic=vectors.status,
        hints=_hint_limits(config),
        captures=importing.captures,
        prices=price_table(config.values),
        outbox=outbox,
        folders=Folders(apart=rules.apart),
    )
    made = (services, info, importing, index, seen.tailing, idle, outbox, log, store)
    return Parts(
        *made,
        growth=growth,
        speaking=speaking,
        vectors=vectors,
        further=(("feedback", lambda: counts.tend(_now())),),
    )


def _hint_limits(config: Config) -> HintLimits:
    return HintLimits(
        config.flag("hints.enabled"),
        config.number("hints.message_tokens"),
        config.number("hints.active_tokens"),
        round(config.seconds("hints.rest_hours") * HOUR),
        round(config.seconds("hints.payload_days") * 24 * HOUR),
        round(config.seconds("hints.conversation_days") * 24 * HOUR),
        config.number("hints.deadline_ms") / 1_000,
    )


def _counts(config: Config, store: Store, log: Log) -> Counts:
    return Counts(config.layout.data, store, log, on=config.flag("search.feedback"))


def _rules(config: Config) -> Rules:
    env = {name: value for name, value in config.env.items() if "\0" not in value}
    return Rules(
        tuple(HOSTS),
        env,
        env.get("HOME") or os.path.expanduser("~"),
        sys.platform,
        config.seconds("ingest.idle_seconds"),
        config.flag("redaction.enabled"),
        config.texts("redaction.literals"),
        config.texts("redaction.patterns"),
        config.flag("projects.separate_worktrees"),
    )


def _listed(roots: dict[str, list[Path]], known: Known) -> list[dict[str, Any]]:
    counts = dict[str, int]()
    for origin in known.all():
        if origin.kind != "sidecar":
            counts[origin.host] = counts.get(origin.host, 0) + 1
    return [
        {
            "host": host,
            "transcripts": counts.get(host, 0),
            "roots": [{"path": str(place), "exists": place.exists()} for place in places],
        }
        for host, places in roots.items()
    ]


def _not_followed() -> dict[str, Any]:
    return {"on": False}


def _now() -> Micros:
    return Micros(time.time_ns() // 1000)
