"""The phrases that tell relations: what ships in `cues.toml`, with a user's own.

A phrase is written as it is said; see the head of that file for its few signs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import re2

from unabridged.errors import InvalidSetting
from unabridged.index.analysis.fields import analyse
from unabridged.index.analysis.stopwords import STOPWORDS

RELATIONS = ("question", "request", "correction", "answer", "decision", "failure")
GAP_WORDS = 8  # that a `…` stands for, at most
TELLING = 6  # letters of a word that is rare enough to look far back by
MOST_OWN = 200  # characters of a user's own phrase

_ANY, _TOPIC = "\u2026", "<x>"
_BETWEEN = r"[\s,;:\u2014-]+"
_QUIET = re2.Options()
_QUIET.log_errors = False
_TOPIC_PATTERN = r"(?P<topic>\S.*)"


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase that a sentence may hold. `signs`: a text that has none of these words does not hold it."""

    pattern: re.Pattern[str]
    signs: frozenset[str]
    sure: bool


@dataclass(frozen=True, slots=True)
class Cues:
    """What tells one relation.

    sure, maybe: what a sentence begins with. holds: what stands anywhere in it. unless: where it stands, none counts.
    words: plain words as the index has them, one of which every text with a cue has. telling: the rare ones of them.
    any: finds something, quickly, in every text that has a cue.
    """

    sure: re.Pattern[str] | None
    maybe: re.Pattern[str] | None
    holds: tuple[Cue, ...]
    unless: re.Pattern[str] | None
    words: frozenset[str]
    telling: frozenset[str]
    any: Any


def check(own: Iterable[str]) -> None:
    """Raise `InvalidSetting` for a user's phrase that is not `relation: phrase`."""
    for line in own:
        relation, phrase = _own(line)
        if relation not in RELATIONS or not phrase or len(phrase) > MOST_OWN or _TOPIC in phrase:
            raise InvalidSetting(
                f"{line[:80]!r} is not a cue",
                hint=f"Write `relation: phrase`; relations are {', '.join(RELATIONS)}.",
                setting="search.cues",
            )


@lru_cache(maxsize=64)
def cues_of(relation: str, own: tuple[str, ...] = ()) -> Cues:
    """Return what tells a relation in all languages, and in a user's own phrases."""
    lists = [table[relation] for table in _languages() if relation in table]

    def phrases(name: str) -> list[str]:
        return [phrase for known in lists for phrase in known.get(name, ())]

    mine = [phrase for name, phrase in map(_own, own) if name == relation]
    holds = [(phrase, True) for phrase in phrases("holds") + mine]
    holds += [(phrase, False) for phrase in phrases("maybe_holds")]
    every = [*phrases("begins"), *phrases("maybe_begins"), *(phrase for phrase, _ in holds)]
    words = {term for phrase in every for sign in _signs(phrase) for term in analyse(sign).words.split()[:1]}
    return Cues(
        _any(phrases("begins")),
        _any(phrases("maybe_begins")),
        tuple(Cue(re.compile(_pattern(phrase)), _signs(phrase), sure) for phrase, sure in holds),
        _any(phrases("unless")),
        frozenset(words),
        frozenset(word for word in words if len(word) >= TELLING and word not in STOPWORDS),
        re2.compile("|".join(_hull(phrase) for phrase in every) or "x", _QUIET),
    )


@lru_cache(maxsize=1)
def leads() -> re.Pattern[str]:
    """Return what may stand before a cue that a sentence begins with: `ok, so …`."""
    phrases = [_pattern(item) for table in _languages() for item in table.get("leads", ())]
    return re.compile(rf"[\"'\u201c(*_`]*(?:(?:{'|'.join(phrases)})(?!\w)[\s,.!:\u2014-]+)*[\"'\u201c(*_`]*")


@lru_cache(maxsize=1)
def questions() -> tuple[tuple[str, bool, re.Pattern[str]], ...]:
    """Return whole queries that ask for a relation: which, whether for the one before the latest, how it is written.

    Those without a topic come first.
    """
    found = [
        (_TOPIC in phrase, relation, earlier == "earlier", re.compile(_pattern(phrase), re.DOTALL))
        for table in _languages()
        for relation in RELATIONS
        for earlier in ("asked", "earlier")
        for phrase in table.get(relation, {}).get(earlier, ())
    ]
    found.sort(key=lambda item: item[0])
    return tuple(item[1:] for item in found)


@lru_cache(maxsize=1)
def openings() -> frozenset[str]:
    """Return the first words of all such queries."""
    phrases = [
        phrase
        for table in _languages()
        for relation in RELATIONS
        for name in ("asked", "earlier")
        for phrase in table.get(relation, {}).get(name, ())
    ]
    return frozenset(word for phrase in phrases for word in phrase.split()[0].split("/"))


def folded(text: str) -> str:
    """Return a text in lower case with plain apostrophes, every character in its place."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    return lower.replace("\u2019", "'")


def _languages() -> Iterator[Mapping[str, Any]]:
    yield from _table().values()


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(files("unabridged.retrieve").joinpath("cues.toml").read_text(encoding="utf-8"))


def _own(line: str) -> tuple[str, str]:
    relation, _, phrase = line.partition(":")
    return relation.strip().lower().removeprefix("latest-"), folded(" ".join(phrase.split()))


def _any(phrases: list[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(map(_pattern, phrases))) if phrases else None


def _hull(phrase: str) -> str:
    """Return a pattern without look-around that finds something wherever the phrase stands."""
    found = ""
    for word in phrase.strip().split():
        if word == _ANY or word.startswith("["):
            found += r"[\s\S]*?" if found else ""
        else:
            found += (r"\W+" if found and not found.endswith("*?") else "") + _words(word)
    return found


def _pattern(phrase: str) -> str:
    found, between = "", ""
    for word in phrase.split():
        if word == _ANY:
            found += f"(?:{_BETWEEN}\\S+){{0,{GAP_WORDS}}}?"
        elif word == f"[{_TOPIC}]":
            found += f"(?:{_BETWEEN}{_TOPIC_PATTERN})?"
        elif word.startswith("[") and not between:
            found += f"(?:{_words(word[1:-1])}{_BETWEEN})?"
            continue
        elif word.startswith("["):
            found += f"(?:{between}{_words(word[1:-1])})?"
        else:
            found += between + (_TOPIC_PATTERN if word == _TOPIC else _words(word))
        between = _BETWEEN
    first, last = phrase.lstrip("[")[:1], phrase.rstrip("]")[-1:]
    return (r"(?<!\w)" if _is_word(first) else "") + found + (r"(?!\w)" if _is_word(last) else "")


def _is_word(char: str) -> bool:
    """Tell whether a character is of a script that is written with spaces between words."""
    return char.isalnum() and char < "\u2e80"


def _words(word: str) -> str:
    return f"(?:{'|'.join(re.escape(part) for part in word.split('/'))})"


def _signs(phrase: str) -> frozenset[str]:
    """Return the alternatives of the most telling word of a phrase."""
    groups = [word.split("/") for word in phrase.split() if word not in (_ANY, _TOPIC) and word[:1] != "["]
    plain = [group for group in groups if all(word.isalnum() for word in group)] or groups

    def telling(group: list[str]) -> tuple[bool, int]:
        return not any(word in STOPWORDS for word in group), min(map(len, group))

    return frozenset(max(plain, key=telling))
