"""Claude.ai: the export of an account's data, which is asked for in its settings."""

from __future__ import annotations

from unabridged.hosts.claude_ai import discover, feed
from unabridged.hosts.claude_ai.read import Reader
from unabridged.hosts.contract import Host
from unabridged.hosts.exporting import ExportHost

HOST: Host = ExportHost("claude-ai", "Claude.ai", discover.FORM, discover.head, feed.rows, Reader)
