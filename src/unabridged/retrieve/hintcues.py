"""The words by which messages and texts tell what they are about: what `hintcues.toml` lists, as patterns."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from typing import Any

import re2

UNSPACED = ("zh", "ja")  # languages that put no space between words

WANTS_REASON = re.compile(
    r"\b(?:why|cause[ds]?|culprit|root cause|behind|rationale|"
    r"reason\w*|motivation|turn(?:ed)? out|warum|wieso|pourquoi|por qué|почему|зачем)\b"
    r"|\bwhat (?:was|is|had been) it that\b|\bwhat (?:had |has )?(?:caused|triggered|led to)\b"
    r"|\bwhat (?:broke|killed|made|went wrong|was wrong)\b|为什么|なぜ|どうして",
    re.IGNORECASE,
)
WANTS_REPAIR = re.compile(
    r"\b(?:fix(?:ed|es)?|solve[ds]?|solution|resolved?|remed\w+|cured?|workaround|rid of|behoben|исправ\w*)\b"
    r"|\b(?:do|did|doing|done|ship|shipped|help|helped) (?:\w+ )?against\b"
    r"|\bhow did (?:we|you|i) (?:get|make|manage|work around|stop|avoid|prevent)\b|修复|解决",
    re.IGNORECASE,
)
WANTS_DECISION = re.compile(
    r"\b(?:end(?:ed)? up|decid\w*|decision|chose|choose|chosen|pick(?:ed)?|agree\w*|settle\w*|why|rationale|"
    r"reason\w*|select\w*|reject\w*|"
    r"(?:did|had) (?:we|you) (?:take|use|go|want|adopt|keep|set|allow|plan|call|name|say)|supposed to|"
    r"warum|entsch\w*|pourquoi|por qué|почему|решили)\b|决定|为什么|选择",
    re.IGNORECASE,
)
WANTS_OUTPUT = re.compile(
    r"\b(?:errors?|exception|traceback|stack ?trace|output|print(?:ed)?|report(?:ed)?|measured|failure|crash\w*)\b"
    r"|\bwhen (?:we|you|i) (?:last )?(?:looked|checked|counted|ran|tested|profiled|queried|measured)\b"
    r"|\b(?:panic|command|return(?:ed)?|yield(?:ed)?|show(?:ed)?|measur\w*|benchmark\w*|throughput|latency|p\d\d)\b",
    re.IGNORECASE,
)


def compiled(table: str, languages: tuple[str, ...] = ()) -> re.Pattern[str]:
    """Return one pattern, without case, for a table's cues of some languages (none: of all)."""
    rows: dict[str, list[str]] = _tables()[table]
    chosen = [
        cue for language, cues in rows.items() if not languages or language in languages for cue in cues
    ]
    return re.compile("|".join(f"(?:{_spelt(cue)})" for cue in chosen), re.IGNORECASE)


def quick(*tables: str) -> Callable[[str], bool]:
    """Return what tells whether a text has any cue of some tables; of a text in ASCII by its English ones, in one pass.

    Those cues must do without looking around.
    """
    options = re2.Options()
    options.case_sensitive = False
    english = re2.compile("|".join(compiled(table, ("en",)).pattern for table in tables), options)
    every = re.compile("|".join(compiled(table).pattern for table in tables), re.IGNORECASE)
    return lambda text: bool((english if text.isascii() else every).search(text))


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    return tomllib.loads((files("unabridged.retrieve") / "hintcues.toml").read_text("utf-8"))


def _spelt(cue: str) -> str:
    """Return a cue with the lists of words that it names; a list may name another one."""
    words: dict[str, str] = _tables()["words"]
    while (spelt := re.sub(r"@(\w+)@", lambda match: words[match[1]], cue)) != cue:
        cue = spelt
    return cue
