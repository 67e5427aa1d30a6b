"""How calls and their outputs read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.hosts.codex.rollout import blocks, header, item, only, texts
from unabridged.hosts.conformance import text_of
from unabridged.hosts.contract import MediaRef, Ref
from unabridged.schema.records import ECHO, ERROR, META

PATCH = (
    "*** Begin Patch\n*** Update File: src/app.py\n@@\n-a\n+b\n*** Add File: docs/new.md\n+x\n*** End Patch"
)
PIXEL = "data:image/png;base64,iVBORw0KGgo="


def call(name: str, arguments: str, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "name": name, "arguments": arguments, "call_id": "c1", **more}


def output(found: Any) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": "c1", "output": found}


def test_arguments_inside_a_string_read_as_lines_with_labels() -> None:
    found = only(call("exec_command", '{"cmd":"printf \\"a\\\\nb\\"","workdir":"/home/dev/app","timeout":5}'))
    assert (found.kind, found.tool, found.call, found.paths) == (
        "tool-call",
        "exec_command",
        "c1",
        ("/home/dev/app",),
    )
    assert text_of(found) == 'exec_command\ncmd: printf "a\\nb"\nworkdir: /home/dev/app\ntimeout: 5'
    assert all(isinstance(piece, str) for piece in found.pieces)


@pytest.mark.parametrize(
    ("command", "shown"),
    [('["bash","-lc","ls | wc -l"]', "ls | wc -l"), ('["git","log","-1"]', "git log -1"), ('"ls"', "ls")],
)
def test_the_words_of_a_command_read_as_it_was_typed(command: str, shown: str) -> None:
    assert text_of(only(call("shell", f'{{"command":{command}}}'))) == f"shell\ncommand: {shown}"


def test_arguments_that_are_no_json_read_as_they_are() -> None:
    assert text_of(only(call("odd", "{half"))) == "odd\n{half"


def test_a_tool_of_a_server_has_the_server_s_name() -> None:
    assert only(call("recall", "{}", namespace="mcp__demo")).tool == "mcp__demo__recall"
    assert only(call("_get", "{}", namespace="mcp__apps__github")).tool == "mcp__apps__github_get"


def test_a_patch_names_the_files_that_it_changes() -> None:
    found = only({"type": "custom_tool_call", "name": "apply_patch", "input": PATCH, "call_id": "c1"})
    assert found.paths == ("src/app.py", "docs/new.md")
    assert text_of(found) == f"apply_patch\n{PATCH}"
    assert found.pieces[1] == Ref((0, "payload", "input"), PATCH)


def test_a_patch_inside_a_script_or_a_shell_command_names_its_files_too() -> None:
    script = (
        'const p = "*** Begin Patch\\n*** Update File: src/app.py\\n@@\\n"; text(await tools.apply_patch(p));'
    )
    assert only({"type": "custom_tool_call", "name": "exec", "input": script}).paths == ("src/app.py",)
    shell = call("shell", '{"command":["bash","-lc","apply_patch <<E\\n*** Delete File: old.py\\nE"]}')
    assert only(shell).paths == ("old.py",)


def test_a_shell_call_of_the_provider_reads_like_one_of_the_host() -> None:
    action = {"type": "exec", "command": ["bash", "-lc", "ls"], "env": None, "working_directory": "/home/dev"}
    found = only({"type": "local_shell_call", "call_id": "c1", "status": "completed", "action": action})
    assert text_of(found) == "shell\ncommand: ls\nworking_directory: /home/dev"


def test_searches_read_with_what_was_looked_for() -> None:
    search = only({"type": "web_search_call", "id": "ws_1", "action": {"type": "search", "query": "q"}})
    assert text_of(search) == "web_search\ntype: search\nquery: q"
    tools = only({"type": "tool_search_call", "call_id": "c1", "arguments": {"query": "mail"}})
    assert (tools.tool, text_of(tools)) == ("tool_search", "tool_search\nquery: mail")


def test_what_a_tool_search_found_reads_as_names_and_descriptions() -> None:
    tools = [
        {"name": "mcp__mail", "description": "Mail.", "tools": [{"name": "send", "description": "Sends."}]}
    ]
    found = only({"type": "tool_search_output", "call_id": "c1", "tools": tools})
    assert text_of(found) == "mcp__mail: Mail.\nmcp__mail.send: Sends."
    assert found.flags == META


def test_an_image_that_was_made_is_kept_with_its_prompt() -> None:
    found = only(
        {"type": "image_generation_call", "id": "ig_1", "revised_prompt": "a cat", "result": "iVBORw0KGgo="}
    )
    assert text_of(found) == "image_generation\na cat"
    assert found.media == (MediaRef("image/png", 8, (0, "payload", "result")),)


@pytest.mark.parametrize(
    ("given", "shown", "flags"),
    [
        ("plain", "plain", 0),
        ({"content": "inner", "success": False}, "inner", ERROR),
        ('{"output":"inner\\n","metadata":{"exit_code":0}}', "inner\n", 0),
        ('{"output":"inner","metadata":{"exit_code":2}}', "inner", ERROR),
        ('{"output":', '{"output":', 0),
        ([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b\n"}], "a\nb\n", 0),
        ("Chunk ID: 1\nProcess exited with code 1\nOutput:\nno", None, ERROR),
        ("Chunk ID: 1\nProcess exited with code 0\nOutput:\nexited with code 1", None, 0),
        ("", "", 0),
        (None, "", 0),
    ],
)
def test_outputs_of_every_form_are_read(given: Any, shown: str | None, flags: int) -> None:
    found = only(output(given))
    assert (found.kind, found.role, found.flags) == ("tool-result", "tool", flags)
    assert text_of(found) == (given if shown is None else shown)


def test_an_image_in_an_output_or_a_message_is_media() -> None:
    found = only(output([{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": PIXEL}]))
    assert found.media == (MediaRef("image/png", 8, (0, "payload", "output", 1, "image_url")),)
    content = [{"type": "input_text", "text": "look"}, {"type": "input_image", "image_url": PIXEL}]
    text, image = blocks([header(), item({"type": "message", "role": "user", "content": content})])
    assert (text.kind, image.kind, text_of(image)) == ("text", "image", "[image image/png]")
    assert image.native == f"{text.native}#1"


def test_an_output_has_the_tool_of_its_call() -> None:
    found = blocks([header(), item(call("grep", "{}")), item(output("x")), item(output("y"))])
    assert [block.tool for block in found] == ["grep", "grep", ""]


def test_calls_of_this_product_and_their_outputs_are_its_own() -> None:
    own = [
        call("search", "{}", namespace="mcp__unabridged"),
        call("exec_command", '{"cmd":"una search port"}'),
        {
            "type": "custom_tool_call",
            "name": "exec",
            "call_id": "c1",
            "input": "await tools.mcp__unabridged__search({})",
        },
        {
            "type": "custom_tool_call",
            "name": "exec",
            "call_id": "c1",
            "input": 'tools.exec_command({cmd:"una grep x"})',
        },
    ]
    for payload in own:
        assert [block.flags for block in blocks([header(), item(payload), item(output("x"))])] == [ECHO, ECHO]
    other = call("exec_command", '{"cmd":"grep -r unabridged ."}')
    assert [block.flags for block in blocks([header(), item(other), item(output("x"))])] == [0, 0]


def test_an_item_of_a_kind_that_is_new_reads_as_its_arguments() -> None:
    found = only({"type": "new_kind_call", "call_id": "c1", "arguments": {"a": "b"}})
    assert (found.kind, texts([found])) == ("tool-call", ["new_kind\na: b"])
