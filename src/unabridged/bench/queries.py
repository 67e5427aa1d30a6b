"""The fixed queries of a seed: words, prose, names, paths, phrases and errors that stand in the windows."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from unabridged.bench.passages import Passages
from unabridged.index.analysis.stopwords import STOPWORDS

COUNT = 300
MOST_WORDS = 12
TRIES = 50  # windows that are looked at for a query of a kind

# What a query is, and how many of twenty are that.
KINDS = (("prose", 7), ("words", 4), ("name", 3), ("path", 2), ("phrase", 2), ("error", 2))

# Kinds of windows that a kind of query is taken from; the others are taken from any.
_FROM = {"prose": ("prose",), "phrase": ("prose",), "error": ("log", "trace")}

_WORD = re.compile(r"\w+")
_NAME = re.compile(r"\b[A-Za-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+[A-Z]\w+\b")
_PATH = re.compile(r"\b[\w.-]+(?:/[\w.-]+)+\.\w+")
_ERROR = re.compile(r"^(?:\w+Error|.* ERROR) ?.*$", re.MULTILINE)
_PART = re.compile(r'"([^"]*)"|([^"]+)')


def queries(passages: Passages, windows: int, count: int) -> list[str]:
    """Return `count` queries of 1 to 12 words taken from the first `windows` windows: the same ones each time."""
    rng = random.Random(passages.seed ^ windows)
    kinds = [kind for kind, share in KINDS for _ in range(share)]
    return [_query(passages, rng, windows, kinds[at % len(kinds)]) for at in range(count)]


def _query(passages: Passages, rng: random.Random, windows: int, kind: str) -> str:
    for _ in range(TRIES):
        window = passages.window(rng.randrange(windows))
        if window.kind not in _FROM.get(kind, (window.kind,)):
            continue
        found = _taken(rng, window.text, kind)
        if found:
            return found
    return " ".join(passages.sentence(rng, 4))


def _taken(rng: random.Random, text: str, kind: str) -> str:
    if kind in ("prose", "phrase"):
        words = text.split()
        count = rng.randint(2, 4) if kind == "phrase" else rng.randint(3, MOST_WORDS)
        at = rng.randrange(max(1, len(words) - count))
        run = " ".join(words[at : at + count]).replace('"', "")
        return f'"{run}"' if kind == "phrase" else run
    if kind == "words":
        words = [word for word in _WORD.findall(text) if len(word) > 2 and not word.isdigit()]
        return " ".join(rng.choice(words) for _ in range(rng.randint(1, 8))) if words else ""
    pattern = {"name": _NAME, "path": _PATH, "error": _ERROR}[kind]
    found: list[str] = pattern.findall(text)
    if not found:
        return ""
    if kind == "name":
        return " ".join(rng.choice(found) for _ in range(rng.randint(1, 2)))
    return " ".join(rng.choice(found).split()[:MOST_WORDS])


def fts_any(query: str, *, stopwords: bool = True) -> str:
    """Return the FTS5 expression that matches any word or phrase of the query.

    Without `stopwords`, words that carry grammar are left out where others remain.
    """
    parts = list(dict.fromkeys(_parts(query)))
    telling = parts if stopwords else [part for part in parts if part.strip('"').lower() not in STOPWORDS]
    return " OR ".join(telling or parts) or '"~"'


def fts_all(query: str) -> str:
    """Return the FTS5 expression that matches every word and phrase of the query."""
    return " AND ".join(dict.fromkeys(_parts(query))) or '"~"'


def _parts(query: str) -> Iterator[str]:
    """Yield words and phrases of a query, each as an FTS5 string."""
    for match in _PART.finditer(query):
        words: Sequence[str] = _WORD.findall(match[1] if match[1] is not None else match[2])
        if match[1] is not None and words:
            yield f'"{" ".join(words)}"'
        else:
            yield from (f'"{word}"' for word in words)
