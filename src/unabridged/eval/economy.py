"""What real sessions would have cost under each policy: their requests at their times, no model asked."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from unabridged.errors import InvalidInput, InvalidSetting
from unabridged.eval import sessions
from unabridged.eval.sessions import Session
from unabridged.window.economy import FIVE_MINUTES, ONE_HOUR, Account, Ledger, Point, Policy, together
from unabridged.window.limits import Profile, limits
from unabridged.window.policies import OTHERS, Compacting, Epoch, Sliding, Whole
from unabridged.window.prices import Table, table

LIFETIMES: Mapping[str, float] = {"5m": FIVE_MINUTES, "1h": ONE_HOUR}
FIXED_TOKENS = 20_000  # of system prompt and tools, which transcripts do not hold: what common agents send
WINDOW = 200_000  # tokens; the largest window, the same for every policy
EPOCH = "epoch"
DRAWN = "5m"  # the cache's lifetime in a plot

Accounts = dict[str, dict[str, Account]]  # lifetime → policy → account


def run(
    paths: Sequence[str],
    window: int,
    known: Table,
    tell: Callable[[str], None],
    drawn: Curves | None = None,
) -> dict[str, Any]:
    """Replay each transcript under each policy and return every session, the totals and what was saved.

    `drawn` gets the prompts of all sessions, one behind the other.
    """
    if not paths:
        raise InvalidInput("give one or more transcripts", field="path")
    replayed = list[tuple[Session, Accounts]]()
    for path in paths:
        tell(f"replaying {path}")
        session = sessions.load(Path(path).expanduser())
        replayed.append((session, replay(session, known, window or WINDOW, drawn)))
    totals: Accounts = {
        lifetime: {
            policy: together([found[lifetime][policy] for _, found in replayed])
            for policy in (*OTHERS, EPOCH)
        }
        for lifetime in LIFETIMES
    }
    return {
        "suite": "economy",
        "n": len(replayed),
        "window": window or WINDOW,
        "fixed_tokens": FIXED_TOKENS,
        "prices": {"date": known.date, "sources": list(known.sources)},
        "sessions": [
            {"session": session.name, "model": session.model, "requests": len(session.calls), **_plain(found)}
            for session, found in replayed
        ],
        "total": _plain(totals),
        "saved": {lifetime: _saved(found) for lifetime, found in totals.items()},
    }


def replay(session: Session, known: Table, window: int, drawn: Curves | None = None) -> Accounts:
    """Return what a session comes to, by lifetime of the cache and policy, with a model's window of so many tokens."""
    price = known.price(session.model)
    bounds = limits(Profile(), window)
    policies: dict[str, Policy] = {
        "none": Whole(FIXED_TOKENS, window),
        "sliding": Sliding(FIXED_TOKENS, bounds),
        "compaction": Compacting(FIXED_TOKENS, window),
        EPOCH: Epoch(FIXED_TOKENS, bounds),
    }
    found: Accounts = {lifetime: {} for lifetime in LIFETIMES}
    for name, policy in policies.items():
        ledgers = {lifetime: Ledger(price, seconds) for lifetime, seconds in LIFETIMES.items()}
        for number, call in enumerate(session.calls):
            for prompt in policy.prompts(session.items[: call.items]):
                for ledger in ledgers.values():
                    ledger.add(prompt, call.time, number)
        if drawn is not None:
            drawn.add(name, ledgers[DRAWN].points)
        for lifetime, ledger in ledgers.items():
            found[lifetime][name] = ledger.account(policy)
    if drawn is not None:
        drawn.end(len(session.calls))
    return found


class Curves:
    """The prompts of sessions one behind the other: for each policy, by request, tokens and dollars so far."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.points = dict[str, list[Point]]()
        self.borders = list[int]()  # requests before each session but the first
        self.requests = 0

    def add(self, policy: str, points: Sequence[Point]) -> None:
        """Put a session's prompts behind those of the sessions before."""
        known = self.points.setdefault(policy, [])
        paid = known[-1].cost if known else 0.0
        known += [Point(self.requests + one.request, one.tokens, paid + one.cost) for one in points]

    def end(self, requests: int) -> None:
        """End a session of so many requests."""
        if self.requests:
            self.borders.append(self.requests)
        self.requests += requests


def table_of(path: str) -> Table:
    """Return the price table in a file; raise `InvalidSetting`."""
    text = Path(path).expanduser().read_text(encoding="utf-8")
    try:
        return table(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InvalidSetting(f"the price table is no TOML: {error}", setting="prices") from error


def _plain(found: Accounts) -> dict[str, Any]:
    return {
        lifetime: {policy: msgspec.to_builtins(one) for policy, one in by.items()}
        for lifetime, by in found.items()
    }


def _saved(found: Mapping[str, Account]) -> dict[str, float]:
    """Return the share of each other policy's input cost that the epoch window saves, in percent."""
    ours = found[EPOCH].cost
    return {other: round(100 * (1 - ours / found[other].cost), 1) for other in OTHERS if found[other].cost}


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield a report as a table: every session, dollars of input under each policy, then the totals."""
    policies = (*OTHERS, EPOCH)
    for lifetime in LIFETIMES:
        yield f"a cache that lives {lifetime}: dollars for the input, window {report['window']:,} tokens"
        yield ""
        yield (
            f"{'session':<26}{'requests':>9}"
            + "".join(f"{name:>12}" for name in policies)
            + f"{'rotations':>11}"
        )
        rows: list[Mapping[str, Any]] = [*report["sessions"], {"session": "total", **report["total"]}]
        for row in rows:
            costs = "".join(f"{row[lifetime][name]['cost']:>12.2f}" for name in policies)
            ours = row[lifetime][EPOCH]
            yield f"{row['session'][:25]:<26}{ours['requests']:>9,}{costs}{ours['resets']:>11,}"
        saved = report["saved"][lifetime]
        yield ""
        yield "saved: " + ", ".join(f"{share:.1f} % of {name}" for name, share in saved.items())
        yield ""
    yield f"prices of {report['prices']['date']}; system prompt and tools counted as {report['fixed_tokens']:,} tokens"
