"""The real text that measurements are made of: sources and documentation found on this machine."""

from __future__ import annotations

import hashlib
import os
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = frozenset((".md", ".py", ".rst", ".txt"))
# Folders of the standard library that hold other people's packages, copies, or tables and samples of data.
SKIPPED = frozenset(
    ("__pycache__", "_bundled", "data", "decimaltestdata", "dist-packages", "encodings", "site-packages")
)
LEAST_FILE = 400  # bytes; shorter files say nothing
MOST_FILE = 1 << 20  # bytes; one huge table would be a large part of all text
MOST_BYTES = 16 << 20  # bytes of text that are held
MOST_PROSE = 400_000  # words that running text is made from
MOST_NAMES = 20_000  # identifiers that new ones are composed from
ORDER = 7  # seed of the order in which files are taken, so that a part of them is a mixture

LEAST_WORDS = 12  # of a paragraph of running text
LEAST_PLAIN = 0.8  # share of its words that are plain words: less is a table, an example, code

_DOCSTRING = re.compile(r'(?:^|:\n[ \t]+)[rR]?"""([^"]{80,}?)"""')
_PLAIN = re.compile(r"[(\"'`*]*[A-Za-z][A-Za-z'-]*[.,:;!?)\"'`*]*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,30}")
_PROSE_SUFFIXES = (".md", ".rst", ".txt")


@dataclass(frozen=True, slots=True)
class Source:
    """One file: `path` as it is shown in texts, below its root."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """All of the text. `prose` are words of running text in order; `names` are identifiers, each once."""

    sources: Sequence[Source]
    prose: Sequence[str]
    names: Sequence[str]

    @property
    def size(self) -> int:
        """Characters in all files."""
        return sum(len(source.text) for source in self.sources)

    def digest(self) -> str:
        """Return what tells this text from another: results of two texts are not compared."""
        found = hashlib.sha256()
        for source in self.sources:
            found.update(f"{source.path}\0{len(source.text)}\0".encode())
            found.update(hashlib.sha256(source.text.encode()).digest())
        return found.hexdigest()[:16]


def load(roots: Iterable[Path], most_bytes: int = MOST_BYTES) -> Corpus:
    """Read files below folders up to a number of bytes, always the same ones in the same order."""
    found = sorted((path for root in roots for path in _files(root)), key=lambda item: item[0])
    random.Random(ORDER).shuffle(found)
    sources, held = list[Source](), 0
    for shown, path in found:
        text = _text(path)
        if text:
            sources.append(Source(shown, text))
            held += len(text)
        if held >= most_bytes:
            break
    return Corpus(sources, _prose(sources), _names(sources))


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED]
        below = Path(folder)
        for name in names:
            path = below / name
            if path.suffix in SUFFIXES:
                yield f"{root.name}/{path.relative_to(root).as_posix()}", path


def _text(path: Path) -> str:
    """Return a file's text, empty when it is too short, too long, or not UTF-8."""
    try:
        if not LEAST_FILE <= path.stat().st_size <= MOST_FILE:
            return ""
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _prose(sources: Iterable[Source]) -> list[str]:
    words = list[str]()
    for source in sources:
        whole = source.path.endswith(_PROSE_SUFFIXES)
        for passage in [source.text] if whole else _DOCSTRING.findall(source.text):
            for paragraph in passage.split("\n\n"):
                words.extend(_running(paragraph))
        if len(words) >= MOST_PROSE:
            break
    return words[:MOST_PROSE]


def _running(paragraph: str) -> list[str]:
    """Return a paragraph's words, none when it is not running text."""
    words = paragraph.split()
    plain = sum(1 for word in words if _PLAIN.fullmatch(word))
    return words if len(words) >= LEAST_WORDS and plain >= LEAST_PLAIN * len(words) else []


def _names(sources: Iterable[Source]) -> list[str]:
    names = dict[str, None]()
    for source in sources:
        names.update(dict.fromkeys(_NAME.findall(source.text)))
        if len(names) >= MOST_NAMES:
            break
    return list(names)[:MOST_NAMES]
