"""Makes this process the owner of a store, with the daemon's own parts around it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import unabridged
from unabridged.daemon import config, filesystem, folders, lock, parts, paths, wire
from unabridged.daemon.admission import Admission
from unabridged.daemon.logs import Log
from unabridged.errors import StoreMissing
from unabridged.service.caller import Caller
from unabridged.service.ports import Services
from unabridged.store import folder as stores
from unabridged.store.open import open_store


@dataclass(frozen=True, slots=True)
class Owned:
    """An open store: what handlers use, what the user grants, the log; `stack` lets everything go when it is closed."""

    services: Services
    caller: Caller
    log: Log
    stack: contextlib.ExitStack


def handshake(client: str, project: str, scope: str, session: str) -> wire.Handshake:
    """Return what a client would say of itself to a daemon."""
    return wire.Handshake(wire.PROTOCOL, client, unabridged.__version__, [], project, scope, session)


def own(layout: paths.Layout, shake: wire.Handshake, store: str, create: bool) -> Owned:
    """Open the store of a home, or `store` outside of any home (then `layout` gives the settings alone).

    Raises `StoreLocked` while a daemon or another process owns it, `StoreMissing` where there is none unless `create`,
    and what else keeps a daemon from starting; then nothing is left behind.
    """
    with contextlib.ExitStack() as stack:
        if store:
            beside = tempfile.mkdtemp(prefix="unabridged-")  # index, keys, log: for as long as it is open
            stack.callback(shutil.rmtree, beside, ignore_errors=True)
            layout = paths.Layout(beside, layout.config, beside)
        services, caller, log = _opened(stack, layout, shake, store, create)
        return Owned(services, caller, log, stack.pop_all())


def _opened(
    stack: contextlib.ExitStack, layout: paths.Layout, shake: wire.Handshake, store: str, create: bool
) -> tuple[Services, Caller, Log]:
    # Nothing follows growing transcripts here: what is imported is what the program asks for.
    flags = {"ingest.tail": "false", **({"store.url": store} if store else {})}
    settings = config.load(paths.environment(), flags, place=layout)
    place = settings.text("store.url") or layout.store
    if "://" not in place:
        if not create and not stores.is_store(Path(place)):
            raise StoreMissing(path=place)
        filesystem.check_store_folder(place)
    folders.prepare(settings)
    ownership = lock.acquire(layout.lock)
    stack.callback(ownership.release)
    ownership.describe(pid=os.getpid(), version=unabridged.__version__, in_process=True, store=place)
    log = Log(layout.logs, settings.text("daemon.log_level"))
    stack.callback(log.close)
    opened = open_store(place, create=create, engine=settings.text("store.engine"))
    stack.callback(opened.close)
    made = parts.compose(settings, opened, log, explicit=False)
    stack.callback(made.close)
    caller, _ = Admission(settings, unabridged.__version__, opened.capabilities.engine).admit(shake)
    made.index.start()
    return made.services, caller, log
