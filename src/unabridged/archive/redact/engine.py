"""Takes secrets out of transcript lines."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from unabridged.archive.redact import fields, jsontext, names, objects, patches
from unabridged.archive.redact.assignments import HEADER, Place, is_listed_value
from unabridged.archive.redact.candidates import Candidates, Regions, around
from unabridged.archive.redact.custom import Custom
from unabridged.archive.redact.rule import MARK, Finding, Span, placeholder
from unabridged.archive.redact.rules import RULES, RULESET_VERSION
from unabridged.archive.redact.scan import Scanner, token_places
from unabridged.archive.redact.seen import Seen
from unabridged.archive.redact.windows import MAX_RIGHT, mapped, string_spans

SHORT_KEY = 16  # bytes; no key below holds a token itself
GROUP = (
    65_536  # bytes of lines that are screened at once: alone, each would find the automaton out of the cache
)
MAX_ROUNDS = 8  # passes until nothing more is found, so that redacting the result finds nothing either

_FIELD_NAME = re.compile(rb"[A-Za-z0-9_$.-]{1,64}")
_LETTERS = re.compile(rb"[A-Za-z_]+")
MAX_CHARACTER = 4  # bytes of a character in UTF-8
_ASCII = 0x7F  # the greatest byte that is a character by itself


class Redactor:
    """The built-in rules and the user's own literals and patterns, compiled; safe to share between threads."""

    version = RULESET_VERSION

    def __init__(self, scanner: Scanner, custom: Custom | None) -> None:
        """Take compiled rules; see `compile`."""
        self._scanner = scanner
        self._find = scanner.find
        self._custom = custom

    @classmethod
    def compile(cls, literals: Sequence[str] = (), patterns: Sequence[str] = ()) -> Redactor:
        """Compile the rules with a user's literals and RE2 patterns.

        A pattern redacts its whole match, or only its group named `secret`. Raises InvalidPattern.
        """
        return cls(_builtin(), Custom(literals, patterns) if literals or patterns else None)

    def text(self, text: str) -> tuple[str, tuple[Finding, ...]]:
        """Redact plain text; also return what was found."""
        data = text.encode("utf-8", "surrogatepass")
        first = self._find(data, 0, len(data))
        if first < 0 and (self._custom is None or not self._custom.in_text(data)):
            return text, ()
        kept, found = self._rounds(data, 0, first)
        return (kept.decode("utf-8", "surrogatepass") if found else text), _findings(found)

    def line(self, line: bytes, doc_end_hint: int | None = None) -> tuple[bytes, tuple[Finding, ...]]:
        """Redact one transcript line; the same object comes back when nothing was found.

        JSON stays JSON: only the bytes of secrets within its strings change. What is not JSON is treated as text.
        `doc_end_hint`: where the first of several glued documents is known to end.
        """
        first = self._find(line, 0, len(line))
        if first >= 0:
            first = self._scanner.open_candidate(line, first, len(line))
        if first < 0 and (self._custom is None or not self._custom.in_line(line)):
            return line, ()
        kept, found = self._rounds(line, jsontext.documents_end(line, doc_end_hint), first)
        return (kept if found else line), _findings(found)

    def lines(self, lines: Sequence[bytes]) -> list[tuple[bytes, tuple[Finding, ...]]]:
        """Redact transcript lines, each as `line` does, at half the cost."""
        out: list[tuple[bytes, tuple[Finding, ...]]] = []
        group: list[bytes] = []
        size = 0
        for line in lines:
            if len(line) >= GROUP:
                out += self._group(group)
                out.append(self.line(line))
                group, size = [], 0
                continue
            group.append(line)
            size += len(line)
            # What follows a line without its end would seem to begin within a word.
            if size >= GROUP or not line.endswith(b"\n"):
                out += self._group(group)
                group, size = [], 0
        out += self._group(group)
        return out

    def _group(self, lines: list[bytes]) -> list[tuple[bytes, tuple[Finding, ...]]]:
        whole = b"".join(lines)
        if self._custom is not None and not self._custom.is_quiet(whole):
            return [self.line(line) for line in lines]
        size = len(whole)
        candidate = self._find(whole, 0, size)
        out: list[tuple[bytes, tuple[Finding, ...]]] = []
        end = 0
        for line in lines:
            end += len(line)
            if not 0 <= candidate < end:
                out.append((line, ()))
                continue
            out.append(self.line(line))
            # A candidate begins with the boundary before it, which is the end of the line before.
            candidate = self._find(whole, end - 1, size)
        return out

    # --- rounds -----------------------------------------------------------------------------------------------

    def _rounds(self, data: bytes, json_end: int, first: int) -> tuple[bytes, Counter[tuple[str, str]]]:
        """Redact until nothing is found; `json_end` is where JSON ends and text begins.

        The first round judges all from the candidate at `first` on (-1 where there is none), the others only what sees
        what the one before replaced.
        """
        found: Counter[tuple[str, str]] = Counter()
        regions: Regions = [(first, len(data))] if first >= 0 else []
        for _ in range(MAX_ROUNDS):
            spans = _merged(
                data, [*self._json_spans(data, json_end, regions), *self._text_spans(data, json_end, regions)]
            )
            if not spans:
                break
            pieces: list[bytes] = []
            marks: Regions = []
            last = size = grown = 0
            for span in spans:
                mark = placeholder(span.kind)
                pieces += (data[last : span.start], mark)
                size += span.start - last + len(mark)
                marks.append((size - len(mark), size))
                last = span.end
                found[span.rule, span.kind] += 1
                if span.end <= json_end:
                    grown += len(mark) - (span.end - span.start)
            pieces.append(data[last:])
            data = b"".join(pieces)
            json_end += grown
            regions = around(marks, len(data))
        return data, found

    def _text_spans(self, data: bytes, low: int, regions: Regions) -> Iterator[Span]:
        if low >= len(data):
            return
        broken_json = data[: len(jsontext.BOM) + 64].lstrip(jsontext.BOM + b" \t\r\n")[:1] in (b"{", b"[")
        text = data[low:] if low else data
        within = [(max(0, start - low), end - low) for start, end in regions if end > low]
        spans = self._scanner.spans(text, 0, len(text), within)[0]
        uris = fields.DataUris(data, low)
        for span in sorted((*spans, *self._custom_text(text))):
            start = span.start + low
            if broken_json and _in_sealed_tail(data, start):
                continue
            if not uris.holds(start):
                yield Span(start, span.end + low, span.rule, span.kind)

    def _json_spans(self, data: bytes, json_end: int, regions: Regions) -> Iterator[Span]:
        """Find the secrets in the strings of `data[:json_end]`, which is JSON."""
        scanner = self._scanner
        candidates = Candidates(scanner, data, json_end, regions)
        done = 0
        seen = Seen()
        candidate = candidates.open_after(0) if json_end else -1
        while candidate >= 0:
            places = token_places(data, candidate)
            place = max((candidate, *places))
            start, end = jsontext.string_around(data, place, done)
            if start < 0:
                candidate = candidates.open_after(place + 1)
                continue
            if start in (candidate, *places):
                spans = scanner.neighbours(data, start, seen)
                yield from (span for span in spans if not fields.is_sealed(data, span.start, span.end))
            yield from self._json_string(data, (start, end), candidate, regions)
            done = end + 1
            candidate = candidates.open_after(done)
        if self._custom is not None and self._custom.in_line(data):
            yield from self._custom_json(data, json_end)

    def _json_string(
        self, data: bytes, bounds: tuple[int, int], first: int, regions: Regions
    ) -> Iterator[Span]:
        """Find the secrets of the string whose first candidate is at `first`, and of the value whose name it is."""
        start, end = bounds
        value = jsontext.value_after(data, end)
        if value >= 0:
            yield from self._member(data, data[start:end], value)
            if end - start < SHORT_KEY:
                return
        else:
            yield from self._pair(data, start, end)
            yield from self._argument(data, start, end)
            yield from patches.key_lines(data, start, end)
        spans = list(string_spans(self._scanner, data, bounds, first, regions))
        if spans and not fields.is_sealed(data, start, end):
            uris = fields.DataUris(data, start)
            yield from (span for span in sorted(spans) if not uris.holds(span.start))

    def _member(self, data: bytes, key: bytes, value: int) -> Iterator[Span]:
        """Judge the value of an object's member by its key."""
        opens = data[value : value + 1]
        if opens in (b"[", b"{"):
            name = jsontext.decode(key)
            name = name.removesuffix(b"s") if opens == b"[" else name
            found = names.classify(name) if len(name) <= 2 * names.MAX_NAME else ""
            if found and not names.is_weak(name):
                spans = objects.held(data, value, (name, found), self._scanner.assignments.named)[0]
                yield from (span for span in spans if not fields.is_sealed(data, span.start, span.end))
        if opens != b'"':
            return
        yield from self._named(data, jsontext.decode(key), value + 1)

    def _pair(self, data: bytes, start: int, end: int) -> Iterator[Span]:
        """Judge `"value"` by `"name"`, as in `{"name": "DB_PASSWORD", "value": "…"}`."""
        if end - start > names.MAX_NAME or data[end + 1 : end + 2] not in (b",", b" "):
            return
        at = jsontext.skip_blanks(data, end + 1)
        if data[at : at + 1] != b",":
            return
        at = jsontext.skip_blanks(data, at + 1)
        if not data.startswith((b'"value"', b'"Value"'), at):
            return
        value = jsontext.value_after(data, at + len(b'"value'))
        if data[value : value + 1] == b'"':
            yield from self._named(data, jsontext.decode(data[start:end]), value + 1)

    def _argument(self, data: bytes, start: int, end: int) -> Iterator[Span]:
        """Judge what stands behind an option or a header's name in a list: `["--password", "…"]`, `["Cookie", "…"]`."""
        at = jsontext.skip_blanks(data, end + 1)
        if end - start > names.MAX_NAME or data[at : at + 1] != b",":
            return
        at = jsontext.skip_blanks(data, at + 1)
        if data[at : at + 1] != b'"' or data[at + 1 : at + 2] == b"-":
            return
        name = jsontext.decode(data[start:end])
        body = data[at + 1 : jsontext.string_end(data, at + 1)]
        if name.startswith(b"-") or (HEADER.fullmatch(name) and is_listed_value(body)):
            yield from self._named(data, name, at + 1)

    def _named(self, data: bytes, name: bytes, start: int) -> Iterator[Span]:
        found = names.classify(name) if len(name) <= 2 * names.MAX_NAME else ""
        end = jsontext.string_end(data, start)
        if not found or end - start > MAX_RIGHT or fields.is_sealed(data, start, end):
            return
        body = jsontext.decode(data[start:end])
        place = Place(name, found, name.lower(), quoted=True, literal=False)
        spans = self._scanner.assignments.value(place, body)
        yield from mapped(data, start, end, spans)

    def _custom_json(self, data: bytes, json_end: int) -> Iterator[Span]:
        custom = self._custom
        if custom is None:
            return
        for start, end in jsontext.strings(data, 0, json_end):
            text = jsontext.decode(data[start:end])
            spans = custom.spans(text)
            if spans and jsontext.value_after(data, end) >= 0 and _FIELD_NAME.fullmatch(text):
                # A host's own field names must stay, or nobody can read the line any more.
                spans = [span for span in spans if not _LETTERS.fullmatch(text, span.start, span.end)]
            if spans and not fields.is_sealed(data, start, end):
                yield from mapped(data, start, end, spans)

    def _custom_text(self, text: bytes) -> list[Span]:
        return self._custom.spans(text) if self._custom is not None else []


@functools.cache
def _builtin() -> Scanner:
    """Compile the built-in rules, once a process: it takes a fifth of a second."""
    return Scanner(RULES)


def _in_sealed_tail(data: bytes, at: int) -> bool:
    """A broken line: is `at` in the value of a sealed field, as far as can be told without its end?"""
    quote = data.rfind(b'"', 0, at)
    return quote >= 0 and fields.is_sealed(data, quote + 1, at)


def _merged(data: bytes, spans: list[Span]) -> list[Span]:
    """Sort spans, join those that overlap (the widest, then the most specific names the kind)."""
    out: list[Span] = []
    for span in sorted(set(spans)):
        if span.start >= span.end or MARK in data[span.start : span.end]:
            continue
        if data[span.end - 1] > _ASCII or data[span.start] > _ASCII:
            span = _of_characters(data, span)
        if out and span.start < out[-1].end:
            out[-1] = _joined(out[-1], span)
        else:
            out.append(span)
    return out


def _of_characters(data: bytes, span: Span) -> Span:
    """Widen a span to whole characters: rules count bytes."""
    start, end = span.start, span.end
    for _ in range(MAX_CHARACTER - 1):
        start -= start > 0 and _is_within(data[start]) and data[start - 1] > _ASCII
        end += end < len(data) and _is_within(data[end]) and data[end - 1] > _ASCII
    return Span(start, end, span.rule, span.kind)


def _is_within(byte: int) -> bool:
    """Tell whether a byte goes on a character in UTF-8."""
    return byte & 0xC0 == 0x80


def _joined(one: Span, other: Span) -> Span:
    wide = max((one, other), key=lambda span: (span.end - span.start, not span.rule.startswith("assigned-")))
    return Span(min(one.start, other.start), max(one.end, other.end), wide.rule, wide.kind)


def _findings(found: Counter[tuple[str, str]]) -> tuple[Finding, ...]:
    return tuple(Finding(rule, kind, count) for (rule, kind), count in sorted(found.items()))
