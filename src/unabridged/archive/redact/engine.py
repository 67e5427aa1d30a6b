"""Takes secrets out of transcript lines."""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from unabridged.archive.redact import fields, jsontext, names, objects, patches
from unabridged.archive.redact.assignments import HEADER, Place, is_listed_value
from unabridged.archive.redact.custom import Custom
from unabridged.archive.redact.rule import MARK, Finding, Span, placeholder
from unabridged.archive.redact.rules import RULES, RULESET_VERSION
from unabridged.archive.redact.scan import MAX_TOKEN, Scanner, token_places

LEFT = 512  # bytes before a candidate that its rule may look at; `tokens.JWK` is the most
SHORT_KEY = 16  # bytes; no key below holds a token itself
RIGHT = 384  # bytes behind a candidate that are looked at first; more only when a value runs into their end
DENSE = 8_192  # bytes of a window from which a second scan would cost more than a long look ahead at once
MANIFEST = 8_192  # bytes on both sides of what its neighbours may tell; a JSON web key is the longest
MAX_RIGHT = 65_536  # bytes behind a candidate at the very most: no secret is longer
MAX_WINDOW = 262_144  # bytes decoded at once, so that a huge line takes bounded memory
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
        if self._find(data, 0, len(data)) < 0 and (self._custom is None or not self._custom.in_text(data)):
            return text, ()
        kept, found = self._rounds(data, 0)
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

    def _rounds(self, data: bytes, json_end: int, first: int = 0) -> tuple[bytes, Counter[tuple[str, str]]]:
        """Redact until nothing is found; `json_end` is where JSON ends and text begins.

        `first`: where the first candidate begins; -1 when there is none.
        """
        found: Counter[tuple[str, str]] = Counter()
        for _ in range(MAX_ROUNDS):
            spans = _merged(
                data, [*self._json_spans(data, json_end, first), *self._text_spans(data, json_end)]
            )
            if not spans:
                break
            pieces: list[bytes] = []
            last = grown = 0
            for span in spans:
                mark = placeholder(span.kind)
                pieces += (data[last : span.start], mark)
                last = span.end
                found[span.rule, span.kind] += 1
                if span.end <= json_end:
                    grown += len(mark) - (span.end - span.start)
            pieces.append(data[last:])
            data = b"".join(pieces)
            json_end += grown
            first = self._scanner.open_candidate(data, self._find(data, 0, len(data)), len(data))
        return data, found

    def _text_spans(self, data: bytes, low: int) -> Iterator[Span]:
        if low >= len(data):
            return
        broken_json = data[: len(jsontext.BOM) + 64].lstrip(jsontext.BOM + b" \t\r\n")[:1] in (b"{", b"[")
        spans = self._string_spans(data, low, len(data), max(0, low - 1), escaped=False)
        for span in itertools.chain(spans, self._custom_text(data, low)):
            if broken_json and _in_sealed_tail(data, span.start):
                continue
            if not fields.in_data_uri(data, low, span.start):
                yield span

    def _json_spans(self, data: bytes, json_end: int, candidate: int) -> Iterator[Span]:
        """Find the secrets in the strings of `data[:json_end]`, which is JSON; the first candidate is known."""
        scanner = self._scanner
        done = 0
        while 0 <= candidate < json_end:
            place = max((candidate, *token_places(data, candidate)))
            start, end = jsontext.string_around(data, place, done)
            if start < 0:
                candidate = scanner.open_candidate(
                    data, scanner.candidate(data, place + 1, json_end), json_end
                )
                continue
            if start in (candidate, *token_places(data, candidate)):
                spans = self._scanner.neighbours(data, start)
                yield from (span for span in spans if not fields.is_sealed(data, span.start, span.end))
            yield from self._json_string(data, start, end, candidate)
            done = end + 1
            candidate = scanner.open_candidate(data, scanner.candidate(data, done, json_end), json_end)
        if self._custom is not None and self._custom.in_line(data):
            yield from self._custom_json(data, json_end)

    def _json_string(self, data: bytes, start: int, end: int, first: int) -> Iterator[Span]:
        """Find the secrets of the string whose first candidate is at `first`, and of the value whose name it is."""
        value = jsontext.value_after(data, end)
        if value >= 0:
            yield from self._member(data, data[start:end], value)
            if end - start < SHORT_KEY:
                return
        else:
            yield from self._pair(data, start, end)
            yield from self._argument(data, start, end)
            yield from patches.key_lines(data, start, end)
        spans = list(self._string_spans(data, start, end, first, escaped=True))
        if spans and not fields.is_sealed(data, start, end):
            yield from (span for span in spans if not fields.in_data_uri(data, start, span.start))

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
        yield from _mapped(data, start, end, spans)

    # --- windows ----------------------------------------------------------------------------------------------

    def _string_spans(self, data: bytes, low: int, high: int, at: int, *, escaped: bool) -> Iterator[Span]:
        """Find the secrets in `data[low:high]`, a string's content (`escaped`) or text, window by window.

        `at`: where to look first; one before `low` when the boundary of its first token stands there.
        """
        positions = self._scanner.positions(data, at, high)
        if escaped:
            rules_out = self._scanner.rules_out
            positions = (place for place in positions if place == at or not rules_out(data, place, high))
        following = next(positions, None)
        while following is not None:
            first = last = max(low, following)
            manifest = self._scanner.looks_far(data, following)
            stop = min(high, last + (MANIFEST if manifest else RIGHT))
            following = next(positions, None)
            while following is not None and following < stop and stop - first < MAX_WINDOW:
                last = following
                kind = self._scanner.looks_far(data, following)
                stop = max(stop, min(high, last + (MANIFEST if kind else RIGHT)))
                manifest = manifest or kind
                following = next(positions, None)
            if stop - first > DENSE:
                stop = min(high, last + MAX_TOKEN)
            yield from self._window(
                data, (low, high), (first, last, stop), MANIFEST if manifest else LEFT, escaped
            )

    def _window(
        self, data: bytes, bounds: tuple[int, int], place: tuple[int, int, int], left: int, escaped: bool
    ) -> Iterator[Span]:
        """Scan around the candidates from `first` to `last`, at first up to `stop`."""
        low = bounds[0]
        first, last, stop = place
        start = max(low, first - left)
        if not escaped:
            spans = self._grow(data, b"", start, first, bounds, (last, stop), escaped=False)
            yield from (Span(s.start + start, s.end + start, s.rule, s.kind) for s in spans[0])
            return
        start = jsontext.safe_start(data, start, low)
        head = jsontext.safe_start(data, first, low)
        before = jsontext.decode(data[start:head])
        spans, end = self._grow(data, before, start, head, bounds, (last, stop), escaped=True)
        yield from _mapped(data, start, end, spans)

    def _grow(
        self,
        data: bytes,
        before: bytes,
        start: int,
        head: int,
        bounds: tuple[int, int],
        reach: tuple[int, int],
        *,
        escaped: bool,
    ) -> tuple[list[Span], int]:
        """Scan `data[start:stop]` from `head` on, and more of it as long as a value runs into its end.

        `before`: `data[start:head]` decoded. Returns the places in decoded text, and where the scanned text ends.
        """
        low, high = bounds
        last, stop = reach
        while True:
            if escaped:
                end = stop if stop == high else max(jsontext.safe_start(data, stop, low), last + 1)
                text = before + jsontext.decode(data[head:end])
                begin = len(before)
                if data.startswith(b"\\u", head):
                    # A letter is escaped: the candidate may begin before it. (0 would pass for the text's start.)
                    begin = 0 if start == low else min(1, begin)
            else:
                end = stop
                text = data[start:end]
                begin = head - start
            until = len(text)
            if end - head > DENSE and end < high:
                # Candidates behind the last are the next window's: here their values run into the end for nothing.
                mark = jsontext.safe_start(data, last, low)
                until = 1 + (len(before) + len(jsontext.decode(data[head:mark])) if escaped else last - start)
            spans, short = self._scanner.spans(text, begin, until)
            if not short or end == high or stop - last >= MAX_RIGHT:
                return spans, end
            stop = min(high, last + (stop - last) * 4)

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
                yield from _mapped(data, start, end, spans)

    def _custom_text(self, data: bytes, low: int) -> Iterator[Span]:
        if self._custom is None:
            return
        for span in self._custom.spans(data[low:] if low else data):
            yield Span(span.start + low, span.end + low, span.rule, span.kind)


@functools.cache
def _builtin() -> Scanner:
    """Compile the built-in rules, once a process: it takes a fifth of a second."""
    return Scanner(RULES)


def _in_sealed_tail(data: bytes, at: int) -> bool:
    """A broken line: is `at` in the value of a sealed field, as far as can be told without its end?"""
    quote = data.rfind(b'"', 0, at)
    return quote >= 0 and fields.is_sealed(data, quote + 1, at)


def _mapped(data: bytes, start: int, end: int, spans: list[Span]) -> Iterator[Span]:
    """Move places in the decoded content of `data[start:end]` to places in `data`."""
    if not spans:
        return
    places = sorted({place for span in spans for place in (span.start, span.end)})
    raw = dict(zip(places, jsontext.raw_places(data[start:end], places), strict=True))
    for span in spans:
        yield Span(start + raw[span.start], start + raw[span.end], span.rule, span.kind)


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
