"""Of a document that is written anew each time, what is new is given, once."""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.errors import TranscriptChanged
from unabridged.hosts import documents


def write(path: Path, items: list[Any], **members: Any) -> None:
    """The document as the host would write it now."""
    path.write_text(json.dumps({**members, "messages": items}, indent=2))
    # Two writes within a tick of the clock are two writes.
    os.utime(path, ns=(0, path.stat().st_mtime_ns + random.Random(len(items)).randrange(10**9)))


def all_new(path: Path, state: bytes, array: str = "messages") -> tuple[list[Any], bytes]:
    """What further looks give until there is nothing more."""
    found: list[Any] = []
    while True:
        look = documents.look(path, array, state)
        state = look.state
        assert len(state) <= 64 << 10
        if not look.elements:
            return found, state
        found += [json.loads(element.data) for element in look.elements]


def numbered(count: int, first: int = 0) -> list[dict[str, int]]:
    return [{"n": number} for number in range(first, first + count)]


def test_what_a_document_gains_is_given_once(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    write(path, numbered(3), id="a")
    first, state = all_new(path, b"")
    assert first == numbered(3)
    assert all_new(path, state)[0] == []
    write(path, numbered(5), id="a", changed=True)
    more, state = all_new(path, state)
    assert more == numbered(2, 3)
    assert all_new(path, state)[0] == []


def test_what_is_edited_is_given_and_what_is_gone_is_not_missed(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    write(path, numbered(6))
    _, state = all_new(path, b"")
    write(path, [{"n": 0}, {"n": 1, "edited": True}, {"n": 9}])
    more, state = all_new(path, state)
    assert more == [{"n": 1, "edited": True}, {"n": 9}]
    write(path, [])
    assert all_new(path, state)[0] == []


def test_a_long_document_is_given_in_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "STEP_BYTES", 100)
    path = tmp_path / "chat.json"
    write(path, numbered(200))
    first, state = all_new(path, b"")
    assert first == numbered(200)
    write(path, numbered(230))
    assert all_new(path, state)[0] == numbered(30, 200)


def test_a_document_that_changes_between_two_steps_is_given_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "STEP_BYTES", 100)
    path = tmp_path / "chat.json"
    write(path, numbered(50))
    look = documents.look(path, "messages", b"")
    write(path, numbered(60))
    rest, state = all_new(path, look.state)
    given = [json.loads(element.data) for element in look.elements] + rest
    assert given == numbered(60)
    assert all_new(path, state)[0] == []


@pytest.mark.parametrize("longer", [False, True])
def test_more_elements_than_are_remembered_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, longer: bool
) -> None:
    monkeypatch.setattr(documents, "REMEMBERED", 20)
    monkeypatch.setattr(documents, "STEP_BYTES", 300 if longer else 1 << 20)
    path = tmp_path / "chat.json"
    write(path, numbered(100))
    first, state = all_new(path, b"")
    assert first == numbered(100)
    write(path, numbered(103))
    more, state = all_new(path, state)
    assert more == numbered(3, 100)
    # With its beginning edited, what is not remembered is given again: the archive knows it.
    write(path, [{"n": -1}, *numbered(103, 1)])
    again, state = all_new(path, state)
    assert again[0] == {"n": -1}
    assert again[-1] == {"n": 103}
    assert all_new(path, state)[0] == []


def test_of_a_document_that_is_being_written_what_is_whole_is_given(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    whole = b'{"id":"a","messages":[{"n":0},{"n":1},{"n":2}]}'
    path.write_bytes(whole[:-4])
    look = documents.look(path, "messages", b"")
    assert [element.data for element in look.elements] == [b'{"n":0}', b'{"n":1}']
    with pytest.raises(TranscriptChanged):
        documents.look(path, "messages", look.state)
    path.write_bytes(whole)
    assert all_new(path, look.state)[0] == [{"n": 2}]


@pytest.mark.parametrize("step", [30, 1 << 20])
def test_equal_elements_are_as_many_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    monkeypatch.setattr(documents, "STEP_BYTES", step)
    path = tmp_path / "chat.json"
    write(path, [{"ok": 1}, {"n": 1}, {"ok": 1}])
    first, state = all_new(path, b"")
    assert first == [{"ok": 1}, {"n": 1}, {"ok": 1}]
    write(path, [{"ok": 1}, {"n": 1}, {"ok": 1}, {"ok": 1}, {"n": 2}])
    more, state = all_new(path, state)
    assert more == [{"ok": 1}, {"n": 2}]
    write(path, [{"ok": 1}] * 200)
    more, state = all_new(path, state)
    assert more == [{"ok": 1}] * 197
    assert all_new(path, state)[0] == []


@given(
    st.lists(st.tuples(st.lists(st.integers(0, 6), max_size=12), st.booleans()), min_size=1, max_size=5),
    st.sampled_from([1, 20, 1 << 20]),
    st.sampled_from([3, 100]),
)
def test_whatever_a_document_becomes_all_that_it_ever_held_is_given(
    states: list[tuple[list[int], bool]], step: int, remembered: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(documents, "STEP_BYTES", step)
        patch.setattr(documents, "REMEMBERED", remembered)
        path = Path(folder) / "chat.json"
        state, ever = b"", Counter[int]()
        for number, (items, interrupted) in enumerate(states):
            path.write_text(json.dumps({"at": number, "messages": [{"n": item} for item in items]}))
            os.utime(path, ns=(0, number))
            if interrupted:  # the document changes before the look through it is over
                look = documents.look(path, "messages", state)
                state = look.state
                ever.update(json.loads(element.data)["n"] for element in look.elements)
                continue
            found, state = all_new(path, state)
            ever.update(item["n"] for item in found)
            assert not Counter(items) - ever  # each as often as it stands there
            assert all_new(path, state)[0] == []


def test_a_document_that_is_an_array(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(numbered(4)))
    assert all_new(path, b"", "")[0] == numbered(4)


def test_what_describes_a_document_stands_in_front_of_its_messages(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text('{"id":"a","n":[1],"messages":[{}, {}],"behind":1}')
    assert documents.beginning(path, "messages") == {"id": "a", "n": [1]}
    path.write_text('{"messages":[{}, {}],"id":"a"}')
    assert documents.beginning(path, "messages") == {"id": "a"}
    path.write_text('{"id":"a","messages":[{}, {')
    assert documents.beginning(path, "messages") == {"id": "a"}
    path.write_text('{"id":"a","x":')
    assert documents.beginning(path, "messages") == {"id": "a"}


def test_a_version_changes_with_each_of_the_files(tmp_path: Path) -> None:
    path, other = tmp_path / "a", tmp_path / "b"
    path.write_text("1")
    alone = documents.version(path, other)
    other.write_text("1")
    both = documents.version(path, other)
    path.write_text("12")
    assert len({alone, both, documents.version(path, other)}) == 3
