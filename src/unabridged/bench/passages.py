"""Windows of realistic text without end, each a pure function of corpus, seed and number.

Running text follows real documentation for a few words, then goes on behind another place of the last one (a Markov
chain over runs, so that words are as frequent as they really are and stand in real company); code, diffs, searches and
tracebacks are cut from real files. In each window some names are replaced by new ones, composed of real ones, so that
the vocabulary grows with the text as it does in life.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from unabridged.bench.corpus import Corpus, Source

CHARS = 3_600  # of a window
LINE = 96  # characters of a paragraph's line, about
RUN_LEAST, RUN_MORE = (
    2,
    7,
)  # consecutive words taken before the text goes on behind another place of the last one
NAMED = 0.12  # runs behind which a name or a path stands
PARAGRAPH = 0.15  # lines that end a paragraph
NEW_NAMES = 4  # names replaced in a window of code
SLICE = 1_800  # characters cut from one file before the next one

# What a window is, and how many of a hundred are that.
KINDS = (("prose", 28), ("code", 30), ("log", 14), ("search", 10), ("trace", 8), ("diff", 10))

_NAME = re.compile(r"[a-z_][a-z0-9_]{5,30}")
_LEVELS = ("DEBUG", "INFO", "INFO", "INFO", "WARNING", "ERROR")
_ERRORS = ("ValueError", "KeyError", "OSError", "TimeoutError", "RuntimeError", "AttributeError", "TypeError")


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Window:
    """One window of text, and what it is."""

    kind: str
    text: str


class Passages:
    """Writes texts from a corpus."""

    def __init__(self, corpus: Corpus, seed: int) -> None:
        """Prepare the chain of words."""
        self.corpus = corpus
        self.seed = seed
        self._sources = [source for source in corpus.sources if len(source.text) > SLICE]
        self._words = list(corpus.prose)
        self._next = dict[str, list[int]]()
        for at, word in enumerate(self._words):
            self._next.setdefault(word, []).append((at + 1) % len(self._words))
        self._kinds = [kind for kind, share in KINDS for _ in range(share)]
        self._makers: dict[str, Callable[[random.Random, int], str]] = {
            "prose": self.prose,
            "code": self.code,
            "log": self.log,
            "search": self.search,
            "trace": self.trace,
            "diff": self.diff,
        }

    def rng(self, number: int) -> random.Random:
        """Return the dice of window (or file) `number`."""
        return random.Random(self.seed << 40 ^ number)

    def window(self, number: int) -> Window:
        """Return window `number`: always the same text of `CHARS` characters."""
        rng = self.rng(number)
        kind = self._kinds[int(rng.random() * len(self._kinds))]
        text = self._makers[kind](rng, CHARS)
        return Window(kind, text[:CHARS].ljust(CHARS, "."))

    # --- kinds of text ----------------------------------------------------------------------------------------------

    def prose(self, rng: random.Random, chars: int) -> str:
        """Return running text in paragraphs, at least `chars` long: here and there it names something of the code."""
        words, following, roll = self._words, self._next, rng.random
        at = int(roll() * len(words))
        lines, line, length, total = list[str](), list[str](), 0, 0
        while total < chars:
            run = words[at : at + RUN_LEAST + int(roll() * RUN_MORE)]
            line += run
            if roll() < NAMED:
                line.append(f"`{self.new_name(rng)}`" if roll() < 0.6 else self.path(rng))
            length += sum(map(len, run)) + len(run)
            if length >= LINE:
                lines.append(" ".join(line))
                total += length
                line, length = [], 0
                if roll() < PARAGRAPH:
                    lines.append("")
            options = following[run[-1]]
            at = options[int(roll() * len(options))]
        return "\n".join(lines)

    def code(self, rng: random.Random, chars: int) -> str:
        """Return consecutive lines of real files with some names made new."""
        parts, total = list[str](), 0
        while total < chars:
            part = self.cut(rng, self.source(rng), min(chars, SLICE))
            parts.append(self.renamed(rng, part, NEW_NAMES // 2))
            total += len(part) + 1
        return "\n".join(parts)

    def log(self, rng: random.Random, chars: int) -> str:
        """Return lines as services write them: time, level, module, words, ids."""
        lines, total, clock = list[str](), 0, int(rng.random() * 86_400_000)
        module = self.path(rng)
        while total < chars:
            clock += int(rng.random() * 4_000)
            seconds = clock // 1000
            said = " ".join(self.sentence(rng, 4 + int(rng.random() * 9)))
            line = (
                f"2026-0{1 + clock % 9}-{10 + clock % 19} {seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:"
                f"{seconds % 60:02d},{clock % 1000:03d} {self.pick(rng, _LEVELS)} "
                f"{module}:{1 + int(rng.random() * 900)} {said} {self.new_name(rng)}={rng.getrandbits(48):x}"
            )
            lines.append(line)
            total += len(line) + 1
            if rng.random() < 0.3:
                module = self.path(rng)
        return "\n".join(lines)

    def search(self, rng: random.Random, chars: int) -> str:
        """Return lines found in files: path, number, line."""
        lines, total = list[str](), 0
        while total < chars:
            source = self.source(rng)
            first = int(rng.random() * 900)
            for offset, line in enumerate(self.cut(rng, source, 500).split("\n")):
                found = f"{source.path}:{first + 3 * offset}:{line}"
                lines.append(found)
                total += len(found) + 1
        return self.renamed(rng, "\n".join(lines), NEW_NAMES // 2)

    def trace(self, rng: random.Random, chars: int) -> str:
        """Return tracebacks over real lines."""
        lines, total = list[str](), 0
        while total < chars:
            part = ["Traceback (most recent call last):"]
            for _ in range(3 + int(rng.random() * 5)):
                source = self.source(rng)
                code = self.cut(rng, source, 90).split("\n")[0].strip()
                where = f'  File "/usr/src/{source.path}", line {1 + int(rng.random() * 2_000)}'
                part.append(f"{where}, in {self.name(rng)}\n    {code}")
            said = " ".join(self.sentence(rng, 3 + int(rng.random() * 8)))
            part.append(f"{self.pick(rng, _ERRORS)}: {said}: {self.new_name(rng)}\n")
            lines.extend(part)
            total += sum(len(line) + 1 for line in part)
        return "\n".join(lines)

    def diff(self, rng: random.Random, chars: int) -> str:
        """Return hunks of changed lines of real files."""
        lines, total = list[str](), 0
        while total < chars:
            source, at = self.source(rng), 1 + int(rng.random() * 900)
            part = [f"--- a/{source.path}", f"+++ b/{source.path}", f"@@ -{at},14 +{at},16 @@"]
            for line in self.cut(rng, source, 700).split("\n"):
                roll = rng.random()
                if roll < 0.15:
                    part += [f"-{line}", f"+{self.renamed(rng, line, 1)}"]
                else:
                    part.append(f" {line}")
            lines.extend(part)
            total += sum(len(line) + 1 for line in part)
        return "\n".join(lines)

    # --- parts of texts ---------------------------------------------------------------------------------------------

    def source(self, rng: random.Random) -> Source:
        """Return a file."""
        return self._sources[int(rng.random() * len(self._sources))]

    def cut(self, rng: random.Random, source: Source, chars: int) -> str:
        """Return about `chars` consecutive characters of a file, from the beginning of a line."""
        text = source.text
        at = int(rng.random() * max(1, len(text) - chars))
        start = text.rfind("\n", 0, at) + 1
        return text[start : start + chars]

    def path(self, rng: random.Random) -> str:
        """Return the path of a file."""
        return self.source(rng).path

    def name(self, rng: random.Random) -> str:
        """Return an identifier that occurs."""
        return self.pick(rng, self.corpus.names)

    def new_name(self, rng: random.Random) -> str:
        """Return an identifier composed of two that occur: rarely one that was there before."""
        first, second = self.name(rng), self.name(rng)
        if rng.random() < 0.3:
            return first.title().replace("_", "") + second.title().replace("_", "")
        return f"{first.lower()}_{second.lower()}"

    def sentence(self, rng: random.Random, count: int) -> Sequence[str]:
        """Return so many consecutive words of running text."""
        at = int(rng.random() * max(1, len(self._words) - count))
        return self._words[at : at + count]

    def renamed(self, rng: random.Random, text: str, count: int) -> str:
        """Return the text with some of its names replaced wherever they stand."""
        names = _NAME.findall(text)
        for _ in range(count if names else 0):
            text = text.replace(self.pick(rng, names), self.new_name(rng))
        return text

    @staticmethod
    def pick(rng: random.Random, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[int(rng.random() * len(items))]
