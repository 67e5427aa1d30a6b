"""What passed on the wire and what a host's transcript says become one history, in whatever order they come."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unabridged.archive import windows as kept
from unabridged.archive.admission import Append, plan_append
from unabridged.archive.capture import Capture, Row, Stream, begun, prior
from unabridged.archive.check import check
from unabridged.archive.ingest import Ingest
from unabridged.archive.resolve import Resolver
from unabridged.errors import Conflict
from unabridged.hosts.claude_code import HOST as CLAUDE
from unabridged.hosts.contract import Candidate, Head
from unabridged.schema.ids import GLOBAL, Micros, project_id, session_id
from unabridged.schema.records import ALIAS, DOCUMENT, EVENT, GENERATION, PATH, SESSION, TOMBSTONE, Tombstone
from unabridged.schema.windows import WINDOW_ITEM, Window, WindowHome
from unabridged.service.compose import redactor
from unabridged.store.contract import Batch, Store
from unabridged.store.open import open_store

NOW = Micros(1_800_000_000_000_000)
ROOT = "/nowhere/wire"
PROJECT = project_id(ROOT)
NAME = "5b0f5e57-0000-4000-8000-000000000001"
SESSION_ID = session_id("claude-code", NAME)
CONVERSATION = bytes(range(16))
STREAM = Stream(PROJECT, ROOT, CONVERSATION, "claude-code", NAME, ROOT, "messages", side=False)
REDACT = redactor(True, (), ())
FORKED = "5b0f5e57-0000-4000-8000-000000000002"
OTHER = Stream(PROJECT, ROOT, CONVERSATION[::-1], "claude-code", FORKED, ROOT, "messages", side=False)
OTHER_ID = session_id("claude-code", FORKED)
AGENT = f"{NAME}/agent-a1"
BESIDE = Stream(
    PROJECT,
    ROOT,
    bytes(16),
    "claude-code",
    f"{NAME}/side-000000000000",
    ROOT,
    "messages",
    side=True,
    parent=NAME,
)

Turn = tuple[
    str, list[tuple[str, str, str]], str
]  # what a person says; calls with arguments, results; the answer


def items_of(turns: list[Turn]) -> list[dict[str, Any]]:
    """Return the messages of a conversation as a client sends them."""
    found: list[dict[str, Any]] = []
    for number, (said, calls, answer) in enumerate(turns):
        texts = ["<system-reminder>\nBe brief.\n</system-reminder>", said] if number == 0 else [said]
        found.append({"role": "user", "content": [{"type": "text", "text": text} for text in texts]})
        for at, (argument, result, thought) in enumerate(calls):
            name = f"t{number}-{at}"
            call = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": argument}}
            thinking = [{"type": "thinking", "thinking": thought, "signature": "s"}] if thought else []
            found.append({"role": "assistant", "content": [*thinking, call]})
            out = {"type": "tool_result", "tool_use_id": name, "content": result}
            found.append({"role": "user", "content": [out]})
        found.append({"role": "assistant", "content": [{"type": "text", "text": answer}]})
    return found


def rows_of(items: list[dict[str, Any]]) -> list[Row]:
    """Return the same as rows of the wire."""
    return [Row(f"{at:032x}", json.dumps(item).encode()) for at, item in enumerate(items, 1)]


def lines_of(items: list[dict[str, Any]]) -> list[bytes]:
    """Return the same as Claude Code's transcript, which has a row for each block and no reminders."""
    found: list[bytes] = []
    for item in items:
        for block in item["content"]:
            if block.get("text", "").startswith("<system-reminder>"):
                continue
            name = f"{len(found):08x}-0000-4000-8000-000000000000"
            row = {
                "type": item["role"],
                "uuid": name,
                "sessionId": NAME,
                "cwd": ROOT,
                "timestamp": f"2026-11-29T10:{len(found) // 60:02}:{len(found) % 60:02}.000Z",
                "message": {"role": item["role"], "content": [block]},
            }
            found.append(json.dumps(row).encode() + b"\n")
    return found


class Archive:
    """A store, and both captures of one conversation as far as they have come."""

    def __init__(self) -> None:
        self.store: Store = open_store("memory:")
        self.data = b""
        window = Window(PROJECT, CONVERSATION, SESSION_ID, "claude-code", NAME, ROOT, "messages")
        self.store.commit(PROJECT, kept.plan_open(window, ROOT, NOW))

    def admit(self, appends: Iterator[Append]) -> None:
        for append in appends:
            self.store.commit(append.origin.project, plan_append(append, NOW))

    def read(self, lines: list[bytes], *, idle: bool = False) -> None:
        """Go on with the transcript, as an importer that was started anew."""
        with self.store.snapshot() as reader:
            found = reader.scan(GENERATION, (PROJECT,))
            before = next((item for item in found if item.origin != STREAM.origin), None)
        work = Ingest(
            CLAUDE, Candidate("/t/a.jsonl", "file"), Head(NAME, ROOT), ROOT, PROJECT, REDACT, before
        )
        self.admit(work.feed(b"".join(lines)))
        self.admit(work.finish(idle))

    def capture(self, rows: list[Row], *, idle: bool = False) -> None:
        """Go on with the wire, as a daemon that was started anew: what is durable is left out."""
        home = WindowHome(GLOBAL, CONVERSATION, PROJECT, SESSION_ID)
        with self.store.snapshot() as reader:
            known = kept.items_at(reader, home, [row.key for row in rows])
            before = prior(reader, STREAM)
        work = Capture(STREAM, REDACT, before)
        self.admit(work.take([row for row, item in zip(rows, known, strict=True) if item is None]))
        if idle:
            self.admit(work.close())

    def fork(self, rows: list[Row]) -> None:
        """Take the items of another session's conversation, as the service does."""
        home = WindowHome(GLOBAL, OTHER.conversation, PROJECT, OTHER_ID)
        with self.store.snapshot() as reader:
            shared = kept.copied(reader, home, OTHER.host, [row.key for row in rows])
        copies = [msgspec.structs.replace(row, shared=shared.get(row.key, [])) for row in rows]
        self.admit(Capture(OTHER, REDACT, None).take(copies))

    def read_as(self, name: str, lines: list[bytes], head: Head) -> None:
        """Read a transcript of another session, whole."""
        work = Ingest(CLAUDE, Candidate(f"/t/{name}.jsonl", "file"), head, ROOT, PROJECT, REDACT)
        self.admit(work.feed(b"".join(lines)))
        self.admit(work.finish(True))

    def said(self, session: bytes = SESSION_ID) -> Counter[tuple[str, str, str]]:
        """Return what the session's path holds, with how often."""
        with self.store.snapshot() as reader:
            resolver = Resolver(reader)
            paths = reader.scan(PATH, (PROJECT, session), limit=10_000)
            events = reader.get_many(EVENT, [(PROJECT, path.event) for path in paths])
            return Counter((e.kind, e.role, resolver.event_text(e)) for e in events if e is not None)

    def sound(self) -> None:
        with self.store.snapshot() as reader:
            assert list(check(reader)) == []


words = st.sampled_from(["ok", "yes", "go on", "the same text", "another\ntext é"])
calls = st.lists(st.tuples(words, words, st.sampled_from(["", "a thought"])), max_size=2)
turns = st.lists(st.tuples(words, calls, words), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(turns, st.data())
def test_any_interleaving_gives_the_history_that_the_wire_alone_gives(
    said: list[Turn], data: st.DataObject
) -> None:
    items = items_of(said)
    rows, lines = rows_of(items), lines_of(items)
    alone = Archive()
    alone.capture(rows, idle=True)
    both = Archive()
    taken = read = 0
    while taken < len(rows) or read < len(lines):
        wire = (
            data.draw(st.booleans(), "wire")
            if taken < len(rows) and read < len(lines)
            else read == len(lines)
        )
        if wire:
            more = data.draw(st.integers(1, len(rows) - taken), "rows")
            again = data.draw(st.integers(0, taken), "again")
            both.capture(rows[again : taken + more], idle=data.draw(st.booleans(), "idle"))
            taken += more
        else:
            more = data.draw(st.integers(1, len(lines) - read), "lines")
            both.read(lines[read : read + more], idle=data.draw(st.booleans(), "idle"))
            read += more
    both.capture(rows)
    assert both.said() == alone.said()
    both.sound()
    alone.sound()
    with both.store.snapshot() as reader:
        items_kept = reader.scan(WINDOW_ITEM, (PROJECT, CONVERSATION))
        assert [item.key for item in items_kept] == [row.key for row in rows]
        assert len(reader.scan(ALIAS, (PROJECT,), limit=10_000)) == len(lines)


def test_the_transcript_alone_says_the_same_but_for_what_the_host_puts_in() -> None:
    items = items_of([("ok", [("ls", "a.txt", "hm")], "ok"), ("ok", [], "done")])
    wire, transcript = Archive(), Archive()
    wire.capture(rows_of(items), idle=True)
    transcript.read(lines_of(items), idle=True)
    left = wire.said() - transcript.said()
    assert [text for _, _, text in left] == ["<system-reminder>\nBe brief.\n</system-reminder>"]
    assert transcript.said() - wire.said() == Counter()
    assert transcript.said()["text", "user", "ok"] == 2


def test_a_session_that_never_passed_on_the_wire_has_no_records_of_it() -> None:
    archive = Archive()
    archive.read(lines_of(items_of([("ok", [], "ok")])), idle=True)
    with archive.store.snapshot() as reader:
        session = reader.get(SESSION, (PROJECT, SESSION_ID))
        assert session is not None
        assert not session.captured
        assert reader.scan(ALIAS, (PROJECT,)) == []


def test_turns_of_both_captures_are_versions_of_one_document() -> None:
    items = items_of([("first", [("ls", "a", "")], "one"), ("second", [], "two")])
    archive = Archive()
    archive.capture(rows_of(items), idle=True)
    archive.read(lines_of(items), idle=True)
    with archive.store.snapshot() as reader:
        documents = [item for item in reader.scan(DOCUMENT, (PROJECT,)) if item.kind == "turn"]
    assert len({item.id[:12] for item in documents}) == 2
    archive.sound()


def test_a_transcript_that_is_read_again_from_another_place_brings_nothing_new() -> None:
    items = items_of([("ok", [("ls", "a", "")], "fine"), ("ok", [], "ok")])
    archive = Archive()
    archive.capture(rows_of(items))
    archive.read(lines_of(items), idle=True)
    before = archive.said()
    work = Ingest(CLAUDE, Candidate("/t/copy.jsonl", "file"), Head(NAME, ROOT), ROOT, PROJECT, REDACT)
    archive.admit(work.feed(b"".join(lines_of(items))))
    archive.admit(work.finish(True))
    assert archive.said() == before
    archive.sound()


def test_a_fork_of_a_captured_session_shares_the_events_of_the_wire() -> None:
    items = items_of([("ok", [("ls", "a", "")], "fine")])
    archive = Archive()
    archive.capture(rows_of(items))
    lines = lines_of(items)
    archive.read(lines, idle=True)
    other = "5b0f5e57-0000-4000-8000-000000000002"
    copied = [line.replace(NAME.encode(), other.encode()) for line in lines]
    head = Head(other, ROOT, NAME, "fork")
    work = Ingest(CLAUDE, Candidate("/t/fork.jsonl", "file"), head, ROOT, PROJECT, REDACT)
    archive.admit(work.feed(b"".join(copied)))
    archive.admit(work.finish(True))
    with archive.store.snapshot() as reader:
        assert reader.count(EVENT, (PROJECT,)) == sum(archive.said().values())
    assert sum(archive.said(session_id("claude-code", other)).values()) == len(lines)
    archive.sound()


def test_what_was_erased_does_not_come_back_through_the_other_capture() -> None:
    items = items_of([("a secret plan", [], "fine")])
    archive = Archive()
    archive.capture(rows_of(items))
    with archive.store.snapshot() as reader:
        event = next(e for e in reader.scan(EVENT, (PROJECT,)) if e.role == "user" and not e.flags & 64)

        def plan(_: Any) -> Batch:
            batch = Batch()
            batch.put(TOMBSTONE, Tombstone(PROJECT, event.id, event.ordinal, "erased", NOW))
            return batch

    archive.store.commit(PROJECT, plan)
    count = sum(archive.said().values())
    archive.read(lines_of(items), idle=True)
    assert sum(archive.said().values()) == count
    home = WindowHome(GLOBAL, CONVERSATION, PROJECT, SESSION_ID)
    with archive.store.snapshot() as reader:
        kept_items = [item for item in kept.items_at(reader, home, [f"{1:032x}", f"{2:032x}"]) if item]
        assert kept.erased_of(reader, PROJECT, kept_items) == {f"{1:032x}"}


def test_an_item_is_kept_byte_for_byte_also_when_it_was_written_over_several_lines() -> None:
    item = {"role": "user", "content": [{"type": "text", "text": "an  odd\u2028text"}]}
    raw = json.dumps(item, indent=2).encode()
    archive = Archive()
    archive.capture([Row("00" * 16, raw), Row("11" * 16, json.dumps(item).encode())])
    assert archive.said()["text", "user", "an  odd\u2028text"] == 2
    with archive.store.snapshot() as reader:
        found = reader.scan(WINDOW_ITEM, (PROJECT, CONVERSATION))
        resolver = Resolver(reader)
        lines = [resolver.original(PROJECT, STREAM.origin, 1, one.offset, one.length) for one in found]
    assert json.loads(lines[0])["quoted"].encode() == raw
    assert lines[1].endswith(b'"raw":' + json.dumps(item).encode() + b"}\n")
    archive.sound()


def test_two_readers_of_one_stream_cannot_both_commit() -> None:
    items = rows_of(items_of([("ok", [], "ok"), ("more", [], "yes")]))
    archive = Archive()
    first, second = Capture(STREAM, REDACT, None), Capture(STREAM, REDACT, None)
    appends = list(second.take(items))
    archive.admit(first.take(items[:2]))
    with pytest.raises(Conflict):
        archive.admit(iter(appends))
    archive.sound()


@pytest.mark.parametrize("first", ["wire", "transcript"])
def test_a_forked_conversation_shares_the_events_of_the_one_that_it_was_copied_from(first: str) -> None:
    items = items_of([("ok", [("ls", "a", "")], "fine"), ("ok", [], "ok")])
    lines, more = lines_of(items), items_of([("x", [], "y"), ("go on", [], "yes")])[2:]
    copied = [line.replace(NAME.encode(), FORKED.encode()) for line in lines]
    archive = Archive()
    window = Window(PROJECT, OTHER.conversation, OTHER_ID, "claude-code", FORKED, ROOT, "messages")
    archive.store.commit(PROJECT, kept.plan_open(window, ROOT, NOW))
    archive.capture(rows_of(items))
    archive.read(lines, idle=True)
    with archive.store.snapshot() as reader:
        count = reader.count(EVENT, (PROJECT,))
    both = [
        lambda: archive.fork(rows_of([*items, *more])),
        lambda: archive.read_as("f", copied, Head(FORKED, ROOT, NAME, "fork")),
    ]
    for take in both if first == "wire" else both[::-1]:
        take()
    with archive.store.snapshot() as reader:
        assert reader.count(EVENT, (PROJECT,)) == count + len(more)
    assert archive.said(OTHER_ID) - archive.said() == Counter(
        [("text", "user", "go on"), ("text", "assistant", "yes")]
    )
    assert sum(archive.said(OTHER_ID).values()) == count + len(more)
    archive.sound()


@pytest.mark.parametrize("front", [0, 7])
def test_conversations_that_only_begin_alike_share_nothing(front: int) -> None:
    told = [{"role": "system", "content": f"rule {number}"} for number in range(front)]
    items = [*told, *items_of([("ok", [], "ok")])]
    archive = Archive()
    window = Window(PROJECT, OTHER.conversation, OTHER_ID, "claude-code", FORKED, ROOT, "messages")
    archive.store.commit(PROJECT, kept.plan_open(window, ROOT, NOW))
    archive.capture(rows_of(items))
    archive.fork(rows_of(items))
    with archive.store.snapshot() as reader:
        assert reader.count(EVENT, (PROJECT,)) == 2 * sum(archive.said().values())
    archive.sound()


@pytest.mark.parametrize("first", ["wire", "transcript"])
def test_what_a_subagent_said_is_one_event_of_both_captures(first: str) -> None:
    main, side = items_of([("ok", [], "ok")]), items_of([("look there", [("ls", "b", "")], "found")])
    lines = [
        line.replace(b'"type": "', b'"isSidechain": true, "agentId": "a1", "type": "', 1)
        for line in lines_of(side)
    ]
    lines = [line.replace(b'"uuid": "0', b'"uuid": "a') for line in lines]
    archive = Archive()
    name = session_id("claude-code", BESIDE.host_session)
    window = Window(
        PROJECT, BESIDE.conversation, name, "claude-code", BESIDE.host_session, ROOT, "messages", side=True
    )
    archive.store.commit(PROJECT, kept.plan_open(window, ROOT, NOW))
    archive.capture(rows_of(main))
    archive.read(lines_of(main), idle=True)
    with archive.store.snapshot() as reader:
        count = reader.count(EVENT, (PROJECT,))
    both = [
        lambda: archive.admit(Capture(BESIDE, REDACT, None).take(rows_of(side))),
        lambda: archive.read_as("agent", lines, Head(AGENT, ROOT, NAME, "subagent")),
    ]
    for take in both if first == "wire" else both[::-1]:
        take()
    agent = archive.said(session_id("claude-code", AGENT))
    assert sum(agent.values()) == len(lines)
    with archive.store.snapshot() as reader:
        reminder = 1  # the transcript does not have what the host put in
        assert reader.count(EVENT, (PROJECT,)) == count + len(lines) + reminder
    assert sum(archive.said().values()) == count
    archive.sound()


def test_a_conversation_that_turns_out_to_be_a_subagents_stays_one_history() -> None:
    """An extension may tell what an agent says before anything tells whose agent it is."""
    main, side = items_of([("ok", [], "ok")]), items_of([("look there", [("ls", "b", "")], "found")])
    archive = Archive()
    archive.capture(rows_of(main))
    window = Window(PROJECT, OTHER.conversation, OTHER_ID, "claude-code", FORKED, ROOT, "messages")
    archive.store.commit(PROJECT, kept.plan_open(window, ROOT, NOW))
    archive.admit(Capture(OTHER, REDACT, None).take(rows_of(side)))
    with archive.store.snapshot() as reader:
        count = reader.count(EVENT, (PROJECT,))
    lines = [line.replace(NAME.encode(), FORKED.encode()) for line in lines_of(side)]
    archive.read_as("agent", lines, Head(FORKED, ROOT, NAME, "subagent"))
    with archive.store.snapshot() as reader:
        session = reader.get(SESSION, (PROJECT, OTHER_ID))
        assert session is not None
        assert (session.relation, session.parent) == ("subagent", SESSION_ID)
        assert reader.count(EVENT, (PROJECT,)) == count
    archive.sound()


def test_what_a_subagent_said_that_passed_first_is_not_taken_for_what_is_said_above_it() -> None:
    side, main = items_of([("look", [("ls", "b", "")], "ok")]), items_of([("look", [], "ok")])
    archive = Archive()
    window = Window(PROJECT, OTHER.conversation, OTHER_ID, "claude-code", FORKED, ROOT, "messages")
    archive.store.commit(PROJECT, kept.plan_open(window, ROOT, NOW))
    archive.admit(Capture(OTHER, REDACT, None).take(rows_of(side)))
    lines = [line.replace(NAME.encode(), FORKED.encode()) for line in lines_of(side)]
    archive.read_as("agent", lines, Head(FORKED, ROOT, NAME, "subagent"))
    archive.capture(rows_of(main))
    assert sum(archive.said().values()) == sum(len(item["content"]) for item in main)
    assert sum(archive.said(OTHER_ID).values()) == sum(len(item["content"]) for item in side)
    archive.sound()


def test_a_parent_that_was_not_heard_of_gets_no_name_of_its_subagents() -> None:
    side, main = items_of([("look", [("ls", "b", "")], "found")]), items_of([("go on", [], "well")])
    archive = Archive()
    window = Window(PROJECT, OTHER.conversation, OTHER_ID, "claude-code", FORKED, ROOT, "messages")
    archive.store.commit(PROJECT, kept.plan_open(window, ROOT, NOW))
    lines = [line.replace(NAME.encode(), FORKED.encode()) for line in lines_of(side)]
    archive.read_as("agent", lines, Head(FORKED, ROOT, NAME, "subagent"))
    archive.admit(Capture(OTHER, REDACT, None).take(rows_of(side)))
    archive.capture(rows_of(main), idle=True)
    with archive.store.snapshot() as reader:
        named = {session.session: session.host_session for session in reader.scan(SESSION, (PROJECT,))}
    assert named == {SESSION_ID: NAME, OTHER_ID: FORKED}
    for session, items in ((SESSION_ID, main), (OTHER_ID, side)):
        assert sum(archive.said(session).values()) == sum(len(item["content"]) for item in items)
    archive.sound()


def test_a_fork_whose_host_put_something_else_at_its_front_is_one_all_the_same() -> None:
    items = items_of([("ok", [("ls", "a", "")], "fine")])
    archive = Archive()
    window = Window(PROJECT, OTHER.conversation, OTHER_ID, "claude-code", FORKED, ROOT, "messages")
    archive.store.commit(PROJECT, kept.plan_open(window, ROOT, NOW))
    archive.capture(rows_of(items))
    count = sum(archive.said().values())
    other = Row("ee" * 16, json.dumps({"role": "system", "content": "another rule"}).encode())
    archive.fork([other, *rows_of(items)])
    assert sum(archive.said(OTHER_ID).values()) == count + 1
    with archive.store.snapshot() as reader:
        assert reader.count(EVENT, (PROJECT,)) == count + 1
    archive.sound()


@pytest.mark.parametrize("late", [False, True])
def test_what_a_transcript_said_is_taken_over_only_while_nothing_came_since(late: bool) -> None:
    items = items_of([("ok", [("ls", "a", "")], "fine"), ("ok", [], "ok")])
    lines = lines_of(items)
    archive = Archive()
    archive.read(lines[:3])
    with archive.store.snapshot() as reader:
        made = begun(reader, STREAM)
    assert made is not None
    assert sum(len(record.twins) for record in made.twins) == 3
    if late:
        archive.read(lines[3:])
    appends = list(Capture(STREAM, REDACT, None).take(rows_of(items)))
    appends[0].begun = made
    archive.admit(iter(appends))
    archive.read(lines if not late else [], idle=True)
    alone = Archive()
    alone.capture(rows_of(items))
    assert archive.said() == alone.said()
    with archive.store.snapshot() as reader:
        assert begun(reader, STREAM) is None
    archive.sound()


def test_a_call_that_is_sent_back_in_another_form_is_one_event() -> None:
    archive = Archive()
    items = items_of([("look", [("ls", "a b", "")], "done")])
    rows = rows_of(items)
    other = json.loads(rows[1].raw)
    other["content"][0] = {"caller": None, **other["content"][0]}
    changed = [rows[0], rows[1], Row("f" * 32, json.dumps(other).encode()), *rows[2:]]
    archive.capture(changed)
    kinds = Counter(event.kind for event in archive.store.snapshot().scan(EVENT, (PROJECT,)))
    assert (kinds["tool-call"], kinds["tool-result"]) == (1, 1)
    with archive.store.snapshot() as reader:
        home = WindowHome(GLOBAL, CONVERSATION, PROJECT, SESSION_ID)
        assert all(item is not None for item in kept.items_at(reader, home, [row.key for row in changed]))
    archive.sound()
