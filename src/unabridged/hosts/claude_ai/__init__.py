"""Claude.ai: the export of an account's data, which is asked for in its settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unabridged.errors import NotRestorable
from unabridged.hosts import exports
from unabridged.hosts.claude_ai import discover, feed
from unabridged.hosts.claude_ai.read import Reader
from unabridged.hosts.contract import Candidate, Head, Host, LineReader, RowStream


class ClaudeAi:
    """The host; see `hosts.contract.Host` for each operation."""

    name = "claude-ai"

    def roots(self, env: Mapping[str, str], home: Path, platform: str) -> Sequence[Path]:
        """Return none: an export lies where a person puts it."""
        del env, home, platform
        return ()

    def find(self, root: Path) -> Iterator[Candidate]:
        """Yield archives, and documents of conversations, projects and memories."""
        return exports.find(root, discover.FORM)

    def sniff(self, head: bytes, path: Path) -> bool:
        """Tell by content; an archive is looked into."""
        return discover.is_lines(head) or exports.sniff(head, path, discover.FORM)

    def head(self, path: Path, lines: Iterable[bytes]) -> Head | None:
        """Return the conversation that the stream's first line describes."""
        del path
        return discover.head(lines)

    def reader(self, path: str, head: Head, state: bytes, generation: int) -> LineReader:
        """Return a reader of a conversation's lines."""
        del path, generation
        return Reader(head, state)

    def decode(self, data: bytes) -> bytes:
        """Return the bytes as they are."""
        return data

    def streams(self, path: Path) -> Sequence[RowStream]:
        """Return the conversations, projects and memories of an export."""
        return exports.streams(path, discover.FORM)

    def rows(self, path: Path, stream: str, state: bytes) -> tuple[list[bytes], bytes]:
        """Return new and changed messages of a conversation; when there are some, another call may give more."""
        return feed.rows(path, stream, state)

    def restore_name(self, head: Head, origin_path: str) -> str:
        """Return nothing: Claude.ai takes no conversation back."""
        del head, origin_path
        return ""

    def restore(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Raise `NotRestorable`: Claude.ai takes no conversation back."""
        del lines
        raise NotRestorable("Claude.ai takes no conversation back")


HOST: Host = ClaudeAi()
