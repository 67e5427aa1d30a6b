"""The words by which messages and texts tell what they are about: what `hintcues.toml` lists, as patterns."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from typing import Any

import re2

_PARTS = re.compile(r"\\.|\(\?(?:<?[=!]|:)|.", re.DOTALL)
_RARE_SPACES = "\x0b\x1c\x1d\x1e\x1f"  # that are white space to Python alone
MOST_MEMORY = 4 << 20  # bytes of one pattern's states; more makes it no faster
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


def told(table: str) -> Callable[[str], bool]:
    """Return what tells whether a text has any cue of a table.

    Long texts have few: one pass of the pattern without what it looks around at, which finds as much or more, says so.
    """
    exact = compiled(table)
    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = MOST_MEMORY
    options.log_errors = False  # with too little memory it goes on, slower: nothing to tell anybody
    wider = re2.compile(_unbound(exact.pattern), options)

    def has(text: str) -> bool:
        plain = (
            text.isascii() and not text.endswith("\n") and not any(space in text for space in _RARE_SPACES)
        )
        return not (plain and wider.search(text) is None) and exact.search(text) is not None

    return has


def _unbound(pattern: str) -> str:
    """Return a pattern without what it looks around at."""
    kept, depth, within = list[str](), 0, False  # depth: of groups inside of what is left out; within: a set
    for part in _PARTS.findall(pattern):
        if within or part[0] in "\\[":
            within = part == "[" or (within and part != "]")
        elif depth or (part.startswith("(?") and part != "(?:"):
            depth += part[0] == "("
            depth -= part == ")"
            continue
        if not depth:
            kept.append(part)
    return "".join(kept)


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    return tomllib.loads((files("unabridged.retrieve") / "hintcues.toml").read_text("utf-8"))


def _spelt(cue: str) -> str:
    """Return a cue with the lists of words that it names; a list may name another one."""
    words: dict[str, str] = _tables()["words"]
    while (spelt := re.sub(r"@(\w+)@", lambda match: words[match[1]], cue)) != cue:
        cue = spelt
    return cue
