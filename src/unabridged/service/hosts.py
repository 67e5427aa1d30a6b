"""Which hosts are known? The order is that in which they are asked whether a file is theirs."""

from __future__ import annotations

from collections.abc import Mapping

from unabridged.hosts.aider import HOST as AIDER
from unabridged.hosts.chatgpt import HOST as CHATGPT
from unabridged.hosts.claude_ai import HOST as CLAUDE_AI
from unabridged.hosts.claude_code import HOST as CLAUDE_CODE
from unabridged.hosts.cline import HOST as CLINE
from unabridged.hosts.codex import HOST as CODEX
from unabridged.hosts.contract import Host
from unabridged.hosts.cursor import HOST as CURSOR
from unabridged.hosts.gemini import HOST as GEMINI
from unabridged.hosts.opencode import HOST as OPENCODE
from unabridged.hosts.pi import HOST as PI

HOSTS: Mapping[str, Host] = {
    host.name: host
    for host in (CLAUDE_CODE, CODEX, OPENCODE, PI, GEMINI, CURSOR, CLINE, AIDER, CHATGPT, CLAUDE_AI)
}
