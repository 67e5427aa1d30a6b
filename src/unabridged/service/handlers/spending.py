"""What requests through the gateway came to: by model, by session, in tokens and in dollars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from unabridged.archive import windows as kept
from unabridged.errors import LimitExceeded
from unabridged.schema.ids import ProjectId, SessionId
from unabridged.schema.windows import Window, WindowDay
from unabridged.service.caller import Call
from unabridged.service.handlers.sessions import session_in
from unabridged.service.times import iso
from unabridged.store.contract import Reader
from unabridged.window.prices import Table
from unabridged.window.providers.usage import Usage
from unabridged.window.spending import Dollars, Spent, added, dollars

MOST_SESSIONS = 1_000  # rows of one answer
ROUNDED = 6  # digits of a dollar

Models = dict[str, Spent]  # model → what its requests came to


def spending(
    call: Call, reader: Reader, projects: Iterable[ProjectId], session: str, limit: int
) -> dict[str, Any]:
    """Return the part of an answer: sums of all, of each model, of each session; of one session where it is named."""
    if not 1 <= limit <= MOST_SESSIONS:
        raise LimitExceeded("limit is out of range", field="limit", limit=MOST_SESSIONS, value=limit)
    scope, table, projects = call.scope(reader), call.services.prices, list(projects)
    if session:
        found = session_in(reader, scope, session)
        windows = kept.of_session(reader, found.project, found.session)
    else:
        windows = [window for project in projects for window in kept.every(reader, project)]
    windows = [window for window in windows if scope.allows(window.project, window.session)]
    if not windows:
        return {}
    whole = scope.only is None and not session
    days = (day for project in projects for day in kept.days_of(reader, project)) if whole else ()
    models = _by_model(days) if whole else _models(windows)
    return {
        "total": _total(models, table),
        "models": [{"model": model, **_told(spent, table, model)} for model, spent in sorted(models.items())],
        "sessions": _sessions(windows, table)[:limit],
        "prices": table.date,
    }


def _by_model(days: Iterable[WindowDay]) -> Models:
    found = Models()
    for day in days:
        used = Usage(day.input, day.cache_read, day.cache_write, day.output)
        spent = Spent(day.requests, day.sent, day.whole, day.whole_read, used, day.rotations, day.faults)
        found[day.model] = added(found.get(day.model, Spent()), spent)
    return found


def _models(windows: Iterable[Window]) -> Models:
    found = Models()
    for window in windows:
        found[window.model] = added(found.get(window.model, Spent()), _spent(window))
    return found


def _spent(window: Window) -> Spent:
    used = Usage(window.total_input, window.total_cache_read, window.total_cache_write, window.total_output)
    return Spent(
        window.requests,
        window.total_sent,
        window.total_whole,
        window.total_whole_read,
        used,
        window.rotations,
        window.faults,
    )


def _sessions(windows: Iterable[Window], table: Table) -> list[dict[str, Any]]:
    """Return what each session came to, with the conversations beside it, the one used last first."""
    sessions = dict[tuple[ProjectId, SessionId], list[Window]]()
    for window in windows:
        sessions.setdefault((window.project, window.session), []).append(window)
    latest = sorted(sessions.values(), key=lambda several: -max(window.updated for window in several))
    rows = list[dict[str, Any]]()
    for several in latest:
        main = min(several, key=lambda window: (window.side, -window.requests))
        rows.append(
            {
                "session": main.session.hex(),
                "host": main.host,
                "host_session": main.host_session,
                "model": main.model,
                "updated": iso(max(window.updated for window in several)),
                **_total(_models(several), table),
            }
        )
    return rows


def _total(models: Mapping[str, Spent], table: Table) -> dict[str, Any]:
    """Return the sum of all models; dollars where all of them have a price, or used nothing."""
    total, paid = Spent(), list[Dollars]()
    unknown = False
    for model, spent in models.items():
        total = added(total, spent)
        price = table.find(model)
        found = dollars(spent, price) if price else None
        if found is not None:
            paid.append(found)
        unknown = unknown or (found is None and spent.used.prompt > 0)
    summed = Dollars(
        sum(one.cost for one in paid), sum(one.input for one in paid), sum(one.without for one in paid)
    )
    return _row(total, None if unknown or not paid else summed)


def _told(spent: Spent, table: Table, model: str) -> dict[str, Any]:
    price = table.find(model)
    return _row(spent, dollars(spent, price) if price else None)


def _row(spent: Spent, paid: Dollars | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "requests": spent.requests,
        "sent": spent.sent,
        "whole": spent.whole,
        "input": spent.used.input,
        "cache_read": spent.used.cache_read,
        "cache_write": spent.used.cache_write,
        "output": spent.used.output,
        "rotations": spent.rotations,
        "faults": spent.faults,
    }
    if paid is None:
        return {**row, "cost": None, "input_cost": None, "without": None, "saved": None}
    return {
        **row,
        "cost": round(paid.cost, ROUNDED),
        "input_cost": round(paid.input, ROUNDED),
        "without": round(paid.without, ROUNDED),
        "saved": round(paid.saved, ROUNDED),
    }
