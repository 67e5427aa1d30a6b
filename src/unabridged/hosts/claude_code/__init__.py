"""Claude Code: transcripts below `~/.claude/projects`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unabridged.hosts.claude_code import discover, write
from unabridged.hosts.claude_code.read import Reader
from unabridged.hosts.contract import Candidate, Head, Host, LineReader, RowStream


class ClaudeCode:
    """The host; see `hosts.contract.Host` for each operation."""

    name = "claude-code"

    def roots(self, env: Mapping[str, str], home: Path, platform: str) -> Sequence[Path]:
        """Return `projects` below the configuration folders; they are the same on every platform."""
        del platform
        return discover.roots(env, home)

    def find(self, root: Path) -> Iterator[Candidate]:
        """Yield transcripts of sessions and subagents, with their sidecars."""
        return discover.find(root)

    def sniff(self, head: bytes, path: Path) -> bool:
        """Tell by the rows' own fields; the name says nothing."""
        del path
        return discover.sniff(head)

    def head(self, path: Path, lines: Iterable[bytes]) -> Head | None:
        """Return the session and its first directory; a subagent's session is `<session>/agent-<agent>`."""
        return discover.head(path, lines)

    def reader(self, path: str, head: Head, state: bytes, generation: int) -> LineReader:
        """Return a reader."""
        del path
        return Reader(head, state, generation)

    def decode(self, data: bytes) -> bytes:
        """Return the bytes as they are."""
        return data

    def streams(self, path: Path) -> Sequence[RowStream]:
        """Return none: sessions are files."""
        del path
        return ()

    def rows(self, path: Path, stream: str, state: bytes) -> tuple[list[bytes], bytes]:
        """Return none: sessions are files."""
        del path, stream
        return [], state

    def restore_name(self, head: Head, origin_path: str) -> str:
        """Return `<folder of the directory>/<session>.jsonl`, or the place that the file had."""
        return write.restore_name(head, origin_path)

    def restore(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Return the kept bytes as they are."""
        return iter(lines)


HOST: Host = ClaudeCode()
