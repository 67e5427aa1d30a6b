"""Whose conversation a request belongs to: the host that sent it and the host's own id of the session."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from unabridged.daemon.origins import Headers, values

CLAUDE_CODE, CODEX, OPENCODE, PI, AIDER = "claude-code", "codex", "opencode", "pi", "aider"
OTHER = "api"  # programs that use a provider's client library
# How hosts name themselves, by how `User-Agent` begins.
AGENTS = (
    (b"claude-cli/", CLAUDE_CODE),
    (b"claude-code/", CLAUDE_CODE),
    (b"codex", CODEX),
    (b"opencode/", OPENCODE),
    (b"pi/", PI),
    (b"aider", AIDER),
)
# Headers that hold a session's id, with the host that a request is of where its name is not known.
SESSIONS = (
    (b"x-claude-code-session-id", CLAUDE_CODE),
    (b"thread-id", CODEX),
    (b"session-id", ""),
    (b"x-session-id", ""),
    (b"x-session-affinity", ""),
)
MOST_ID = 200  # characters; a longer id is none
_ID = re.compile(r"[\x21-\x7e]+")
# Hosts whose main conversation always has tools: what they send without any is beside it.
WITH_TOOLS = frozenset({CLAUDE_CODE, CODEX, OPENCODE, PI})


@dataclass(frozen=True, slots=True)
class Who:
    """The host and its session; `session` is "" where a request does not say it."""

    host: str
    session: str = ""


class _Metadata(msgspec.Struct):
    user_id: str | None = None


class _Beside(msgspec.Struct):
    """What of a body says whose it is."""

    prompt_cache_key: str | None = None
    previous_response_id: str | None = None
    metadata: _Metadata | None = None
    tools: msgspec.Raw = msgspec.Raw(b"")
    max_tokens: int | None = None
    max_output_tokens: int | None = None
    max_completion_tokens: int | None = None


class _UserId(msgspec.Struct):
    session_id: str = ""


class Beside(msgspec.Struct, frozen=True):
    """What a body says beside the conversation.

    `session`: an id that it has in the body; `reserve`: tokens that the answer may take, 0 where it is not said.
    """

    session: str = ""
    previous: str = ""
    tools: bool = False
    reserve: int = 0


_beside = msgspec.json.Decoder(_Beside)
_user_id = msgspec.json.Decoder(_UserId)


def beside(body: bytes) -> Beside:
    """Return what a body says beside the conversation; nothing for one that is not understood."""
    try:
        found = _beside.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return Beside()
    session = found.prompt_cache_key or ""
    if not session and found.metadata is not None and found.metadata.user_id:
        session = _session_of(found.metadata.user_id)
    reserve = found.max_tokens or found.max_output_tokens or found.max_completion_tokens or 0
    tools = bytes(found.tools) not in (b"", b"null", b"[]")
    return Beside(_valid(session), found.previous_response_id or "", tools, max(0, reserve))


def who(headers: Headers, said: Beside, default: Who) -> Who:
    """Return whose a request is. `default` holds for requests that do not say it."""
    host = _host(headers)
    for name, usual in SESSIONS:
        found = values(headers, name)
        session = _valid(found[0].decode("latin-1")) if len(found) == 1 else ""
        if session:
            return Who(host or usual or default.host, session)
    if said.session:
        return Who(host or default.host, said.session)
    if not host or host == default.host:
        return default
    return Who(host)


def _host(headers: Headers) -> str:
    agent = b"".join(values(headers, b"user-agent")).lower()
    return next((host for start, host in AGENTS if agent.startswith(start)), "")


def _valid(session: str) -> str:
    return session if len(session) <= MOST_ID and _ID.fullmatch(session) else ""


def _session_of(user_id: str) -> str:
    """Return the session in Anthropic's `metadata.user_id`, which Claude Code fills with JSON."""
    try:
        return _user_id.decode(user_id).session_id
    except (msgspec.DecodeError, UnicodeError):
        return ""
