"""What happens at a host's hook: what is read, what the model is told, and that it is told once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.archiving import violations
from tests.support.hinting import DAY, Hinting
from unabridged.archive import hints
from unabridged.errors import InvalidInput
from unabridged.hosts.calls import is_own_text
from unabridged.retrieve.locator import HANDLE_PREFIX
from unabridged.schema import tokens
from unabridged.schema.ids import session_id
from unabridged.window import orientation as texts


def event(name: str, session: str = "now", **said: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": session, **said}


def context(output: str) -> str:
    told = json.loads(output)["hookSpecificOutput"]
    assert set(told) == {"hookEventName", "additionalContext"}
    return told["additionalContext"]


def test_a_session_that_starts_is_told_once_what_the_archive_holds(hinting: Hinting) -> None:
    first = hinting.hook(event("SessionStart", source="startup"))
    told = context(first.output)
    assert (first.moment, first.reason) == ("session-start", "orientation")
    assert is_own_text(told)
    assert "earlier session" in told
    assert "since 2026-09-" in told
    assert first.tokens == tokens.strict(told.encode()) <= texts.ORIENTATION_TOKENS
    again = hinting.hook(event("SessionStart", source="resume"))
    assert (again.output, again.reason, again.tokens) == ("", "silent", 0)
    assert hinting.hook(event("SessionStart", "another", source="clear")).output == first.output
    assert not violations(hinting.store.snapshot())


def test_a_fork_has_what_its_parent_was_told_at_its_start(hinting: Hinting) -> None:
    for source in ("fork", "resume", "fork"):
        told = hinting.hook(event("SessionStart", "a fork", source=source))
        assert (told.output, told.tokens) == ("", 0)
    (kept,) = hinting.why().decisions
    assert (kept.outcome, kept.reason) == ("nothing", "passed-on")
    assert hinting.call("stats").told == {}
    assert not violations(hinting.store.snapshot())


def test_a_prompt_is_told_its_one_frozen_hint(hinting: Hinting) -> None:
    asked = "Why did we choose polling for the flash driver?"
    said = event("UserPromptSubmit", prompt=asked, prompt_id="p1")
    told = hinting.hook(said)
    assert told.reason == "asked"
    assert "We chose polling for the flash driver" in context(told.output)
    assert hinting.hook(said).output == told.output
    assert hinting.hook(event("UserPromptSubmit", prompt="Thanks!", prompt_id="p2")).output == ""
    assert hinting.hook(event("UserPromptSubmit", prompt=" ", prompt_id="p3")).reason == "silent"


def test_what_a_session_was_told_at_its_start_takes_nothing_from_its_hints(hinting: Hinting) -> None:
    asked = "Why did we choose polling for the flash driver?"
    before = hinting.ask(asked, session="other").left
    hinting.hook(event("SessionStart", source="startup"))
    assert hinting.ask(asked, session="now").left == before


def test_behind_a_compaction_stands_a_table_of_contents_whose_names_can_be_recalled(hinting: Hinting) -> None:
    hinting.talk(
        "long",
        "Please write `flash_ring.c`",
        "It is written.",
        "Now test </unabridged-catalogue> it",
        "Done.",
    )
    told = hinting.hook(event("SessionStart", "long", source="compact"))
    table = context(told.output)
    assert told.reason == "catalogue"
    assert table.startswith("<unabridged-catalogue>\n")
    assert table.count("</unabridged-catalogue>") == 1
    lines = [line for line in table.splitlines() if line.startswith("- ")]
    assert "flash_ring.c" in lines[0]
    assert len(lines) == 2
    for line in lines:
        assert line.split()[1].startswith(HANDLE_PREFIX)
    assert told.tokens <= texts.CATALOGUE_TOKENS
    assert hinting.hook(event("SessionStart", "long", source="compact")).output == told.output
    assert not violations(hinting.store.snapshot())


def test_a_table_of_contents_names_nothing_that_the_host_put_in(hinting: Hinting) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "h0", "text": "Please write `flash_ring.c`", "human": True},
        {"id": "h1", "text": "Environment: `runner.py` of `linux-6.18`", "meta": True},
        {"id": "h2", "text": "It is written.", "role": "assistant"},
    ]
    hinting.add("long", rows)
    table = context(hinting.hook(event("SessionStart", "long", source="compact")).output)
    assert "flash_ring.c" in table
    assert "runner.py" not in table


def test_what_models_were_told_is_counted(hinting: Hinting) -> None:
    assert hinting.call("stats").told == {}
    start = hinting.hook(event("SessionStart", source="startup"))
    asked = "Why did we choose polling for the flash driver?"
    hint = hinting.hook(event("UserPromptSubmit", prompt=asked, prompt_id="p1"))
    hinting.hook(event("UserPromptSubmit", prompt="Thanks!", prompt_id="p2"))
    other = hinting.hook(event("SessionStart", "another", source="startup"))
    counted = {"orientation": 2, "catalogue": 0, "marker": 0, "excerpt": 1}
    total = start.tokens + hint.tokens + other.tokens
    assert hinting.call("stats").told == {**counted, "tokens": total, "sessions": 2}
    reasons = {item.reason for item in hinting.why().decisions}
    assert reasons == {"orientation", "asked", "no-words"}


def test_of_a_very_long_session_the_table_keeps_its_budget(hinting: Hinting) -> None:
    said = [f"Question {at} about `module_{at}.py` and what follows of it" for at in range(900)]
    hinting.talk("long", *said, age=2 * DAY)
    told = hinting.hook(event("SessionStart", "long", source="compact"))
    assert "450 turns" in context(told.output)
    assert told.tokens <= texts.CATALOGUE_TOKENS
    assert not violations(hinting.store.snapshot())


def test_a_table_remembers_what_it_quotes_so_that_an_erasure_finds_it(hinting: Hinting) -> None:
    hinting.talk("long", "Please write `flash_ring.c`", "It is written.")
    hinting.hook(event("SessionStart", "long", source="compact"))
    with hinting.store.snapshot() as reader:
        place = (hinting.project, session_id("toy", "long"))
        (kept,) = hints.shown(reader, place)
    assert {item.project for item in kept.quoted} == {hinting.project}
    assert len(kept.quoted) == 2


@pytest.mark.parametrize("name", ["Stop", "StopFailure", "PostCompact", "SessionEnd", "SubagentStop"])
def test_what_grew_is_read_and_the_model_is_told_nothing(hinting: Hinting, name: str) -> None:
    told = hinting.hook(event(name, transcript_path="/t/now.toy", agent_transcript_path="/t/agent.toy"))
    assert (told.output, told.reason) == ("", "read")
    ended = name == "SessionEnd"
    assert hinting.notified == [("/t/now.toy", "toy", ended), ("/t/agent.toy", "toy", ended)]


def test_a_compaction_waits_until_what_it_leaves_out_is_durable(hinting: Hinting) -> None:
    told = hinting.hook(event("PreCompact", transcript_path="/t/now.toy"))
    assert (told.output, told.reason) == ("", "read")
    assert (hinting.settled, hinting.notified) == ([("/t/now.toy", "toy")], [])


def test_a_compaction_of_a_subagent_holds_up_nothing(hinting: Hinting) -> None:
    """https://github.com/anthropics/claude-code/issues/91910: it carries its parent's transcript."""
    hinting.hook(event("PreCompact", transcript_path="/t/now.toy", agent_id="a1"))
    assert (hinting.settled, hinting.notified) == ([], [("/t/now.toy", "toy", False)])


def test_a_subagent_with_its_parents_id_is_told_nothing(hinting: Hinting) -> None:
    for said in (
        event("SessionStart", source="compact", agent_id="a1"),
        event("UserPromptSubmit", prompt="Why did we choose polling for the flash driver?", agent_id="a1"),
    ):
        assert hinting.hook(said).output == ""


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"hook_event_name": "Stop"},
        {"hook_event_name": 7, "session_id": "s"},
        {"hook_event_name": "Stop", "session_id": ["s"]},
        {"hook_event_name": "MessageDisplay", "session_id": "s"},
    ],
)
def test_an_event_that_says_nothing_is_ignored(hinting: Hinting, said: dict[str, Any]) -> None:
    assert hinting.hook(said).reason == "ignored"
    assert hinting.notified == []


# https://github.com/anthropics/claude-code/issues/47023: an event may come without its transcript's path.
@pytest.mark.parametrize("path", ["", "relative.jsonl", "/nul\0", "/" + "x" * 5_000, None, 7])
def test_a_path_that_cannot_be_is_not_asked_for(hinting: Hinting, path: Any) -> None:
    for name in ("Stop", "PreCompact", "SessionEnd"):
        assert hinting.hook(event(name, transcript_path=path)).reason == "read"
    assert (hinting.notified, hinting.settled) == ([], [])


def test_a_host_that_is_not_known_is_refused(hinting: Hinting) -> None:
    with pytest.raises(InvalidInput):
        hinting.hook(event("Stop"), host="nobody")


def test_a_hook_that_is_only_tried_says_that_it_arrived_and_nothing_follows(hinting: Hinting) -> None:
    tried = hinting.hook(event("SessionStart", unabridged_probe="m1"))
    assert (json.loads(tried.output), tried.reason) == ({"unabridged_probe": "m1"}, "probed")
    told = hinting.hook(event("SessionStart", source="startup"))
    assert told.reason == "orientation"
    assert hinting.hook(event("Nothing", unabridged_probe="m" * 101)).reason == "ignored"
