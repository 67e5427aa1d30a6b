"""The windows of one host's sessions, asked for by its own extension: as behind the gateway, without a wire between.

What is left out is archived first; whatever fails here, the host sends what it sent last, or all of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from unabridged.gateway.going import Going
from unabridged.gateway.shims import asked, mark
from unabridged.gateway.shims.asked import Asked, Compacted, Planned
from unabridged.gateway.shims.windows import HostWindows
from unabridged.window.execute import ROTATED, Account
from unabridged.window.providers.adapters import ADAPTERS
from unabridged.window.providers.splice import elements, members
from unabridged.window.providers.usage import usage

# Tokens that a host keeps free by itself: it makes its history short before a window reaches into them.
KEPT_FREE: Mapping[str, int] = {"pi": 16_384, "opencode": 0}
OVERFLOW = "overflow"  # why a host makes its history short when the provider has refused it
KEPT_SESSIONS = 8  # of which the last messages are remembered, for a host that does not send them along
UNHEARD = 2  # requests of a session: a host may tell of an answer when it has asked again already
BEHIND_GATEWAY = "behind-gateway"


@dataclass(slots=True)
class _Session:
    """What is remembered of a session between its requests."""

    sent: list[Going] = field(
        default_factory=list[Going]
    )  # requests that nothing was heard of since, in order
    body: bytes = b""
    notices: frozenset[str] = frozenset()


@dataclass(slots=True)
class Hosted:
    """All sessions of one process of a host. `told` gets the window of each model as the host says it.

    fixed: tokens that a host sends beside its messages, by model, where it does not say them: what the provider counted
    of the first request and the messages do not account for.
    """

    windows: HostWindows
    told: dict[str, int]
    fixed: dict[str, int] = field(default_factory=dict[str, int])
    _sessions: dict[tuple[str, str], _Session] = field(default_factory=dict[tuple[str, str], _Session])

    @staticmethod
    def knows(host: str) -> bool:
        """Tell whether a host has messages of its own that are understood here."""
        return host in ADAPTERS and host in KEPT_FREE

    async def plan(self, given: Asked) -> Planned:
        """Return what to send of a request."""
        adapter = ADAPTERS[given.host]
        if given.limit > 0 and given.model:
            self.told[given.model] = given.limit
        if mark.is_gateway(given.url):
            return Planned(given.id, notice=BEHIND_GATEWAY)
        body, session = self._body(given), self._session(given)
        if given.aside:
            sent = await self.windows.cut_again(adapter, body, _headers(given))
            return Planned(given.id, _changed(body, sent))
        going = await self.windows.window(adapter, body, _headers(given))
        self._unheard(session, UNHEARD - 1)
        session.sent.append(going)
        session.body = body
        notice = _news(session, going.account)
        return Planned(given.id, _changed(body, going.body), going.fault, _status(going.account), notice)

    def answered(self, given: Asked) -> None:
        """Take what came of a session's oldest request of which nothing was heard: its cost, its messages if told."""
        session = self._session(given)
        if session.sent:
            raws = [bytes(one) for one in elements(given.messages)] if bytes(given.messages) else []
            counted = _usage(given)
            self.windows.heard(self._learnt(session.sent.pop(0), counted), raws, counted)

    async def compact(self, given: Asked) -> Compacted:
        """Return what stands for messages that the host takes out of its history, once they are durable."""
        adapter, session = ADAPTERS[given.host], self._session(given)
        self._unheard(session)
        body = self._body(given) if bytes(given.messages) else session.body
        if not body:
            return Compacted(given.id)
        made, fault = await self.windows.handover(adapter, body, _headers(given))
        if fault or made is None or made.archive:
            return Compacted(given.id, cancel=given.reason != OVERFLOW, fault=fault or "not-durable")
        return Compacted(given.id, made.text)

    def close(self) -> None:
        """Account for what was sent and not heard of since."""
        for session in self._sessions.values():
            self._unheard(session)

    def _learnt(self, sent: Going, counted: bytes) -> Going:
        """Learn what a host sends beside its messages; return a request, from which nothing else is learnt then."""
        said, model = usage(counted) if counted else None, sent.account.model
        if said is None or not sent.estimate or model in self.fixed:
            return sent
        self.fixed[model] = max(0, said.prompt - sent.estimate)
        return msgspec.structs.replace(sent, estimate=0)

    def _unheard(self, session: _Session, most: int = 0) -> None:
        """Account for requests of which nothing was heard, but for so many."""
        while len(session.sent) > most:
            self.windows.unanswered(session.sent.pop(0))

    def _body(self, given: Asked) -> bytes:
        if given.fixed:
            self.fixed[given.model] = given.fixed
        known = msgspec.structs.replace(given, fixed=self.fixed.get(given.model, 0))
        return asked.body(known, max(given.reserve, KEPT_FREE.get(given.host, 0)))

    def _session(self, given: Asked) -> _Session:
        key = (given.host, given.session)
        found = self._sessions.pop(key, None) or _Session()
        self._sessions[key] = found
        for old in list(self._sessions)[:-KEPT_SESSIONS]:
            self._unheard(self._sessions.pop(old))
        return found


def _headers(given: Asked) -> tuple[tuple[bytes, bytes], ...]:
    """Return what says whose a request is, as the gateway's requests say it."""
    session = given.session.encode("latin-1", "replace")
    return ((b"user-agent", given.host.encode() + b"/"), (b"x-session-id", session))


def _changed(body: bytes, sent: bytes) -> tuple[int | msgspec.Raw, ...] | None:
    """Return the messages to send; None where they are those that were given."""
    if sent is body:
        return None
    return asked.numbered(bytes(members(body)["messages"]), bytes(members(sent)["messages"]))


def _status(account: Account) -> str:
    if not account.limit:
        return ""
    left_out = f", {account.cut} left out" if account.cut else ""
    return f"una {account.sent / 1000:.0f}k/{account.limit / 1000:.0f}k{left_out}"


def _news(session: _Session, account: Account) -> str:
    """Return the notices of a request that the one before had not; that a new epoch began is none for a person."""
    said = {text: code for code, text in account.notices if code != ROTATED}
    new = [text for text in said if said[text] not in session.notices]
    session.notices = frozenset(said.values())
    return " ".join(new)


class _Cached(msgspec.Struct):
    read: int = 0
    write: int = 0


class _Usage(msgspec.Struct, rename="camel"):
    """What either host reports: Pi beside each other, OpenCode with what was cached in an object of its own."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache: _Cached | None = None


def _usage(given: Asked) -> bytes:
    """Return a host's account of a request as providers write it."""
    try:
        found = msgspec.json.decode(bytes(given.usage) or b"{}", type=_Usage)
    except msgspec.DecodeError:
        return b""
    cached = found.cache or _Cached(found.cache_read, found.cache_write)
    if not found.input + cached.read + cached.write:
        return b""
    return msgspec.json.encode(
        {
            "input_tokens": found.input,
            "cache_read_input_tokens": cached.read,
            "cache_creation_input_tokens": cached.write,
            "output_tokens": found.output,
        }
    )
