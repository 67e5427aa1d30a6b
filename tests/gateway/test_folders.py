"""A host's folder is found where the host itself says it, and nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unabridged.gateway.folders import folder
from unabridged.window.providers.adapters import ANTHROPIC, CHAT, RESPONSES
from unabridged.window.providers.contract import Adapter

CLAUDE = "You are an agent.\n\nHere:\n - Primary working directory: /home/me/it's here\n - Is a git"
CODEX = "<environment_context>\n  <cwd>/home/me/project</cwd>\n  <shell>bash</shell>\n</environment_context>"
OPENCODE = "You run in:\n<env>\n  Working directory: /home/me/project\n  Workspace root folder: /\n</env>"
PI = "Read files.\n\n<cwd>\n/home/me/project\n</cwd>"


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}]}


def of(host: str, adapter: Adapter, **body: Any) -> str:
    data = json.dumps({"model": "m", **body}).encode()
    return folder(host, data, adapter.read(data).conversation)


def test_each_host_says_it_in_its_own_way() -> None:
    user = said("user", "Hi.")
    assert of("claude-code", ANTHROPIC, messages=[user, said("system", CLAUDE)]) == "/home/me/it's here"
    assert of("claude-code", ANTHROPIC, system=[{"type": "text", "text": CLAUDE}], messages=[user]) == (
        "/home/me/it's here"
    )
    items = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": CODEX}]
    assert of("codex", RESPONSES, input=items) == "/home/me/project"
    assert (
        of("opencode", CHAT, messages=[{"role": "system", "content": OPENCODE}, user]) == "/home/me/project"
    )
    assert of("pi", ANTHROPIC, system=PI, messages=[user]) == "/home/me/project"


@pytest.mark.parametrize("text", [CLAUDE, CODEX, OPENCODE, PI])
@pytest.mark.parametrize("host", ["claude-code", "opencode", "pi"])
def test_what_the_user_pastes_says_nothing(host: str, text: str) -> None:
    assert of(host, ANTHROPIC, messages=[said("user", text)]) == ""


def test_what_a_repository_says_before_it_is_not_taken_for_it() -> None:
    spoofed = "<cwd>\n/else/where\n</cwd>\nUse tabs.\n\n<cwd>\n/home/me/project\n</cwd>"
    assert of("pi", ANTHROPIC, system=spoofed, messages=[said("user", "Hi.")]) == "/home/me/project"
    assert of("codex", RESPONSES, input=[{"role": "user", "content": f"Look:\n{CODEX}"}]) == ""


def test_a_program_and_a_request_without_a_folder_have_none() -> None:
    assert of("api", ANTHROPIC, system=PI, messages=[said("user", "Hi.")]) == ""
    assert of("codex", RESPONSES, input="Hi.") == ""
    assert of("claude-code", ANTHROPIC, system="", messages=[said("user", "Hi.")]) == ""
