"""What a conversation of ChatGPT says: all branches, all kinds of content, who said it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.chatgpt.written import Talk, blocks, document, rows, said, talk
from unabridged.hosts.chatgpt import HOST
from unabridged.hosts.conformance import text_of
from unabridged.hosts.contract import Block
from unabridged.schema.records import ERROR, HIDDEN, HUMAN, META


def kept(made: Talk, folder: Path) -> list[bytes]:
    return rows(document(folder / "conversations.json", [made]), made.name)[0]


def by_name(lines: list[bytes]) -> dict[str, Block]:
    return {block.native: block for block in blocks(lines)}


def test_every_branch_is_read_one_behind_the_other(tmp_path: Path) -> None:
    lines = kept(talk(), tmp_path)
    assert said(lines) == [
        ("text", "user", "I write Rust."),
        ("text", "user", "Why does the borrow checker refuse this closure?"),
        ("reasoning", "assistant", ""),
        ("reasoning", "assistant", ""),
        ("tool-call", "assistant", "python\nprint(6 * 7)"),
        ("tool-result", "tool", "42"),
        ("text", "assistant", "The closure takes the value: write move."),
        ("image", "user", "[image file_00000000c0de]"),
        ("text", "user", "And what does this picture say?"),
        ("file", "user", "[file lifetimes.pdf]"),
        ("text", "assistant", "It shows error E0502."),
        ("text", "assistant", "It shows the error E0502 twice."),
        ("text", "user", "Why does the borrow checker refuse it, in one sentence?"),
        ("text", "assistant", "Because two borrows overlap."),
    ]


def test_the_tree_leads_over_nodes_that_say_nothing(tmp_path: Path) -> None:
    found = by_name(kept(talk(), tmp_path))
    first = next(name for name, block in found.items() if block.flags & HUMAN)
    assert found["answer-2"].parent == found["answer-3"].parent == "with-picture"
    assert found["with-picture#0"].parent == "answer-1"
    assert found["edited"].parent == found[first].parent
    assert found["answer-4"].parent == "edited"


def test_only_what_a_person_typed_in_the_conversation_is_a_prompt(tmp_path: Path) -> None:
    found = blocks(kept(talk(), tmp_path))
    assert sum(bool(block.flags & HUMAN and block.kind == "text") for block in found) == 3
    assert found[0].flags == META  # instructions that are sent with every conversation
    assert all(block.flags == HIDDEN for block in found if block.kind == "reasoning")


def test_a_call_and_its_answer_have_one_name_and_the_model_is_told(tmp_path: Path) -> None:
    found = blocks(kept(talk(), tmp_path))
    call, result = (block for block in found if block.tool)
    assert call.call == result.call == call.native
    assert (call.tool, result.tool, call.model, result.model) == ("python", "python", "gpt-4o", "")
    assert call.time
    assert call.time < result.time


def test_a_turn_ends_where_the_model_says_so(tmp_path: Path) -> None:
    lines = kept(talk(), tmp_path)
    head = HOST.head(tmp_path, lines)
    assert head is not None
    assert head.title == "Rust lifetimes"
    reader = HOST.reader("x", head, b"", 1)
    read = [reader.read(line, 1) for line in lines]
    closing = [line.blocks[0].native for line in read if line.closes_turn]
    assert closing == ["answer-1", "answer-2", "answer-3", "answer-4"]


CONTENTS: list[tuple[dict[str, Any], str]] = [
    (
        {
            "content_type": "tether_quote",
            "url": "https://a.example",
            "domain": "a",
            "title": "T",
            "text": "said",
        },
        "T\nhttps://a.example\na\nsaid",
    ),
    ({"content_type": "tether_browsing_display", "result": "r", "summary": "s", "assets": None}, "s\nr"),
    ({"content_type": "execution_output", "text": "42"}, "42"),
    ({"content_type": "sonic_webpage", "title": "T", "text": "page", "snippet": None}, "T\npage"),
    (
        {"content_type": "something_new", "body": {"deep": "value"}, "n": 3},
        "something_new\nbody.deep: value\nn: 3",
    ),
    (
        {
            "content_type": "multimodal_text",
            "parts": [
                {"content_type": "audio_transcription", "text": "spoken words", "direction": "in"},
                {
                    "content_type": "real_time_user_audio_video_asset_pointer",
                    "audio_asset_pointer": {
                        "content_type": "audio_asset_pointer",
                        "asset_pointer": "sediment://file_a",
                    },
                },
            ],
        },
        "spoken words\n[file file_a]",
    ),
    (
        {
            "content_type": "multimodal_text",
            "parts": [
                {
                    "content_type": "image_asset_pointer",
                    "asset_pointer": "file-service://file-x",
                    "metadata": {"dalle": {"prompt": "a lighthouse"}},
                },
            ],
        },
        "[image file-x]\na lighthouse",
    ),
]


@pytest.mark.parametrize(
    ("content", "text"), CONTENTS, ids=[str(item[0]["content_type"]) for item in CONTENTS]
)
def test_what_a_tool_answers_is_read_whatever_its_form(
    content: dict[str, Any], text: str, tmp_path: Path
) -> None:
    made = Talk()
    made.say("assistant", "query", recipient="web")
    made.say("tool", content, name="web")
    assert said(kept(made, tmp_path))[-1] == ("tool-result", "tool", text)


def test_an_error_of_a_tool_is_one(tmp_path: Path) -> None:
    made = Talk()
    made.say("tool", {"content_type": "system_error", "name": "Timeout", "text": "too slow"}, name="web")
    (block,) = blocks(kept(made, tmp_path))
    assert block.flags & ERROR


def test_nodes_with_strange_ids_parents_and_members_cost_nothing_else(tmp_path: Path) -> None:
    made = Talk()
    made.say("user", "kept", "a~b#c/ü")
    made.mapping["no-node"] = 17
    made.mapping["cycle-1"] = {"id": "cycle-1", "message": None, "parent": "cycle-2", "children": []}
    made.mapping["cycle-2"] = {"id": "cycle-2", "message": None, "parent": "cycle-1", "children": []}
    made.say("user", {"content_type": "text", "parts": [None, 3, [], "also kept"]}, "orphan")
    made.mapping["orphan"]["parent"] = "nowhere"
    made.mapping["lost"] = {"message": {"author": None, "content": "x"}, "parent": []}
    assert [text for _, _, text in said(kept(made, tmp_path))] == ["kept", "also kept"]


def test_a_conversation_with_damaged_text_is_read(tmp_path: Path) -> None:
    made = Talk(title="half \ud83d a pair")
    made.say("user", "half \ud83d a pair")
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([made.value()]))
    lines = rows(path, made.name)[0]
    assert said(lines) == [("text", "user", "half \ufffd a pair")]


def test_what_an_answer_cites_and_what_is_on_the_canvas_is_read_beside_the_words(tmp_path: Path) -> None:
    made = Talk()
    made.say("user", "Who keeps the lighthouse?")
    pages = [
        {"title": "Keepers", "url": "https://a.example/1"},
        {"title": "Keepers", "url": "https://a.example/1"},
    ]
    footnote = {"type": "sources_footnote", "sources": [{"title": "Lamps", "url": "https://b.example"}]}
    references = [
        {"type": "grouped_webpages", "matched_text": "cite0", "items": pages},
        footnote,
        "torn",
        None,
    ]
    old = [{"start_ix": 0, "metadata": {"title": "Log", "url": "https://c.example"}}, {"metadata": None}]
    metadata = {"content_references": references, "citations": old}
    made.say("assistant", "Nobody since 1980.", "answer", metadata=metadata)
    value = made.value()
    canvas = {"id": "doc-1", "title": "Letter", "content": "Dear keeper,"}
    value["textdocs"] = [canvas, {"id": "doc-2"}, "torn", None]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([value]))
    found = {block.native: block for block in blocks(rows(path, made.name)[0])}
    assert text_of(found["answer"]) == "Nobody since 1980."
    cited = found["answer.sources"]
    assert text_of(cited) == "Keepers https://a.example/1\nLamps https://b.example\nLog https://c.example"
    assert cited.flags & META
    assert text_of(found["canvas.doc-1"]) == "[canvas Letter]\nDear keeper,"
    assert "canvas.doc-2" not in found
