"""Words that a client puts behind its newest message only do not make two messages of it in the archive."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.serving import Stand
from tests.gateway.upstream import Asked
from tests.gateway.wire import run
from unabridged.gateway.amending import SHORT_TOKENS, amended, as_sent_later
from unabridged.gateway.identity import AIDER, Who
from unabridged.window.execute import Row
from unabridged.window.providers.adapters import ANTHROPIC, CHAT

REMINDER = "\n\nAnswer in English.\nUse *SEARCH/REPLACE* blocks."
FILES = [{"role": "user", "content": "These are the files: …"}, {"role": "assistant", "content": "Ok."}]
PATH = "/v1/chat/completions"


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def answer(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


async def answers(asked: Asked) -> None:
    count = sum(message["role"] == "user" for message in json.loads(asked.body)["messages"])
    message = {"role": "assistant", "content": f"Answer {count}."}
    await asked.json(json.dumps({"id": f"c{count}", "choices": [{"index": 0, "message": message}]}).encode())


def request(*said: str, behind: str = REMINDER) -> dict[str, Any]:
    """What aider sends: what was said before, the files, the newest message with a reminder behind it."""
    done = list[dict[str, Any]]()
    for number, text in enumerate(said[:-1], 2):
        done += [user(text), answer(f"Answer {number}.")]
    rules = {"role": "system", "content": "Be brief."}
    return {"model": "m", "messages": [rules, *done, *FILES, user(said[-1] + behind)]}


def archived(stand: Stand) -> Counter[str]:
    rows = (json.loads(row.raw) for row in stand.memory.rows)
    return Counter(row["content"] for row in rows if row["role"] == "user")


def test_a_prompt_with_a_reminder_behind_it_is_archived_once(tmp_path: Path) -> None:
    said = ["Do one.", "Do two.", "Do three é.", "Do four."]

    async def check(stand: Stand) -> None:
        for count in range(1, len(said) + 1):
            await stand.post(PATH, request(*said[:count]))
            await stand.filed()
        found = archived(stand)
        # The first tells what is put behind a message, and stands there as it came, too.
        assert found[said[0] + REMINDER] == 1
        assert [found[text] for text in said] == [1, 1, 1, 1]
        assert not any(text + REMINDER in found for text in said[2:])

    run(tmp_path, answers, check, who=Who(AIDER, "run-1"))


def test_a_message_that_is_sent_otherwise_the_next_time_is_archived_as_it_is_sent(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        for count in (1, 2, 3):
            await stand.post(PATH, request(*["Do one.", "Do two.", "Do three."][:count]))
        kept = [*request("Do one.", "Do two.", "Do three.")["messages"], answer("Answer 4."), user("Go on.")]
        await stand.post(PATH, {"model": "m", "messages": kept})
        await stand.filed()
        assert archived(stand)["Do three." + REMINDER] == 1

    run(tmp_path, answers, check, who=Who(AIDER, "run-1"))


def conversation(*messages: dict[str, Any]) -> Any:
    return CHAT.read(json.dumps({"messages": messages}).encode()).conversation


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ([user("a" + REMINDER)], [user("a"), answer("b"), user("c")], REMINDER),
        ([user("a" + REMINDER)], [user("a"), answer("b"), *FILES, user("c")], REMINDER),
        ([user("a" + REMINDER)], [user("a" + REMINDER), answer("b"), user("c")], ""),
        ([user("a and b")], [user("a"), answer("b"), user("c")], ""),
        ([user("a" + REMINDER)], [user("a"), user("c")], ""),
        ([user("a" + REMINDER)], [answer("a"), answer("b"), user("c")], ""),
        ([user("a"), answer("b"), user("a" + REMINDER)], [user("a"), answer("b"), user("c")], ""),
        ([], [user("a"), answer("b"), user("c")], ""),
    ],
)
def test_what_stood_behind_a_message_is_told_by_the_next_request(
    before: list[dict[str, Any]], after: list[dict[str, Any]], words: str
) -> None:
    line = conversation(*before).keys
    assert amended(line, before[-1]["content"] if before else "", conversation(*after)) == words


def test_a_message_of_blocks_keeps_its_other_members_and_gets_the_key_it_will_have() -> None:
    block = {"type": "text", "text": "Do." + REMINDER, "x": 1}
    said = [user("Do."), answer("Done."), {"role": "user", "content": [block]}]
    asked = ANTHROPIC.read(json.dumps({"messages": said}).encode())
    rows = [
        Row(item.key, asked.body[start:stop])
        for item, (start, stop) in zip(asked.conversation.items, asked.spans, strict=True)
    ]
    found = as_sent_later(ANTHROPIC, "messages", asked, rows, REMINDER)
    assert found[:-1] == rows[:-1]
    assert json.loads(found[-1].raw) == {"role": "user", "content": [{**block, "text": "Do."}]}
    later = ANTHROPIC.read(json.dumps({"messages": [*said[:2], json.loads(found[-1].raw)]}).encode())
    assert found[-1].key == later.conversation.items[-1].key


@pytest.mark.parametrize(
    "text", ["Do.", REMINDER, "Do." + REMINDER + " And more.", "word " * 4 * SHORT_TOKENS + REMINDER]
)
def test_any_other_message_is_archived_as_it_is(text: str) -> None:
    asked = CHAT.read(json.dumps({"messages": [user(text)]}).encode())
    (start, stop) = asked.spans[0]
    rows = [Row(asked.conversation.items[0].key, asked.body[start:stop])]
    assert as_sent_later(CHAT, "messages", asked, rows, REMINDER) == rows
