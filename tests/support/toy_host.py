"""A host of the simplest kind, so that the archive is tested without any real host's peculiarities.

A line is `{"id", "text", "role", "human", "meta", "session", "stop", "cwd"}`; everything is optional.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unabridged.archive.redact import Finding
from unabridged.hosts.contract import Block, Candidate, Head, Line, Problem, Ref, RowStream, SessionNews
from unabridged.hosts.lines import values
from unabridged.schema.ids import Micros
from unabridged.schema.records import HUMAN, META


class ToyReader:
    """Reads toy lines; its state is how many it has read."""

    def __init__(self, state: bytes, generation: int) -> None:
        self.count = int(state or b"0")
        self.generation = generation

    def read(self, line: bytes, number: int) -> Line:
        self.count += 1
        assert self.count == number, "lines are read in order, each once"
        found = values(line)
        rows: list[dict[str, Any]] = [item for item in found.items if isinstance(item, dict)]
        problem = found.problem or (
            None if rows or not line.strip() else Problem("not-an-object", "no object")
        )
        blocks = tuple(
            self.block(row, index, number)
            for index, row in enumerate(rows)
            if "text" in row or "parts" in row
        )
        news = next((SessionNews("", str(row["title"])) for row in rows if "title" in row), None)
        return Line(blocks, news, problem, any(bool(row.get("stop")) for row in rows))

    def block(self, row: dict[str, Any], index: int, number: int) -> Block:
        name = str(row.get("id") or f"L{number}@{self.generation}")
        if "parts" in row:
            pieces = tuple(Ref((index, "parts", at), str(text)) for at, text in enumerate(row["parts"]))
        else:
            pieces = (Ref((index, "text"), str(row["text"])),)
        return Block(
            name,
            name,
            str(row.get("kind", "text")),
            str(row.get("role", "user")),
            pieces,
            (HUMAN if row.get("human") else 0) | (META if row.get("meta") else 0),
            Micros(int(row.get("time", 0))),
            session=str(row.get("session", "")),
            parent=str(row.get("parent", "")),
        )

    def state(self) -> bytes:
        return str(self.count).encode()


class ToyHost:
    """A host whose transcripts are `*.toy`."""

    name = "toy"

    def roots(self, env: Mapping[str, str], home: Path, platform: str) -> Sequence[Path]:
        return [home / "toy"]

    def find(self, root: Path) -> Iterator[Candidate]:
        for path in sorted(root.rglob("*.toy")) if root.is_dir() else [root]:
            yield Candidate(str(path), "file")

    def sniff(self, head: bytes, path: Path) -> bool:
        return path.suffix == ".toy"

    def head(self, path: Path, lines: Iterable[bytes]) -> Head | None:
        return Head(path.stem, "/nowhere/toy")

    def reader(self, path: str, head: Head, state: bytes, generation: int) -> ToyReader:
        return ToyReader(state, generation)

    def decode(self, data: bytes) -> bytes:
        return data

    def streams(self, path: Path) -> Sequence[RowStream]:
        return []

    def rows(self, path: Path, stream: str, state: bytes) -> tuple[list[bytes], bytes]:
        return [], state

    def restore_name(self, head: Head, origin_path: str) -> str:
        return Path(origin_path).name

    def restore(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        yield from lines


class NoRedaction:
    """Finds no secret."""

    version = 1

    def line(self, line: bytes) -> tuple[bytes, tuple[Finding, ...]]:
        return line, ()

    def lines(self, lines: Sequence[bytes]) -> list[tuple[bytes, tuple[Finding, ...]]]:
        return [self.line(line) for line in lines]


class WordRedaction:
    """Takes the word `hunter2` out."""

    version = 2

    def line(self, line: bytes) -> tuple[bytes, tuple[Finding, ...]]:
        if b"hunter2" not in line:
            return line, ()
        found = Finding("hunter", "password", line.count(b"hunter2"))
        return line.replace(b"hunter2", b"[redacted:password]"), (found,)

    def lines(self, lines: Sequence[bytes]) -> list[tuple[bytes, tuple[Finding, ...]]]:
        return [self.line(line) for line in lines]
