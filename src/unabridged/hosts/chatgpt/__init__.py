"""ChatGPT: the export of an account's data, which is asked for in its settings."""

from __future__ import annotations

from unabridged.hosts.chatgpt import discover, feed
from unabridged.hosts.chatgpt.read import Reader
from unabridged.hosts.contract import Host
from unabridged.hosts.exporting import ExportHost

HOST: Host = ExportHost("chatgpt", "ChatGPT", discover.FORM, discover.head, feed.rows, Reader)
