"""A request given its window, and what is filed of it and of its answer.

Whatever fails here, the request goes out: with the last cut made again, or as it came. What is waited for is bounded,
and only waited for where something is to be left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from unabridged.errors import InvalidSetting, UnknownSetting
from unabridged.gateway.answers.contract import Answer
from unabridged.gateway.answers.shapes import as_sent_back
from unabridged.gateway.archive import Names
from unabridged.gateway.filing import Filing
from unabridged.gateway.identity import WITH_TOOLS, Beside, Who
from unabridged.gateway.talks import Talk, Talks
from unabridged.window import models, state
from unabridged.window.catalogue import as_they_are
from unabridged.window.execute import Account, Live, Prepared, Row, account, answered
from unabridged.window.identity import chain
from unabridged.window.limits import Limits, Profile, limits
from unabridged.window.messages import Conversation, Item
from unabridged.window.profiles import resolve
from unabridged.window.providers.adapters import ANTHROPIC, CHAT, RESPONSES
from unabridged.window.providers.contract import Adapter, Request
from unabridged.window.providers.known import Known
from unabridged.window.providers.sending import Sending
from unabridged.window.providers.sidecalls import Aside, aside
from unabridged.window.providers.splice import NotUnderstood, members, with_member, without_member
from unabridged.window.providers.usage import usage

KNOWN_BYTES = 12 << 20  # of items that are not read again, of all conversations
RESERVE_SHARE = 4  # a request's own bound for its answer counts up to this part of the model's window
SETTINGS = "settings"
# What the archive calls the formats.
_FORMATS: Mapping[Adapter, str] = {ANTHROPIC: "messages", RESPONSES: "responses", CHAT: "chat"}

Profiles = Mapping[str, Mapping[str, Any]]
Redact = Callable[[str], str]


class Sized(msgspec.Struct, frozen=True):
    """How large a prompt was that went out: its estimate as the window counts, its bytes; 0: no window was planned."""

    estimate: int = 0
    size: int = 0


class Going(msgspec.Struct, frozen=True):
    """A request on its way. `talk` is None where it is nobody's: then nothing is filed of it."""

    body: bytes
    fault: str = ""
    adapter: Adapter | None = None
    talk: Talk | None = None
    account: Account = Account()
    sized: Sized = Sized()
    request: Request | None = None  # without bytes: only the keys, for those of the answer


class Windows:
    """The windows of all conversations of a process."""

    def __init__(
        self, filing: Filing, profiles: Profiles | None = None, redact: Redact = as_they_are
    ) -> None:
        """File with `filing`; `profiles` are the user's settings for models, `redact` masks what the archive masks."""
        self._filing = filing
        self._profiles = profiles or {}
        self._redact = redact
        self._known = Known(KNOWN_BYTES)
        self._talks = Talks(self._known)

    async def window(self, adapter: Adapter, body: bytes, who: Who, said: Beside) -> Going:
        """Return what to send of a request that a model is to answer."""
        try:
            request = whole(adapter, body, self._known)
        except NotUnderstood:
            return Going(body, "not-understood")
        kind = aside(request.conversation)
        talk = self._talks.find(who, request.conversation, said, kind)
        bounds, fault = self._bounds(request.conversation.model, said)
        filed = self._file(talk, adapter, request, kind)
        if kind is not Aside.NONE:
            return _going(
                adapter, talk, self._beside(adapter, body, talk, request, bounds, kind), bounds, fault, kind
            )
        made = talk.live.prepare(adapter, body, bounds, redact=self._redact)
        if filed is not None and made.sending.plan is not None and made.sending.plan.archive:
            told = await self._filing.within(filed)
            fault = fault or told
            made = talk.live.prepare(adapter, body, bounds, redact=self._redact)
        talk.live.under_way(made)
        return _going(adapter, talk, made, bounds, fault, kind)

    def counted(self, adapter: Adapter, body: bytes, who: Who, said: Beside) -> bytes:
        """Return the body of a request that is only to be counted, as it would be sent; nothing is remembered of it."""
        try:
            request = adapter.read(body, self._known)
        except NotUnderstood:
            return body
        bounds, _ = self._bounds(request.conversation.model, said)
        talk = self._talks.peek(who, request.conversation, said, Aside.NONE)
        durable = {item.key for item in request.conversation.items}
        trial = Live(talk.live.state, durable | talk.live.durable, talk.live.erased)
        trial.known = self._known
        return trial.prepare(adapter, body, bounds, redact=self._redact).body

    def answered(self, going: Going, answer: Answer) -> None:
        """Take the answer to a request: archive it, count it, keep the state."""
        talk, adapter = going.talk, going.adapter
        if talk is None or adapter is None:
            return
        self._talks.answered(talk, answer.message)
        counted = usage(answer.usage) if answer.usage else None
        told = going.account
        if counted is not None:
            if going.sized.estimate and not told.side:
                talk.live.state = state.reported(
                    talk.live.state, going.sized.estimate, counted.prompt, going.sized.size
                )
            told = msgspec.structs.replace(
                told,
                input=counted.input,
                cache_read=counted.cache_read,
                cache_write=counted.cache_write,
                output=counted.output,
            )
        back = as_sent_back(answer, talk.host)
        if back.items and going.request is not None and not told.side:
            member = "input" if adapter is RESPONSES else "messages"
            rows = answered(adapter, going.request, member, back.items, back.message)
            self._when_settled(talk, lambda: self._missing_of(talk, rows))
        self._when_settled(talk, lambda: self._filing.save(talk, told))

    def unanswered(self, going: Going) -> None:
        """Take that a provider did not answer a request with a message: it is accounted for all the same."""
        talk = going.talk
        if talk is not None:
            self._when_settled(talk, lambda: self._filing.save(talk, going.account))

    # --- steps ------------------------------------------------------------------------------------------------------

    def _file(self, talk: Talk, adapter: Adapter, request: Request, kind: Aside) -> asyncio.Task[str] | None:
        """Have archived what a request brings; returns what ends when it is, None where there is nothing to do."""
        if talk.settled:
            rows = self._rows(talk, request, kind)
            return self._filing.capture(talk, rows) if rows else None
        before = talk.settling
        if before is None or before.done():
            before = None
            names = self._filing.names(
                talk, format=_FORMATS[adapter], model=request.conversation.model, side=kind is Aside.TITLE
            )
        else:
            names = None

        async def work() -> str:
            told = await before if before is not None else ""
            if names is not None:
                told = await self._settled(talk, names, request)
                talk.settled = not told
            rows = self._rows(talk, request, kind) if talk.settled else []
            return await self._filing.capture(talk, rows) if rows else told

        talk.settling = self._filing.beside(work())
        return talk.settling

    def _missing_of(self, talk: Talk, rows: Sequence[Row]) -> None:
        missing = [row for row in rows if row.key not in talk.live.durable]
        if missing:
            self._filing.capture(talk, missing)

    def _when_settled(self, talk: Talk, start: Callable[[], object]) -> None:
        """Start something once the archive knows of a conversation; never where it cannot be asked."""
        settling = talk.settling
        if talk.settled or settling is None:
            start()
            return

        async def work() -> str:
            told = await settling
            if talk.settled:
                start()
            return told

        self._filing.beside(work())

    def _settled(self, talk: Talk, names: Names, request: Request) -> asyncio.Task[str]:
        keys = [item.key for item in request.conversation.items]
        return self._filing.settle(
            talk, names, keys, lambda durable: self._is_another(talk, request, durable)
        )

    def _is_another(self, talk: Talk, request: Request, durable: frozenset[str]) -> bool:
        """Tell whether the session's main conversation, of which that is archived, is another one; name this one so."""
        if talk.own or talk.host not in WITH_TOOLS or not durable_elsewhere(durable, request):
            return False
        self._talks.renamed(talk, chain(request.conversation))
        return True

    def _rows(self, talk: Talk, request: Request, kind: Aside) -> list[Row]:
        """Return what is to be archived of a request: of one beside the conversation not what asks for it."""
        if kind is Aside.TITLE:
            return []
        rows = talk.live.missing(request)
        if kind is Aside.COMPACTION and request.conversation.items:
            asking = request.conversation.items[-1].key
            rows = [row for row in rows if row.key != asking]
        return rows

    def _beside(
        self, adapter: Adapter, body: bytes, talk: Talk, request: Request, bounds: Limits, kind: Aside
    ) -> Prepared:
        """Return a request that is beside the conversation, as it came.

        A host that wants its own summary of more than the model takes gets one of the window: the last cut is made.
        """
        most = bounds.window or bounds.hard
        if (
            kind is Aside.COMPACTION
            and talk.live.state.calibration.scaled(request.conversation.tokens) > most
        ):
            trial = Live(talk.live.state)
            trial.known = self._known
            return trial.prepare(adapter, body, bounds, redact=self._redact)
        return Prepared(Sending(body, request))

    def _bounds(self, model: str, said: Beside) -> tuple[Limits, str]:
        """Return the limits for a model; none, and a fault, where the user's settings for it cannot be read."""
        try:
            profile = resolve(self._profiles, model).profile if self._profiles else Profile()
            size = models.size(model)
            most = (profile.context_window or size.window) // RESERVE_SHARE
            return limits(profile, size.window, min(said.reserve or size.reserve, most) if most else 0), ""
        except (InvalidSetting, UnknownSetting):
            return Limits(enabled=False), SETTINGS


def whole(adapter: Adapter, body: bytes, known: Known) -> Request:
    """Return a request taken apart for the archive: also one whose list is a text, or only what is new.

    Raises `NotUnderstood`. Its bytes are not those to send.
    """
    request = adapter.read(body, known)
    if request.windowed or adapter is not RESPONSES:
        return request
    for name in ("previous_response_id", "conversation"):
        body = without_member(body, name)
    given = bytes(members(body).get("input", b""))
    if given.startswith(b'"'):
        body = with_member(body, "input", b'[{"role":"user","content":' + given + b"}]")
    return adapter.read(body, known)


def durable_elsewhere(durable: frozenset[str], request: Request) -> bool:
    """Tell whether something is archived of a conversation, and nothing of it is in this request."""
    return bool(durable) and not any(item.key in durable for item in request.conversation.items)


def _going(adapter: Adapter, talk: Talk, made: Prepared, bounds: Limits, fault: str, kind: Aside) -> Going:
    told = account(made, bounds, side="" if kind is Aside.NONE else kind.value)
    fault = fault or made.fault
    plan, request = made.sending.plan, made.sending.request
    return Going(
        made.body,
        fault,
        adapter,
        talk,
        msgspec.structs.replace(told, fault=fault),
        Sized(plan.estimate, len(made.body)) if plan is not None else Sized(),
        _keys_only(request) if request is not None else None,
    )


def _keys_only(request: Request) -> Request:
    """Return a request without its bytes and texts: it is held for as long as its answer takes."""
    items = tuple(Item(item.role, (), item.key, item.tokens) for item in request.conversation.items)
    return Request(b"", Conversation(request.conversation.model, items), windowed=request.windowed)
