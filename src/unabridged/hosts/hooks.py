"""What a host's hook says and is answered, as neutral values.

Claude Code and Codex send the same fields on a hook's standard input, and read the same answer from its output (seen in
Claude Code 2.1 and Codex 0.171); our own extensions of OpenCode and Pi send the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

SESSION_START, PROMPT, PRE_COMPACT, POST_COMPACT = "session-start", "prompt", "pre-compact", "post-compact"
TURN_END, AGENT_END, SESSION_END = "turn-end", "subagent-end", "session-end"

PROBE = (
    "unabridged_probe"  # a field of an input that is no event: it asks whether the hook reaches the daemon
)
MAX_MARK = 100  # characters
COMPACTED = "compact"  # the source of a session start that follows a compaction
FORKED = "fork"  # the source of the start of a session that begins with all that another one holds

_KINDS = {
    "SessionStart": SESSION_START,
    "UserPromptSubmit": PROMPT,
    "PreCompact": PRE_COMPACT,
    "PostCompact": POST_COMPACT,
    "Stop": TURN_END,
    "StopFailure": TURN_END,
    "SubagentStop": AGENT_END,
    "SessionEnd": SESSION_END,
}
_SPEAKING = {SESSION_START: "SessionStart", PROMPT: "UserPromptSubmit"}  # whose answer reaches the model


class Moment(msgspec.Struct, frozen=True):
    """One event of a host's session.

    session: the host's id. transcript, agent_transcript: paths of files, which may be missing or stale. source: why a
    session starts (`startup`, `resume`, `clear`, `compact`, `fork`). trigger: of a compaction (`manual`, `auto`).
    agent: id of the subagent that it happens in, else empty. message: the host's id of the prompt.
    """

    kind: str
    session: str
    transcript: str = ""
    cwd: str = ""
    source: str = ""
    trigger: str = ""
    agent: str = ""
    agent_transcript: str = ""
    prompt: str = ""
    message: str = ""


def moment(said: Mapping[str, Any]) -> Moment | None:
    """Return what a hook's input means; None for an event that nothing follows from, or one without a session."""
    kind, session = _KINDS.get(_text(said, "hook_event_name"), ""), _text(said, "session_id")
    if not kind or not session:
        return None
    return Moment(
        kind,
        session,
        _text(said, "transcript_path"),
        _text(said, "cwd"),
        _text(said, "source"),
        _text(said, "trigger"),
        _text(said, "agent_id"),
        _text(said, "agent_transcript_path"),
        _text(said, "prompt"),
        _text(said, "prompt_id") or _text(said, "turn_id"),
    )


def probe(said: Mapping[str, Any]) -> str:
    """Return what the hook prints when it is only tried: the probe's own mark again. "" where it is not."""
    mark = _text(said, PROBE)
    return json.dumps({PROBE: mark}) if 0 < len(mark) <= MAX_MARK else ""


def answer(at: Moment, context: str) -> str:
    """Return what the hook prints so that `context` is added to what the model reads: "" where it says nothing."""
    event = _SPEAKING.get(at.kind)
    if event is None or not context:
        return ""
    told = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}
    return json.dumps(told, ensure_ascii=True, separators=(",", ":"))


def _text(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name)
    return value if isinstance(value, str) else ""
