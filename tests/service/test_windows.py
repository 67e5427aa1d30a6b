"""The live window's daemon side: conversations, their items, their requests."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.service.desk import NOW, Desk
from unabridged.archive.check import check
from unabridged.archive.compress import unpack
from unabridged.errors import InvalidInput, NotFound, OutOfScope
from unabridged.schema.ids import GLOBAL, project_id
from unabridged.schema.records import EVENT, PROJECT, SEGMENT, TOMBSTONE, Tombstone
from unabridged.schema.scope import Level
from unabridged.service.live import CaptureRow, SentRequest
from unabridged.store.contract import Batch
from unabridged.window.catalogue import Entry
from unabridged.window.messages import short_name
from unabridged.window.state import State, encode

TALK = "3fa2b1c09d8e00112233445566778899"


def key(number: int) -> str:
    return f"{number:032x}"


def said(role: str, text: str) -> str:
    return json.dumps({"role": role, "content": [{"type": "text", "text": text}]})


def begin(desk: Desk, **more: Any) -> Any:
    asked = {"host": "toy", "host_session": "s-1", "cwd": "/nowhere/toy", "format": "messages"} | more
    return desk.call("window.open", conversation=asked.pop("conversation", TALK), **asked)


def rows(*texts: str, first: int = 1) -> list[Any]:
    return [CaptureRow(key(first + at), said("user", text)) for at, text in enumerate(texts)]


def violations(desk: Desk) -> list[Any]:
    with desk.store.snapshot() as reader:
        return list(check(reader))


def test_a_conversation_has_an_address_and_says_what_is_durable(desk: Desk) -> None:
    first = begin(desk, keys=[key(1)])
    assert first.address == "window:3fa2b1c09d8e"
    assert (first.state, first.durable, first.erased, first.forced) == ("", [], [], False)
    answer = desk.call("capture", conversation=TALK, rows=rows("one", "two"))
    assert answer.durable == [key(1), key(2)]
    assert answer.missing == []
    assert answer.invalid == []
    assert begin(desk, keys=[key(2), key(3)]).durable == [key(2)]
    assert violations(desk) == []


def test_what_was_captured_is_not_captured_again(desk: Desk) -> None:
    begin(desk)
    desk.call("capture", conversation=TALK, rows=rows("one"))
    again = desk.call("capture", conversation=TALK, rows=rows("one", "two"))
    assert again.durable == [key(1), key(2)]
    window = desk.call("windows").windows[0]
    assert window.items == 2
    twice = desk.call("capture", conversation=TALK, rows=[*rows("x", first=7), *rows("x", first=7)])
    assert twice.durable == [key(7)]
    assert desk.call("windows").windows[0].items == 3
    assert violations(desk) == []


def test_slices_make_one_item_and_a_gap_is_told(desk: Desk) -> None:
    begin(desk)
    raw = said("user", "a long text")
    first = desk.call("capture", conversation=TALK, rows=[CaptureRow(key(1), raw[:9], more=True)])
    assert first.durable == []
    gap = desk.call("capture", conversation=TALK, rows=[CaptureRow(key(2), raw[9:], part=1)])
    assert gap.missing == [key(2)]
    assert gap.durable == []
    last = desk.call("capture", conversation=TALK, rows=[CaptureRow(key(1), raw[9:], part=1)])
    assert last.durable == [key(1)]


def test_what_is_no_object_is_refused_and_costs_itself_only(desk: Desk) -> None:
    begin(desk)
    bad = [CaptureRow(key(5), "[1]"), CaptureRow(key(6), '{"a":1}{"b":2}'), CaptureRow(key(7), "")]
    answer = desk.call("capture", conversation=TALK, rows=[*bad, *rows("good")])
    assert answer.invalid == [key(5), key(6), key(7)]
    assert answer.durable == [key(1)]


def test_a_state_and_what_requests_came_to_are_kept(desk: Desk) -> None:
    begin(desk)
    state = base64.b64encode(b"\x01state").decode()
    for number in range(203):
        sent = SentRequest(
            model="anthropic/m", epoch=number // 100, rotated=number % 100 == 0, sent=10, whole=30, output=2
        )
        desk.call("window.save", conversation=TALK, state=state, request=sent)
    assert begin(desk).state == state
    window = desk.call("windows").windows[0]
    assert window.requests == 203
    assert window.epoch == 2
    assert window.totals["sent"] == 2030
    assert window.totals["whole"] == 6090
    assert window.totals["rotations"] == 3
    shown = desk.call("window.show", target=TALK)
    assert [item["number"] for item in shown.requests] == list(range(4, 204))
    assert [item["epoch"] for item in shown.epochs] == [0, 1, 2]
    assert desk.call("windows").days[0]["requests"] == 203


def test_a_rotation_is_asked_for_until_a_new_epoch_is_saved(desk: Desk) -> None:
    begin(desk)
    assert desk.call("window.rotate", target="window:3fa2b1c09d8e").conversations == [TALK]
    assert begin(desk).forced
    same = desk.call("window.save", conversation=TALK, request=SentRequest(epoch=0))
    assert same.forced
    assert not desk.call("window.save", conversation=TALK, request=SentRequest(epoch=1, rotated=True)).forced
    assert not begin(desk).forced


def test_a_caller_of_one_project_neither_sees_nor_touches_windows_of_another(desk: Desk) -> None:
    begin(desk)
    other = {"granted": Level.PROJECT, "folder": "/nowhere/other"}
    assert desk.call("windows", **other).windows == []
    for operation, params in (
        ("capture", {"conversation": TALK, "rows": rows("one")}),
        ("window.save", {"conversation": TALK}),
        (
            "window.open",
            {"conversation": TALK, "host": "toy", "host_session": "s-1", "cwd": "/nowhere/other"},
        ),
        ("window.open", {"conversation": "00" * 16, "host": "toy", "cwd": "/nowhere/toy"}),
    ):
        with pytest.raises(OutOfScope):
            desk.call(operation, **params, **other)
    for operation in ("window.show", "window.rotate"):
        with pytest.raises((OutOfScope, NotFound)):
            desk.call(operation, target=TALK, **other)
    own = {"granted": Level.PROJECT, "folder": "/nowhere/toy"}
    assert len(desk.call("windows", **own).windows) == 1


def test_names_that_are_none_are_refused(desk: Desk) -> None:
    with pytest.raises(InvalidInput):
        begin(desk, conversation="xyz")
    with pytest.raises(InvalidInput):
        begin(desk, keys=["../../etc"])
    with pytest.raises(NotFound):
        desk.call("capture", conversation="11" * 16, rows=[])


def test_a_name_that_a_window_gave_out_recalls_the_exact_text(desk: Desk) -> None:
    arguments = {"path": "/a/ü.py", "content": "x = 1\n" * 50, "flag": True}
    call = {"type": "tool_use", "id": "t1", "name": "Write", "input": arguments}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "one"}] * 2}
    raw = json.dumps({"role": "assistant", "content": [{"type": "text", "text": "I write."}, call]})
    begin(desk)
    keys = [f"{at:016x}" * 2 for at in range(1, 4)]
    asked = [
        CaptureRow(keys[0], said("user", "do it \u00fc")),
        CaptureRow(keys[1], raw),
        CaptureRow(keys[2], json.dumps({"role": "user", "content": [result]})),
    ]
    desk.call("capture", conversation=TALK, rows=asked)

    def recalled(at: int, part: str = "", **more: Any) -> Any:
        return desk.call("recall", target=f"window:3fa2b1c09d8e:{keys[at][:16]}{part}", **more)

    assert recalled(0).text == "do it \u00fc"
    assert recalled(1, "#0").text == "I write."
    assert recalled(1, "#1").text == json.dumps(arguments)
    assert recalled(2).text == "one\none"
    assert recalled(1, "#7").status == "missing"
    whole = recalled(1, "#1", max_tokens=40)
    text = whole.text
    while whole.next:
        whole = desk.call("recall", target=whole.next, max_tokens=60)
        text += whole.text
    assert text == json.dumps(arguments)
    assert desk.call("traverse", target=f"window:3fa2b1c09d8e:{keys[1][:16]}#1").status == "resolved"
    assert desk.call("show", target=f"window:3fa2b1c09d8e:{keys[2][:16]}").events[0]["text"] == "one\none"
    other = {"granted": Level.PROJECT, "folder": "/nowhere/other"}
    found = desk.call("recall", target=f"window:3fa2b1c09d8e:{keys[0][:16]}", **other)
    assert (found.status, found.text) == ("out-of-scope", "")


def erase(desk: Desk, role: str) -> None:
    """Erase every message of a role, as far as readers are concerned."""

    def plan(reader: Any) -> Batch:
        batch = Batch()
        for project in reader.scan(PROJECT, (GLOBAL,)):
            for event in reader.scan(EVENT, (project.id,)):
                if event.role == role:
                    stone = Tombstone(event.project, event.id, event.ordinal, "erased", NOW)
                    batch.put(TOMBSTONE, stone)
        return batch

    desk.store.commit(project_id("/nowhere/toy"), plan)


def test_erased_items_are_told_recalled_as_erased_and_not_archived_again(desk: Desk) -> None:
    begin(desk)
    keys = [f"{at:016x}" * 2 for at in range(1, 4)]
    asked = [
        CaptureRow(keys[0], said("user", "a secret plan")),
        CaptureRow(keys[1], said("assistant", "fine")),
    ]
    desk.call("capture", conversation=TALK, rows=asked)
    entry = Entry(short_name(keys[0]), "a secret plan", ("secret",))
    state = encode(State(address="window:3fa2b1c09d8e", entries=(entry,), catalogue="- a secret plan"))
    desk.call("window.save", conversation=TALK, state=base64.b64encode(state).decode())
    erase(desk, "user")
    opened = begin(desk, keys=keys)
    assert (opened.durable, opened.erased) == ([keys[1]], [keys[0]])
    assert b"secret" not in base64.b64decode(opened.state)
    assert desk.call("recall", target=f"window:3fa2b1c09d8e:{keys[0][:16]}").status == "erased"
    again = desk.call("capture", conversation=TALK, rows=asked)
    assert (again.durable, again.erased) == ([keys[1]], [keys[0]])


def test_text_that_was_erased_from_a_transcript_is_not_archived_from_the_wire(desk: Desk) -> None:
    desk.admit(
        "s-1",
        [
            {"id": "q", "text": "a secret plan", "human": True},
            {"id": "a", "text": "fine", "role": "assistant"},
        ],
    )
    erase(desk, "user")
    begin(desk)
    asked = [CaptureRow(key(1), said("user", "a secret plan")), CaptureRow(key(2), said("assistant", "fine"))]
    answer = desk.call("capture", conversation=TALK, rows=asked)
    assert (answer.durable, answer.erased) == ([key(2)], [key(1)])
    with desk.store.snapshot() as reader:
        project = project_id("/nowhere/toy")
        kept = b"".join(
            unpack(item.codec, item.dictionary, item.data, item.size)
            for item in reader.scan(SEGMENT, (project,))
        )
    assert kept.count(b"secret plan") == 1  # in the transcript, which is for the eraser to rewrite
    assert desk.call("windows").windows[0].items == 1


def test_the_original_of_a_session_is_its_hosts_file_however_much_passed_on_the_wire(desk: Desk) -> None:
    begin(desk)
    desk.call("capture", conversation=TALK, rows=rows("a much longer text " * 100))
    alone = desk.call("original", session="s-1")
    assert (alone.path, alone.name) == (f"window:{TALK}", "")
    data = desk.admit("s-1", [{"id": "q", "text": "short", "human": True}])
    original = desk.call("original", session="s-1")
    assert (original.path, base64.b64decode(original.data)) == ("/t/s-1.toy", data)
    assert [origin["kind"] for origin in original.origins] == ["file", "wire"]
