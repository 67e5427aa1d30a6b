"""A newer export adds what is new, and what is no longer in it stays."""

from __future__ import annotations

import json
from pathlib import Path

from tests.hosts.chatgpt.written import Talk, archive, document, rows, said, talk
from unabridged.hosts.chatgpt import HOST


def test_a_newer_export_gives_new_and_changed_messages_only(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    made = talk()
    first, state = rows(document(path, [made]), made.name)
    assert rows(path, made.name, state) == ([], state)
    made.say("user", "One more question.", "more")
    made.mapping["answer-2"]["message"]["content"]["parts"] = ["It shows the error E0502."]
    second, state = rows(document(path, [made]), made.name, state)
    # Of the node above a new one the list of children has changed.
    assert said(second) == [
        ("text", "assistant", "It shows the error E0502."),
        ("text", "assistant", "Because two borrows overlap."),
        ("text", "user", "One more question."),
    ]
    assert len(second) < len(first)
    del made.mapping["more"]
    made.mapping["answer-4"]["children"] = []
    third, _ = rows(document(path, [made]), made.name, state)
    assert said(third) == [("text", "assistant", "Because two borrows overlap.")]


def test_a_stream_is_looked_at_again_only_where_its_conversation_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    one, two = Talk("one"), Talk("two")
    one.say("user", "first")
    two.say("user", "second")
    before = HOST.streams(document(path, [one, two]))
    two.say("assistant", "answer")
    after = HOST.streams(document(path, [one, two]))
    assert [stream.name for stream in before] == [stream.name for stream in after] == ["one", "two"]
    assert [a.version == b.version for a, b in zip(before, after, strict=True)] == [True, False]


def test_a_conversation_that_an_export_holds_twice_gives_what_either_says(tmp_path: Path) -> None:
    one, again = Talk("one"), Talk("one")
    one.say("user", "first", "a")
    again.say("user", "first", "a")
    again.say("assistant", "only here", "b")
    path = document(tmp_path / "conversations.json", [one, again])
    assert [stream.name for stream in HOST.streams(path)] == ["one"]
    assert [text for _, _, text in said(rows(path, "one")[0])] == ["first", "first", "only here"]


def test_an_archive_gives_what_its_document_gives(tmp_path: Path) -> None:
    talks = [talk(), Talk("two")]
    talks[1].say("user", "hello")
    plain = document(tmp_path / "conversations.json", talks)
    packed = archive(tmp_path / "export.zip", talks)
    numbered = archive(tmp_path / "numbered.zip", talks, "text/conversations-003.json")
    assert HOST.streams(plain) == HOST.streams(packed) == HOST.streams(numbered)
    for made in talks:
        assert rows(plain, made.name)[0] == rows(packed, made.name)[0] == rows(numbered, made.name)[0]


def test_a_conversation_alone_and_an_object_of_conversations_are_read(tmp_path: Path) -> None:
    made = talk()
    alone, inside = tmp_path / "one.json", tmp_path / "all.json"
    alone.write_text("\ufeff" + json.dumps(made.value(), indent=2))
    inside.write_text(json.dumps({"version": 1, "conversations": [made.value()]}))
    for path in (alone, inside):
        assert HOST.sniff(path.read_bytes()[: 64 << 10], path)
        assert [stream.name for stream in HOST.streams(path)] == [made.name]
        assert len(said(rows(path, made.name)[0])) == 14


def test_a_conversation_without_an_id_is_named_by_its_tree(tmp_path: Path) -> None:
    made = Talk()
    made.say("user", "hello")
    value = made.value()
    del value["id"], value["conversation_id"]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([value, None, 17, {"mapping": []}, {"id": "no-mapping"}]))
    (stream,) = HOST.streams(path)
    assert stream.name.startswith("unnamed-")
    value["title"] = "Renamed"
    path.write_text(json.dumps([value]))
    assert HOST.streams(path)[0].name == stream.name


def test_the_branch_that_is_shown_comes_last(tmp_path: Path) -> None:
    made = Talk()
    made.say("user", "question", "q")
    made.say("assistant", "shown", "shown")
    made.say("assistant", "not shown", "other", above="q")
    made.last = "shown"
    path = document(tmp_path / "conversations.json", [made])
    assert [text for _, _, text in said(rows(path, made.name)[0])] == ["question", "not shown", "shown"]
