"""Finds the secrets of the built-in rules in plain text."""

from __future__ import annotations

import itertools
import re

import re2

from unabridged.archive.redact import assignments, manifests, objects, tokens, webkeys
from unabridged.archive.redact.candidates import Candidates, Regions
from unabridged.archive.redact.pattern import Match, Pattern, capturing, finder
from unabridged.archive.redact.rule import WORD, Rule, Span
from unabridged.archive.redact.seen import Seen
from unabridged.archive.redact.words import first_line, read

CHUNK = 32_768  # bytes that one search for a candidate looks through
OVERLAP = 1_024  # bytes of a chunk that the next one begins with; no candidate's beginning is longer
QUICK = 512  # bytes behind a candidate in which a key and the name that is its value end
MAX_TOKEN = 16_384  # bytes of a token at most; a JSON web token with many claims is the longest
# A character of a name or token that JSON writers may escape though they need not: the screen cannot see through it.
ESCAPED_CHARACTER = r"\\u00(?:2[dDeE]|3[0-9]|4[1-9a-fA-F]|5[0-9aAfF]|6[1-9a-fA-F]|7[0-9aA])"
# What may stand before a token: no letter, no digit, unless it belongs to an escape (of JSON, a URL, a terminal).
_BOUNDARY = r"[^A-Za-z0-9]|\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9a-fA-F]{4}|\[[0-9;]*m"
_BEFORE = re.compile(rb"\\[nrtbf]|\\u[0-9a-fA-F]{4}|%[0-9A-Fa-f]{2}|\[[0-9;]*m|[^A-Za-z0-9]")
_LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_BACKSLASH = 0x5C
_HOST_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.*-"
_TOKEN_BYTES = _HOST_BYTES + b"+/~"
_PRECISE = frozenset(
    ("pairs", "kty", "cookies", "argv")
)  # their patterns tell cheaply whether they begin at a place
_FAR = frozenset((*_PRECISE, "k8s"))
_Matcher = tuple[Rule, tuple[bytes, ...], Pattern | None]


class Scanner:
    """The built-in rules, compiled."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        """Compile the rules."""
        shapes = tuple(rule for rule in rules if rule.where == "text")
        begun = "|".join(_screen(rule) for rule in shapes if _begins_word(rule))
        others = (_screen(rule) for rule in shapes if not _begins_word(rule))
        pattern = "|".join((f"(?:^|{_BOUNDARY})(?:{begun})", *others, assignments.SCREEN, ESCAPED_CHARACTER))
        self.find = finder(pattern)
        """Find the first candidate in raw or decoded text; this is what every line pays for."""
        self.assignments = assignments.Assignments(tuple(rule for rule in rules if rule.where == "value"))
        self._matchers: dict[bytes, tuple[_Matcher, ...]] = {}
        """By the first byte or two of what a rule can begin with."""
        self._by_head: dict[bytes, tuple[_Matcher, ...]] = {}
        """By two bytes of text: the rules by the first and those by both, joined when they were first met."""
        for rule in shapes:
            matcher = (rule, tuple(word.encode() for word in rule.keywords), _compiled(rule))
            for head in _heads(rule):
                self._matchers[head] = (*self._matchers.get(head, ()), matcher)

    def candidate(self, text: bytes, at: int, end: int) -> int:
        """Return where the next candidate in `text[at:end]` begins (see `token_places`), or -1.

        The search goes chunk by chunk: where something that begins like a candidate goes on for megabytes, every
        search would look through all of it again.
        """
        while at < end:
            stop = min(end, at + CHUNK)
            found = self.find(text, at, stop)
            if found >= 0 or stop == end:
                return found
            at = stop - OVERLAP
        return -1

    def open_candidate(self, data: bytes, at: int, end: int) -> int:
        """Return the first candidate at `at` or later that is not ruled out at once, or -1."""
        while at >= 0 and self.rules_out(data, at, end):
            at = self.candidate(data, at + 1, end)
        return at

    def rules_out(self, data: bytes, at: int, high: int) -> bool:
        """Tell cheaply, in text or a JSON string's raw content, that a candidate is no secret; false: look closer."""
        first = data[at]
        if first in _LETTERS:
            tokens_begin = (at,)
        elif first in b" _.":
            tokens_begin = (at, at + 1)
        else:
            return False
        for place in tokens_begin:
            for matcher in self._at_head(data, place):
                if _begins(matcher, data, place):
                    return False
        return self.assignments.rules_out(data, at, high)

    def spans(
        self, text: bytes, begin: int, until: int, regions: Regions | None = None
    ) -> tuple[list[Span], bool]:
        """Find the secrets whose candidates begin in `text[begin:until]`, and in `regions` if they are given.

        Also tells whether one of them ran into the end of `text`, so that more of it may change the outcome.
        """
        found: list[Span] = []
        short = False
        seen = Seen()
        candidates = Candidates(self, text, len(text), [(0, len(text))] if regions is None else regions)
        at = begin - 1
        while 0 <= (at := candidates.after(at + 1)) < until:
            short |= self._at(text, at, found, seen)
            boundary = None if text[at] in _LETTERS else _BEFORE.match(text, at)
            if boundary is not None:
                # A backslash may be a boundary itself, or begin an escape that is one.
                short |= self._at(text, at + 1, found, seen)
                if boundary.end() > at + 1:
                    short |= self._at(text, boundary.end(), found, seen)
            spans, cut = self.assignments.find(text, at, seen)
            found += spans
            short |= cut
        return found, short

    def _at(self, text: bytes, at: int, found: list[Span], seen: Seen) -> bool:
        """Try the rules that can begin at `at`; return whether one ran into the end of the text."""
        short = False
        for matcher in self._at_head(text, at):
            keywords = matcher[1]
            if (not keywords or matcher[0].fold or text.startswith(keywords, at)) and _begins(
                matcher, text, at
            ):
                short |= self._apply(matcher, text, at, found, seen)
        return short

    def looks_far(self, text: bytes, at: int) -> bool:
        """Tell whether a rule that looks far on both sides may begin with the candidate at `at`."""
        return any(
            matcher[0].check in _FAR and _begins(matcher, text, place)
            for place in (at, *token_places(text, at))
            for matcher in self._at_head(text, place)
        )

    def neighbours(self, data: bytes, at: int, seen: Seen) -> list[Span]:
        """Find in JSON what the member whose key's content begins at `at` tells of the other members of its object."""
        found: list[Span] = []
        for matcher in self._at_head(data, at):
            check = matcher[0].check
            if check == "k8s":
                found += objects.manifest(data, at, seen)
            elif check in _PRECISE and _begins(matcher, data, at):
                found += self._neighbour(check, data, at, seen)[0]
        return found

    def _neighbour(self, check: str, text: bytes, at: int, seen: Seen) -> tuple[list[Span], bool]:
        """Find what rules of neighbours find at a place where they begin."""
        if check == "kty":
            return webkeys.private_members(text, at, seen)
        if check == "cookies":
            return objects.cookie(text, at, seen)
        if check == "pairs":
            return objects.pairs(text, at, self.assignments.named, seen)
        items, short = objects.arguments(text, at, seen)
        # As a shell has it; what is found within one argument stands in the text as it is.
        command = b" ".join(text[item.start : item.end] for item in items)
        found: list[Span] = []
        begin = 0
        spans = self.spans(command, 0, len(command))[0] if len(items) > 1 else []
        for item in items:
            end = begin + item.end - item.start
            found += (
                Span(span.start - begin + item.start, span.end - begin + item.start, span.rule, span.kind)
                for span in spans
                if begin <= span.start and span.end <= end
            )
            begin = end + 1
        return found, short

    def _at_head(self, text: bytes, at: int) -> tuple[_Matcher, ...]:
        """Return the rules that can begin with what stands at `at`."""
        head = text[at : at + 2]
        known = self._by_head.get(head)
        if known is None:
            one = self._matchers.get(head[:1], ())
            two = self._matchers.get(head, ()) if len(head) > 1 else ()
            known = self._by_head[head] = one + two
        return known

    def _apply(self, matcher: _Matcher, text: bytes, at: int, found: list[Span], seen: Seen) -> bool:
        """Try one rule at one candidate; return whether it ran into the end of the text."""
        rule, _, pattern = matcher
        if pattern is None or rule.check in _PRECISE:
            spans, short = self._look(rule.check, text, at, seen)
            found += spans
            return short
        if (
            not rule.back
            and text[at : at + 1].isalnum()
            and not tokens.begins_token(text, at, strict=rule.strict)
        ):
            return False
        if rule.check == "jwt" and text.find(b".", at, seen.run_end(text, at)) < 0:
            return seen.run_end(text, at) == len(text)
        match = _match(rule, pattern, text, at)
        if match is None:
            return seen.run_end(text, at) == len(text)
        whole, start, end = match
        if rule.group == WORD:
            word = read(text, end, "literal")
            # A quote that comes behind the line does not belong to the one before the word.
            start, end = word.start, word.start + len(first_line(text[word.start : word.end]))
        if (
            rule.back
            and text[whole : whole + 1].isalnum()
            and not tokens.begins_token(text, whole, strict=rule.strict)
        ):
            return False
        if (end == len(text) and end > start) or (rule.check == "jwk" and end + tokens.JWK > len(text)):
            short = True
        else:
            short = False
            if rule.group == 0 and not tokens.ends_token(text, end):
                return False
        if tokens.stands(rule, text, start, end, whole):
            found.append(Span(start, end, rule.name, rule.kind))
        return short

    def _look(self, check: str, text: bytes, at: int, seen: Seen) -> tuple[list[Span], bool]:
        """Try at a candidate a rule that is more than a pattern."""
        if check == "pem":
            return tokens.key_block(text, at)
        if check != "k8s":
            return self._neighbour(check, text, at, seen)
        return manifests.secret_values(text, at, seen)


def token_places(text: bytes, at: int) -> tuple[int, ...]:
    """Return where the token of a candidate may begin, for a candidate begins with the boundary before it."""
    boundary = _BEFORE.match(text, at)
    # A backslash may be a boundary itself, or begin an escape that is one.
    return () if boundary is None else (at + 1, boundary.end())


def _match(rule: Rule, pattern: Pattern, text: bytes, at: int) -> tuple[int, int, int] | None:
    """Return (begin of the match, begin of the secret, end of the secret)."""
    if not rule.back:
        match = pattern.match(text, at, min(len(text), at + MAX_TOKEN))
    else:
        limit = min(len(text), at + MAX_TOKEN)
        match = None
        for start in range(_leftmost(rule, text, at), at + 1):
            match = pattern.match(text, start, limit)
            if match is not None and match.end() > at:
                break
            match = None
            if rule.check == "pgpass":
                break  # its first part takes all before the colon, or none
        if match is not None:
            match = _behind_escape(pattern, text, match, limit)
    if match is None:
        return None
    group = max(rule.group, 0)
    if rule.group == WORD:
        return match.start(), match.start(), match.end()
    return match.start(), match.start(group), match.end(group)


def _leftmost(rule: Rule, text: bytes, at: int) -> int:
    """Return where a token may begin at the earliest that a rule finds backwards from `at`."""
    left = text[max(0, at - rule.back) : at]
    return at - len(left) + len(left.rstrip(_HOST_BYTES if rule.check == "pgpass" else _TOKEN_BYTES))


def _behind_escape(pattern: Pattern, text: bytes, match: Match, limit: int) -> Match | None:
    """Match again behind an escaped line end, whose letter a token found backwards may have taken for its own."""
    begin = match.start()
    if begin == 0 or text[begin - 1] != _BACKSLASH:
        return match
    escape = _BEFORE.match(text, begin - 1)
    if escape is None or escape.end() <= begin:
        return match
    return pattern.match(text, escape.end(), limit)


def _begins(matcher: _Matcher, text: bytes, at: int) -> bool:
    """Tell whether a rule may begin at `at`."""
    rule, keywords, pattern = matcher
    if keywords and not _starts(rule, keywords, text, at):
        return False
    if rule.check not in _PRECISE or pattern is None:
        return True
    if rule.check == "pairs" and objects.NAMING_KEY.match(text, at) is None:
        return False
    return pattern.match(text, at, at + QUICK) is not None


def _starts(rule: Rule, keywords: tuple[bytes, ...], text: bytes, at: int) -> bool:
    if rule.fold:
        return text[at : at + 32].lower().startswith(keywords)
    return text.startswith(keywords, at)


def _compiled(rule: Rule) -> Pattern | None:
    return capturing(rule.pattern) if rule.pattern else None


def _screen(rule: Rule) -> str:
    if rule.anchor:
        return f"(?:{rule.anchor})"
    words = "|".join(re2.escape(word) for word in rule.keywords)
    return f"(?{'i' if rule.fold else ''}:{words}){rule.peek}"


def _begins_word(rule: Rule) -> bool:
    """Tell whether a candidate must follow a boundary: it lets the automaton rest inside of words."""
    if rule.back or not rule.keywords:
        return False
    return not rule.keywords[0].startswith((" ", ":"))


def _heads(rule: Rule) -> frozenset[bytes]:
    """Return the first one or two bytes with which a candidate of this rule can begin."""
    heads = {word[:2] for word in rule.keywords} | set(rule.first)
    if rule.fold:
        heads = {
            "".join(pair)
            for head in heads
            for pair in itertools.product(*((c.lower(), c.upper()) for c in head))
        }
    return frozenset(head.encode() for head in heads)
