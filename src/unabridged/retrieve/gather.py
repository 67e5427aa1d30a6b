"""From a question over several turns to a bounded packet of exact text in the order of time.

Hits of the search, the steps around them on their own line of conversation, as much of their text as a budget takes,
shared by how much each matters; what takes what back; and a cursor to what did not fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from unabridged.archive import log
from unabridged.errors import InvalidInput
from unabridged.retrieve import given as giving
from unabridged.retrieve import packet as filling
from unabridged.retrieve import search as searching
from unabridged.retrieve.around import Around
from unabridged.retrieve.asked import Finder, Found, Search, Searched
from unabridged.retrieve.conflicts import Conflict
from unabridged.retrieve.context import Context
from unabridged.retrieve.evidence import HEAD_TOKENS, Evidence, Piece, check_budget
from unabridged.retrieve.rank import BESIDE
from unabridged.retrieve.surroundings import AUTO, Reach, reach_of
from unabridged.schema.ids import ProjectId
from unabridged.schema.records import COUNTERS
from unabridged.schema.scope import Level

MAX_HITS = 10  # whose neighbourhoods one packet has
MAX_EVIDENCE = 24  # pieces of one packet


@dataclass(frozen=True, slots=True)
class Gather:
    """A request. `search`: its question with all that narrows it, `limit` of it the hits; `question`: its identity."""

    search: Search
    intent: str = AUTO
    before: int | None = None
    after: int | None = None
    max_tokens: int = 6_000
    max_evidence: int = 12
    cursor: str = ""
    question: bytes = b""


@dataclass(slots=True)
class Gathered:
    """A packet. `truncated`: something that belongs to these hits was cut or left for `next`."""

    status: str
    evidence: list[Evidence] = field(default_factory=list[Evidence])
    next: str = ""
    truncated: bool = False
    conflicts: list[Conflict] = field(default_factory=list[Conflict])
    account: dict[str, Any] = field(default_factory=dict[str, Any])
    explain: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


@dataclass(slots=True)
class _Wanted:
    """What the first hits with anything left ask for."""

    pieces: list[Piece] = field(default_factory=list[Piece])
    more: bool = False  # hits behind them
    hits: int = 0
    left_out: dict[str, int] = field(default_factory=dict[str, int])


def gather(context: Context, finder: Finder, request: Gather) -> Gathered:
    """Return a packet; raise `InvalidInput`, `LimitExceeded` or `InvalidCursor` for a bad request."""
    reach = _validate(request)
    projects = _projects(context)
    digest = giving.digest_of(request.question)
    if request.cursor:
        given = giving.read(request.cursor, digest, projects)
    else:
        given = giving.Given(_heads(context, projects))
    found, wanted = _look(context, finder, request, reach, given)
    if found.status == searching.FAILED:
        return Gathered(found.status, account=found.account)
    filled = filling.fill(
        context, finder, request.search, wanted.pieces, request.max_evidence, request.max_tokens
    )
    for item in filled.evidence:
        given.add((item.event.project, item.event.ordinal), item.start, item.end)
    truncated = filled.left > 0 or any(item.cut for item in filled.evidence)
    following = ""
    if (truncated or wanted.more) and filled.evidence and given.count <= giving.MAX_RANGES:
        following = giving.write(given, digest)
    return Gathered(
        _status(found.status, filled),
        filled.evidence,
        following,
        truncated,
        filled.conflicts,
        _account(found.account, filled, request, wanted),
        found.explain,
    )


def _validate(request: Gather) -> Reach:
    if not 0 < request.search.limit <= MAX_HITS:
        raise InvalidInput(
            "`limit` is out of range", field="limit", limit=MAX_HITS, value=request.search.limit
        )
    if not 0 < request.max_evidence <= MAX_EVIDENCE:
        raise InvalidInput(
            "`max_evidence` is out of range",
            field="max_evidence",
            limit=MAX_EVIDENCE,
            value=request.max_evidence,
        )
    check_budget(request.max_tokens)
    return reach_of(request.intent, request.before, request.after)


def _projects(context: Context) -> list[ProjectId]:
    if context.scope.level is Level.ALL:
        return [item.id for item in log.projects(context.reader)]
    return [context.scope.project, *sorted(context.scope.linked)]


def _heads(context: Context, projects: list[ProjectId]) -> dict[ProjectId, int]:
    found = [(project, context.reader.get(COUNTERS, (project,))) for project in projects]
    return {project: counters.next_ordinal - 1 if counters else 0 for project, counters in found}


def _look(
    context: Context, finder: Finder, request: Gather, reach: Reach, given: giving.Given
) -> tuple[Searched, _Wanted]:
    """Search until there are as many hits with something left as are asked for, and one that tells of more."""
    heads = {bytes(at): head for at, head in given.heads.items()}
    limit = 2 * request.search.limit + 1 + len(given.ranges)
    while True:
        limit = min(searching.MAX_LIMIT, limit)
        found = searching.search(context, finder, replace(request.search, limit=limit), heads)
        wanted = _want(context, request, reach, found.hits, given)
        if wanted.more or not found.next or limit == searching.MAX_LIMIT:
            return found, wanted
        limit *= 2


def _want(context: Context, request: Gather, reach: Reach, hits: list[Found], given: giving.Given) -> _Wanted:
    """Return what belongs to the best hits that are not given yet, neighbours of theirs included."""
    wanted, around = _Wanted(), Around(context, request.search, given)
    for number, hit in enumerate(hits):
        if hit.match == [BESIDE] and (reach.before or reach.after):
            continue  # found for what stands beside it, and as that it comes anyway
        new = list(_left(around.of(hit, reach, number + 1), given))
        if new and wanted.hits == request.search.limit:
            wanted.more = True
            break
        if new:
            wanted.hits += 1
            wanted.pieces += new
    wanted.left_out = around.left_out
    # A hit that is another hit's neighbour counts as a hit; what matters more comes first.
    wanted.pieces.sort(key=lambda piece: (-piece.weight, piece.rank, piece.distance < 0, abs(piece.distance)))
    wanted.pieces = _each_once(wanted, around.texts)
    return wanted


def _left(found: list[Piece], given: giving.Given) -> Iterator[Piece]:
    for piece in found:
        for start, end in given.left((piece.event.project, piece.event.ordinal), piece.start, piece.end):
            yield replace(piece, start=start, end=end)


def _each_once(wanted: _Wanted, owners: dict[bytes, giving.Place]) -> list[Piece]:
    """Return the pieces without those whose event or text another one has already."""
    kept, ranges = list[Piece](), dict[giving.Place, set[giving.Range]]()
    hits = {(piece.event.project, piece.event.ordinal) for piece in wanted.pieces if not piece.distance}
    for piece in wanted.pieces:
        place = (piece.event.project, piece.event.ordinal)
        if piece.distance and place in hits:
            continue
        mine = ranges.setdefault(place, set())
        if (piece.start, piece.end) in mine:
            continue
        if owners.setdefault(piece.event.digest, place) != place:
            wanted.left_out["repeated"] = wanted.left_out.get("repeated", 0) + 1
            continue
        mine.add((piece.start, piece.end))
        kept.append(piece)
    return kept


def _status(found: str, filled: filling.Filled) -> str:
    if filled.unreadable and found in (searching.OK, searching.EMPTY):
        return searching.PARTIAL
    return searching.EMPTY if found == searching.OK and not filled.evidence else found


def _account(
    account: dict[str, Any], filled: filling.Filled, request: Gather, wanted: _Wanted
) -> dict[str, Any]:
    left_out: dict[str, int] = dict(account.get("left_out") or {})
    for reason, count in {**wanted.left_out, "unreadable": filled.unreadable}.items():
        if count:
            left_out[reason] = left_out.get(reason, 0) + count
    return {
        **account,
        "left_out": left_out,
        "intent": request.intent,
        "hits": wanted.hits,
        "tokens": sum(item.tokens + HEAD_TOKENS for item in filled.evidence),
        "max_tokens": request.max_tokens,
        "cut": sum(item.cut > 0 for item in filled.evidence),
        "left": filled.left,
        "more": wanted.more,
    }
