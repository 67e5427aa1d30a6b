"""What to tell an agent unasked, and why that was told."""

from __future__ import annotations

from dataclasses import dataclass, replace

from unabridged.archive import hints
from unabridged.archive.hints import Allowance, Frozen, Place
from unabridged.errors import DiskLow, IndexError_, InvalidInput, LimitExceeded, UnabridgedError
from unabridged.retrieve import hint as hinting
from unabridged.retrieve import hinttext
from unabridged.retrieve.filters import excluded
from unabridged.schema import tokens
from unabridged.schema.ids import Micros, SourceHash
from unabridged.schema.records import EVENT, Hint, Quoted, Weighed
from unabridged.schema.scope import Scope
from unabridged.service.caller import Call, Pending, level_of
from unabridged.service.handlers import hintwindow
from unabridged.service.handlers.hintplace import Conversation, conversation_of
from unabridged.service.requests import HintAnswer, HintRequest
from unabridged.service.retrieval import Retrieval
from unabridged.store.contract import Reader

MAX_MESSAGE = 1 << 20  # characters; more is no message
MAX_ACTIVE = 2_000  # keys of messages
THOUSAND = 1_000  # a stored share or score is a whole number of thousandths

INDEX_MISSING, INDEX_FAILED, INDEX_SLOW = "index-missing", "index-failed", "index-slow"
DISABLED, NOT_DECIDED, NOT_FROZEN = "disabled", "not-decided", "not-frozen"
OUT_OF_SCOPE = "out-of-scope"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request, checked: the conversation, the message's names, what is in the live window."""

    talk: Conversation
    message: str
    native: str
    key: SourceHash
    visible: frozenset[str] | None
    allowance: Allowance

    @property
    def places(self) -> list[Place]:
        """Where the hints of the conversation stand: its own, then those of what it goes on from."""
        return self.talk.places


def hint(call: Call, request: HintRequest) -> HintAnswer | Pending:
    """Decide what to tell beside a message, freeze it, and return it; a decided message gets what it got before."""
    with call.services.store.snapshot() as reader:
        asked = _checked(call, reader, request)
        found = hints.find(reader, asked.places, asked.key, hints.message_digest(asked.message))
        own = found is not None and (found.project, found.session) == asked.places[0]
        if found is not None and hints.holds_erased(reader, found):
            return _emptied(call, asked, found)
        left = asked.allowance.active - hints.active_tokens(reader, asked.places, asked.allowance)
        if found is not None and _reaches_beyond(reader, call.scope(reader), found):
            return _nothing(asked, OUT_OF_SCOPE, left)
        if found is not None and (own or request.frozen):
            return _answer(asked, found, left, replayed=True)
        if request.frozen:
            return _nothing(asked, NOT_DECIDED, left)
    decision = hinting.Decision(hints.NOTHING, DISABLED)
    # Nothing is begun that may not fit: whether there is a hint must not depend on how long it would be.
    wanted = min(call.services.hints.message_tokens, asked.allowance.active)
    budget = wanted if left >= wanted else 0
    if found is None and call.services.hints.enabled:
        decision = _decided(call, asked, budget)
    try:
        call.services.daemon.admit()
    except DiskLow:  # what is not frozen must not be told
        return _nothing(asked, NOT_FROZEN, left)
    plan = hints.plan_freeze(_hint(call, asked, decision, budget), asked.places, asked.allowance)
    commit = call.services.store.submit(asked.talk.project, plan)
    return Pending(commit, lambda frozen: _frozen(asked, frozen, left))


def _reaches_beyond(reader: Reader, widest: Scope, found: Hint) -> bool:
    """Tell whether a frozen hint tells of what this caller may not see; it was decided for one who may."""
    reach = hinttext.reach_of(found.text)
    if reach and level_of(reach) > widest.level:
        return True
    events = reader.get_many(EVENT, [(item.project, item.ordinal) for item in found.quoted])
    return any(
        not widest.allows(item.project, event.session if event is not None else None)
        for item, event in zip(found.quoted, events, strict=True)
    )


def _checked(call: Call, reader: Reader, request: HintRequest) -> _Asked:
    if len(request.message) > MAX_MESSAGE:
        raise LimitExceeded(
            "the message is too long", field="message", limit=MAX_MESSAGE, size=len(request.message)
        )
    if len(request.key) > hints.MAX_NATIVE:
        raise LimitExceeded("`key` is too long", field="key", limit=hints.MAX_NATIVE, size=len(request.key))
    if request.active is not None and len(request.active) > MAX_ACTIVE:
        raise LimitExceeded("too many keys", field="active", limit=MAX_ACTIVE, size=len(request.active))
    if not request.session.strip():
        raise InvalidInput("a hint needs the session that its message is in", field="session")
    talk = conversation_of(call, reader, request)
    native = hints.native_of(request.key, request.message)
    limits = call.services.hints
    forked = talk.lineage.session.created if talk.lineage.session is not None else hints.NEVER
    allowance = Allowance(limits.active_tokens, limits.rest, forked=forked)
    if request.active is not None:
        allowance = replace(allowance, keys=frozenset(map(hints.key_of, request.active)))
    elif hints.active_tokens(reader, talk.places, allowance) + limits.message_tokens > limits.active_tokens:
        # Only now is it worth looking for what a compaction or a cut took out of the window.
        allowance = replace(allowance, since=hintwindow.since(reader, talk.lineage))
    visible = excluded(request.visible) if request.visible is not None else None
    return _Asked(talk, request.message, native, hints.key_of(native), visible, allowance)


def _decided(call: Call, asked: _Asked, budget: int) -> hinting.Decision:
    """Return what to tell; an index that is missing, broken or too slow is a reason for nothing."""
    try:
        found = call.services.bounded.run(lambda: _looked(call, asked, budget), call.services.hints.patience)
    except IndexError_ as error:
        call.services.index.distrust(error.code)
        return hinting.Decision(hints.NOTHING, INDEX_FAILED)
    except UnabridgedError:
        return hinting.Decision(hints.NOTHING, INDEX_FAILED)
    return found or hinting.Decision(hints.NOTHING, INDEX_SLOW)


def _looked(call: Call, asked: _Asked, budget: int) -> hinting.Decision:
    retrieval: Retrieval = call.services.retrieval
    finder = retrieval.finder()
    if finder is None:
        return hinting.Decision(hints.NOTHING, INDEX_MISSING)
    limits = call.services.hints
    with call.services.store.snapshot() as reader:
        context = retrieval.context(reader, asked.talk.scope, call.now, lambda: False)
        after = Micros(int(call.now) - limits.rest)

        def rests(source: bytes, quoting: bool) -> bool:
            return hints.rests(reader, asked.places, source, after, quoting=quoting)

        visible = hintwindow.visible(reader, asked.talk.lineage, asked.visible)
        ages = hinting.Ages(limits.payload_age, limits.conversation_age)
        question = hinting.Asked(asked.message, asked.talk.lineage, visible, budget, ages, rests)
        return hinting.decide(context, finder, question)


def _hint(call: Call, asked: _Asked, decision: hinting.Decision, budget: int) -> Hint:
    return Hint(
        project=asked.talk.project,
        session=asked.talk.lineage.name,
        key=asked.key,
        native=asked.native,
        message=hints.message_digest(asked.message),
        outcome=decision.outcome,
        reason=decision.reason,
        text=decision.text,
        shown=asked.talk.lineage.name if decision.text else b"",
        tokens=tokens.strict(decision.text.encode()),
        budget=budget,
        created=call.now,
        rest=list(decision.rest),
        quoted=[
            Quoted(event.project, event.ordinal, event.id, document) for event, document in decision.quoted
        ],
        considered=[
            Weighed(
                bytes.fromhex(item.id),
                round(item.share * THOUSAND),
                round(item.score * THOUSAND),
                item.marks,
            )
            for item in decision.considered
        ],
    )


def _emptied(call: Call, asked: _Asked, found: Hint) -> Pending:
    """Empty a frozen hint whose source was erased, in whichever session it stands, and say that it is."""
    commit = call.services.store.submit(found.project, hints.plan_empty([found], call.now))
    empty = hints.emptied(found, call.now)
    return Pending(commit, lambda _: _answer(asked, empty, 0, replayed=True))


def _frozen(asked: _Asked, frozen: Frozen, left: int) -> HintAnswer:
    spent = 0 if frozen.replayed else frozen.hint.tokens
    return _answer(asked, frozen.hint, left - spent, replayed=frozen.replayed)


def _nothing(asked: _Asked, reason: str, left: int) -> HintAnswer:
    name = asked.talk.lineage.name.hex()
    return HintAnswer(hints.NOTHING, reason, "", 0, name, asked.native, replayed=False, left=max(0, left))


def _answer(asked: _Asked, found: Hint, left: int, *, replayed: bool) -> HintAnswer:
    return HintAnswer(
        found.outcome,
        found.reason,
        found.text,
        found.tokens,
        asked.talk.lineage.name.hex(),
        asked.native,
        replayed=replayed,
        cache_break=bool(found.emptied),
        left=max(0, left),
    )
