"""What happens at a host's hook: transcripts are read, and the model is told what it should know, once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from unabridged.archive import hints
from unabridged.archive.hints import Frozen
from unabridged.errors import DiskLow, InvalidInput
from unabridged.hosts import hooks
from unabridged.hosts.hooks import Moment
from unabridged.schema import tokens
from unabridged.schema.records import Hint
from unabridged.service.caller import Call, Pending
from unabridged.service.handlers import cataloguing, hinting
from unabridged.service.handlers.cataloguing import Telling
from unabridged.service.handlers.hintplace import Conversation, conversation_of
from unabridged.service.requests import Answer, HintAnswer, HintRequest, HookAnswer, HookRequest
from unabridged.store.contract import Reader

IGNORED, READ, SILENT, PROBED = "ignored", "read", "silent", "probed"
MAX_PATH_CHARS = 4_096
PASSED_ON = "passed-on"  # the reason for telling a fork nothing
DURABLE_SECONDS = 0.6  # that a compaction is held up; the hook itself waits for three quarters of a second


def hook(call: Call, request: HookRequest) -> HookAnswer | Pending:
    """Do what an event of a host's session asks for; the answer holds what the hook prints."""
    if request.host not in call.services.hosts:
        raise InvalidInput("that host is not known", field="host", known=sorted(call.services.hosts))
    probe = hooks.probe(request.input)
    if probe:
        return HookAnswer(probe, "", PROBED)
    call.services.outbox.poke()
    at = hooks.moment(request.input)
    if at is None:
        return HookAnswer("", "", IGNORED)
    if Path(at.cwd).is_absolute():
        call = replace(call, caller=replace(call.caller, folder=at.cwd))
    _read(call, request.host, at)
    if at.kind == hooks.PROMPT and not at.agent:
        return _prompted(call, request.host, at)
    if at.kind == hooks.SESSION_START and not at.agent:
        return _started(call, request.host, at)
    return HookAnswer("", at.kind, READ)


def _read(call: Call, host: str, at: Moment) -> None:
    """Have the files that the event names read; one that is not there is no fault: the archive is the truth."""
    ended = at.kind == hooks.SESSION_END
    # What a compaction is about to leave out should be kept first. A subagent's carries its parent's transcript.
    waits = at.kind == hooks.PRE_COMPACT and not at.agent
    for path in dict.fromkeys((at.transcript, at.agent_transcript)):
        if path and "\0" not in path and len(path) <= MAX_PATH_CHARS and Path(path).is_absolute():
            if waits and path == at.transcript:
                call.services.importer.settle(path, host, DURABLE_SECONDS)
            else:
                call.services.importer.notify(path, host, ended=ended)


def _prompted(call: Call, host: str, at: Moment) -> HookAnswer | Pending:
    """Give the one frozen hint of a prompt."""
    if not at.prompt.strip() or len(at.prompt) > hinting.MAX_MESSAGE:
        return HookAnswer("", at.kind, SILENT)
    asked = HintRequest(at.prompt, at.session, host=host, key=at.message)
    told = hinting.hint(call, asked)
    if isinstance(told, Pending):
        made = told.answer
        return Pending(told.commit, lambda outcome: _hinted(at, made(outcome)))
    return _hinted(at, told)


def _hinted(at: Moment, told: Answer) -> HookAnswer:
    assert isinstance(told, HintAnswer)
    return HookAnswer(hooks.answer(at, told.text), at.kind, told.reason, told.tokens)


def _started(call: Call, host: str, at: Moment) -> HookAnswer | Pending:
    """Tell what the archive holds, once a session; behind a compaction, what was left out of the conversation.

    A host keeps what it was told in the conversation and sends it again when that is resumed, and in each fork.
    """
    with call.services.store.snapshot() as reader:
        talk = conversation_of(call, reader, HintRequest("", at.session, host=host))
        compacted = at.source == hooks.COMPACTED
        if not compacted and hints.was_told(reader, talk.places[0], hints.ORIENTATION):
            return HookAnswer("", at.kind, SILENT)  # a project may have many sessions to count
        told = _TELLINGS.get(at.source, cataloguing.orientation)(reader, talk)
    if not told.text and told.outcome != hints.NOTHING:
        return HookAnswer("", at.kind, SILENT)
    try:
        call.services.daemon.admit()
    except DiskLow:  # what is not frozen must not be told
        return HookAnswer("", at.kind, hinting.NOT_FROZEN)
    commit = call.services.store.submit(talk.project, hints.plan_tell(_frozen(call, talk, told)))
    return Pending(commit, lambda frozen: _told(at, frozen, again=compacted))


def _told(at: Moment, frozen: Frozen, *, again: bool) -> HookAnswer:
    hint = frozen.hint
    if frozen.replayed and not again:
        return HookAnswer("", at.kind, SILENT)
    return HookAnswer(hooks.answer(at, hint.text), at.kind, hint.outcome, hint.tokens)


def _frozen(call: Call, talk: Conversation, told: Telling) -> Hint:
    data = told.text.encode("utf-8", "surrogatepass")
    return Hint(
        project=talk.project,
        session=talk.lineage.name,
        key=hints.key_of(told.native),
        native=told.native,
        message=hints.message_digest(told.native),
        outcome=told.outcome,
        reason=told.outcome if told.text else PASSED_ON,
        text=told.text,
        shown=talk.lineage.name if told.text else b"",
        tokens=tokens.strict(data),
        budget=told.budget,
        created=call.now,
        quoted=told.quoted,
    )


def _passed_on(_reader: Reader, _talk: Conversation) -> Telling:
    """Keep that nothing is left to tell a fork, whose parent need not be known yet."""
    return Telling("", hints.ORIENTATION, hints.NOTHING, 0)


_TELLINGS: Mapping[str, Callable[[Reader, Conversation], Telling]] = {
    hooks.COMPACTED: cataloguing.catalogue,
    hooks.FORKED: _passed_on,
}
