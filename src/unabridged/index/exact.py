"""Anchors: what a text names exactly, and what a query that names it wants to see again.

An anchor's terms stand in the lexical index like all others. Anchors raise what holds them; they never decide alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from unabridged.index.analysis.phrase import phrase_of
from unabridged.index.analysis.plan import Clause, Plan
from unabridged.index.analysis.query import PHRASES_MOST, clauses_of

AnchorKind = Literal["url", "path", "commit", "error", "quoted", "symbol", "value"]

ANCHORS_MOST = 256  # of one text, the first ones
QUOTED_LEAST, QUOTED_MOST = 3, 200  # characters between quotation marks
TEXT_MOST = 100_000  # characters looked at

# In order: where two may begin, the first wins, and nothing else begins inside it.
_PATTERNS: tuple[tuple[AnchorKind, str], ...] = (
    ("url", r"[a-z][a-z0-9+.-]{1,10}://[^\s<>\"'`)\]}]+"),
    ("quoted", r"\"[^\"\n]{3,200}\"|`[^`\n]{3,200}`|\u201c[^\u201d\n]{3,200}\u201d"),
    (
        "path",
        r"(?:[A-Za-z]:\\|\\\\)[^\s:*?\"<>|]+|(?:~|\.{1,2})?/?(?:[\w.@+-]+/)+[\w.@+-]*|(?<![\w/])/[\w.@+-]+",
    ),
    ("error", r"\b(?:SQLSTATE|HTTP|exit (?:code|status)|errno) [0-9A-Z]{1,6}\b|\b[A-Z]{1,5}[0-9]{3,6}\b"),
    (
        "error",
        r"\b(?:[A-Za-z_][\w.]*)?(?:Error|Exception|Panic|Fault)\b|\bE[A-Z]{3,12}\b|\b[0-9]{2}[0-9A-Z][0-9]{2}\b",
    ),
    ("commit", r"\b(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,40}\b"),
    ("value", r"[\w.-]+=[^\s,;&]+|\b0x[0-9a-fA-F]+\b|\bv?[0-9]+(?:\.[0-9]+)+(?:-[\w.]+)?\b"),
    ("value", r"\b[A-Z]{2,10}-[0-9]+\b|\b[0-9]+(?:\.[0-9]+)? ?(?:ms|us|s|kB|KB|MB|GB|KiB|MiB|GiB|%)(?!\w)"),
    ("symbol", r"--?[A-Za-z][\w-]+|[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+(?:\(\))?|[A-Za-z_]\w*\(\)"),
    (
        "symbol",
        r"\b\w*[a-z0-9][A-Z]\w*\b|\b\w*[A-Za-z0-9]_\w*\b|\b__\w+\b|\b[a-z0-9]+(?:-[a-z0-9]+)*-[a-z]*[0-9]\w*\b",
    ),
)
_ANCHOR = re.compile("|".join(f"(?P<{kind}{number}>{text})" for number, (kind, text) in enumerate(_PATTERNS)))
_TRAILING = ".,;:!?"


@dataclass(frozen=True, slots=True)
class Anchor:
    """One exact name: its kind, the text as it stands, and its character range."""

    kind: AnchorKind
    text: str
    start: int
    end: int


def anchors(text: str) -> list[Anchor]:
    """Return the anchors of a text in order. Any string will do."""
    found = list[Anchor]()
    for match in _ANCHOR.finditer(text[:TEXT_MOST]):
        kind = _PATTERNS[int((match.lastgroup or "0").lstrip("abcdefghijklmnopqrstuvwxyz"))][0]
        start, end = match.span()
        if kind == "quoted":
            start, end = start + 1, end - 1
        elif kind in ("url", "path", "value"):
            end = start + len(match[0].rstrip(_TRAILING))
        if end - start > 1:
            found.append(Anchor(kind, text[start:end], start, end))
        if len(found) == ANCHORS_MOST:
            break
    return found


def anchor_plan(text: str) -> Plan:
    """Return a plan for the anchors of a text alone: names by their wholes, quotations as phrases. It may be empty."""
    clauses, phrases = dict[Clause, None](), list[str]()
    for anchor in anchors(text):
        if anchor.kind == "quoted":
            phrases.append(anchor.text)
        for clause in clauses_of(anchor.text):
            if clause.kind == "name":
                clauses[Clause("name", clause.source, clause.forms[:1], clause.weight)] = None
            elif anchor.kind != "quoted":
                clauses[clause] = None
    quoted = [phrase for part in dict.fromkeys(phrases) if (phrase := phrase_of(part))][:PHRASES_MOST]
    return Plan(tuple(clauses), tuple(quoted), not clauses and bool(quoted))
